/* SPDX-License-Identifier: MIT */
/*
 * Inputs that have broken libraries like this one, as tests named after the case: sizes, and many launches on one
 * workspace. test_cases_values.c has the values, test_cases_large.c the largest size, test_arguments.c what must be
 * refused. What is expected is worked out by hand, not by the oracle.
 */
#include "backends.h"
#include "guard.h"
#include "inputs.h"

#include <string.h>

/* Scans num_items ones of I32 in guarded buffers; output i must be i. */
static void scan_ones(onepass_context *ctx, uint64_t num_items, guard_place place)
{
    guard in = guard_new(ctx, place, num_items * sizeof(int32_t), 0);
    guard out = guard_new(ctx, place, num_items * sizeof(int32_t), 0);
    int32_t *ones = in.items, *prefixes = out.items;
    for (uint64_t i = 0; i < num_items; ++i)
        ones[i] = 1;
    guard_send(&in);
    guard_send(&out);
    assert_int_equal(onepass_exclusive_scan(ctx, ONEPASS_I32, ONEPASS_SUM, in.d_items, out.d_items, num_items),
                     ONEPASS_SUCCESS);
    guard_fetch(&out);
    assert_true(guard_intact(&out));
    uint64_t num_wrong = 0;
    for (uint64_t i = 0; i < num_items; ++i)
        num_wrong += prefixes[i] != (int32_t)i;
    assert_int_equal(num_wrong, 0);
    guard_drop(&out);
    guard_drop(&in);
}

/* -------------------------------------------------------------------------------------------------- sizes */

static void test_128_and_129_items_and_32_and_128_tiles(void **state)
{
    static const uint64_t tile_sizes[] = { 16 * 512, 32 * 1024, 256 * 1024 }; /* smallest host, GPU, host */
    for (uint64_t num_items = 126; num_items < 131; ++num_items)
        scan_ones(backend_context(state, 1), num_items, GUARD_PAGE_AFTER);
    for (size_t i = 0; i < sizeof tile_sizes / sizeof tile_sizes[0]; ++i)
        for (uint64_t num_tiles = 32; num_tiles <= 128 / (TEST_SLOWNESS > 1 ? 2 : 1); num_tiles *= 4)
            for (uint64_t delta = 0; delta < 4; ++delta)
                scan_ones(backend_context(state, 1 + (unsigned)delta % 3),
                          num_tiles * tile_sizes[i] / sizeof(int32_t) + delta - 1, GUARD_PAGE_AFTER);
}

/* Asked for, not used. */
static void test_reserves_near_2_to_the_31_32_and_40(void **state)
{
    static const uint64_t sizes[] = { INT32_MAX, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 32 };
    onepass_context *ctx = backend_context_of(state, 2, 1000);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        assert_int_equal(onepass_reserve(ctx, sizes[i]), ONEPASS_SUCCESS);
        scan_ones(ctx, 200000, GUARD_CANARIES);
    }
    /* A few GiB of workspace, which there may or may not be. */
    const onepass_result result = onepass_reserve(ctx, UINT64_C(1) << 40);
    assert_true(result == ONEPASS_SUCCESS || result == ONEPASS_OUT_OF_MEMORY);
    scan_ones(ctx, 200000, GUARD_CANARIES);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

static void test_no_items_and_null_pointers(void **state)
{
    onepass_context *ctx = backend_context(state, 2);
    const onepass_predicate keep = { .kind = ONEPASS_ZERO };
    for (size_t i = 0; i < num_item_types; ++i) {
        const onepass_type type = item_types[i];
        assert_int_equal(onepass_inclusive_scan(ctx, type, ONEPASS_SUM, NULL, NULL, 0), ONEPASS_SUCCESS);
        assert_int_equal(onepass_exclusive_scan(ctx, type, ONEPASS_SUM, NULL, NULL, 0), ONEPASS_SUCCESS);
        assert_int_equal(onepass_reduce(ctx, type, ONEPASS_SUM, NULL, NULL, 0), ONEPASS_SUCCESS);
        assert_int_equal(onepass_select_if(ctx, type, &keep, NULL, NULL, NULL, 0), ONEPASS_SUCCESS);
        assert_int_equal(onepass_select_if(ctx, type, NULL, NULL, NULL, NULL, 0), ONEPASS_SUCCESS);
        assert_int_equal(onepass_select_flagged(ctx, type, NULL, NULL, NULL, NULL, 0), ONEPASS_SUCCESS);
        onepass_scan_spec scan = ONEPASS_SCAN_SPEC_INIT;
        scan.in_type = type;
        scan.op = ONEPASS_SUM;
        for (int kind = ONEPASS_INCLUSIVE; kind <= ONEPASS_OFFSETS; ++kind) {
            scan.kind = (onepass_scan_kind)kind;
            assert_int_equal(onepass_scan(ctx, &scan), ONEPASS_SUCCESS);
        }
        onepass_select_spec select = ONEPASS_SELECT_SPEC_INIT;
        select.type = type;
        assert_int_equal(onepass_select(ctx, &select), ONEPASS_SUCCESS);
        /* The count is written where there is a place for it. */
        guard count = guard_new(ctx, GUARD_CANARIES, sizeof(uint64_t), 8);
        assert_int_equal(onepass_select_flagged(ctx, type, NULL, NULL, NULL, count.d_items, 0), ONEPASS_SUCCESS);
        guard_fetch(&count);
        assert_int_equal(*(const uint64_t *)count.items, 0);
        guard_drop(&count);
    }
    assert_int_equal(onepass_synchronize(ctx), ONEPASS_SUCCESS);
}

