/* SPDX-License-Identifier: MIT */
/*
 * Scans against the oracle: every pair of types, operator, kind, direction and initial value at small sizes; every pair
 * and operator around tiles, most of them past a window; every alignment; and a property that draws all of it at once,
 * over several windows and numbers of threads. What a test does not run through follows from a seed.
 */
#include "backends.h"
#include "fold_case.h"

#include <stdlib.h>

static fold_kind any_kind(uint64_t seed)
{
    return (fold_kind)(FOLD_INCLUSIVE + prop_random(&seed) % 3);
}

static void small_cases(void **state, type_pair types, onepass_operator op, uint64_t seed)
{
    const uint64_t lane = 16 / onepass_type_size(types.in), row = 32 * lane;
    const uint64_t sizes[] = { 0, 1, 2, 3, lane - 1, lane, lane + 1, row - 1, row, row + 1, 3 * row + lane + 1 };
    for (int kind = FOLD_INCLUSIVE; kind <= FOLD_OFFSETS; ++kind)
        for (unsigned mode = 0; mode < 2 * num_initial_modes; ++mode)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
                if (++seed % TEST_SLOWNESS != 0)
                    continue;
                fold_case c = fold_case_of((fold_kind)kind, types, op, sizes[i], seed);
                c.reverse = mode % 2 != 0;
                c.in_place = c.in_place && !(c.reverse && kind == FOLD_OFFSETS);
                c.initial = (initial_mode)(mode / 2);
                fold_check(state, &c);
            }
}

static void test_every_combination_at_small_sizes(void **state)
{
    for_each_pair_and_operator(state, small_cases);
}

/* Multiples of a power of two of bytes, and their neighbours: tiles are such multiples, whatever their size. */
static void tile_cases(void **state, type_pair types, onepass_operator op, uint64_t seed)
{
    for (size_t bytes = 2 * input_row_bytes; bytes < input_window_bytes / 8 / TEST_SLOWNESS; bytes *= 2) {
        const uint64_t num_items = bytes / onepass_type_size(types.in) * (1 + seed % 3) + seed % 4 - 1;
        const fold_case c = fold_case_of(any_kind(seed), types, op, num_items, seed);
        fold_check(state, &c);
        ++seed;
    }
}

static void test_every_pair_and_operator_around_tiles(void **state)
{
    for_each_pair_and_operator(state, tile_cases);
}

static void window_cases(void **state, type_pair types, onepass_operator op, uint64_t seed)
{
    const uint64_t turn = seed / 1000;
    /* Items of one byte take the longest: half of the operators for each pair. */
    if (turn % TEST_SLOWNESS != 0 || (onepass_type_size(types.in) == 1 && turn % 2 != 0))
        return;
    const uint64_t num_items = input_window_bytes / onepass_type_size(types.in) - 1 + turn % 4;
    fold_case c = fold_case_of(any_kind(seed), types, op, num_items, seed);
    c.count = turn % 5 == 0 ? COUNT_BELOW : COUNT_NONE;
    c.context_idx = (unsigned)(turn % num_thread_counts);
    fold_check(state, &c);
}

static void test_pairs_and_operators_past_a_window(void **state)
{
    for_each_pair_and_operator(state, window_cases);
}

static void test_floating_scans_over_three_windows(void **state)
{
    fold_check_windows(state, false);
}

static void test_every_alignment(void **state)
{
    for (size_t i = 0; i < num_type_pairs; ++i) {
        const size_t in_size = onepass_type_size(type_pairs[i].in), out_size = onepass_type_size(type_pairs[i].out);
        for (size_t in_shift = 0; in_shift < 32; in_shift += in_size)
            for (size_t out_shift = 0; out_shift < 32; out_shift += out_size) {
                const uint64_t seed = 1000 * i + 33 * in_shift + out_shift;
                fold_case c = fold_case_of(any_kind(seed), type_pairs[i], ONEPASS_SUM, 300 + seed % 64, seed);
                c.place = GUARD_CANARIES;
                c.in_shift = in_shift;
                c.out_shift = out_shift;
                fold_check(state, &c);
            }
    }
}

static void test_any_scan_over_several_windows(void **state)
{
    fold_check_property(state, false, 80 / TEST_SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_every_combination_at_small_sizes),
        ON_EACH_BACKEND(test_every_pair_and_operator_around_tiles),
        ON_EACH_BACKEND(test_pairs_and_operators_past_a_window),
        ON_EACH_BACKEND(test_floating_scans_over_three_windows),
        ON_EACH_BACKEND(test_every_alignment),
        ON_EACH_BACKEND(test_any_scan_over_several_windows),
    };
    return run_on_backends(tests);
}
