/* SPDX-License-Identifier: MIT */
/*
 * Checks the oracle's predicates and selections.
 *
 * The one idea: a selection's indices, written as a short literal list, show at a glance which items a predicate keeps.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "oracle.h"

#include <math.h>
#include <string.h>

static onepass_value integer(int64_t i)
{
    onepass_value value;
    value.i = i;
    return value;
}

static onepass_value floating(double f)
{
    onepass_value value;
    value.f = f;
    return value;
}

/* Bit i of the result: whether item i of up to 64 is kept. */
static uint64_t kept(onepass_type type, const void *items, uint64_t num_items, onepass_predicate_kind kind,
                     onepass_value a, onepass_value b)
{
    onepass_predicate keep = { kind, 0, a, b };
    onepass_predicate reject = { kind, 1, a, b };
    uint64_t mask = 0;
    for (uint64_t idx = 0; idx < num_items; ++idx) {
        mask |= (uint64_t)oracle_keeps(type, &keep, items, idx) << idx;
        assert_int_equal(oracle_keeps(type, &reject, items, idx), !oracle_keeps(type, &keep, items, idx));
    }
    return mask;
}

static void test_signed_predicates(void **state)
{
    const int8_t x[] = { -128, -1, 0, 5, 127 };
    const onepass_value none = { 0 };
    (void)state;
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_EQUAL, integer(-1), none), 0x02);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_EQUAL, integer(255), none), 0x00);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_LESS, integer(1000), none), 0x1f);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_LESS, integer(5), none), 0x07);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_LESS_EQUAL, integer(5), none), 0x0f);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_GREATER, integer(0), none), 0x18);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_GREATER_EQUAL, integer(0), none), 0x1c);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_BETWEEN, integer(-1), integer(5)), 0x0e);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_BETWEEN, integer(5), integer(-1)), 0x00);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_ZERO, none, none), 0x04);
    /* 1111111110000001 modulo 2^8 is 10000001: -128 has bit 7, -1 both, 5 and 127 bit 0 */
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_ANY_BITS, integer(0xff81), none), 0x1b);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_ALL_BITS, integer(0xff81), none), 0x02);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_ANY_BITS, integer(0x100), none), 0x00);
    assert_int_equal(kept(ONEPASS_I8, x, 5, ONEPASS_ALL_BITS, integer(0x100), none), 0x1f);
}

static void test_unsigned_predicates(void **state)
{
    const uint64_t x[] = { 0, 1, UINT64_C(0x8000000000000000), UINT64_MAX };
    const uint16_t y[] = { 0, 65535 };
    const onepass_value none = { 0 };
    (void)state;
    assert_int_equal(kept(ONEPASS_U64, x, 4, ONEPASS_GREATER, integer(1), none), 0x0c);
    assert_int_equal(kept(ONEPASS_U64, x, 4, ONEPASS_LESS, integer(INT64_MIN), none), 0x03);
    assert_int_equal(kept(ONEPASS_U16, y, 2, ONEPASS_LESS, integer(-1), none), 0x03); /* u is 2^64 - 1 */
    assert_int_equal(kept(ONEPASS_U16, y, 2, ONEPASS_GREATER_EQUAL, integer(65536), none), 0x00);
    assert_int_equal(kept(ONEPASS_U16, y, 2, ONEPASS_EQUAL, integer(65536), none), 0x00);
}

