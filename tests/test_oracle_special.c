/* SPDX-License-Identifier: MIT */
/*
 * Checks what floating sums and products of the oracle do at the edges, and how exact they are: -0.0, NaN, denormals,
 * overflow, the one rounding of F16, working in place, shortened inputs, and the error bound of ORDER.md.
 *
 * The one idea: the bound is tested from both sides, by the input that comes nearest to it and by spoiled outputs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { F32_ROW = 128, F32_WINDOW = 1048576, F64_WINDOW = 524288 };

static float reduce_f32(const onepass_scan_spec *scan)
{
    float result;
    onepass_reduce_spec spec = oracle_reduce_spec(scan, &result);
    oracle_reduce(&spec);
    return result;
}

static void *zeros(size_t num_items, size_t item_bytes)
{
    void *memory = calloc(num_items, item_bytes);
    assert_non_null(memory);
    return memory;
}

/* --------------------------------------------------------------------------------------- special values */

static void check_f32(const onepass_scan_spec *spec, const float *expected, uint64_t num_outputs)
{
    oracle_scan(spec);
    assert_true(oracle_equal(ONEPASS_F32, spec->d_out, expected, num_outputs, NULL));
    assert_true(oracle_nans_are_fixed(ONEPASS_F32, spec->d_out, num_outputs, NULL));
}

static void test_zeros(void **state)
{
    const float in[] = { -0.0f, -0.0f, -0.0f };
    const float d_initial = -0.0f;
    float out[4];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, ONEPASS_INCLUSIVE, in, out, 3);
    (void)state;
    check_f32(&spec, (const float[]){ -0.0f, -0.0f, -0.0f }, 3); /* from nothing, which is -0.0 */
    assert_true(signbit(reduce_f32(&spec)));
    spec.max_items = 0;
    assert_false(signbit(reduce_f32(&spec)));
    spec.max_items = 3;
    spec.kind = ONEPASS_OFFSETS;
    check_f32(&spec, (const float[]){ 0.0f, 0.0f, 0.0f, 0.0f }, 4); /* from +0.0 */
    spec.d_initial = &d_initial;
    check_f32(&spec, (const float[]){ -0.0f, -0.0f, -0.0f, -0.0f }, 4);
    spec.d_initial = NULL;
    spec.op = ONEPASS_PROD;
    check_f32(&spec, (const float[]){ 1.0f, -0.0f, 0.0f, -0.0f }, 4);
    spec.max_items = 0;
    assert_true(reduce_f32(&spec) == 1.0f);
}

static void test_nans_and_denormals(void **state)
{
    const uint32_t payload = 0xff800001;
    float in[] = { INFINITY, 1.0f, -INFINITY, 1.0f };
    const float tiny[] = { 0x1p-149f, 0x1p-149f, 0x1p-100f, 0x1p-48f };
    float out[4];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, ONEPASS_INCLUSIVE, in, out, 4);
    (void)state;
    check_f32(&spec, (const float[]){ INFINITY, INFINITY, NAN, NAN }, 4);
    memcpy(&in[0], &payload, 4); /* an only item, too, comes out as the fixed NaN */
    check_f32(&spec, (const float[]){ NAN, NAN, NAN, NAN }, 4);
    spec.d_in = tiny;
    spec.max_items = 2;
    check_f32(&spec, (const float[]){ 0x1p-149f, 0x1p-148f }, 2);
    spec.d_in = tiny + 2;
    spec.op = ONEPASS_PROD;
    check_f32(&spec, (const float[]){ 0x1p-100f, 0x1p-148f }, 2);
}

/* F32 1e38, 1, 1, 1 | 16, 1/16, 1, 1: singly 1e38 * 16 overflows for good; in the reduction L[1] = 1. */
static void test_product_grouping(void **state)
{
    const float in[] = { 1e38f, 1, 1, 1, 16, 0.0625f, 1, 1 };
    float out[9];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_PROD, ONEPASS_OFFSETS, in, out, 8);
    (void)state;
    check_f32(&spec, (const float[]){ 1, 1e38f, 1e38f, 1e38f, 1e38f, INFINITY, INFINITY, INFINITY, 1e38f }, 9);
    assert_true(reduce_f32(&spec) == 1e38f);
}

static void check_f16(onepass_operator op, const uint16_t *in, const uint16_t *expected, uint64_t num_items)
{
    uint16_t out[8];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F16, (onepass_type)0, op, ONEPASS_INCLUSIVE, in, out, num_items);
    oracle_scan(&spec);
    assert_memory_equal(out, expected, num_items * sizeof *out);
}

/* F16 is rounded only on the way out: 2049 is a tie and goes to 2048, but 2050 is there at the next item. */
static void test_f16_rounds_once(void **state)
{
    (void)state;
    check_f16(ONEPASS_SUM, (const uint16_t[]){ 0x6800, 0x3c00, 0x3c00 },
              (const uint16_t[]){ 0x6800, 0x6800, 0x6801 }, 3);
    /* 65504 + 65504 is infinite in F16 only; - 65504 brings it back */
    check_f16(ONEPASS_SUM, (const uint16_t[]){ 0x7bff, 0x7bff, 0xfbff },
              (const uint16_t[]){ 0x7bff, 0x7c00, 0x7bff }, 3);
    /* 2^-14 * 2^-10 is the least denormal; / 2 is a tie with 0; * 4 is twice the least denormal */
    check_f16(ONEPASS_PROD, (const uint16_t[]){ 0x0400, 0x1400, 0x3800, 0x4400 },
              (const uint16_t[]){ 0x0400, 0x0001, 0x0000, 0x0002 }, 4);
    check_f16(ONEPASS_SUM, (const uint16_t[]){ 0x7c01 }, (const uint16_t[]){ 0x7e00 }, 1);
}

