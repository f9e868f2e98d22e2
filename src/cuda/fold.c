/* SPDX-License-Identifier: MIT */
/* See fold.h. */
#include "fold.h"

#include "../types.h"
#include "../value.h"

const struct fold_table *fold_table_of(onepass_operator op)
{
    static const struct fold_table *const tables[num_operators] = {
        [ONEPASS_SUM] = &lookback_sum, [ONEPASS_PROD] = &lookback_prod, [ONEPASS_MIN] = &lookback_min,
        [ONEPASS_MAX] = &lookback_min, [ONEPASS_AND] = &lookback_or,    [ONEPASS_OR] = &lookback_or,
        [ONEPASS_XOR] = &lookback_xor,
    };
    return tables[op];
}

static uint64_t top_bit(onepass_type type)
{
    return UINT64_C(1) << (8 * onepass_type_size(type) - 1);
}

/* MIN over unsigned numbers and floating values needs no key. Turning the top bit round makes signed numbers unsigned
 * ones in the same order; turning all bits of an integer, or the sign of a floating value, turns the order round. */
static uint64_t key_of(onepass_operator op, onepass_type type)
{
    uint64_t all_bits = top_bit(type) | (top_bit(type) - 1);
    uint64_t order = is_signed(type) ? top_bit(type) : 0;
    switch (op) {
    case ONEPASS_MIN:
        return order;
    case ONEPASS_MAX:
        /* A floating accumulator is at least an F32. */
        if (is_floating(type))
            return type == ONEPASS_F64 ? top_bit(ONEPASS_F64) : top_bit(ONEPASS_F32);
        return order ^ all_bits;
    case ONEPASS_AND:
        return all_bits;
    default:
        return 0;
    }
}

static struct fold_params params_of(const struct reduce_call *call, enum fold_start start)
{
    struct fold_params params = {
        .in = call->d_in,
        .out = call->d_out,
        .max_items = call->count.max_items,
        .d_num_items = call->count.d_num_items,
        .d_initial = call->initial.d_value,
        .initial = call->initial.bits,
        .sign = is_signed(call->in_type) ? top_bit(call->in_type) : 0,
        .key = key_of(call->op, call->out_type),
        .start = start,
    };
    if (call->initial.d_value != NULL)
        params.start = START_MEMORY;
    else if (call->initial.given)
        params.start = START_BITS;
    return params;
}

struct fold_params scan_params(const struct scan_call *call)
{
    bool inclusive = call->kind == ONEPASS_INCLUSIVE;
    struct fold_params params = params_of(&call->of, inclusive ? START_NOTHING : START_IDENTITY);
    params.exclusive = !inclusive;
    params.has_total = call->kind == ONEPASS_OFFSETS;
    params.reverse = call->reverse;
    return params;
}

struct fold_params reduce_params(const struct reduce_call *call)
{
    return params_of(call, START_NOTHING);
}

uint64_t fold_max_tiles(const struct fold_instance *instance, const struct fold_params *params)
{
    uint64_t num_positions = params->max_items + params->has_total;
    return num_positions == 0 ? 1 : (num_positions - 1) / instance->tile_items + 1;
}

uint32_t fold_num_slots(const struct fold_instance *instance, size_t shared_bytes)
{
    const uint32_t max_slots = 16;
    if (shared_bytes < instance->shared_bytes)
        return 0;
    size_t num_slots = (shared_bytes - instance->shared_bytes) / instance->slot_bytes;
    return num_slots < max_slots ? (uint32_t)num_slots : max_slots;
}
