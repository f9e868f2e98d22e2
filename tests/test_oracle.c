/* SPDX-License-Identifier: MIT */
/*
 * Checks the oracle itself: numbers, integer scans, MIN and MAX. test_oracle_order, _special and
 * _select have the rest.
 *
 * The one idea: every expected value stands here as a literal that a person can work out from onepass.h; only the F16
 * and BF16 conversions are gone through whole, against what rounding to nearest even means.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "oracle.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---------------------------------------------------------------------------------------------- numbers */

typedef struct conversion {
    float (*to_f32)(uint16_t bits);
    uint16_t (*from_f32)(float value);
    uint16_t infinity;
    uint16_t fixed_nan;
} conversion;

static const conversion f16_conversion = { oracle_f16_to_f32, oracle_f32_to_f16, 0x7c00, 0x7e00 };
static const conversion bf16_conversion = { oracle_bf16_to_f32, oracle_f32_to_bf16, 0x7f80, 0x7fc0 };

static void check_round_trip(const conversion *format)
{
    for (unsigned bits = 0; bits <= 0xffff; ++bits) {
        float value = format->to_f32((uint16_t)bits);
        int is_nan = (bits & 0x7fff) > format->infinity;
        assert_int_equal(isnan(value) != 0, is_nan);
        assert_int_equal(format->from_f32(value), is_nan ? format->fixed_nan : bits);
    }
}

/* Neighbours are ordered like their bits; half way between two goes to the one with even bits, also to infinity. */
static void check_halfway(const conversion *format)
{
    for (unsigned bits = 0; bits < format->infinity; ++bits) {
        float below = format->to_f32((uint16_t)bits);
        float above = format->to_f32((uint16_t)(bits + 1));
        float half_gap = isinf(above) ? (below - format->to_f32((uint16_t)(bits - 1))) / 2 : (above - below) / 2;
        float middle = below + half_gap;
        unsigned even = bits % 2 == 0 ? bits : bits + 1;
        assert_true(below < middle && middle < above);
        assert_int_equal(format->from_f32(middle), even);
        assert_int_equal(format->from_f32(-middle), even | 0x8000);
        assert_int_equal(format->from_f32(nextafterf(middle, 0.0f)), bits);
        assert_int_equal(format->from_f32(nextafterf(middle, INFINITY)), bits + 1);
    }
    assert_int_equal(format->from_f32(INFINITY), format->infinity);
    assert_int_equal(format->from_f32(-INFINITY), format->infinity | 0x8000);
    assert_int_equal(format->from_f32(-0.0f), 0x8000);
    assert_int_equal(format->from_f32(-NAN), format->fixed_nan);
}

static void test_f16(void **state)
{
    (void)state;
    check_round_trip(&f16_conversion);
    check_halfway(&f16_conversion);
    assert_true(oracle_f16_to_f32(0x3c00) == 1.0f);
    assert_true(oracle_f16_to_f32(0xc100) == -2.5f);
    assert_true(oracle_f16_to_f32(0x0001) == 0x1p-24f);
    assert_true(oracle_f16_to_f32(0x03ff) == 0x3ffp-24f);
    assert_true(oracle_f16_to_f32(0x0400) == 0x1p-14f);
    assert_true(oracle_f16_to_f32(0x7bff) == 65504.0f);
    assert_int_equal(oracle_f32_to_f16(65519.996f), 0x7bff);
    assert_int_equal(oracle_f32_to_f16(65520.0f), 0x7c00);
    assert_int_equal(oracle_f32_to_f16(0x1p-25f), 0x0000);
    assert_int_equal(oracle_f32_to_f16(0x1.000002p-25f), 0x0001);
    assert_int_equal(oracle_f32_to_f16(0x1p-149f), 0x0000);
}

static void test_bf16(void **state)
{
    (void)state;
    check_round_trip(&bf16_conversion);
    check_halfway(&bf16_conversion);
    for (unsigned bits = 0; bits < 0x7f80; ++bits) { /* BF16 is the upper half of a binary32 */
        uint32_t f32_bits = (uint32_t)bits << 16;
        float value;
        memcpy(&value, &f32_bits, 4);
        assert_true(oracle_bf16_to_f32((uint16_t)bits) == value);
    }
    assert_int_equal(oracle_f32_to_bf16(3.4028235e38f), 0x7f80);
    assert_int_equal(oracle_f32_to_bf16(0x1p-134f), 0x0000);
}

