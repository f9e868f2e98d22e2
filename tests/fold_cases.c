/* SPDX-License-Identifier: MIT */
/* The cases of fold_case.h that are not written out: all details from a seed, or drawn by the property runner. */
#include "fold_case.h"

#include "backends.h"

static bool can_be_in_place(const fold_case *c)
{
    const bool shifts_items = c->kind == FOLD_OFFSETS && c->reverse;
    return c->kind != FOLD_REDUCE && !shifts_items && onepass_type_size(c->types.in) == onepass_type_size(c->types.out);
}

fold_case fold_case_of(fold_kind kind, type_pair types, onepass_operator op, uint64_t max_items, uint64_t seed)
{
    uint64_t random = seed;
    fold_case c = { .kind = kind, .types = types, .op = op, .max_items = max_items, .seed = seed };
    c.reverse = kind != FOLD_REDUCE && prop_random(&random) % 2 != 0;
    c.initial = (initial_mode)(prop_random(&random) % num_initial_modes);
    c.count = (count_mode)(prop_random(&random) % num_count_modes);
    c.values = (input_kind)(prop_random(&random) % num_input_kinds);
    c.place = (guard_place)(prop_random(&random) % num_guard_places);
    c.context_idx = (unsigned)(prop_random(&random) % num_thread_counts);
    c.in_shift = prop_random(&random) % 16 * onepass_type_size(types.in);
    c.out_shift = prop_random(&random) % 16 * onepass_type_size(types.out);
    c.in_place = can_be_in_place(&c) && prop_random(&random) % 4 == 0;
    return c;
}

void for_each_pair_and_operator(void **state,
                                void (*check_cases)(void **state, type_pair types, onepass_operator op, uint64_t seed))
{
    uint64_t seed = 0;
    for (size_t i = 0; i < num_type_pairs; ++i)
        for (size_t j = 0; j < num_item_operators; ++j)
            if (operator_goes_with(item_operators[j], type_pairs[i].in))
                check_cases(state, type_pairs[i], item_operators[j], seed += 1000);
}

void fold_check_windows(void **state, bool is_reduction)
{
    /* nothing + (w0 + w1) is (nothing + w0) + w1: a reduction needs one window more. */
    const uint64_t num_whole = is_reduction ? 3 : 2;
    for (size_t i = 0; i < 2 * num_type_pairs; ++i) {
        const type_pair types = type_pairs[i / 2];
        const bool is_product = i % 2 != 0;
        const fold_kind kind = is_reduction ? FOLD_REDUCE : is_product ? FOLD_EXCLUSIVE : FOLD_INCLUSIVE;
        if (!type_is_floating(types.in) || (TEST_SLOWNESS > 1 && i % 3 != 0))
            continue;
        const uint64_t window = input_window_bytes / onepass_type_size(types.in);
        fold_case c = fold_case_of(kind, types, is_product ? ONEPASS_PROD : ONEPASS_SUM,
                                   num_whole * window + window / 8 + 7 * i, i);
        c.count = COUNT_NONE;
        c.values = is_product ? INPUT_NEAR_ONE : INPUT_ORDINARY; /* no NaN, no infinity, no product of 0 */
        fold_check(state, &c);
    }
}

static fold_case draw_case(prop *p, bool is_reduction)
{
    fold_case c = { .types = type_pairs[prop_draw(p, num_type_pairs - 1)] };
    c.op = item_operators[prop_draw(p, num_item_operators - 1)];
    if (!operator_goes_with(c.op, c.types.in))
        c.op = ONEPASS_SUM;
    c.max_items = draw_num_items(p, onepass_type_size(c.types.in), 7 * (uint64_t)input_window_bytes / 2);
    if (!is_reduction) {
        c.kind = (fold_kind)prop_between(p, FOLD_INCLUSIVE, FOLD_OFFSETS);
        c.reverse = prop_draw(p, 1) != 0;
        c.in_place = prop_draw(p, 2) == 2 && can_be_in_place(&c);
    }
    c.initial = (initial_mode)prop_draw(p, num_initial_modes - 1);
    c.count = (count_mode)prop_draw(p, num_count_modes - 1);
    c.context_idx = (unsigned)prop_draw(p, num_thread_counts - 1);
    c.values = (input_kind)prop_draw(p, num_input_kinds - 1);
    c.place = (guard_place)prop_draw(p, num_guard_places - 1);
    c.in_shift = draw_shift(p, onepass_type_size(c.types.in));
    c.out_shift = draw_shift(p, onepass_type_size(c.types.out));
    c.seed = prop_draw(p, UINT64_MAX);
    return c;
}

typedef struct property {
    void **state;
    bool is_reduction;
} property;

static bool holds(prop *p, void *arg)
{
    const property *of = arg;
    const fold_case c = draw_case(p, of->is_reduction);
    const bool agrees = fold_agrees(backend_context(of->state, c.context_idx), &c);
    prop_say(p, "  %s:\n  %s\n", fold_described(&c), agrees ? "agrees" : fold_fault());
    return agrees;
}

void fold_check_property(void **state, bool is_reduction, unsigned num_runs)
{
    property of = { state, is_reduction };
    (void)backend_context(state, 0); /* skips here, not inside the property */
    prop_check(is_reduction ? "any reduction agrees with the oracle" : "any scan agrees with the oracle", holds, &of,
               num_runs);
}
