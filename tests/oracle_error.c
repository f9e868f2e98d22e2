/* SPDX-License-Identifier: MIT */
/*
 * The error that a floating SUM scan may have, after the end of ORDER.md.
 *
 * The one idea: an output that associates in any other order than the page's is mostly wrong in its last bits, which
 * oracle_equal finds; an output that is wrong by more than its bound is wrong in any order. So this check stands even
 * if the page and both implementations of it share a mistake.
 */
#include "oracle.h"

#include "order_oracle.h"

#include <float.h>
#include <math.h>

/* A sum in twice the precision of long double, so that its own error is far below any bound, for F64 too. */
typedef struct exact_sum {
    long double sum;
    long double lost; /* what the roundings of sum have lost */
} exact_sum;

static void exact_add(exact_sum *exact, long double x)
{
    long double sum = exact->sum + x;
    exact->lost += fabsl(exact->sum) >= fabsl(x) ? (exact->sum - sum) + x : (x - sum) + exact->sum;
    exact->sum = sum;
}

/*
 * The longest chain of additions behind an output in window w, by the page's own rules: k - 1 in the lane, 5 over the
 * lanes, 13 over the rows of window 0, one for each of the w earlier windows, 13 in the row prefix, 1 for before[l],
 * and k for the items of the output's own lane. (In window 0 itself the rows give 12: one less.)
 */
static long double longest_chain(uint64_t lane_items, uint64_t window)
{
    return (long double)(2 * lane_items - 1 + 5 + 13 + 13 + 1) + (long double)window;
}

/* What rounding a value of that size to the output type may add; the accumulator types add nothing. */
static long double output_rounding(onepass_type out_type, long double magnitude)
{
    switch ((int)out_type) {
    case ONEPASS_F16: return fmaxl(ldexpl(magnitude, -11), ldexpl(1.0L, -25));
    case ONEPASS_BF16: return fmaxl(ldexpl(magnitude, -8), ldexpl(1.0L, -134));
    default: return 0.0L;
    }
}

static long double largest_of(onepass_type type)
{
    switch ((int)type) {
    case ONEPASS_F16: return 65504.0L;
    case ONEPASS_BF16: return ldexpl(255.0L, 120);
    case ONEPASS_F32: return (long double)FLT_MAX;
    default: return (long double)DBL_MAX;
    }
}

double oracle_sum_error_bound(const onepass_scan_spec *spec, const void *in, const void *out)
{
    onepass_type out_type = oracle_out_type(spec->in_type, spec->out_type);
    uint64_t num_items = oracle_num_items(spec->max_items, spec->d_num_items);
    uint64_t num_outputs = spec->kind == ONEPASS_OFFSETS ? num_items + 1 : num_items;
    uint64_t lane_items = order_oracle_lane_items(oracle_type_size(spec->in_type));
    uint64_t window_items = order_oracle_window_items(oracle_type_size(spec->in_type));
    long double u = ldexpl(1.0L, oracle_accumulator(out_type) == ONEPASS_F64 ? -53 : -24);
    long double start = 0.0L;
    if (spec->d_initial != NULL) {
        start = (long double)oracle_load(out_type, spec->d_initial, 0).f;
    } else if (spec->has_initial) {
        start = (long double)oracle_convert(out_type, spec->initial).f;
    }
    exact_sum exact = { start, 0.0L };
    long double sum_of_magnitudes = fabsl(start);
    long double worst = 0.0L;

    for (uint64_t p = 0; p < num_outputs; ++p) {
        exact_sum before = exact;
        long double magnitudes_before = sum_of_magnitudes;
        if (p < num_items) {
            long double x = (long double)oracle_load(spec->in_type, in, oracle_item_of_position(spec, num_items, p)).f;
            exact_add(&exact, x);
            sum_of_magnitudes += fabsl(x);
        }
        int inclusive = spec->kind == ONEPASS_INCLUSIVE;
        long double magnitudes = inclusive ? sum_of_magnitudes : magnitudes_before;
        long double reference = inclusive ? exact.sum + exact.lost : before.sum + before.lost;
        /* d u to the first order; d u / (1 - d u) in full. */
        long double d_u = longest_chain(lane_items, p / window_items) * u;
        long double bound = d_u / (1.0L - d_u) * magnitudes;
        if (!(magnitudes + bound <= largest_of(oracle_accumulator(out_type)))) {
            break; /* from here on, a sum on the way may overflow or already be infinite or NaN */
        }
        bound += output_rounding(out_type, fabsl(reference) + bound);
        if (fabsl(reference) + bound > largest_of(out_type)) {
            continue;
        }
        double output = oracle_load(out_type, out, oracle_output_of_position(spec, num_items, p)).f;
        long double error = fabsl((long double)output - reference);
        if (isnan(error) || (bound == 0.0L && error != 0.0L)) {
            return HUGE_VAL; /* an output that is NaN, or wrong where nothing may be */
        }
        worst = bound > 0.0L ? fmaxl(worst, error / bound) : worst;
    }
    return (double)worst;
}
