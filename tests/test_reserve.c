/* SPDX-License-Identifier: MIT */
/*
 * A reserve of exactly as many items as a call has is enough for every operation and type, and for everything up to
 * it, also where it has grown between calls. The other tests reserve far more than they use, which would hide a
 * workspace that is too small by one descriptor; here AddressSanitizer sees it.
 */
#include "backends.h"
#include "fold_case.h"
#include "select_case.h"

/* The operations that need the most: OFFSETS, with one more output, and a selection, on the widest and narrowest. */
static bool all_fit(prop *p, onepass_context *ctx, uint64_t num_items, uint64_t seed)
{
    static const onepass_type types[] = { ONEPASS_U64, ONEPASS_F32, ONEPASS_F16, ONEPASS_U8 };
    for (size_t i = 0; i < 4; ++i) {
        fold_case fold = fold_case_of(i % 2 != 0 ? FOLD_REDUCE : FOLD_OFFSETS, (type_pair){ types[i], types[i] },
                                      ONEPASS_SUM, num_items, seed + i);
        fold.in_place = false;
        fold.values = INPUT_SMALL;
        const select_case select = { .type = types[i],
                                     .kind = by_flags,
                                     .wants_items = true,
                                     .index_type = i % 2 != 0 ? ONEPASS_U32 : ONEPASS_U64,
                                     .max_items = num_items,
                                     .seed = seed };
        const bool fold_fits = fold_agrees(ctx, &fold);
        prop_say(p, "  %s: %s\n", fold_described(&fold), fold_fits ? "agrees" : fold_fault());
        if (!fold_fits)
            return false;
        const bool select_fits = select_agrees(ctx, &select);
        prop_say(p, "  %s: %s\n", select_described(&select), select_fits ? "agrees" : select_fault());
        if (!select_fits)
            return false;
    }
    return true;
}

static bool a_tight_reserve_is_enough(prop *p, void *state)
{
    const int num_threads = (int)prop_between(p, 1, 9);
    const uint64_t first = draw_num_items(p, 8, input_window_bytes / 4);
    const uint64_t second = draw_num_items(p, 8, input_window_bytes);
    const uint64_t seed = prop_draw(p, UINT32_MAX);
    prop_say(p, "  %d threads, reserve of %llu, then of %llu\n", num_threads, (unsigned long long)first,
             (unsigned long long)second);
    onepass_context *ctx = backend_context_of(state, num_threads, first);
    bool holds = all_fit(p, ctx, first, seed);
    holds = holds && onepass_reserve(ctx, second) == ONEPASS_SUCCESS && all_fit(p, ctx, second, seed);
    holds = holds && all_fit(p, ctx, first, seed);
    return onepass_destroy(ctx) == ONEPASS_SUCCESS && holds;
}

static void test_a_tight_reserve_is_enough(void **state)
{
    (void)backend_context(state, 0); /* skips here, not inside the property */
    prop_check("a tight reserve is enough", a_tight_reserve_is_enough, state, 24 / TEST_SLOWNESS);
}

/* With all the payload that there may be a tile of the host backend has the fewest items, so that it has the most
 * tiles; two threads get hardly any for small inputs. */
static void test_a_tight_reserve_is_enough_for_payload(void **state)
{
    const select_case c = { .type = ONEPASS_U8,
                            .kind = by_flags,
                            .num_payloads = ONEPASS_MAX_PAYLOADS,
                            .wants_items = true,
                            .max_items = 600000,
                            .seed = UINT64_MAX };
    onepass_context *ctx = backend_context_of(state, 2, c.max_items);
    if (!select_agrees(ctx, &c))
        fail_msg("%s: %s", select_described(&c), select_fault());
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_a_tight_reserve_is_enough),
        ON_EACH_BACKEND(test_a_tight_reserve_is_enough_for_payload),
    };
    return run_on_backends(tests);
}
