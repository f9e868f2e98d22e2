/* SPDX-License-Identifier: MIT */
/*
 * Reductions against the oracle: every pair of types, operator and initial value at small sizes, every pair and
 * operator around tiles, half of them past a window, every alignment, and a property that draws all of it. Besides,
 * what ties a reduction to a scan: for everything but floating sums and products it is the last output of the inclusive
 * scan.
 */
#include "backends.h"
#include "fold_case.h"

#include <stdlib.h>

#include <string.h>

static void small_cases(void **state, type_pair types, onepass_operator op, uint64_t seed)
{
    const uint64_t lane = 16 / onepass_type_size(types.in), row = 32 * lane;
    const uint64_t sizes[] = { 0, 1, 2, 3, lane - 1, lane, lane + 1, row - 1, row, row + 1, 2 * row - 1, 5 * row + 1 };
    for (int initial = INITIAL_NONE; initial <= INITIAL_IN_MEMORY; ++initial)
        for (int count = COUNT_NONE; count <= COUNT_ABOVE; ++count)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
                if (++seed % TEST_SLOWNESS != 0)
                    continue;
                fold_case c = fold_case_of(FOLD_REDUCE, types, op, sizes[i], seed);
                c.initial = (initial_mode)initial;
                c.count = (count_mode)count;
                fold_check(state, &c);
            }
}

static void test_every_combination_at_small_sizes(void **state)
{
    for_each_pair_and_operator(state, small_cases);
}

static void tile_cases(void **state, type_pair types, onepass_operator op, uint64_t seed)
{
    for (size_t bytes = 2 * input_row_bytes; bytes < input_window_bytes / 8 / TEST_SLOWNESS; bytes *= 2) {
        const uint64_t num_items = bytes / onepass_type_size(types.in) * (1 + seed % 3) + seed % 4 - 1;
        const fold_case c = fold_case_of(FOLD_REDUCE, types, op, num_items, seed);
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
    if (turn % (2 * TEST_SLOWNESS) != 0)
        return;
    const uint64_t num_items = input_window_bytes / onepass_type_size(types.in) - 1 + turn % 4;
    fold_case c = fold_case_of(FOLD_REDUCE, types, op, num_items, seed);
    c.count = turn % 5 == 0 ? COUNT_BELOW : COUNT_NONE;
    c.context_idx = (unsigned)(turn % num_thread_counts);
    fold_check(state, &c);
}

static void test_pairs_and_operators_past_a_window(void **state)
{
    for_each_pair_and_operator(state, window_cases);
}

static void test_floating_reductions_over_four_windows(void **state)
{
    fold_check_windows(state, true);
}

static void test_every_alignment(void **state)
{
    for (size_t i = 0; i < num_type_pairs; ++i) {
        const size_t in_size = onepass_type_size(type_pairs[i].in), out_size = onepass_type_size(type_pairs[i].out);
        for (size_t in_shift = 0; in_shift < 64; in_shift += in_size)
            for (unsigned op = 0; op < 4; ++op) {
                const uint64_t seed = 1000 * i + 4 * in_shift + op;
                fold_case c = fold_case_of(FOLD_REDUCE, type_pairs[i], item_operators[op], 300 + seed % 64, seed);
                c.place = GUARD_CANARIES;
                c.in_shift = in_shift;
                c.out_shift = in_shift / in_size * out_size;
                fold_check(state, &c);
            }
    }
}

static void test_any_reduction_over_several_windows(void **state)
{
    fold_check_property(state, true, 80 / TEST_SLOWNESS);
}

/* No oracle here: two functions of the library against each other. */
static void test_a_reduction_is_the_last_output_of_the_scan(void **state)
{
    enum { num_items = 100001 };
    onepass_context *ctx = backend_context(state, 1);
    for (size_t i = 0; i < num_item_types; ++i)
        for (size_t j = 0; j < num_item_operators; ++j) {
            const onepass_type type = item_types[i];
            const onepass_operator op = item_operators[j];
            const bool is_ordered = type_is_floating(type) && (op == ONEPASS_SUM || op == ONEPASS_PROD);
            if (is_ordered || !operator_goes_with(op, type))
                continue;
            const size_t size = onepass_type_size(type);
            guard in = guard_new(ctx, GUARD_CANARIES, num_items * size, 0);
            guard out = guard_new(ctx, GUARD_CANARIES, num_items * size, 0);
            guard total = guard_new(ctx, GUARD_CANARIES, size, 0);
            input_fill(in.items, type, (input_kind)((i + j) % num_input_kinds), i, num_items);
            guard_send(&in);
            assert_int_equal(onepass_inclusive_scan(ctx, type, op, in.d_items, out.d_items, num_items),
                             ONEPASS_SUCCESS);
            assert_int_equal(onepass_reduce(ctx, type, op, in.d_items, total.d_items, num_items), ONEPASS_SUCCESS);
            guard_fetch(&out);
            guard_fetch(&total);
            assert_memory_equal((char *)out.items + (num_items - 1) * size, total.items, size);
            guard_drop(&total);
            guard_drop(&out);
            guard_drop(&in);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_every_combination_at_small_sizes),
        ON_EACH_BACKEND(test_every_pair_and_operator_around_tiles),
        ON_EACH_BACKEND(test_pairs_and_operators_past_a_window),
        ON_EACH_BACKEND(test_floating_reductions_over_four_windows),
        ON_EACH_BACKEND(test_every_alignment),
        ON_EACH_BACKEND(test_any_reduction_over_several_windows),
        ON_EACH_BACKEND(test_a_reduction_is_the_last_output_of_the_scan),
    };
    return run_on_backends(tests);
}
