/* SPDX-License-Identifier: MIT */
/*
 * One case of a scan or a reduction, run against the oracle. A scan and a reduction ask for the same things, so that
 * one structure describes both, and one function runs it: test_scan.c and test_reduce.c differ in the cases they make.
 *
 * All of a case is compared bit for bit, also what must not change: outputs behind the count, the input, the canaries.
 */
#ifndef ONEPASS_TESTS_FOLD_CASE_H
#define ONEPASS_TESTS_FOLD_CASE_H

#include "guard.h"
#include "inputs.h"
#include "prop.h"

typedef enum fold_kind {
    FOLD_REDUCE = 0,
    FOLD_INCLUSIVE = ONEPASS_INCLUSIVE,
    FOLD_EXCLUSIVE = ONEPASS_EXCLUSIVE,
    FOLD_OFFSETS = ONEPASS_OFFSETS
} fold_kind;

typedef enum initial_mode { INITIAL_NONE, INITIAL_GIVEN, INITIAL_IN_MEMORY } initial_mode;
typedef enum count_mode { COUNT_NONE, COUNT_BELOW, COUNT_EQUAL, COUNT_ABOVE } count_mode;
enum { num_initial_modes = INITIAL_IN_MEMORY + 1, num_count_modes = COUNT_ABOVE + 1 };

typedef struct fold_case {
    fold_kind kind;
    type_pair types;
    onepass_operator op;
    bool reverse, in_place;
    initial_mode initial;
    count_mode count; /* d_num_items against max_items */
    uint64_t max_items;
    size_t in_shift, out_shift; /* bytes past a boundary */
    guard_place place;
    unsigned context_idx; /* for backend_context */
    input_kind values;
    uint64_t seed;
} fold_case;

/* Runs the case on a context and on the oracle. */
bool fold_agrees(onepass_context *ctx, const fold_case *c);

/* The case in words, and how the last one that did not agree failed. */
const char *fold_described(const fold_case *c);
const char *fold_fault(void);

/* Runs the case on the backend that state stands for; a disagreement fails the CMocka test. */
void fold_check(void **state, const fold_case *c);

/* A case whose details all follow from the seed: for tests that run through some of them and want any of the rest. */
fold_case fold_case_of(fold_kind kind, type_pair types, onepass_operator op, uint64_t max_items, uint64_t seed);

/* Calls check_cases for every pair of types and every operator that goes with it; seeds are 1000 apart. */
void for_each_pair_and_operator(void **state,
                                void (*check_cases)(void **state, type_pair types, onepass_operator op, uint64_t seed));

/* What only floating sums and products depend on: how windows are grouped, which shows from the third or fourth window
 * on. One scan, or reduction, of each floating pair with either operator. */
void fold_check_windows(void **state, bool is_reduction);

/* The property of all scans (is_reduction: all reductions): any case agrees with the oracle. */
void fold_check_property(void **state, bool is_reduction, unsigned num_runs);

#endif
