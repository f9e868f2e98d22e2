/* SPDX-License-Identifier: MIT */
/*
 * Results that are written past the caches, which the host backend does for calls larger than the last-level cache: too
 * large for a test, and a different size on every machine. Here it believes that there is no cache, so that small calls
 * take the same path, at every alignment of the output and over several windows.
 */
#include "backends.h"
#include "fold_case.h"
#include "host/host.h"
#include "select_case.h"

static int believe_in_no_cache(void **state)
{
    test_backend *host = &test_backends[0];
    void *prestate = host;
    (void)state;
    for (unsigned i = 0; i < num_thread_counts; ++i)
        host_of(backend_context(&prestate, i))->cache_bytes = 0;
    return 0;
}

/* Every alignment of the output, and every length up to two vectors and more. */
static void test_scans_at_every_alignment(void **state)
{
    for (size_t i = 0; i < num_type_pairs; ++i) {
        const size_t out_size = onepass_type_size(type_pairs[i].out);
        for (size_t out_shift = 0; out_shift < 64; out_shift += out_size)
            for (uint64_t num_items = 0; num_items < 80; num_items += 1 + num_items / 8) {
                const uint64_t seed = 10000 * i + 100 * out_shift + num_items;
                fold_case c = fold_case_of((fold_kind)(FOLD_INCLUSIVE + seed % 3), type_pairs[i], ONEPASS_SUM,
                                           num_items + (seed % 5 == 0 ? 3000 : 0), seed);
                c.place = GUARD_CANARIES;
                c.out_shift = out_shift;
                c.count = COUNT_NONE;
                fold_check(state, &c);
            }
    }
}

static void test_selections_at_every_alignment(void **state)
{
    for (size_t i = 0; i < num_item_types; ++i) {
        const size_t size = onepass_type_size(item_types[i]);
        for (size_t out_shift = 0; out_shift < 64; out_shift += size)
            for (uint64_t num_items = 0; num_items < 300; num_items += 1 + num_items / 6) {
                const uint64_t seed = 10000 * i + 100 * out_shift + num_items;
                const select_case c = { .type = item_types[i],
                                        .kind = by_flags,
                                        .density_idx = (unsigned)(seed % num_flag_densities),
                                        .wants_items = true,
                                        .in_place = seed % 7 == 0,
                                        .index_type = seed % 2 != 0 ? ONEPASS_U32 : ONEPASS_U64,
                                        .max_items = num_items + (seed % 5 == 0 ? 3000 : 0),
                                        .out_shift = out_shift,
                                        .flag_shift = out_shift / size,
                                        .context_idx = (unsigned)(seed % num_thread_counts),
                                        .seed = seed };
                if (!select_agrees(backend_context(state, c.context_idx), &c))
                    fail_msg("%s: %s", select_described(&c), select_fault());
            }
    }
}

static void test_large_selections(void **state)
{
    for (uint64_t seed = 0; seed < 48 / TEST_SLOWNESS; ++seed) {
        const onepass_type type = item_types[seed % num_item_types];
        const select_case c = { .type = type,
                                .kind = by_flags,
                                .density_idx = (unsigned)(seed / 12 % num_flag_densities),
                                .wants_items = true,
                                .in_place = seed % 3 == 0,
                                .index_type = seed % 2 != 0 ? ONEPASS_U32 : ONEPASS_U64,
                                .max_items = 2000000 / onepass_type_size(type) + seed,
                                .out_shift = onepass_type_size(type),
                                .context_idx = 1 + (unsigned)(seed % 3),
                                .seed = seed };
        if (!select_agrees(backend_context(state, c.context_idx), &c))
            fail_msg("%s: %s", select_described(&c), select_fault());
    }
}

/* Parts begin anywhere, and with joined where another part ends, in one cache line. */
static void test_large_partitions(void **state)
{
    for (uint64_t seed = 0; seed < 48 / TEST_SLOWNESS; ++seed) {
        const onepass_type type = item_types[seed % num_item_types];
        select_case c = select_case_of(type, ONEPASS_GREATER, 2000000 / onepass_type_size(type) + seed, seed);
        c.shape = seed / 12 % 2 != 0 ? PARTS_IN_THREE : PARTS_IN_TWO;
        c.kind_second = ONEPASS_ZERO;
        c.joined = seed / 24 % 2 != 0;
        c.in_place = false;
        c.wants_items = true;
        c.capacity = CAPACITY_UNLIMITED;
        c.has_count = false;
        c.a = VALUE_OF_AN_ITEM;
        c.context_idx = 1 + (unsigned)(seed % 3);
        if (!select_agrees(backend_context(state, c.context_idx), &c))
            fail_msg("%s: %s", select_described(&c), select_fault());
    }
}

static void test_any_scan_over_several_windows(void **state)
{
    fold_check_property(state, false, 24 / TEST_SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOST(test_scans_at_every_alignment),
        ON_HOST(test_selections_at_every_alignment),
        ON_HOST(test_large_selections),
        ON_HOST(test_large_partitions),
        ON_HOST(test_any_scan_over_several_windows),
    };
    return cmocka_run_group_tests(tests, believe_in_no_cache, close_backends);
}
