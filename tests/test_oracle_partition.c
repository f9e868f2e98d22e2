/* SPDX-License-Identifier: MIT */
/*
 * Checks the oracle's runs, kinds of flags, partitions and payload, on inputs whose results can be read off.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "oracle.h"

#include <string.h>

static unsigned heads(onepass_type type, const void *items, uint64_t num_items)
{
    unsigned mask = 0;
    for (uint64_t idx = 0; idx < num_items; ++idx) {
        mask |= (unsigned)oracle_starts_a_run(type, items, idx) << idx;
    }
    return mask;
}

static void test_runs(void **state)
{
    const uint8_t bytes[] = { 5, 5, 0, 0, 0, 5, 5, 6 };
    const uint16_t halves[] = { 0x8000, 0x0000, 0x7e00, 0xfc01, 0x7c00, 0x7c00, 0xfc00, 0x0001 };
    const double doubles[] = { -0.0, 0.0, 1.0, 1.0, 1.0000000000000002, -1.0 };
    (void)state;
    assert_int_equal(heads(ONEPASS_U8, bytes, 8), 0xa5);
    assert_int_equal(heads(ONEPASS_I16, halves, 8), 0xdf);
    assert_int_equal(heads(ONEPASS_F16, halves, 8), 0xd5); /* zeros are equal, NaNs are, infinities of one sign are */
    assert_int_equal(heads(ONEPASS_BF16, halves, 8), 0xdd); /* none of them is a NaN */
    assert_int_equal(heads(ONEPASS_F64, doubles, 6), 0x35);
}

static void test_kinds_of_flags(void **state)
{
    const uint8_t flags[] = { 0xa1, 0, 3, 3 };
    uint64_t indices[9], num_selected;
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    (void)state;
    spec.type = ONEPASS_U8;
    spec.d_flags = flags;
    spec.index_type = ONEPASS_U64;
    spec.d_out_indices = indices;
    spec.d_num_selected = &num_selected;
    spec.max_items = 4;
    oracle_select(&spec);
    assert_int_equal(num_selected, 3);
    spec.flag_kind = ONEPASS_FLAG_EQUAL;
    spec.flag_value = 3;
    oracle_select(&spec);
    assert_int_equal(num_selected, 2);
    assert_int_equal(indices[0], 2);
    spec.flag_kind = ONEPASS_FLAG_BITS;
    spec.max_items = 7;
    oracle_select(&spec);
    assert_int_equal(num_selected, 2); /* the bits 0 and 5; bit 7 is behind the last item */
    assert_memory_equal(indices, ((const uint64_t[]){ 0, 5 }), 16);
}

static void test_partition(void **state)
{
    const int8_t in[] = { 4, -1, 7, 0, -1, 9 };
    const uint16_t tags[] = { 10, 11, 12, 13, 14, 15 };
    int8_t selected[6] = { 77, 77, 77, 77, 77, 77 }, second[6] = { 77, 77, 77, 77, 77, 77 }, rejected[2] = { 77, 77 };
    uint16_t selected_tags[6] = { 0 }, second_tags[6] = { 0 };
    uint32_t indices[6] = { 0 };
    uint64_t num_selected, num_second;
    const onepass_predicate negative = { ONEPASS_LESS, 0, { .i = 0 }, { 0 } };
    const onepass_predicate small = { ONEPASS_LESS, 0, { .i = 5 }, { 0 } };
    const onepass_payload payload = { 2, tags, selected_tags, second_tags, NULL };
    onepass_partition_spec spec = ONEPASS_PARTITION_SPEC_INIT;
    (void)state;
    spec.type = ONEPASS_I8;
    spec.keep = &negative;
    spec.keep_second = &small;
    spec.d_in = in;
    spec.selected.d_items = selected;
    spec.second.d_items = second;
    spec.rejected.d_items = rejected;
    spec.rejected.capacity = 1;
    spec.index_type = ONEPASS_U32;
    spec.rejected.d_indices = indices;
    spec.payloads = &payload;
    spec.num_payloads = 1;
    spec.d_num_selected = &num_selected;
    spec.d_num_second = &num_second;
    spec.max_items = 6;
    oracle_partition(&spec);
    assert_int_equal(num_selected, 2);
    assert_int_equal(num_second, 2);
    assert_memory_equal(selected, ((const int8_t[]){ -1, -1, 77 }), 3);
    assert_memory_equal(second, ((const int8_t[]){ 4, 0, 77 }), 3);
    assert_memory_equal(rejected, ((const int8_t[]){ 7, 77 }), 2);
    assert_memory_equal(indices, ((const uint32_t[]){ 2, 0 }), 8);
    assert_memory_equal(selected_tags, ((const uint16_t[]){ 11, 14, 0 }), 6);
    assert_memory_equal(second_tags, ((const uint16_t[]){ 10, 13, 0 }), 6);

    onepass_partition_spec joined = ONEPASS_PARTITION_SPEC_INIT;
    joined.type = ONEPASS_I8;
    joined.keep = &small;
    joined.d_in = in;
    joined.joined = 1;
    joined.selected.d_items = selected;
    joined.d_num_selected = &num_selected;
    joined.max_items = 6;
    oracle_partition(&joined);
    assert_int_equal(num_selected, 4);
    assert_memory_equal(selected, ((const int8_t[]){ 4, -1, 0, -1, 7, 9 }), 6);
    joined.keep = NULL;
    joined.unique = 1;
    joined.d_in = (const int8_t[]){ 1, 1, 2, 2, 1, 1 };
    oracle_partition(&joined);
    assert_memory_equal(selected, ((const int8_t[]){ 1, 2, 1, 1, 2, 1 }), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_kinds_of_flags),
        cmocka_unit_test(test_partition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
