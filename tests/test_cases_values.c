/* SPDX-License-Identifier: MIT */
/*
 * Values that have broken libraries like this one, as tests named after the case; test_cases.c has the others. What is
 * expected is worked out by hand, not by the oracle.
 */
#include "backends.h"
#include "guard.h"
#include "inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Runs a scan of the array and expects these outputs, bit for bit. */
#define CHECK_SCAN(state, types, op, kind, in, expected) \
    check_scan((state), (types), (op), (kind), false, (in), COUNT_OF(in), (expected), COUNT_OF(expected))
#define CHECK_REVERSE_SCAN(state, types, op, kind, in, expected) \
    check_scan((state), (types), (op), (kind), true, (in), COUNT_OF(in), (expected), COUNT_OF(expected))

static void check_scan(void **state, type_pair types, onepass_operator op, onepass_scan_kind kind, bool reverse,
                       const void *items, uint64_t num_items, const void *expected, uint64_t num_outputs)
{
    onepass_context *ctx = backend_context(state, 1);
    const size_t in_size = onepass_type_size(types.in), out_size = onepass_type_size(types.out);
    guard in = guard_copy_of(ctx, GUARD_PAGE_AFTER, items, num_items * in_size, 0);
    guard out = guard_new(ctx, GUARD_PAGE_AFTER, num_outputs * out_size, 0);
    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    spec.in_type = types.in;
    spec.out_type = types.out;
    spec.op = op;
    spec.kind = kind;
    spec.reverse = reverse;
    spec.d_in = in.d_items;
    spec.d_out = out.d_items;
    spec.max_items = num_items;
    assert_int_equal(onepass_scan(ctx, &spec), ONEPASS_SUCCESS);
    guard_fetch(&out);
    assert_memory_equal(out.items, expected, num_outputs * out_size);
    assert_true(guard_intact(&out));
    guard_drop(&out);
    guard_drop(&in);
}

static const type_pair floats = { ONEPASS_F32, ONEPASS_F32 };

static void test_narrow_items_do_not_wrap_in_wider_outputs(void **state)
{
    static const int8_t bytes[] = { 100, 28, 1 };
    static const int32_t inclusive[] = { 100, 128, 129 }, offsets[] = { 0, 100, 128, 129 };
    CHECK_SCAN(state, ((type_pair){ ONEPASS_I8, ONEPASS_I32 }), ONEPASS_SUM, ONEPASS_INCLUSIVE, bytes, inclusive);
    CHECK_SCAN(state, ((type_pair){ ONEPASS_I8, ONEPASS_I32 }), ONEPASS_SUM, ONEPASS_OFFSETS, bytes, offsets);
    static const uint8_t unsigned_bytes[] = { 200, 100 };
    static const uint16_t words[] = { 200, 300 };
    CHECK_SCAN(state, ((type_pair){ ONEPASS_U8, ONEPASS_U16 }), ONEPASS_SUM, ONEPASS_INCLUSIVE, unsigned_bytes, words);
    static const int8_t negative[] = { -1, -1 };
    static const uint64_t wrapped[] = { UINT64_MAX, UINT64_MAX - 1 };
    CHECK_SCAN(state, ((type_pair){ ONEPASS_I8, ONEPASS_U64 }), ONEPASS_SUM, ONEPASS_INCLUSIVE, negative, wrapped);
}

static void test_the_identity_of_min_and_max_is_infinite(void **state)
{
    static const float infinities[] = { INFINITY, INFINITY }, both[] = { -2.5f, 2.5f }, minus[] = { -INFINITY };
    static const float min_infinities[] = { INFINITY, INFINITY }, max_infinities[] = { -INFINITY, INFINITY };
    static const float min_both[] = { INFINITY, -2.5f }, max_both[] = { -INFINITY, -2.5f };
    static const float min_minus[] = { INFINITY }, max_minus[] = { -INFINITY };
    CHECK_SCAN(state, floats, ONEPASS_MIN, ONEPASS_EXCLUSIVE, infinities, min_infinities);
    CHECK_SCAN(state, floats, ONEPASS_MAX, ONEPASS_EXCLUSIVE, infinities, max_infinities);
    CHECK_SCAN(state, floats, ONEPASS_MIN, ONEPASS_EXCLUSIVE, both, min_both);
    CHECK_SCAN(state, floats, ONEPASS_MAX, ONEPASS_EXCLUSIVE, both, max_both);
    CHECK_SCAN(state, floats, ONEPASS_MIN, ONEPASS_EXCLUSIVE, minus, min_minus);
    CHECK_SCAN(state, floats, ONEPASS_MAX, ONEPASS_EXCLUSIVE, minus, max_minus);
    CHECK_SCAN(state, floats, ONEPASS_MAX, ONEPASS_INCLUSIVE, minus, max_minus);
    static const uint16_t halves[] = { 0x3c00 }, min_halves[] = { 0x7c00 };
    CHECK_SCAN(state, ((type_pair){ ONEPASS_F16, ONEPASS_F16 }), ONEPASS_MIN, ONEPASS_EXCLUSIVE, halves, min_halves);
}