static void test_no_items_and_null_pointers_of_partitions(void **state)
{
    onepass_context *ctx = backend_context(state, 1);
    onepass_partition_spec spec = ONEPASS_PARTITION_SPEC_INIT;
    spec.type = ONEPASS_F16;
    assert_int_equal(onepass_partition(ctx, &spec), ONEPASS_SUCCESS);
    guard counts[2] = { guard_new(ctx, GUARD_CANARIES, 8, 8), guard_new(ctx, GUARD_CANARIES, 8, 8) };
    for (int call = 0; call < 5; ++call) {
        uint64_t *d_selected = counts[0].d_items, *d_second = counts[1].d_items;
        for (int i = 0; i < 2; ++i) {
            memset(counts[i].items, 1, 8);
            guard_send(&counts[i]);
        }
        spec.d_num_selected = d_selected;
        spec.d_num_second = d_second;
        const onepass_result result =
            call == 0   ? onepass_unique(ctx, ONEPASS_F16, NULL, NULL, d_selected, 0)
            : call == 1 ? onepass_partition_if(ctx, ONEPASS_F16, NULL, NULL, NULL, NULL, d_selected, 0)
            : call == 2 ? onepass_partition_flagged(ctx, ONEPASS_F16, NULL, NULL, NULL, NULL, d_selected, 0)
            : call == 3 ? onepass_partition_three_way(ctx, ONEPASS_F16, NULL, NULL, NULL, NULL, NULL, NULL, d_selected,
                                                      d_second, 0)
                        : onepass_partition(ctx, &spec);
        assert_int_equal(result, ONEPASS_SUCCESS);
        guard_fetch(&counts[0]);
        guard_fetch(&counts[1]);
        assert_memory_equal(counts[0].items, &(const uint64_t){ 0 }, 8);
        assert_int_equal(*(const unsigned char *)counts[1].items, call >= 3 ? 0 : 1);
    }
    guard_drop(&counts[0]);
    guard_drop(&counts[1]);
}

/* No operator sees made-up data: the inclusive scan and the reduction of one item are that item, bit for bit. */
static void test_one_item(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    for (size_t i = 0; i < num_item_types; ++i)
        for (size_t j = 0; j < num_item_operators; ++j)
            for (uint64_t seed = 0; operator_goes_with(item_operators[j], item_types[i]) && seed < 64; ++seed) {
                const size_t size = onepass_type_size(item_types[i]);
                uint64_t item = 0;
                /* Zeros of both signs, the smallest and the largest; NaNs need not keep their bits. */
                input_fill(&item, item_types[i], seed % 2 != 0 ? INPUT_TINY : INPUT_ZEROS, seed, 1);
                guard in = guard_copy_of(ctx, GUARD_PAGE_AFTER, &item, size, 0);
                guard out = guard_new(ctx, GUARD_PAGE_BEFORE, size, 0);
                assert_int_equal(
                    onepass_inclusive_scan(ctx, item_types[i], item_operators[j], in.d_items, out.d_items, 1),
                    ONEPASS_SUCCESS);
                guard_fetch(&out);
                assert_memory_equal(out.items, &item, size);
                assert_int_equal(onepass_reduce(ctx, item_types[i], item_operators[j], in.d_items, out.d_items, 1),
                                 ONEPASS_SUCCESS);
                guard_fetch(&out);
                assert_memory_equal(out.items, &item, size);
                guard_drop(&out);
                guard_drop(&in);
            }
}

