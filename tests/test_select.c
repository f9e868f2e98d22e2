/* SPDX-License-Identifier: MIT */
/*
 * Selections against the oracle: every kind of predicate on every type, with values inside, at the end of and beyond
 * the type's range; flags of every density; items, indices of both widths, both or only the count; every capacity
 * around the number kept; and a property that draws all of it over several windows. What a test does not run through
 * follows from a seed.
 */
#include "backends.h"
#include "select_case.h"

static void check(void **state, const select_case *c)
{
    if (select_agrees(backend_context(state, c->context_idx), c))
        return;
    print_error("%s: %s\n", select_described(c), select_fault());
    fail_msg("a selection differs from the oracle");
}

static const onepass_type index_types[] = { (onepass_type)0, ONEPASS_U32, ONEPASS_U64 };

static void test_every_predicate_on_every_type(void **state)
{
    static const uint64_t sizes[] = { 0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 129, 300, 513, 1025, 4099 };
    uint64_t seed = 0;
    for (size_t i = 0; i < num_item_types; ++i)
        for (int kind = 1; kind <= num_predicate_kinds; ++kind)
            for (int mode = 0; predicate_goes_with(kind, item_types[i]) && mode < 4 * num_value_sources; ++mode)
                for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; ++j) {
                    if (++seed % TEST_SLOWNESS != 0)
                        continue;
                    select_case c = select_case_of(item_types[i], kind, sizes[j], seed);
                    c.negate = mode % 2 != 0;
                    c.a = (value_source)(mode / 2 % num_value_sources);
                    check(state, &c);
                }
}

static void test_every_capacity_and_output(void **state)
{
    uint64_t seed = 0;
    for (size_t i = 0; i < num_item_types; ++i)
        for (unsigned density = 0; density < num_flag_densities; ++density)
            for (int capacity = 0; capacity < num_capacity_modes; ++capacity)
                for (unsigned outputs = 0; outputs < 9; ++outputs) {
                    ++seed;
                    select_case c = select_case_of(item_types[i], by_flags, 100 + seed % 700, seed);
                    c.density_idx = density;
                    c.capacity = (capacity_mode)capacity;
                    c.wants_items = outputs % 3 != 0;
                    c.in_place = outputs % 3 == 2;
                    c.index_type = index_types[outputs / 3];
                    check(state, &c);
                }
}

static void test_every_alignment(void **state)
{
    for (size_t i = 0; i < num_item_types; ++i) {
        const size_t size = onepass_type_size(item_types[i]);
        for (size_t in_shift = 0; in_shift < 32; in_shift += size)
            for (size_t out_shift = 0; out_shift < 32; out_shift += size) {
                const uint64_t seed = 2000 * i + 33 * in_shift + out_shift;
                select_case c =
                    select_case_of(item_types[i], seed % 2 != 0 ? by_flags : ONEPASS_LESS, 200 + seed % 77, seed);
                c.place = GUARD_CANARIES;
                c.in_shift = in_shift;
                c.out_shift = out_shift;
                c.flag_shift = in_shift ^ out_shift;
                c.wants_items = true;
                c.in_place = false;
                check(state, &c);
            }
    }
}

/* From one row to past a window, on every type: multiples of powers of two of bytes and their neighbours. */
static void test_every_type_around_tiles_and_windows(void **state)
{
    uint64_t seed = 0;
    for (size_t i = 0; i < num_item_types; ++i)
        for (size_t bytes = input_row_bytes; bytes <= input_window_bytes / (TEST_SLOWNESS > 1 ? 4 : 1); bytes *= 2)
            for (int kind = by_flags; kind <= ONEPASS_LESS; kind += ONEPASS_LESS)
                for (unsigned delta = 0; delta < 4; delta += bytes < input_window_bytes / 8 ? 1 : 3) {
                    if (++seed % TEST_SLOWNESS != 0)
                        continue;
                    const uint64_t num_items = bytes / onepass_type_size(item_types[i]) + delta - 1;
                    const select_case c = select_case_of(item_types[i], kind, num_items, seed);
                    check(state, &c);
                }
}

static bool any_selection_agrees(prop *p, void *state)
{
    select_case c = { .type = item_types[prop_draw(p, num_item_types - 1)] };
    c.max_items = draw_num_items(p, onepass_type_size(c.type), 7 * (uint64_t)input_window_bytes / 2);
    c.kind = (int)prop_draw(p, num_predicate_kinds);
    if (!predicate_goes_with(c.kind, c.type))
        c.kind = by_flags;
    c.negate = prop_draw(p, 1) != 0;
    c.a = (value_source)prop_draw(p, num_value_sources - 1);
    c.b = (value_source)prop_draw(p, num_value_sources - 1);
    c.density_idx = (unsigned)prop_draw(p, num_flag_densities - 1);
    c.wants_items = prop_draw(p, 2) != 1;
    c.in_place = c.wants_items && prop_draw(p, 2) == 1;
    c.index_type = index_types[prop_draw(p, 2)];
    c.capacity = (capacity_mode)prop_draw(p, num_capacity_modes - 1);
    c.has_count = prop_draw(p, 1) != 0;
    c.count_is_above = prop_draw(p, 1) != 0;
    c.context_idx = (unsigned)prop_draw(p, num_thread_counts - 1);
    c.values = (input_kind)prop_draw(p, num_input_kinds - 1);
    c.place = (guard_place)prop_draw(p, num_guard_places - 1);
    c.in_shift = draw_shift(p, onepass_type_size(c.type));
    c.out_shift = draw_shift(p, onepass_type_size(c.type));
    c.flag_shift = draw_shift(p, 1);
    c.seed = prop_draw(p, UINT64_MAX);
    const bool agrees = select_agrees(backend_context(state, c.context_idx), &c);
    prop_say(p, "  %s:\n  %s\n", select_described(&c), agrees ? "agrees" : select_fault());
    return agrees;
}

static void test_any_selection_over_several_windows(void **state)
{
    (void)backend_context(state, 0); /* skips here, not inside the property */
    prop_check("any selection agrees with the oracle", any_selection_agrees, state, 120 / TEST_SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_every_predicate_on_every_type),
        ON_EACH_BACKEND(test_every_capacity_and_output),
        ON_EACH_BACKEND(test_every_alignment),
        ON_EACH_BACKEND(test_every_type_around_tiles_and_windows),
        ON_EACH_BACKEND(test_any_selection_over_several_windows),
    };
    return run_on_backends(tests);
}