static void test_an_infinite_item(void **state)
{
    static const float items[] = { 1, INFINITY, 1, 1, -INFINITY, 1 };
    const uint32_t expected[] = { 0x3f800000, 0x7f800000, 0x7f800000, 0x7f800000, 0x7fc00000, 0x7fc00000 };
    CHECK_SCAN(state, floats, ONEPASS_SUM, ONEPASS_INCLUSIVE, items, expected);
}

static void test_nan_in_the_middle(void **state)
{
    const uint32_t items[] = { 0x3f800000, 0xffc12345, 0x3f800000 }; /* 1, -NaN with a payload, 1 */
    const uint32_t expected[] = { 0x3f800000, 0x7fc00000, 0x7fc00000 };
    for (size_t i = 0; i < 4; ++i) /* SUM, PROD, MIN, MAX */
        CHECK_SCAN(state, floats, item_operators[i], ONEPASS_INCLUSIVE, items, expected);
}

static void test_signed_zeros(void **state)
{
    static const float items[] = { -0.0f, 0.0f, -0.0f };
    static const float sums[] = { -0.0f, 0.0f, 0.0f }, minima[] = { -0.0f, -0.0f, -0.0f },
                       maxima[] = { -0.0f, 0.0f, 0.0f };
    static const float exclusive_sums[] = { 0.0f, 0.0f, 0.0f };
    CHECK_SCAN(state, floats, ONEPASS_SUM, ONEPASS_INCLUSIVE, items, sums);
    CHECK_SCAN(state, floats, ONEPASS_SUM, ONEPASS_EXCLUSIVE, items, exclusive_sums);
    CHECK_SCAN(state, floats, ONEPASS_MIN, ONEPASS_INCLUSIVE, items, minima);
    CHECK_SCAN(state, floats, ONEPASS_MAX, ONEPASS_INCLUSIVE, items, maxima);
}

/* One NaN anywhere, on and off the edges of rows, blocks and tiles: from there on every minimum and maximum is NaN. */
static void test_min_and_max_with_nan_at_every_edge(void **state)
{
    enum { num_items = 270000 };
    static const uint32_t places[] = { 0,     1,      127,    128,    1023,   1024,         65535,
                                       65536, 131071, 131072, 262143, 262144, num_items - 1 };
    onepass_context *ctx = backend_context(state, 2);
    guard in = guard_new(ctx, GUARD_CANARIES, num_items * sizeof(float), 4);
    guard out = guard_new(ctx, GUARD_CANARIES, num_items * sizeof(float), 8);
    float *items = in.items;
    for (size_t i = 0; i < 2 * COUNT_OF(places); ++i) {
        const uint32_t place = places[i / 2];
        const onepass_operator op = i % 2 != 0 ? ONEPASS_MAX : ONEPASS_MIN;
        for (uint32_t j = 0; j < num_items; ++j)
            items[j] = (float)(j % 100);
        items[place] = NAN;
        guard_send(&in);
        assert_int_equal(onepass_inclusive_scan(ctx, ONEPASS_F32, op, in.d_items, out.d_items, num_items),
                         ONEPASS_SUCCESS);
        guard_fetch(&out);
        const float *outputs = out.items;
        uint32_t num_nans = 0;
        while (num_nans < num_items && isnan(outputs[num_items - 1 - num_nans]))
            ++num_nans;
        assert_int_equal(num_nans, num_items - place);
        if (place > 0)
            assert_true(outputs[0] == 0.0f);
    }
    guard_drop(&out);
    guard_drop(&in);
}

static void test_any_nonzero_flag_keeps_one_item(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    uint8_t flags[256];
    uint16_t items[256];
    for (uint16_t i = 0; i < 256; ++i) {
        flags[i] = (uint8_t)i;
        items[i] = (uint16_t)(1000 + i);
    }
    guard d_flags = guard_copy_of(ctx, GUARD_CANARIES, flags, sizeof flags, 1);
    guard in = guard_copy_of(ctx, GUARD_CANARIES, items, sizeof items, 2);
    guard out = guard_new(ctx, GUARD_CANARIES, sizeof items, 6);
    guard count = guard_new(ctx, GUARD_CANARIES, sizeof(uint64_t), 8);
    assert_int_equal(
        onepass_select_flagged(ctx, ONEPASS_U16, in.d_items, d_flags.d_items, out.d_items, count.d_items, 256),
        ONEPASS_SUCCESS);
    guard_fetch(&out);
    guard_fetch(&count);
    assert_int_equal(*(const uint64_t *)count.items, 255);
    assert_memory_equal(out.items, items + 1, 255 * sizeof items[0]);
    guard_drop(&count);
    guard_drop(&out);
    guard_drop(&in);
    guard_drop(&d_flags);
}