static void test_store(void **state)
{
    static const double inputs[] = { 0.1, -1.0 / 3, 16777217.0, 3.4028235677973366e38, 3.4028235677973362e38, 1e-45,
                                     7.006492321624085e-46, 7.1e-46, -1e-50, 1e300, -0.0, 1e-310 };
    onepass_value value;
    uint16_t f16;
    float f32;
    (void)state;
    for (size_t i = 0; i < COUNT(inputs); ++i) { /* the compiler's own rounding is to nearest even too */
        float expected = (float)inputs[i];
        value.f = inputs[i];
        oracle_store(ONEPASS_F32, value, &f32, 0);
        assert_memory_equal(&f32, &expected, 4);
    }
    value.f = 1.0 + 0x1p-11 + 0x1p-40; /* rounded once: by way of F32 it would become the halfway case, and 1.0 */
    oracle_store(ONEPASS_F16, value, &f16, 0);
    assert_int_equal(f16, 0x3c01);
}

static void test_nan_comparison(void **state)
{
    const uint32_t a[] = { 0x7fc00000, 0x3f800000, 0xffc00001, 0x00000000 };
    const uint32_t b[] = { 0x7f800001, 0x3f800000, 0x7fc00000, 0x80000000 };
    uint64_t first = 99;
    (void)state;
    assert_true(oracle_equal(ONEPASS_F32, a, b, 3, &first));
    assert_int_equal(first, 99);
    assert_false(oracle_equal(ONEPASS_F32, a, b, 4, &first)); /* +0.0 and -0.0 are not the same bits */
    assert_int_equal(first, 3);
    assert_false(oracle_equal(ONEPASS_U32, a, b, 4, &first));
    assert_int_equal(first, 0);
    assert_true(oracle_is_fixed_nan(ONEPASS_F32, &a[0]));
    assert_false(oracle_is_fixed_nan(ONEPASS_F32, &a[2]));
    assert_false(oracle_is_fixed_nan(ONEPASS_U32, &a[0]));
    assert_false(oracle_nans_are_fixed(ONEPASS_F32, a, 4, &first));
    assert_int_equal(first, 2);
}

/* ---------------------------------------------------------------------------------------------- integers */

static void test_integer_types(void **state)
{
    const uint8_t u8[] = { 200, 100, 255 };
    const int8_t i8[] = { -1, 100, 100 };
    uint16_t u16[3];
    uint32_t u32[3];
    uint8_t u8_out[3];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_U8, ONEPASS_U16, ONEPASS_SUM, ONEPASS_INCLUSIVE, u8, u16, 3);
    (void)state;
    oracle_scan(&spec);
    assert_memory_equal(u16, ((const uint16_t[]){ 200, 300, 555 }), sizeof u16);
    spec.op = ONEPASS_PROD; /* 200 * 100 * 255 = 5100000 = 77 * 65536 + 53728 */
    oracle_scan(&spec);
    assert_memory_equal(u16, ((const uint16_t[]){ 200, 20000, 53728 }), sizeof u16);
    spec = oracle_scan_spec(ONEPASS_U8, (onepass_type)0, ONEPASS_SUM, ONEPASS_INCLUSIVE, u8, u8_out, 3);
    oracle_scan(&spec);
    assert_memory_equal(u8_out, ((const uint8_t[]){ 200, 44, 43 }), sizeof u8_out);
    spec = oracle_scan_spec(ONEPASS_I8, ONEPASS_U32, ONEPASS_MIN, ONEPASS_INCLUSIVE, i8, u32, 3);
    oracle_scan(&spec); /* -1 is 4294967295 in U32, and compared there */
    assert_memory_equal(u32, ((const uint32_t[]){ UINT32_MAX, 100, 100 }), sizeof u32);
    spec = oracle_scan_spec(ONEPASS_I8, ONEPASS_I8, ONEPASS_SUM, ONEPASS_INCLUSIVE, i8, u8_out, 3);
    oracle_scan(&spec); /* 199 - 256 = -57 */
    assert_memory_equal(u8_out, ((const int8_t[]){ -1, 99, -57 }), sizeof u8_out);
}

