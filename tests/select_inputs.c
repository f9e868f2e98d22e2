/* SPDX-License-Identifier: MIT */
/* What a case of select_case.h decides by: items, flags, predicates. */
#include "select_case.h"

#include "oracle.h"

#include <math.h>
#include <string.h>

const unsigned flag_densities[num_flag_densities] = { 128, 0, 256, 1, 16, 240, 255 };

bool predicate_goes_with(int kind, onepass_type type)
{
    if (kind == ONEPASS_NAN || kind == ONEPASS_FINITE)
        return type_is_floating(type);
    if (kind == ONEPASS_ANY_BITS || kind == ONEPASS_ALL_BITS)
        return !type_is_floating(type);
    return true;
}

select_case select_case_of(onepass_type type, int kind, uint64_t max_items, uint64_t seed)
{
    static const onepass_type index_types[] = { (onepass_type)0, ONEPASS_U32, ONEPASS_U64 };
    uint64_t random = seed;
    const size_t size = onepass_type_size(type);
    select_case c = { .type = type, .kind = kind, .max_items = max_items, .seed = seed };
    c.negate = prop_random(&random) % 2 != 0;
    c.a = (value_source)(prop_random(&random) % num_value_sources);
    c.b = (value_source)(prop_random(&random) % num_value_sources);
    c.density_idx = (unsigned)(prop_random(&random) % num_flag_densities);
    c.wants_items = prop_random(&random) % 4 != 0;
    c.in_place = c.wants_items && prop_random(&random) % 3 == 0;
    c.index_type = index_types[prop_random(&random) % 3];
    c.capacity = (capacity_mode)(prop_random(&random) % num_capacity_modes);
    c.has_count = prop_random(&random) % 3 == 0;
    c.count_is_above = prop_random(&random) % 3 == 0;
    c.in_shift = prop_random(&random) % 16 * size;
    c.out_shift = prop_random(&random) % 16 * size;
    c.flag_shift = prop_random(&random) % 16;
    c.place = (guard_place)(prop_random(&random) % num_guard_places);
    c.context_idx = (unsigned)(prop_random(&random) % 4);
    c.values = (input_kind)(prop_random(&random) % num_input_kinds);
    return c;
}

void select_case_part(select_case *c, uint64_t *random)
{
    c->in_place = false;
    c->shape = c->kind > by_flags && prop_random(random) % 2 != 0 ? PARTS_IN_THREE : PARTS_IN_TWO;
    c->joined = prop_random(random) % 4 == 0;
    do
        c->kind_second = 1 + (int)(prop_random(random) % num_predicate_kinds);
    while (!predicate_goes_with(c->kind_second, c->type));
    c->negate_second = prop_random(random) % 2 != 0;
    c->unwanted = prop_random(random) % 3 == 0 ? (unsigned)(prop_random(random) % 8) : 0;
    if (c->joined)
        c->unwanted = 0;
}

/* The ends of the type's range, one beyond, and the ends of all numbers there are. */
static onepass_value value_at_the_end(onepass_type type, uint64_t r)
{
    const unsigned bits = 8 * (unsigned)onepass_type_size(type);
    if (type_is_floating(type)) {
        const double values[] = { 0.0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 1e300, -1e300, 65520.0 };
        return (r & 8) != 0 ? input_value(type, INPUT_EXTREME, r >> 4) : (onepass_value){ .f = values[r & 7] };
    }
    if (type_is_signed(type)) {
        const int64_t top = (int64_t)(UINT64_MAX >> (65 - bits)), beyond = bits < 64;
        const int64_t values[] = {
            top, top - 1, top + beyond, -top - 1, -top, -top - 1 - beyond, INT64_MIN, INT64_MAX
        };
        return (onepass_value){ .i = values[r & 7] };
    }
    const uint64_t top = UINT64_MAX >> (64 - bits), beyond = bits < 64;
    const uint64_t values[] = { top, top - 1, top + beyond, 0, 1, 2, UINT64_MAX, UINT64_C(1) << 63 };
    return (onepass_value){ .u = values[r & 7] };
}

static onepass_value make_value(const select_case *c, value_source source, const void *items, uint64_t seed)
{
    const uint64_t r = prop_random(&seed);
    switch (source) {
    case VALUE_OF_AN_ITEM:
        if (c->max_items > 0)
            return oracle_load(c->type, items, r % c->max_items);
        return input_value(c->type, c->values, r);
    case VALUE_AT_THE_END:
        return value_at_the_end(c->type, r);
    case VALUE_ANY:
        return (onepass_value){ .u = r };
    default:
        return input_value(c->type, c->values, r);
    }
}

onepass_predicate select_predicate(const select_case *c, const void *items, bool is_second)
{
    const uint64_t seed = c->seed + (is_second ? 5 : 2);
    return (onepass_predicate){ (onepass_predicate_kind)(is_second ? c->kind_second : c->kind),
                                (is_second ? c->negate_second : c->negate) ? 1 + (int)(seed & 0xff) : 0,
                                make_value(c, is_second ? c->b : c->a, items, seed),
                                make_value(c, is_second ? c->a : c->b, items, seed + 1) };
}

void select_fill_items(const select_case *c, void *items)
{
    const size_t size = onepass_type_size(c->type);
    uint64_t random = c->seed + 8;
    input_fill(items, c->type, c->values, c->seed, c->max_items);
    for (uint64_t i = 1; c->kind == by_runs && i < c->max_items; ++i)
        if ((prop_random(&random) & 0xff) < flag_densities[c->density_idx])
            memcpy((unsigned char *)items + i * size, (unsigned char *)items + (i - 1) * size, size);
}

size_t select_flag_bytes(const select_case *c)
{
    return c->flag_kind == ONEPASS_FLAG_BITS ? (c->max_items + 7) / 8 : c->max_items;
}

/* What a flag may be, it is: any byte but 0, any but the value, any bit behind the last. */
void select_fill_flags(const select_case *c, uint8_t *flags, uint8_t value)
{
    const unsigned density = flag_densities[c->density_idx];
    uint64_t random = c->seed + 1;
    for (size_t i = 0; i < select_flag_bytes(c); ++i) {
        uint64_t r = prop_random(&random);
        const bool keeps = (r & 0xff) < density;
        const uint8_t other = (uint8_t)(1 + (r >> 8) % 255);
        if (c->flag_kind == ONEPASS_FLAG_EQUAL)
            flags[i] = (uint8_t)(keeps ? value : value + other);
        else
            flags[i] = keeps ? other : 0;
        for (unsigned bit = 0; c->flag_kind == ONEPASS_FLAG_BITS && bit < 8; ++bit, r = r >> 8 | r << 56)
            flags[i] = (uint8_t)((flags[i] & ~(1u << bit)) | (unsigned)((r & 0xff) < density) << bit);
    }
}
