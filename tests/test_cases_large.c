/* SPDX-License-Identifier: MIT */
/*
 * More items than 32 bits can count: 2^32 + 1 of 8 bits, of which only items 1 and n - 1 are not zero. Hardly any of
 * the memory is real: pages of the input that are never written are all the same page of zeros, and nearly all outputs
 * share 16 MiB. On the host only, and not under sanitizers, which keep a shadow of every address.
 */
#define _GNU_SOURCE /* memfd_create */
#include "backends.h"
#include "prop.h"

#include <sys/mman.h>
#include <unistd.h>

static const uint64_t num_items = (UINT64_C(1) << 32) + 1;

static uint8_t *map_memory(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, num_items, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
        skip();
    return memory;
}

/* Outputs of which all but the last 16 to 32 MiB share the same 16 MiB. */
static uint8_t *map_outputs(void)
{
    const uint64_t shared_bytes = 16 << 20;
    const int file = memfd_create("outputs", 0);
    assert_true(file >= 0 && ftruncate(file, (off_t)shared_bytes) == 0);
    uint8_t *outputs = map_memory();
    for (uint64_t start = 0; start + 2 * shared_bytes <= num_items; start += shared_bytes)
        assert_true(mmap(outputs + start, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
                    MAP_FAILED);
    close(file);
    return outputs;
}

typedef struct large {
    onepass_context *ctx;
    uint8_t *items;
} large;

static large make_large(void **state)
{
    if (TEST_SLOWNESS > 1)
        skip();
    const large of = { backend_context_of(state, 2, num_items), map_memory() };
    of.items[1] = 3;
    of.items[num_items - 1] = 5;
    return of;
}

static void drop_large(large of)
{
    munmap(of.items, num_items);
    assert_int_equal(onepass_destroy(of.ctx), ONEPASS_SUCCESS);
}

static void test_reduction_of_2_to_the_32_plus_1_items(void **state)
{
    const large of = make_large(state);
    onepass_reduce_spec reduce = ONEPASS_REDUCE_SPEC_INIT;
    uint64_t total = 0;
    reduce.in_type = ONEPASS_U8;
    reduce.out_type = ONEPASS_U64;
    reduce.op = ONEPASS_SUM;
    reduce.d_in = of.items;
    reduce.d_out = &total;
    reduce.max_items = num_items;
    assert_int_equal(onepass_reduce_with(of.ctx, &reduce), ONEPASS_SUCCESS);
    assert_int_equal(total, 8);
    drop_large(of);
}

static void test_selection_of_2_to_the_32_plus_1_items(void **state)
{
    const large of = make_large(state);
    const onepass_predicate not_zero = { .kind = ONEPASS_ZERO, .negate = 1 };
    onepass_select_spec select = ONEPASS_SELECT_SPEC_INIT;
    uint64_t positions[3] = { 7, 7, 7 }, num_selected = 0;
    select.type = ONEPASS_U8;
    select.keep = &not_zero;
    select.d_in = of.items;
    select.index_type = ONEPASS_U64;
    select.d_out_indices = positions;
    select.capacity = 2;
    select.d_num_selected = &num_selected;
    select.max_items = num_items;
    assert_int_equal(onepass_select(of.ctx, &select), ONEPASS_SUCCESS);
    assert_int_equal(num_selected, 2);
    assert_int_equal(positions[0], 1);
    assert_int_equal(positions[1], num_items - 1);
    assert_int_equal(positions[2], 7);

    /* 2^32 items have indices of 32 bits, one more has not. */
    uint32_t narrow[2] = { 0, 0 };
    of.items[num_items - 2] = 1;
    select.index_type = ONEPASS_U32;
    select.d_out_indices = narrow;
    assert_int_equal(onepass_select(of.ctx, &select), ONEPASS_INVALID_ARGUMENT);
    select.max_items = num_items - 1;
    assert_int_equal(onepass_select(of.ctx, &select), ONEPASS_SUCCESS);
    assert_int_equal(num_selected, 2);
    assert_int_equal(narrow[0], 1);
    assert_int_equal(narrow[1], UINT32_MAX);
    drop_large(of);
}

static void test_unique_of_2_to_the_32_plus_1_items(void **state)
{
    const large of = make_large(state);
    onepass_select_spec unique = ONEPASS_SELECT_SPEC_INIT;
    uint64_t positions[5] = { 7, 7, 7, 7, 7 }, num_selected = 0;
    unique.type = ONEPASS_U8;
    unique.unique = 1;
    unique.d_in = of.items;
    unique.index_type = ONEPASS_U64;
    unique.d_out_indices = positions;
    unique.capacity = 5;
    unique.d_num_selected = &num_selected;
    unique.max_items = num_items;
    of.items[UINT64_C(1) << 31] = 9; /* where a launch of the host backend ends */
    assert_int_equal(onepass_select(of.ctx, &unique), ONEPASS_SUCCESS);
    assert_int_equal(num_selected, 6);
    assert_memory_equal(positions, ((const uint64_t[]){ 0, 1, 2, UINT64_C(1) << 31, (UINT64_C(1) << 31) + 1 }), 40);
    drop_large(of);
}

static void test_partition_of_2_to_the_32_plus_1_items(void **state)
{
    const large of = make_large(state);
    uint8_t *outputs = map_outputs();
    const onepass_predicate zero = { .kind = ONEPASS_ZERO }, three = { .kind = ONEPASS_EQUAL, .a = { .u = 3 } };
    uint8_t second = 0, rejected = 0;
    uint64_t num_selected = 0, num_second = 0, position = 0;
    onepass_partition_spec partition = ONEPASS_PARTITION_SPEC_INIT;
    partition.type = ONEPASS_U8;
    partition.keep = &zero;
    partition.keep_second = &three;
    partition.d_in = of.items;
    partition.index_type = ONEPASS_U64;
    partition.second.d_items = &second;
    partition.second.capacity = 1;
    partition.rejected.d_items = &rejected;
    partition.rejected.d_indices = &position;
    partition.rejected.capacity = 1;
    partition.d_num_selected = &num_selected;
    partition.d_num_second = &num_second;
    partition.max_items = num_items;
    assert_int_equal(onepass_partition(of.ctx, &partition), ONEPASS_SUCCESS);
    assert_int_equal(num_selected, num_items - 2);
    assert_int_equal(num_second, 1);
    assert_int_equal(second, 3);
    assert_int_equal(rejected, 5);
    assert_int_equal(position, num_items - 1);

    partition.joined = 1;
    partition.selected.d_items = outputs;
    partition.second = partition.rejected = (onepass_part){ NULL, NULL, UINT64_MAX };
    num_selected = 0;
    assert_int_equal(onepass_partition(of.ctx, &partition), ONEPASS_SUCCESS);
    assert_int_equal(num_selected, num_items - 2);
    assert_int_equal(outputs[num_items - 3], 0);
    assert_int_equal(outputs[num_items - 2], 3);
    assert_int_equal(outputs[num_items - 1], 5);
    munmap(outputs, num_items);
    drop_large(of);
}

static void test_scan_of_2_to_the_32_plus_1_items(void **state)
{
    const large of = make_large(state);
    uint8_t *outputs = map_outputs();
    assert_int_equal(onepass_inclusive_scan(of.ctx, ONEPASS_U8, ONEPASS_SUM, of.items, outputs, num_items),
                     ONEPASS_SUCCESS);
    assert_int_equal(outputs[num_items - 1], 8);
    for (uint64_t i = num_items - 2; i > num_items - 1000000; --i)
        assert_int_equal(outputs[i], 3);
    munmap(outputs, num_items);
    drop_large(of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOST(test_reduction_of_2_to_the_32_plus_1_items), ON_HOST(test_selection_of_2_to_the_32_plus_1_items),
        ON_HOST(test_unique_of_2_to_the_32_plus_1_items),    ON_HOST(test_partition_of_2_to_the_32_plus_1_items),
        ON_HOST(test_scan_of_2_to_the_32_plus_1_items),
    };
    return run_on_backends(tests);
}