static void test_floating_predicates(void **state)
{
    const float x[] = { -INFINITY, -0.0f, 0.0f, 0.1f, INFINITY, NAN };
    const uint16_t h[] = { 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e01 }; /* 1, 1 + 2^-10, 65504, infinity, NaN */
    const onepass_value none = { 0 };
    (void)state;
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_EQUAL, floating(0.1), none), 0x08);
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_EQUAL, floating(-0.0), none), 0x06);
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_ZERO, none, none), 0x06);
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_LESS, floating(0.0), none), 0x01);
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_GREATER_EQUAL, floating(0.0), none), 0x1e);
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_LESS_EQUAL, floating(NAN), none), 0x00);
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_BETWEEN, floating(-0.0), floating(1e300)), 0x1e);
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_NAN, none, none), 0x20);
    assert_int_equal(kept(ONEPASS_F32, x, 6, ONEPASS_FINITE, none, none), 0x0e);
    /* Rounded to F16 once: 1 + 2^-11 is half way and becomes 1, a little more becomes 1 + 2^-10; 1e9 is infinity. */
    assert_int_equal(kept(ONEPASS_F16, h, 5, ONEPASS_EQUAL, floating(1.0 + 0x1p-11), none), 0x01);
    assert_int_equal(kept(ONEPASS_F16, h, 5, ONEPASS_EQUAL, floating(1.0 + 0x1p-11 + 0x1p-40), none), 0x02);
    assert_int_equal(kept(ONEPASS_F16, h, 5, ONEPASS_LESS, floating(1e9), none), 0x07);
    assert_int_equal(kept(ONEPASS_F16, h, 5, ONEPASS_GREATER_EQUAL, floating(1e9), none), 0x08);
    /* The same bits as BF16: 0x3c00 is 2^-7, 0x7c00 and 0x7e01 are large numbers. */
    assert_int_equal(kept(ONEPASS_BF16, h, 5, ONEPASS_EQUAL, floating(0x1p-7), none), 0x01);
    assert_int_equal(kept(ONEPASS_BF16, h, 5, ONEPASS_FINITE, none, none), 0x1f);
}

static void test_select_outputs(void **state)
{
    const uint32_t in[] = { 0x7f800001, 1, 0xffc00123, 3, 0x7fc00000 }; /* NaNs with payloads keep their bits */
    const onepass_predicate keep = { ONEPASS_NAN, 0, { 0 }, { 0 } };
    uint32_t out[4] = { 7, 7, 7, 7 };
    uint64_t indices[4] = { 7, 7, 7, 7 };
    uint64_t num_selected = 0;
    uint64_t d_num_items = 9;
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    (void)state;
    spec.type = ONEPASS_F32;
    spec.keep = &keep;
    spec.d_in = in;
    spec.d_out = out;
    spec.index_type = ONEPASS_U64;
    spec.d_out_indices = indices;
    spec.d_num_selected = &num_selected;
    spec.max_items = 5;
    spec.d_num_items = &d_num_items; /* clamped to 5 */
    oracle_select(&spec);
    assert_int_equal(num_selected, 3);
    assert_memory_equal(out, ((const uint32_t[]){ 0x7f800001, 0xffc00123, 0x7fc00000, 7 }), sizeof out);
    assert_memory_equal(indices, ((const uint64_t[]){ 0, 2, 4, 7 }), sizeof indices);
    memset(out, 0, sizeof out);
    spec.capacity = 1; /* outputs end there, the count does not */
    oracle_select(&spec);
    assert_int_equal(num_selected, 3);
    assert_memory_equal(out, ((const uint32_t[]){ 0x7f800001, 0, 0, 0 }), sizeof out);
    spec.d_out = NULL;
    spec.d_out_indices = NULL;
    d_num_items = 4;
    oracle_select(&spec);
    assert_int_equal(num_selected, 2);
}

static void test_select_flagged(void **state)
{
    const uint8_t flags[] = { 0, 1, 0, 255, 2 };
    int16_t data[] = { 10, 11, 12, 13, 14 };
    uint32_t indices[5] = { 7, 7, 7, 7, 7 };
    uint64_t num_selected = 99;
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    (void)state;
    spec.type = ONEPASS_I16;
    spec.d_flags = flags;
    spec.index_type = ONEPASS_U32;
    spec.d_out_indices = indices; /* d_in is NULL: nothing needs the items */
    spec.d_num_selected = &num_selected;
    spec.max_items = 5;
    oracle_select(&spec);
    assert_int_equal(num_selected, 3);
    assert_memory_equal(indices, ((const uint32_t[]){ 1, 3, 4, 7, 7 }), sizeof indices);
    spec.d_out_indices = NULL;
    spec.d_in = data;
    spec.d_out = data; /* in place: the items behind the selected ones keep what was there */
    oracle_select(&spec);
    assert_memory_equal(data, ((const int16_t[]){ 11, 13, 14, 13, 14 }), sizeof data);
    spec.max_items = 0;
    spec.d_flags = NULL;
    oracle_select(&spec);
    assert_int_equal(num_selected, 0);
    spec.d_num_selected = NULL; /* without items any pointer may be NULL */
    oracle_select(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signed_predicates),
        cmocka_unit_test(test_unsigned_predicates),
        cmocka_unit_test(test_floating_predicates),
        cmocka_unit_test(test_select_outputs),
        cmocka_unit_test(test_select_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
