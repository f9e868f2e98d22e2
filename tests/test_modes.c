/* SPDX-License-Identifier: MIT */
/*
 * The calling thread's rounding and flush-to-zero modes change no bit of a result, and are still set after the call.
 * Everything that rounds is computed twice, in the default modes and in others, also by a context whose threads were
 * made while the modes were set: threads inherit them.
 */
#include "backends.h"
#include "inputs.h"

#include <fenv.h>
#include <stdlib.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { num_items = 300007 };

static unsigned control_word(void)
{
#ifdef __SSE2__
    return _mm_getcsr() & ~0x3fu; /* without the exceptions that have happened */
#else
    return 0;
#endif
}

static void set_modes(int rounding, bool flush)
{
    fesetround(rounding);
#ifdef __SSE2__
    _mm_setcsr(flush ? _mm_getcsr() | 0x8040u : _mm_getcsr() & ~0x8040u); /* flush to zero, denormals are zero */
#else
    (void)flush;
#endif
}

typedef struct outputs {
    uint64_t num_kept;
    double total;
    unsigned char offsets[8 * (num_items + 1)], kept[8 * num_items];
} outputs;

/* Everything that rounds: a scan, a reduction, an initial value, and a predicate's value. */
static bool compute(onepass_context *ctx, onepass_type type, onepass_operator op, const void *in, outputs *out)
{
    const onepass_predicate keep = { ONEPASS_LESS, 0, { .f = 0.1 }, { .f = 0 } };
    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    spec.in_type = type;
    spec.op = op;
    spec.kind = ONEPASS_OFFSETS;
    spec.has_initial = 1;
    spec.initial.f = 1.0 / 3.0;
    spec.d_in = in;
    spec.d_out = out->offsets;
    spec.max_items = num_items;
    return onepass_scan(ctx, &spec) == ONEPASS_SUCCESS &&
           onepass_reduce(ctx, type, op, in, &out->total, num_items) == ONEPASS_SUCCESS &&
           onepass_select_if(ctx, type, &keep, in, out->kept, &out->num_kept, num_items) == ONEPASS_SUCCESS;
}

static onepass_context *host_context(int num_threads)
{
    onepass_options options = ONEPASS_OPTIONS_INIT;
    options.backend = ONEPASS_BACKEND_HOST;
    options.num_threads = num_threads;
    options.max_items = num_items;
    onepass_context *ctx;
    return onepass_create(&ctx, &options) == ONEPASS_SUCCESS ? ctx : NULL;
}

static void check_modes(onepass_type type, onepass_operator op, input_kind values, int rounding, bool flush)
{
    onepass_context *usual = host_context(3);
    void *in = malloc(num_items * onepass_type_size(type));
    outputs *expected = calloc(1, sizeof *expected), *out = calloc(2, sizeof *out);
    assert_true(usual != NULL && in != NULL && expected != NULL && out != NULL);
    input_fill(in, type, values, 1, num_items);
    assert_true(compute(usual, type, op, in, expected));

    set_modes(rounding, flush);
    const unsigned before = control_word();
    onepass_context *inheriting = host_context(4);
    const bool computed = compute(usual, type, op, in, &out[0]) && compute(inheriting, type, op, in, &out[1]);
    const bool destroyed = onepass_destroy(inheriting) == ONEPASS_SUCCESS;
    const unsigned after = control_word();
    const int rounding_after = fegetround();
    set_modes(FE_TONEAREST, false);

    assert_true(computed && destroyed);
    assert_int_equal(before, after);
    assert_int_equal(rounding, rounding_after);
    assert_memory_equal(expected, &out[0], sizeof *expected);
    assert_memory_equal(expected, &out[1], sizeof *expected);
    assert_int_equal(onepass_destroy(usual), ONEPASS_SUCCESS);
    free(out);
    free(expected);
    free(in);
}

static void test_floating_modes_change_nothing(void **state)
{
    (void)state;
    static const onepass_type types[] = { ONEPASS_F16, ONEPASS_BF16, ONEPASS_F32, ONEPASS_F64 };
    static const input_kind kinds[] = { INPUT_ORDINARY, INPUT_TINY, INPUT_HUGE, INPUT_NEAR_ONE };
    static const int roundings[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    for (unsigned i = 0; i<4 * 4 * 4 * 2; i += TEST_SLOWNESS> 1 ? 3 : 1) {
        const input_kind values = kinds[i / 4 % 4];
        check_modes(types[i % 4], values == INPUT_NEAR_ONE ? ONEPASS_PROD : ONEPASS_SUM, values, roundings[i / 16 % 4],
                    i / 64 != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floating_modes_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
