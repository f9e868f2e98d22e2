/* SPDX-License-Identifier: MIT */
/*
 * One case of a selection, run against the oracle. Outputs are exactly as large as the header says they must be: the
 * smaller of capacity and max_items. All of every buffer is compared, also what must not change.
 */
#ifndef ONEPASS_TESTS_SELECT_CASE_H
#define ONEPASS_TESTS_SELECT_CASE_H

#include "guard.h"
#include "inputs.h"
#include "prop.h"

enum { num_predicate_kinds = ONEPASS_ALL_BITS, by_flags = 0 };

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

/* How many flags of 256 are set. */
extern const unsigned flag_densities[];
enum { num_flag_densities = 7 };

typedef struct select_case {
    onepass_type type;
    int kind; /* an onepass_predicate_kind, or by_flags */
    bool negate;
    value_source a, b;
    unsigned density_idx; /* of flags */
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

/* Whether a predicate of this kind goes with the type; every other combination is UNSUPPORTED. */
bool predicate_goes_with(int kind, onepass_type type);

/* Runs the case on a context and on the oracle. */
bool select_agrees(onepass_context *ctx, const select_case *c);

/* The case in words, and how the last one that did not agree failed. */
const char *select_described(const select_case *c);
const char *select_fault(void);

#endif
