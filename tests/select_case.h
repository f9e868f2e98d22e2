/* SPDX-License-Identifier: MIT */
/*
 * One case of a selection or of a partition, run against the oracle. Outputs are exactly as large as the header says
 * they must be: the smaller of capacity and max_items. All of every buffer is compared, also what must not change.
 */
#ifndef ONEPASS_TESTS_SELECT_CASE_H
#define ONEPASS_TESTS_SELECT_CASE_H

#include "guard.h"
#include "inputs.h"
#include "prop.h"

/* What decides, beside the kinds of predicates. */
enum { num_predicate_kinds = ONEPASS_ALL_BITS, by_flags = 0, by_runs = -1 };

typedef enum select_shape { SELECTS, PARTS_IN_TWO, PARTS_IN_THREE } select_shape;

/* Where a predicate's values come from. */
typedef enum value_source {
    VALUE_LIKE_ITEMS, /* made as the items are */
    VALUE_OF_AN_ITEM, /* equal to one of the items */
    VALUE_AT_THE_END, /* the ends of the type's range, just beyond them, and far beyond; NaN and infinities */
    VALUE_ANY         /* all bits random */
} value_source;
enum { num_value_sources = VALUE_ANY + 1 };

typedef enum capacity_mode { /* against the number kept */
                             CAPACITY_UNLIMITED,
                             CAPACITY_ZERO,
                             CAPACITY_ONE,
                             CAPACITY_ONE_LESS,
                             CAPACITY_EXACT,
                             CAPACITY_ONE_MORE
} capacity_mode;
enum { num_capacity_modes = CAPACITY_ONE_MORE + 1 };

/* How many flags of 256 are set; with by_runs, how many items of 256 are made equal to the one before. */
extern const unsigned flag_densities[];
enum { num_flag_densities = 7 };

typedef struct select_case {
    onepass_type type;
    select_shape shape;
    bool joined; /* of a partition */
    int kind;    /* an onepass_predicate_kind, by_flags, or by_runs */
    bool negate;
    value_source a, b;
    int kind_second; /* of PARTS_IN_THREE, which is by predicates only */
    bool negate_second;
    unsigned density_idx;        /* of flags and runs */
    onepass_flag_kind flag_kind; /* 0: NONZERO */
    unsigned unwanted;           /* parts of a partition without outputs: a bit each */
    unsigned num_payloads;       /* of every size, in place and not, some without outputs */
    bool payload_apart;          /* none in place */
    bool wants_items, in_place;
    onepass_type index_type; /* or 0: no indices wanted */
    capacity_mode capacity;
    bool has_count; /* in memory, at most max_items */
    bool count_is_above;
    uint64_t max_items;
    size_t in_shift, out_shift, flag_shift; /* bytes past a boundary */
    guard_place place;
    unsigned context_idx;
    input_kind values;
    uint64_t seed;
} select_case;

/* A case of so many items, with all else drawn from the seed: no partition, no payload. */
select_case select_case_of(onepass_type type, int kind, uint64_t max_items, uint64_t seed);

/* Makes it a partition in two or three, drawn on: PARTS_IN_THREE goes with predicates only. */
void select_case_part(select_case *c, uint64_t *random);

/* Fills what the case decides by: items, and flags in the case's kind with the byte that keeps. */
void select_fill_items(const select_case *c, void *items);
void select_fill_flags(const select_case *c, uint8_t *flags, uint8_t value);
size_t select_flag_bytes(const select_case *c);

/* The first and the second predicate of the case. */
onepass_predicate select_predicate(const select_case *c, const void *items, bool is_second);

/* Whether a predicate of this kind goes with the type; every other combination is UNSUPPORTED. */
bool predicate_goes_with(int kind, onepass_type type);

/* Runs the case on a context and on the oracle. */
bool select_agrees(onepass_context *ctx, const select_case *c);

/* The case in words, and how the last one that did not agree failed. */
const char *select_described(const select_case *c);
const char *select_fault(void);

#endif
