/* SPDX-License-Identifier: MIT */
/*
 * Flags of each kind against the oracle, in selections and partitions: any byte but 0, one byte of 256, and bits, of
 * which those behind the last item must not count, nor bytes behind theirs be read.
 */
#include "backends.h"
#include "select_case.h"

static void check(void **state, const select_case *c)
{
    if (select_agrees(backend_context(state, c->context_idx), c))
        return;
    print_error("%s: %s\n", select_described(c), select_fault());
    fail_msg("what flags keep differs from the oracle");
}

static void test_every_number_of_items(void **state)
{
    uint64_t seed = 0;
    for (uint64_t num_items = 0; num_items < 2300; num_items += 1 + num_items / 70)
        for (int flag_kind = ONEPASS_FLAG_NONZERO; flag_kind <= ONEPASS_FLAG_BITS; ++flag_kind)
            for (unsigned density = 0; density < num_flag_densities; ++density) {
                if (++seed % TEST_SLOWNESS != 0)
                    continue;
                select_case c = select_case_of(item_types[seed % num_item_types], by_flags, num_items, seed);
                c.flag_kind = (onepass_flag_kind)flag_kind;
                c.density_idx = density;
                c.shape = seed % 2 != 0 && !c.in_place ? PARTS_IN_TWO : SELECTS;
                check(state, &c);
            }
}

/* A byte that keeps, among all bytes. */
static void test_every_value(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    uint8_t bytes[256];
    for (unsigned i = 0; i < 256; ++i)
        bytes[i] = (uint8_t)(i * 37);
    guard flags = guard_copy_of(ctx, GUARD_CANARIES, bytes, sizeof bytes, 3);
    guard index = guard_new(ctx, GUARD_CANARIES, 4, 4), count = guard_new(ctx, GUARD_CANARIES, 8, 8);
    for (unsigned value = 0; value < 256; ++value) {
        onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
        spec.type = ONEPASS_F64;
        spec.d_flags = flags.d_items;
        spec.flag_kind = ONEPASS_FLAG_EQUAL;
        spec.flag_value = (uint8_t)value;
        spec.index_type = ONEPASS_U32;
        spec.d_out_indices = index.d_items;
        spec.capacity = 1;
        spec.d_num_selected = count.d_items;
        spec.max_items = 256;
        assert_int_equal(onepass_select(ctx, &spec), ONEPASS_SUCCESS);
        guard_fetch(&index);
        guard_fetch(&count);
        assert_memory_equal(count.items, &(const uint64_t){ 1 }, 8);
        assert_int_equal(bytes[*(const uint32_t *)index.items], value);
    }
    guard_drop(&flags);
    guard_drop(&index);
    guard_drop(&count);
}

static bool any_flags_agree(prop *p, void *state)
{
    const onepass_type type = item_types[prop_draw(p, num_item_types - 1)];
    const onepass_flag_kind flag_kind = (onepass_flag_kind)(1 + prop_draw(p, 2));
    const uint64_t num_items = draw_num_items(p, onepass_type_size(type), 7 * (uint64_t)input_window_bytes / 2);
    select_case c = select_case_of(type, by_flags, num_items, prop_draw(p, UINT64_MAX));
    c.flag_kind = flag_kind;
    c.shape = prop_draw(p, 1) != 0 && !c.in_place ? PARTS_IN_TWO : SELECTS;
    const bool agrees = select_agrees(backend_context(state, c.context_idx), &c);
    prop_say(p, "  %s:\n  %s\n", select_described(&c), agrees ? "agrees" : select_fault());
    return agrees;
}

static void test_any_flags_over_several_windows(void **state)
{
    (void)backend_context(state, 0); /* skips here, not inside the property */
    prop_check("what flags keep agrees with the oracle", any_flags_agree, state, 60 / TEST_SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_every_number_of_items),
        ON_EACH_BACKEND(test_every_value),
        ON_EACH_BACKEND(test_any_flags_over_several_windows),
    };
    return run_on_backends(tests);
}
