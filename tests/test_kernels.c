/* SPDX-License-Identifier: MIT */
/*
 * The vector code for each instruction set, not only the one that the library picks for this processor: every type,
 * operator and pair of types through each table, against the oracle; and the conversions of 16-bit floating items over
 * all their values.
 */
#include "backends.h"
#include "fold_case.h"
#include "host/host.h"
#include "oracle.h"
#include "select_case.h"

#include <string.h>

struct isa {
    const char *name;
    const struct host_kernels *kernels;
};

/* The tables that this processor can run: the best one, and those that need less. */
static size_t find_isas(struct isa isas[3])
{
    size_t num_isas = 0;
    isas[num_isas++] = (struct isa){"generic", &host_kernels_generic};
#ifdef HOST_HAVE_X86
    if (host_kernels_best() != &host_kernels_generic)
        isas[num_isas++] = (struct isa){"avx2", &host_kernels_avx2};
    if (host_kernels_best() == &host_kernels_avx512)
        isas[num_isas++] = (struct isa){"avx512", &host_kernels_avx512};
#endif
    return num_isas;
}

/* Calls check once for each table, with contexts that use it. */
static void for_each_isa(void **state, void (*check)(void **state, const struct isa *isa))
{
    struct isa isas[3];
    size_t num_isas = find_isas(isas);
    for (size_t i = 0; i < num_isas; i++) {
        for (unsigned idx = 0; idx < num_thread_counts; idx++) {
            struct host *host = host_of(backend_context(state, idx));
            host->kernels = isas[i].kernels;
            if (idx % 2 != 0)
                host->cache_bytes = 0; /* so that it writes past the caches */
        }
        check(state, &isas[i]);
    }
}

static void check_folds_of(void **state, type_pair types, onepass_operator op, uint64_t seed)
{
    static const uint64_t sizes[] = {1, 63, 64, 65, 1000, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (fold_kind kind = FOLD_REDUCE; kind <= FOLD_OFFSETS; kind++) {
            const fold_case c = fold_case_of(kind, types, op, sizes[i], seed + 10 * i + (uint64_t)kind);
            fold_check(state, &c);
        }
    }
}

static void check_folds(void **state, const struct isa *isa)
{
    (void)isa;
    for_each_pair_and_operator(state, check_folds_of);
}

static void scans_and_reductions_agree_with_the_oracle(void **state)
{
    for_each_isa(state, check_folds);
}

static void check_selects(void **state, const struct isa *isa)
{
    uint64_t seed = 0;
    for (size_t t = 0; t < num_item_types; t++) {
        for (int kind = by_runs; kind <= num_predicate_kinds; kind++) {
            if (!predicate_goes_with(kind, item_types[t]))
                continue;
            for (uint64_t max_items = 61; max_items < 40000; max_items = 7 * max_items + 3) {
                uint64_t random = ++seed;
                const select_case c = {
                    .type = item_types[t],
                    .kind = kind,
                    .negate = prop_random(&random) % 2 != 0,
                    .a = VALUE_OF_AN_ITEM,
                    .b = VALUE_LIKE_ITEMS,
                    .density_idx = (unsigned)(prop_random(&random) % num_flag_densities),
                    .shape = seed % 2 != 0 ? PARTS_IN_TWO : SELECTS,
                    .num_payloads = 5, /* one of each size */
                    .wants_items = true,
                    .index_type = prop_random(&random) % 2 != 0 ? ONEPASS_U32 : ONEPASS_U64,
                    .max_items = max_items,
                    .context_idx = (unsigned)prop_random(&random),
                    .values = (input_kind)(prop_random(&random) % num_input_kinds),
                    .seed = seed,
                };
                if (!select_agrees(backend_context(state, c.context_idx), &c))
                    fail_msg("%s: %s: %s", isa->name, select_described(&c), select_fault());
            }
        }
    }
}

static void selections_agree_with_the_oracle(void **state)
{
    for_each_isa(state, check_selects);
}

static void check_16_bit_loads(void **state, const struct isa *isa)
{
    (void)state;
    static const onepass_type types[] = {ONEPASS_F16, ONEPASS_BF16};
    for (size_t t = 0; t < 2; t++) {
        for (uint32_t first = 0; first < 65536; first += 64) {
            uint16_t items[64];
            float loaded[64];
            for (uint32_t i = 0; i < 64; i++)
                items[i] = (uint16_t)(first + i);
            isa->kernels->load[types[t]][ONEPASS_F32](items, loaded, 64);
            for (uint32_t i = 0; i < 64; i++) {
                float expected = t == 0 ? oracle_f16_to_f32(items[i]) : oracle_bf16_to_f32(items[i]);
                if (!oracle_equal(ONEPASS_F32, &loaded[i], &expected, 1, NULL))
                    fail_msg("%s: %s 0x%04x is loaded as %a, not as %a", isa->name, onepass_type_name(types[t]),
                             items[i], (double)loaded[i], (double)expected);
            }
        }
    }
}

/* Around every value that F16 or BF16 has: the value, its neighbours in F32, and the halfway points. */
static void check_16_bit_stores(void **state, const struct isa *isa)
{
    (void)state;
    static const uint32_t offsets[] = {0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001};
    for (uint32_t high = 0; high < 65536; high++) {
        uint32_t bits[16];
        float values[16];
        uint16_t stored[2][16];
        for (uint32_t i = 0; i < 16; i++)
            bits[i] = (high << 16) + (i / 8) * 0x2000 + offsets[i % 8];
        memcpy(values, bits, sizeof values);
        isa->kernels->store[ONEPASS_F32][ONEPASS_F16](values, stored[0], 16);
        isa->kernels->store[ONEPASS_F32][ONEPASS_BF16](values, stored[1], 16);
        for (uint32_t i = 0; i < 16; i++) {
            uint16_t f16 = oracle_f32_to_f16(values[i]), bf16 = oracle_f32_to_bf16(values[i]);
            if (!oracle_equal(ONEPASS_F16, &stored[0][i], &f16, 1, NULL) ||
                !oracle_nans_are_fixed(ONEPASS_F16, &stored[0][i], 1, NULL))
                fail_msg("%s: %a is stored as F16 0x%04x, not 0x%04x", isa->name, (double)values[i], stored[0][i], f16);
            if (!oracle_equal(ONEPASS_BF16, &stored[1][i], &bf16, 1, NULL) ||
                !oracle_nans_are_fixed(ONEPASS_BF16, &stored[1][i], 1, NULL))
                fail_msg("%s: %a is stored as BF16 0x%04x, not 0x%04x", isa->name, (double)values[i], stored[1][i],
                         bf16);
        }
    }
}

static void every_16_bit_value_loads(void **state)
{
    for_each_isa(state, check_16_bit_loads);
}

static void stores_round_to_16_bits(void **state)
{
    for_each_isa(state, check_16_bit_stores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOST(scans_and_reductions_agree_with_the_oracle),
        ON_HOST(selections_agree_with_the_oracle),
        ON_HOST(every_16_bit_value_loads),
        ON_HOST(stores_round_to_16_bits),
    };
    return run_on_backends(tests);
}