/* Predicates that would hold for padding of zeros, and those that would not: only real items count. */
static void test_the_last_tile_has_fewer_items_than_a_warp(void **state)
{
    const uint64_t tile_items = 64 * 1024;
    onepass_context *ctx = backend_context(state, 1);
    for (uint64_t extra = 1; extra < 33; ++extra) {
        const uint64_t num_items = 2 * tile_items + extra;
        guard in = guard_new(ctx, GUARD_PAGE_AFTER, num_items * sizeof(uint32_t), 0);
        guard count = guard_new(ctx, GUARD_CANARIES, sizeof(uint64_t), 8);
        memset(in.items, 1, in.num_bytes);
        guard_send(&in);
        for (int negate = 0; negate < 2; ++negate) {
            const onepass_predicate zero = { .kind = ONEPASS_ZERO, .negate = negate };
            onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
            spec.type = ONEPASS_U32;
            spec.keep = &zero;
            spec.d_in = in.d_items;
            spec.d_num_selected = count.d_items;
            spec.max_items = num_items;
            assert_int_equal(onepass_select(ctx, &spec), ONEPASS_SUCCESS);
            guard_fetch(&count);
            assert_int_equal(*(const uint64_t *)count.items, negate != 0 ? num_items : 0);
        }
        guard_drop(&count);
        guard_drop(&in);
    }
}

/* --------------------------------------------------------------------------------------------- descriptors */

/* An item is a multiple of 2^32 + 1, so both halves of every prefix are equal: halves of two values would show. */
static void test_wide_values_are_never_torn(void **state)
{
    const uint64_t num_items = (UINT64_C(1) << 21) / TEST_SLOWNESS, both_halves = (UINT64_C(1) << 32) + 1;
    onepass_context *ctx = backend_context(state, 3);
    guard in = guard_new(ctx, GUARD_CANARIES, num_items * sizeof(uint64_t), 8);
    guard out = guard_new(ctx, GUARD_CANARIES, num_items * sizeof(uint64_t), 8);
    for (uint64_t round = 1; round <= 16; ++round) {
        uint64_t *items = in.items, *prefixes = out.items, sum = 0, num_wrong = 0;
        for (uint64_t i = 0; i < num_items; ++i)
            items[i] = (i * round % 97) * both_halves;
        guard_send(&in);
        assert_int_equal(onepass_inclusive_scan(ctx, ONEPASS_U64, ONEPASS_SUM, in.d_items, out.d_items, num_items),
                         ONEPASS_SUCCESS);
        guard_fetch(&out);
        for (uint64_t i = 0; i < num_items; ++i)
            num_wrong += prefixes[i] != (sum += items[i]);
        assert_int_equal(num_wrong, 0);
    }
    guard_drop(&out);
    guard_drop(&in);
}

static void test_ten_thousand_launches(void **state)
{
    enum { num_items = 140000 }; /* enough for two threads */
    onepass_context *ctx = backend_context(state, 1);
    guard in = guard_new(ctx, GUARD_CANARIES, num_items * sizeof(uint32_t), 0);
    guard out = guard_new(ctx, GUARD_CANARIES, num_items * sizeof(uint32_t), 0);
    uint32_t *items = in.items;
    const uint32_t *prefixes = out.items;
    memset(items, 0, in.num_bytes);
    for (uint32_t launch = 0; launch < 10000 / TEST_SLOWNESS; ++launch) {
        items[launch * 31 % num_items] += launch;
        guard_send(&in);
        assert_int_equal(onepass_inclusive_scan(ctx, ONEPASS_U32, ONEPASS_SUM, in.d_items, out.d_items, num_items),
                         ONEPASS_SUCCESS);
        guard_fetch(&out);
        assert_int_equal(prefixes[num_items - 1], launch * (launch + 1) / 2);
    }
    guard_drop(&out);
    guard_drop(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_128_and_129_items_and_32_and_128_tiles),
        ON_EACH_BACKEND(test_reserves_near_2_to_the_31_32_and_40),
        ON_EACH_BACKEND(test_no_items_and_null_pointers),
        ON_EACH_BACKEND(test_no_items_and_null_pointers_of_partitions),
        ON_EACH_BACKEND(test_one_item),
        ON_EACH_BACKEND(test_the_last_tile_has_fewer_items_than_a_warp),
        ON_EACH_BACKEND(test_wide_values_are_never_torn),
        ON_EACH_BACKEND(test_ten_thousand_launches),
    };
    return run_on_backends(tests);
}
