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
        .pipeline = { .max_items = call->count.max_items, .d_num_items = call->count.d_num_items },
        .in = call->d_in,
        .out = call->d_out,
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
    struct fold_params params = params_of(call, START_NOTHING);
    params.is_reduction = 1;
    return params;
}

void begin_on_a_line(const struct fold_table *table, onepass_type in, onepass_type out, struct fold_params *params)
{
    const uintptr_t line_bytes = 16;
    uintptr_t in_shift = (uintptr_t)params->in % line_bytes, out_shift = (uintptr_t)params->out % line_bytes;
    uintptr_t lead = in_shift / onepass_type_size(in), lead_out = lead * onepass_type_size(out);
    if (!table->any_order[in][out] || params->reverse || (!params->is_reduction && lead_out % line_bytes != out_shift))
        return;
    params->lead = (uint8_t)lead;
    params->in = (const char *)params->in - in_shift;
    if (!params->is_reduction)
        params->out = (char *)params->out - lead_out;
}

static uint64_t num_parts(const struct fold_params *params, uint64_t part_items)
{
    uint64_t num_positions = params->lead + params->pipeline.max_items + params->has_total;
    return num_positions == 0 ? 1 : (num_positions - 1) / part_items + 1;
}

struct fold_launch pipeline_launch(const struct fold_instance *instance, struct device_limits limits,
                                   struct fold_params *params)
{
    uint64_t num_tiles = num_parts(params, instance->needs.tile_items);
    return (struct fold_launch){ instance->kernel,
                                 shape_of_pipeline(&instance->needs, limits, num_tiles, &params->pipeline) };
}

struct fold_launch one_tile_launch(const struct one_tile_instance *instance, const struct fold_params *params)
{
    uint64_t num_warps = num_parts(params, instance->warp_items);
    struct launch_shape shape = {
        .num_blocks = num_warps <= instance->max_warps ? 1 : 0,
        .block_threads = 32 * (uint32_t)num_warps,
        .shared_bytes = instance->shared_bytes,
        .aggregate_words = 1, /* has none, so of any layout */
        .start_words = 1,
    };
    return (struct fold_launch){ instance->kernel, shape };
}

struct fold_launch one_window_launch(const struct one_window_instance *instance, struct fold_params *params)
{
    /* As many blocks as there may be, with enough rows for a few warps. */
    uint64_t num_rows = num_parts(params, instance->row_items);
    params->tile_rows = ONE_WINDOW_MIN_ROWS;
    while (params->tile_rows < ONE_WINDOW_MAX_ROWS && (uint64_t)params->tile_rows * ONE_WINDOW_MAX_TILES < num_rows)
        params->tile_rows *= 2;
    uint32_t num_warps = params->tile_rows < ONE_WINDOW_MAX_WARPS ? params->tile_rows : ONE_WINDOW_MAX_WARPS;
    struct launch_shape shape = {
        .num_blocks = num_rows <= WINDOW_ROWS ? (uint32_t)((num_rows - 1) / params->tile_rows + 1) : 0,
        .block_threads = 32 * num_warps,
        .shared_bytes = instance->shared_bytes,
        .aggregate_words = instance->descriptor_words,
        .start_words = instance->descriptor_words,
    };
    return (struct fold_launch){ instance->kernel, shape };
}

struct fold_launch fold_launch_of(const struct fold_table *table, onepass_type in, onepass_type out,
                                  struct device_limits limits, struct fold_params *params)
{
    struct fold_launch launch = one_tile_launch(&table->one_tile[in][out], params);
    if (launch.shape.num_blocks != 0)
        return launch;
    begin_on_a_line(table, in, out, params);
    launch = one_window_launch(&table->one_window[in][out], params);
    if (launch.shape.num_blocks == 0)
        launch = pipeline_launch(&(params->is_reduction ? table->reduce : table->scan)[in][out], limits, params);
    return launch;
}
