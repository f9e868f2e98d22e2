/* SPDX-License-Identifier: MIT */
/*
 * Checks the order oracle against sums worked out by hand from ORDER.md.
 *
 * The one idea: beside 1e8 an F32 cannot hold less than 8, beside 1e16 an F64 not less than 2. Small items that reach
 * the large one singly vanish; those that the page groups first survive. So each result shows its grouping, and the
 * comment at each case derives it. Offsets from the large number are what is written: 8 stands for 1e8 + 8. Both
 * numbers are even multiples of the spacing beside them (12500000 * 8, 5000000000000000 * 2), which settles ties.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "oracle.h"

#include <math.h>
#include <stdlib.h>

enum { F32_ROW = 128, F32_WINDOW = 1048576, F16_WINDOW = 2097152 };

static const double large = 1e8;

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

/* ------------------------------------------------------------------------------------- lanes and rows */

/*
 * F32 items 1e8, 1, 1, 1, ... of one row; lanes of 4.
 * Lanes: L[0] = 1e8 (each 1 vanishes), L[l] = 4. Kogge-Stone, d = 1: v[1] = 1e8 + 4, a tie, so 1e8; from l = 2
 * v[l] = 8. d = 2: v[2] = v[0] + 8, v[3] = v[1] + 8, both 8 above; 16 from l = 4. Then d = 4, 8, 16 add 16, 32, 64 to
 * what the lane 4, 8, 16 before has. In all v[l] = 1e8 + 8 floor(l / 2).
 * Results: before[l] = v[l - 1], and the four 1 after it vanish.
 */
static void test_lanes_f32(void **state)
{
    float in[F32_ROW] = { 0 };
    float out[F32_ROW];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, ONEPASS_INCLUSIVE,
                                              in, out, F32_ROW);
    (void)state;
    for (int i = 0; i < F32_ROW; ++i) {
        in[i] = i == 0 ? 1e8f : 1.0f;
    }
    oracle_scan(&spec);
    for (int i = 0; i < F32_ROW; ++i) {
        int l = i / 4;
        assert_true((double)out[i] - large == (l == 0 ? 0 : 8 * ((l - 1) / 2)));
    }
    assert_true((double)reduce_f32(&spec) - large == 120); /* R[0] = v[31] */
}

/*
 * F64 items 1e16, 1, 1, 1, ... of one row; lanes of 2.
 * L[0] = 1e16 + 1, a tie, so 1e16; L[l] = 2, and v[l] = 1e16 + 2 l without rounding.
 * Results: before[l] is 2 (l - 1) above. + 1 is a tie: it goes to the multiple of 4, so stays for odd l and moves to
 * 2 l for even l; the second + 1 starts at a multiple of 4 and vanishes. In all 4 floor(l / 2) for both items.
 */
static void test_lanes_f64(void **state)
{
    double in[64] = { 0 };
    double out[64];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F64, ONEPASS_F64, ONEPASS_SUM, ONEPASS_INCLUSIVE, in, out, 64);
    (void)state;
    for (int i = 0; i < 64; ++i) {
        in[i] = i == 0 ? 1e16 : 1.0;
    }
    oracle_scan(&spec);
    for (int i = 0; i < 64; ++i) {
        int l = i / 2;
        assert_true(out[i] - 1e16 == 4 * (l / 2));
    }
}

/*
 * F32 1e8, 0, 0, 0 | 3, 3, 0, 0. A scan adds the items of lane 1 singly to before[1] = 1e8: + 3 vanishes twice. The
 * reduction adds L[1] = 6, which rounds to 8. The same from the end in reverse: position p is item 7 - p.
 */
static void test_scan_and_reduce_differ(void **state)
{
    const float in[] = { 1e8f, 0, 0, 0, 3, 3, 0, 0 };
    const float reversed[] = { 0, 0, 3, 3, 0, 0, 0, 1e8f };
    float out[9];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, ONEPASS_INCLUSIVE, in, out, 8);
    (void)state;
    oracle_scan(&spec);
    assert_true((double)out[7] - large == 0);
    assert_true((double)reduce_f32(&spec) - large == 8);
    spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, ONEPASS_OFFSETS, reversed, out, 8);
    spec.reverse = 1;
    oracle_scan(&spec);
    assert_true(out[8] == 0.0f && !signbit(out[8])); /* E(0), the start */
    assert_true((double)out[7] - large == 0);        /* E(1) = 0 + 1e8 */
    assert_true((double)out[1] - large == 0);        /* E(7) */
    assert_true((double)out[0] - large == 8);        /* E(8) is a new lane: before[2] = L[0] + L[1] */
}

/* ---------------------------------------------------------------------------------- blocks and windows */

/*
 * F32, initial value 1e8, one 3 at the head of each row.
 * prefix(1) = 1e8 + 3 -> 0. prefix(2) = 1e8 + (3 + 3) -> 8. prefix(3) = (1e8 + 6) + 3 -> 8 + 3 -> 8.
 * prefix(4) = 1e8 + ((3 + 3) + (3 + 3)) = 12, a tie between 8 and 16; 16 is the even multiple.
 * prefix(5) = 16 + 3 -> 16. prefix(6) = 16 + 6 = 22 -> 24. prefix(7) = 24 + 3 -> 24. prefix(8) = 24.
 * The output at the head of row r is prefix(r), as E; a later one in the row has the 3 too, added to prefix(r).
 */
