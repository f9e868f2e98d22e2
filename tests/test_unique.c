/* SPDX-License-Identifier: MIT */
/*
 * Unique against the oracle: every type with every kind of items, where runs are short, long, everything or nothing,
 * and end at every place of a vector, a block, a tile and a window; in place, with indices, and bounded.
 */
#include "backends.h"
#include "select_case.h"

#include <string.h>

static void check(void **state, const select_case *c)
{
    if (select_agrees(backend_context(state, c->context_idx), c))
        return;
    print_error("%s: %s\n", select_described(c), select_fault());
    fail_msg("unique differs from the oracle");
}

static void test_every_kind_of_items_on_every_type(void **state)
{
    static const uint64_t sizes[] = { 0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 300, 2047, 2048, 2049, 4099 };
    uint64_t seed = 0;
    for (size_t i = 0; i < num_item_types; ++i)
        for (int values = 0; values < num_input_kinds; ++values)
            for (unsigned density = 0; density < num_flag_densities; ++density)
                for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; ++j) {
                    if (++seed % (2 * TEST_SLOWNESS) != 0)
                        continue;
                    select_case c = select_case_of(item_types[i], by_runs, sizes[j], seed);
                    c.values = (input_kind)values;
                    c.density_idx = density;
                    check(state, &c);
                }
}

static void test_every_type_around_tiles_and_windows(void **state)
{
    uint64_t seed = 0;
    for (size_t i = 0; i < num_item_types; ++i)
        for (size_t bytes = input_row_bytes; bytes <= input_window_bytes / (TEST_SLOWNESS > 1 ? 4 : 1); bytes *= 4)
            for (unsigned delta = 0; delta < 3; ++delta) {
                const uint64_t num_items = bytes / onepass_type_size(item_types[i]) + delta - 1;
                const select_case c = select_case_of(item_types[i], by_runs, num_items, ++seed);
                check(state, &c);
            }
}

/* Unique in place over bytes; how many are left is the result. */
static uint64_t unique_bytes(onepass_context *ctx, const guard *items, const guard *count)
{
    guard_send(items);
    assert_int_equal(onepass_unique(ctx, ONEPASS_U8, items->d_items, items->d_items, count->d_items, items->num_bytes),
                     ONEPASS_SUCCESS);
    guard_fetch(items);
    guard_fetch(count);
    assert_true(guard_intact(items) && guard_intact(count));
    uint64_t num_selected;
    memcpy(&num_selected, count->items, sizeof num_selected);
    return num_selected;
}

/* A run that ends at each place near a border of blocks and tiles, between two that are everything else. */
static void test_runs_end_at_every_place(void **state)
{
    enum { num_items = 1 << 18 };
    onepass_context *ctx = backend_context(state, 2);
    guard items = guard_new(ctx, GUARD_CANARIES, num_items, 1), count = guard_new(ctx, GUARD_CANARIES, 8, 8);
    uint8_t *bytes = items.items;
    for (unsigned border = 2048; border <= num_items / 2; border *= 2)
        for (unsigned start = border - 3; start < border + 3; ++start)
            for (unsigned length = 1; length < 4; ++length) {
                memset(bytes, 7, num_items);
                memset(bytes + start, 9, length);
                assert_int_equal(unique_bytes(ctx, &items, &count), 3);
                assert_memory_equal(bytes, ((const uint8_t[]){ 7, 9, 7, 7 }), 4);
            }
    memset(bytes, 7, num_items);
    assert_int_equal(unique_bytes(ctx, &items, &count), 1);
    for (unsigned i = 0; i < num_items; ++i)
        bytes[i] = (uint8_t)i;
    for (int repeat = 0; repeat < 50; ++repeat) /* nothing moves: neighbours only read each other */
        assert_int_equal(unique_bytes(ctx, &items, &count), num_items);
    for (unsigned i = 0; i < num_items; ++i)
        assert_int_equal(bytes[i], (uint8_t)i);
    guard_drop(&items);
    guard_drop(&count);
}

static void test_equal_floats_of_different_bits(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    const uint32_t bits[] = { 0x80000000, 0,          0x80000000, 0x7f800001, 0xffc00000, 0x7fc00000,
                              0x7f800000, 0x7f800000, 0xff800000, 1,          0,          0x80000001 };
    const uint32_t expected[] = { 0x80000000, 0x7f800001, 0x7f800000, 0xff800000, 1, 0, 0x80000001 };
    guard in = guard_copy_of(ctx, GUARD_CANARIES, bits, sizeof bits, 4);
    guard out = guard_new(ctx, GUARD_CANARIES, sizeof bits, 8), count = guard_new(ctx, GUARD_CANARIES, 8, 8);
    assert_int_equal(onepass_unique(ctx, ONEPASS_F32, in.d_items, out.d_items, count.d_items, 12), ONEPASS_SUCCESS);
    guard_fetch(&out);
    guard_fetch(&count);
    uint64_t num_selected;
    memcpy(&num_selected, count.items, sizeof num_selected);
    assert_int_equal(num_selected, 7);
    assert_memory_equal(out.items, expected, sizeof expected);
    guard_drop(&in);
    guard_drop(&out);
    guard_drop(&count);
}

static bool any_unique_agrees(prop *p, void *state)
{
    const onepass_type type = item_types[prop_draw(p, num_item_types - 1)];
    const uint64_t num_items = draw_num_items(p, onepass_type_size(type), 7 * (uint64_t)input_window_bytes / 2);
    const select_case c = select_case_of(type, by_runs, num_items, prop_draw(p, UINT64_MAX));
    const bool agrees = select_agrees(backend_context(state, c.context_idx), &c);
    prop_say(p, "  %s:\n  %s\n", select_described(&c), agrees ? "agrees" : select_fault());
    return agrees;
}

static void test_any_unique_over_several_windows(void **state)
{
    (void)backend_context(state, 0); /* skips here, not inside the property */
    prop_check("any unique agrees with the oracle", any_unique_agrees, state, 100 / TEST_SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_every_kind_of_items_on_every_type),
        ON_EACH_BACKEND(test_every_type_around_tiles_and_windows),
        ON_EACH_BACKEND(test_runs_end_at_every_place),
        ON_EACH_BACKEND(test_equal_floats_of_different_bits),
        ON_EACH_BACKEND(test_any_unique_over_several_windows),
    };
    return run_on_backends(tests);
}