/* ------------------------------------------------------------------------------- properties and accuracy */

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

static float random_item(uint32_t *random)
{
    float fraction = (float)next_random(random) - 0x1p23f;
    return ldexpf(fraction, (int)(next_random(random) % 20) - 30);
}

/* In place gives the same; leaving items off at the end of the order changes no output that remains. */
static void test_properties(void **state)
{
    enum { NUM_ITEMS = 1000, FEWER = 777 };
    float in[NUM_ITEMS];
    float out[NUM_ITEMS + 1];
    float in_place[NUM_ITEMS + 1];
    float fewer[FEWER + 1];
    uint64_t d_num_items = FEWER;
    uint32_t random = 1;
    (void)state;
    for (int i = 0; i < NUM_ITEMS; ++i) {
        in[i] = in_place[i] = random_item(&random);
    }
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, ONEPASS_OFFSETS,
                                              in, out, NUM_ITEMS);
    oracle_scan(&spec);
    assert_true(oracle_sum_error_bound(&spec, in, out) <= 1.0);
    spec.d_in = in_place;
    spec.d_out = in_place;
    oracle_scan(&spec);
    assert_memory_equal(in_place, out, sizeof out);
    spec.d_in = in;
    spec.d_out = fewer;
    spec.d_num_items = &d_num_items;
    oracle_scan(&spec);
    assert_memory_equal(fewer, out, sizeof fewer);
    spec.d_num_items = NULL;
    spec.reverse = 1;
    spec.d_out = out;
    oracle_scan(&spec);
    assert_true(oracle_sum_error_bound(&spec, in, out) <= 1.0);
    spec.d_in = in + (NUM_ITEMS - FEWER); /* the end of the order is the front of the array */
    spec.d_out = fewer;
    spec.d_num_items = &d_num_items; /* positions count from item FEWER - 1 */
    oracle_scan(&spec);
    assert_memory_equal(fewer, out + (NUM_ITEMS - FEWER), sizeof fewer);
    fewer[400] = nextafterf(fewer[400], INFINITY) + 1.0f;
    assert_true(oracle_sum_error_bound(&spec, spec.d_in, fewer) > 1.0);
}

/*
 * The longest chain in one window of F32. u = 2^-24 is half the spacing above 1, and v a little more: 1 + v rounds up
 * by nearly u, and so does each further + v. One v at every place where the sum that began with x[0] = 1 takes in a sum
 * from elsewhere, on its way to the last inclusive output: 3 in lane 0; 5 lanes; 12 blocks of rows up to B(0, 4096);
 * 12 more in the row prefix; 1 in before[31]; 4 in the last lane. 37 roundings, so the error is nearly
 * 37 u (|x0| + |x1| + ...), and with H[0] too, 38 additions.
 */
static void test_longest_chain(void **state)
{
    const float v = 0x1p-24f + 0x1p-44f;
    uint64_t num_items = F32_WINDOW;
    float *in = zeros(num_items, sizeof *in);
    float *out = zeros(num_items, sizeof *out);
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, ONEPASS_INCLUSIVE,
                                              in, out, num_items);
    (void)state;
    in[0] = 1.0f;
    in[1] = in[2] = in[3] = v;
    for (int lane = 1; lane <= 16; lane *= 2) {
        in[lane * 4] = v;
    }
    for (int row = 1; row <= 2048; row *= 2) {
        in[row * F32_ROW] = v;
        in[(8192 - 2 * row) * F32_ROW] = v;
    }
    in[8191 * F32_ROW] = v;
    for (int j = 1; j <= 4; ++j) {
        in[F32_WINDOW - j] = v;
    }
    oracle_scan(&spec);
    assert_true(out[F32_WINDOW - 1] == 1.0f + 37 * 0x1p-23f);
    double worst = oracle_sum_error_bound(&spec, in, out);
    assert_true(worst > 0.94 && worst <= 1.0);
    free(out);
    free(in);
}

/* Random F64 items over more than one window, and F16 items, stay within the bound; the reference is fine enough to
 * tell, in F64 too. */
static void test_error_bound(void **state)
{
    uint64_t num_items = F64_WINDOW + 1000;
    double *f64 = zeros(num_items, sizeof *f64);
    uint16_t *f16 = zeros(num_items, sizeof *f16);
    double *out = zeros(num_items, sizeof *out);
    uint32_t random = 1;
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F64, ONEPASS_F64, ONEPASS_SUM, ONEPASS_EXCLUSIVE,
                                              f64, out, num_items);
    (void)state;
    for (uint64_t i = 0; i < num_items; ++i) {
        f64[i] = (double)random_item(&random) / 3;
        f16[i] = oracle_f32_to_f16((float)f64[i]);
    }
    oracle_scan(&spec);
    assert_true(oracle_sum_error_bound(&spec, f64, out) <= 1.0);
    out[num_items - 1] *= 1.0 + 0x1p-30;
    assert_true(oracle_sum_error_bound(&spec, f64, out) > 1.0);
    spec.in_type = spec.out_type = ONEPASS_F16;
    spec.d_in = f16;
    oracle_scan(&spec);
    assert_true(oracle_sum_error_bound(&spec, f16, out) <= 1.0);
    free(out);
    free(f16);
    free(f64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_nans_and_denormals),
        cmocka_unit_test(test_product_grouping),
        cmocka_unit_test(test_f16_rounds_once),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_longest_chain),
        cmocka_unit_test(test_error_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