static void test_integer_operators(void **state)
{
    static const struct {
        onepass_operator op;
        int8_t identity, out1, out2, total;
    } rows[] = {
        { ONEPASS_SUM, 0, 12, 2, 5 },        { ONEPASS_PROD, 1, 12, -120, -104 }, /* -360 = 152 - 512 */
        { ONEPASS_MIN, 127, 12, -10, -10 },  { ONEPASS_MAX, -128, 12, 12, 12 },
        { ONEPASS_AND, -1, 12, 4, 0 },       { ONEPASS_OR, 0, 12, -2, -1 },
        { ONEPASS_XOR, 0, 12, -6, -7 },
    };
    const int8_t in[] = { 12, -10, 3 }; /* 00001100, 11110110, 00000011 */
    int8_t out[5];
    int8_t reduced;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); ++i) {
        int8_t identity = rows[i].identity;
        onepass_scan_spec spec = oracle_scan_spec(ONEPASS_I8, (onepass_type)0, rows[i].op, ONEPASS_OFFSETS, in, out, 3);
        onepass_reduce_spec reduce = oracle_reduce_spec(&spec, &reduced);
        memset(out, 77, sizeof out);
        oracle_scan(&spec);
        assert_memory_equal(out, ((const int8_t[]){ identity, rows[i].out1, rows[i].out2, rows[i].total, 77 }), 5);
        spec.kind = ONEPASS_EXCLUSIVE;
        memset(out, 77, sizeof out);
        oracle_scan(&spec);
        assert_memory_equal(out, ((const int8_t[]){ identity, rows[i].out1, rows[i].out2, 77, 77 }), 5);
        spec.kind = ONEPASS_INCLUSIVE;
        oracle_scan(&spec);
        assert_memory_equal(out, ((const int8_t[]){ rows[i].out1, rows[i].out2, rows[i].total, 77, 77 }), 5);
        oracle_reduce(&reduce);
        assert_int_equal(reduced, rows[i].total);
        reduce.max_items = 0;
        oracle_reduce(&reduce);
        assert_int_equal(reduced, identity);
    }
}

static void test_reverse_and_initial(void **state)
{
    int32_t data[5] = { 1, 2, 3, 4, 77 };
    const int32_t d_initial = 1000;
    uint64_t d_num_items = 3;
    int32_t out[5] = { 77, 77, 77, 77, 77 };
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_I32, ONEPASS_I32, ONEPASS_SUM, ONEPASS_INCLUSIVE, data, out, 4);
    (void)state;
    spec.reverse = 1;
    spec.has_initial = 1;
    spec.initial.i = 10 - (INT64_C(1) << 32); /* 10 modulo 2^32 */
    oracle_scan(&spec);
    assert_memory_equal(out, ((const int32_t[]){ 20, 19, 17, 14, 77 }), sizeof out);
    spec.kind = ONEPASS_EXCLUSIVE;
    oracle_scan(&spec);
    assert_memory_equal(out, ((const int32_t[]){ 19, 17, 14, 10, 77 }), sizeof out);
    spec.has_initial = 0;
    spec.d_initial = &d_initial;
    spec.kind = ONEPASS_OFFSETS;
    spec.d_num_items = &d_num_items; /* 3 items: outputs 0 to 3, the initial value in output 3, output 4 left alone */
    oracle_scan(&spec);
    assert_memory_equal(out, ((const int32_t[]){ 1006, 1005, 1003, 1000, 77 }), sizeof out);
    d_num_items = 5; /* clamped to 4 */
    oracle_scan(&spec);
    assert_memory_equal(out, ((const int32_t[]){ 1010, 1009, 1007, 1004, 1000 }), sizeof out);
    spec.reverse = 0; /* in place, with the total behind */
    spec.d_out = data;
    oracle_scan(&spec);
    assert_memory_equal(data, ((const int32_t[]){ 1000, 1001, 1003, 1006, 1010 }), sizeof data);
    d_num_items = 0; /* offsets of nothing still have their one entry */
    spec.d_in = NULL;
    spec.d_out = out;
    oracle_scan(&spec);
    assert_memory_equal(out, ((const int32_t[]){ 1000, 1009, 1007, 1004, 1000 }), sizeof out);
    spec.max_items = 0; /* without items any pointer may be NULL */
    spec.d_out = NULL;
    oracle_scan(&spec);
    onepass_reduce_spec reduce = oracle_reduce_spec(&spec, NULL);
    oracle_reduce(&reduce);
}

static void test_float_min_max(void **state)
{
    const float in[] = { 0.0f, -0.0f, 0.0f, -3.0f, INFINITY, -NAN, 1.0f };
    const float min[] = { 0.0f, -0.0f, -0.0f, -3.0f, -3.0f, NAN, NAN };
    const float exclusive_max[] = { -INFINITY, 0.0f, 0.0f, 0.0f, 0.0f, INFINITY, NAN };
    float out[7];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_MIN, ONEPASS_INCLUSIVE, in, out, 7);
    (void)state;
    oracle_scan(&spec);
    assert_true(oracle_equal(ONEPASS_F32, out, min, 7, NULL));
    assert_true(oracle_is_fixed_nan(ONEPASS_F32, &out[5]) && oracle_is_fixed_nan(ONEPASS_F32, &out[6]));
    spec.op = ONEPASS_MAX;
    spec.kind = ONEPASS_EXCLUSIVE;
    oracle_scan(&spec);
    assert_true(oracle_equal(ONEPASS_F32, out, exclusive_max, 7, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f16),
        cmocka_unit_test(test_bf16),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_nan_comparison),
        cmocka_unit_test(test_integer_types),
        cmocka_unit_test(test_integer_operators),
        cmocka_unit_test(test_reverse_and_initial),
        cmocka_unit_test(test_float_min_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
