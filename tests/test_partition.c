/* SPDX-License-Identifier: MIT */
/*
 * Partitions against the oracle: in two and in three parts, by every kind of predicate, flags and runs, on every type;
 * into outputs of their own, each bounded, and into one; items, indices, both or only the counts.
 */
#include "backends.h"
#include "select_case.h"

static void check(void **state, const select_case *c)
{
    if (select_agrees(backend_context(state, c->context_idx), c))
        return;
    print_error("%s: %s\n", select_described(c), select_fault());
    fail_msg("a partition differs from the oracle");
}

/* A partition in two or three, drawn from the seed. */
static select_case partition_case_of(onepass_type type, int kind, uint64_t max_items, uint64_t seed)
{
    select_case c = select_case_of(type, kind, max_items, seed);
    uint64_t random = seed + 1000;
    select_case_part(&c, &random);
    return c;
}

static void test_every_predicate_on_every_type(void **state)
{
    static const uint64_t sizes[] = { 0, 1, 2, 33, 63, 64, 65, 129, 2047, 2049, 4099 };
    uint64_t seed = 0;
    for (size_t i = 0; i < num_item_types; ++i)
        for (int kind = by_runs; kind <= num_predicate_kinds; ++kind)
            for (int mode = 0; (kind <= by_flags || predicate_goes_with(kind, item_types[i])) && mode < 3; ++mode)
                for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; ++j) {
                    if (++seed % TEST_SLOWNESS != 0)
                        continue;
                    const select_case c = partition_case_of(item_types[i], kind, sizes[j], seed);
                    check(state, &c);
                }
}

static void test_every_capacity_and_output(void **state)
{
    static const onepass_type index_types[] = { (onepass_type)0, ONEPASS_U32, ONEPASS_U64 };
    uint64_t seed = 0;
    for (size_t i = 0; i < num_item_types; i += 2)
        for (int capacity = 0; capacity < num_capacity_modes; ++capacity)
            for (unsigned outputs = 0; outputs < 6; ++outputs)
                for (unsigned unwanted = 0; unwanted < 8; ++unwanted) {
                    ++seed;
                    select_case c = partition_case_of(item_types[i], ONEPASS_LESS, 100 + seed % 700, seed);
                    c.joined = false;
                    c.capacity = (capacity_mode)capacity;
                    c.wants_items = outputs % 2 != 0;
                    c.index_type = index_types[outputs / 2];
                    c.unwanted = unwanted;
                    check(state, &c);
                }
}

static void test_every_type_around_tiles_and_windows(void **state)
{
    uint64_t seed = 0;
    for (size_t i = 0; i < num_item_types; ++i)
        for (size_t bytes = input_row_bytes; bytes <= input_window_bytes / (TEST_SLOWNESS > 1 ? 4 : 1); bytes *= 8)
            for (unsigned delta = 0; delta < 3; ++delta)
                for (unsigned joined = 0; joined < 2; ++joined) {
                    const uint64_t num_items = bytes / onepass_type_size(item_types[i]) + delta - 1;
                    select_case c = partition_case_of(item_types[i], ONEPASS_GREATER, num_items, ++seed);
                    c.joined = joined != 0;
                    c.unwanted = joined != 0 ? 0 : c.unwanted;
                    check(state, &c);
                }
}

static bool any_partition_agrees(prop *p, void *state)
{
    const onepass_type type = item_types[prop_draw(p, num_item_types - 1)];
    int kind = (int)prop_draw(p, num_predicate_kinds + 1) - 1;
    const uint64_t num_items = draw_num_items(p, onepass_type_size(type), 7 * (uint64_t)input_window_bytes / 2);
    if (kind > by_flags && !predicate_goes_with(kind, type))
        kind = by_flags;
    const select_case c = partition_case_of(type, kind, num_items, prop_draw(p, UINT64_MAX));
    const bool agrees = select_agrees(backend_context(state, c.context_idx), &c);
    prop_say(p, "  %s:\n  %s\n", select_described(&c), agrees ? "agrees" : select_fault());
    return agrees;
}

static void test_any_partition_over_several_windows(void **state)
{
    (void)backend_context(state, 0); /* skips here, not inside the property */
    prop_check("any partition agrees with the oracle", any_partition_agrees, state, 60 / TEST_SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_every_predicate_on_every_type),
        ON_EACH_BACKEND(test_every_capacity_and_output),
        ON_EACH_BACKEND(test_every_type_around_tiles_and_windows),
        ON_EACH_BACKEND(test_any_partition_over_several_windows),
    };
    return run_on_backends(tests);
}