static void test_a_million_floats_sum_to_one_bit_pattern(void **state)
{
    enum { num_items = 1000000 };
    float totals[52];
    guard in = guard_new(backend_context(state, 0), GUARD_CANARIES, num_items * sizeof(float), 4);
    input_fill(in.items, ONEPASS_F32, INPUT_ORDINARY, 1, num_items);
    guard_send(&in);
    for (unsigned run = 0; run < 52; ++run) {
        onepass_context *ctx = backend_context(state, run % num_thread_counts);
        guard total = guard_new(ctx, GUARD_CANARIES, sizeof(float), 4);
        assert_int_equal(onepass_reduce(ctx, ONEPASS_F32, ONEPASS_SUM, in.d_items, total.d_items, num_items),
                         ONEPASS_SUCCESS);
        guard_fetch(&total);
        totals[run] = *(const float *)total.items;
        assert_memory_equal(&totals[run], &totals[0], sizeof(float));
        guard_drop(&total);
    }
    guard_drop(&in);
}

/* Total minus prefix would lose the ones behind 3.2e9. */
static void test_suffix_sums_behind_large_items(void **state)
{
    float items[64], expected[64];
    for (int i = 0; i < 32; ++i) {
        items[i] = 1e8f;
        items[32 + i] = 1;
        expected[32 + i] = (float)(32 - i);
    }
    guard out = guard_new(backend_context(state, 0), GUARD_CANARIES, sizeof items, 0);
    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    guard in = guard_copy_of(backend_context(state, 0), GUARD_CANARIES, items, sizeof items, 0);
    spec.in_type = ONEPASS_F32;
    spec.op = ONEPASS_SUM;
    spec.kind = ONEPASS_INCLUSIVE;
    spec.reverse = 1;
    spec.d_in = in.d_items;
    spec.d_out = out.d_items;
    spec.max_items = 64;
    assert_int_equal(onepass_scan(backend_context(state, 0), &spec), ONEPASS_SUCCESS);
    guard_fetch(&out);
    assert_memory_equal((const float *)out.items + 32, expected + 32, 32 * sizeof(float));
    guard_drop(&in);
    guard_drop(&out);
}

static void test_reverse_offsets(void **state)
{
    static const uint8_t lengths[] = { 1, 2, 4 };
    static const uint32_t offsets[] = { 7, 6, 4, 0 };
    CHECK_REVERSE_SCAN(state, ((type_pair){ ONEPASS_U8, ONEPASS_U32 }), ONEPASS_SUM, ONEPASS_OFFSETS, lengths, offsets);
}

static void test_a_capacity_below_the_number_kept(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    const int64_t items[] = { 5, 1, 6, 2, 7, 3, 8 }, expected[] = { 5, 6 };
    const onepass_predicate keep = { .kind = ONEPASS_GREATER, .a = { .i = 4 } };
    guard in = guard_copy_of(ctx, GUARD_CANARIES, items, sizeof items, 8);
    guard out = guard_new(ctx, GUARD_PAGE_AFTER, sizeof expected, 0);
    guard count = guard_new(ctx, GUARD_CANARIES, sizeof(uint64_t), 8);
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    spec.type = ONEPASS_I64;
    spec.keep = &keep;
    spec.d_in = in.d_items;
    spec.d_out = out.d_items;
    spec.capacity = 2;
    spec.d_num_selected = count.d_items;
    spec.max_items = 7;
    assert_int_equal(onepass_select(ctx, &spec), ONEPASS_SUCCESS);
    guard_fetch(&out);
    guard_fetch(&count);
    assert_memory_equal(out.items, expected, sizeof expected);
    assert_int_equal(*(const uint64_t *)count.items, 4);
    assert_true(guard_intact(&out));
    guard_drop(&count);
    guard_drop(&out);
    guard_drop(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_narrow_items_do_not_wrap_in_wider_outputs),
        ON_EACH_BACKEND(test_the_identity_of_min_and_max_is_infinite),
        ON_EACH_BACKEND(test_an_infinite_item),
        ON_EACH_BACKEND(test_nan_in_the_middle),
        ON_EACH_BACKEND(test_signed_zeros),
        ON_EACH_BACKEND(test_min_and_max_with_nan_at_every_edge),
        ON_EACH_BACKEND(test_any_nonzero_flag_keeps_one_item),
        ON_EACH_BACKEND(test_a_million_floats_sum_to_one_bit_pattern),
        ON_EACH_BACKEND(test_suffix_sums_behind_large_items),
        ON_EACH_BACKEND(test_reverse_offsets),
        ON_EACH_BACKEND(test_a_capacity_below_the_number_kept),
    };
    return run_on_backends(tests);
}
