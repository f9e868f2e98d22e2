/* SPDX-License-Identifier: MIT */
/*
 * Payload against the oracle: arrays of every item size, as many as there may be, that move with a selection or a
 * partition, some in place, some without outputs for some parts.
 */
#include "backends.h"
#include "select_case.h"

static void check(void **state, const select_case *c)
{
    if (select_agrees(backend_context(state, c->context_idx), c))
        return;
    print_error("%s: %s\n", select_described(c), select_fault());
    fail_msg("payload differs from the oracle");
}

/* A selection or a partition with payload, drawn from the seed. */
static select_case payload_case_of(onepass_type type, int kind, uint64_t max_items, uint64_t seed)
{
    select_case c = select_case_of(type, kind, max_items, seed);
    uint64_t random = seed + 1000;
    c.num_payloads = (unsigned)(prop_random(&random) % (ONEPASS_MAX_PAYLOADS + 1));
    if (prop_random(&random) % 2 == 0)
        select_case_part(&c, &random);
    return c;
}

static void test_every_number_of_payloads(void **state)
{
    static const uint64_t sizes[] = { 0, 1, 63, 64, 65, 300, 2048, 2049, 4099, 20000 };
    uint64_t seed = 0;
    for (unsigned num_payloads = 1; num_payloads <= ONEPASS_MAX_PAYLOADS; ++num_payloads)
        for (int kind = by_runs; kind <= ONEPASS_LESS; ++kind)
            for (size_t i = 0; i < num_item_types; ++i)
                for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; ++j) {
                    if (++seed % (2 * TEST_SLOWNESS) != 0)
                        continue;
                    select_case c = payload_case_of(item_types[i], kind, sizes[j], seed);
                    c.num_payloads = num_payloads;
                    check(state, &c);
                }
}

static bool any_payload_agrees(prop *p, void *state)
{
    const onepass_type type = item_types[prop_draw(p, num_item_types - 1)];
    const int kind = (int)prop_draw(p, ONEPASS_ZERO + 1) - 1;
    const uint64_t num_items = draw_num_items(p, 8, 3 * (uint64_t)input_window_bytes);
    const select_case c = payload_case_of(type, kind, num_items, prop_draw(p, UINT64_MAX));
    const bool agrees = select_agrees(backend_context(state, c.context_idx), &c);
    prop_say(p, "  %s:\n  %s\n", select_described(&c), agrees ? "agrees" : select_fault());
    return agrees;
}

static void test_any_payload_over_several_windows(void **state)
{
    (void)backend_context(state, 0); /* skips here, not inside the property */
    prop_check("payload agrees with the oracle", any_payload_agrees, state, 60 / TEST_SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_every_number_of_payloads),
        ON_EACH_BACKEND(test_any_payload_over_several_windows),
    };
    return run_on_backends(tests);
}