static void test_row_prefix(void **state)
{
    static const int expected[9] = { 0, 0, 8, 8, 16, 16, 24, 24, 24 };
    float in[8 * F32_ROW] = { 0 };
    float out[8 * F32_ROW + 1];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, ONEPASS_OFFSETS,
                                              in, out, 8 * F32_ROW);
    (void)state;
    for (int r = 0; r < 8; ++r) {
        in[r * F32_ROW] = 3.0f;
    }
    spec.has_initial = 1;
    spec.initial.f = large;
    oracle_scan(&spec);
    for (int r = 0; r <= 8; ++r) {
        assert_true((double)out[r * F32_ROW] - large == expected[r]);
    }
    assert_true((double)out[F32_ROW + 5] - large == 0); /* (1e8 + 3) + 3 */
    spec.max_items = 3 * F32_ROW;
    assert_true((double)reduce_f32(&spec) - large == 8); /* 1e8 + ((3 + 3) + 3) = 9 -> 8 */
    spec.max_items = 4 * F32_ROW;
    assert_true((double)reduce_f32(&spec) - large == 16);
}

/*
 * The same items as F16 and as F32, initial value 1e8: items 0 and 1048576 are 3, all others 0. An F32 window ends
 * between the two, and each 3 vanishes alone: H[1] = H[2] = 1e8. An F16 window holds both: H[1] = 1e8 + 6 -> 8.
 */
static void test_windows(void **state)
{
    uint64_t num_items = F16_WINDOW + 1;
    uint16_t *f16 = zeros(num_items, sizeof *f16);
    float *f32 = zeros(num_items, sizeof *f32);
    float *out = zeros(num_items, sizeof *out);
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F16, ONEPASS_F32, ONEPASS_SUM, ONEPASS_EXCLUSIVE,
                                              f16, out, num_items);
    (void)state;
    f16[0] = f16[F32_WINDOW] = 0x4200;
    f32[0] = f32[F32_WINDOW] = 3.0f;
    spec.has_initial = 1;
    spec.initial.f = large;
    oracle_scan(&spec);
    assert_true((double)out[F32_WINDOW] - large == 0);     /* prefix(4096) = 1e8 + 3 */
    assert_true((double)out[F16_WINDOW - 1] - large == 0); /* prefix(8191) = (1e8 + B(0, 4096)) + B(4096, 2048) + ... */
    assert_true((double)out[F16_WINDOW] - large == 8);
    spec.in_type = ONEPASS_F32;
    spec.d_in = f32;
    oracle_scan(&spec);
    assert_true((double)out[F16_WINDOW] - large == 0);
    assert_true((double)reduce_f32(&spec) - large == 0);
    f32[F32_WINDOW - 1] = 3.0f; /* now window 0 has two, in its first and its last row: H[1] = 1e8 + 6 -> 8 */
    oracle_scan(&spec);
    assert_true((double)out[F32_WINDOW - 1] - large == 0);
    assert_true((double)out[F32_WINDOW] - large == 8);
    assert_true((double)out[F16_WINDOW] - large == 8);
    free(out);
    free(f32);
    free(f16);
}

/*
 * A lane has 16 bytes of input, whatever the output. Initial value 1e16 in F64, F32 items 1, lanes of 4: E(0) to E(3)
 * are 1e16, for each + 1 is a tie to even; E(4) = 1e16 + L[0] = 4, E(7) = 4 (ties again), E(8) = 1e16 + 8.
 * BF16 items 3, lanes of 8, initial value 1e8 in F32: E(7) = 1e8, E(8) = 1e8 + 24.
 */
static void test_lane_goes_by_input(void **state)
{
    static const double expected[9] = { 0, 0, 0, 0, 4, 4, 4, 4, 8 };
    const float f32[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    const uint16_t bf16[] = { 0x4040, 0x4040, 0x4040, 0x4040, 0x4040, 0x4040, 0x4040, 0x4040 };
    double out_f64[9];
    float out_f32[9];
    onepass_scan_spec spec = oracle_scan_spec(ONEPASS_F32, ONEPASS_F64, ONEPASS_SUM, ONEPASS_OFFSETS, f32, out_f64, 8);
    (void)state;
    spec.has_initial = 1;
    spec.initial.f = 1e16;
    oracle_scan(&spec);
    for (int i = 0; i <= 8; ++i) {
        assert_true(out_f64[i] - 1e16 == expected[i]);
    }
    spec = oracle_scan_spec(ONEPASS_BF16, ONEPASS_F32, ONEPASS_SUM, ONEPASS_OFFSETS, bf16, out_f32, 8);
    spec.has_initial = 1;
    spec.initial.f = large;
    oracle_scan(&spec);
    assert_true((double)out_f32[7] - large == 0 && (double)out_f32[8] - large == 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_f32),
        cmocka_unit_test(test_lanes_f64),
        cmocka_unit_test(test_scan_and_reduce_differ),
        cmocka_unit_test(test_row_prefix),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_lane_goes_by_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
