/* SPDX-License-Identifier: MIT */
/* See select.h. */
#include "select.h"

#include "../types.h"

/* Any byte but 0 keeps. */
static bool is_of_nonzero_flags(const struct decision *decision)
{
    const struct range_test *keep = &decision->keep;
    return decision->kind == DECIDE_BY_FLAG && keep->mask == 255 && keep->low == 0 && keep->span == 0 && keep->negate;
}

bool select_call_of(const struct compact_call *compaction, struct select_call *call)
{
    const struct decision *decision = &compaction->decision;
    const struct compact_outputs *outputs = &compaction->outputs;
    bool has_items = outputs->num_arrays > 0 && outputs->arrays[0].d_in == decision->d_in &&
                     outputs->arrays[0].item_size == onepass_type_size(decision->type);
    bool has_other_parts = decision->has_second || outputs->d_indices[PART_REJECTED] != NULL ||
                           (has_items && outputs->arrays[0].d_out[PART_REJECTED] != NULL);
    bool has_kernel = decision->kind == DECIDE_BY_ITEM || is_of_nonzero_flags(decision);
    if (!has_kernel || has_other_parts || outputs->num_arrays != has_items || outputs->d_num_selected == NULL)
        return false;
    *call = (struct select_call){
        .type = decision->type,
        .keep = decision->kind == DECIDE_BY_ITEM ? decision->keep : (struct range_test){ 0 },
        .d_flags = decision->kind == DECIDE_BY_FLAG ? decision->d_flags : NULL,
        .d_in = decision->d_in,
        .d_out = has_items ? outputs->arrays[0].d_out[PART_SELECTED] : NULL,
        .index_size = outputs->index_size,
        .d_out_indices = outputs->d_indices[PART_SELECTED],
        .capacity = outputs->capacity[PART_SELECTED],
        .d_num_selected = outputs->d_num_selected,
        .count = compaction->count,
    };
    return true;
}

struct select_params select_params_of(const struct select_call *call)
{
    unsigned num_bits = 8 * (unsigned)onepass_type_size(call->type);
    return (struct select_params){
        .pipeline = { .max_items = call->count.max_items, .d_num_items = call->count.d_num_items },
        .in = call->d_in,
        .flags = call->d_flags,
        .out = call->d_out,
        .out_indices = call->d_out_indices,
        .capacity = call->capacity,
        .num_selected = call->d_num_selected,
        .mask = call->keep.mask,
        .low = call->keep.low,
        .span = call->keep.span,
        .float_key = call->keep.floating ? (UINT64_C(1) << (num_bits - 1)) - 1 : 0,
        .negate = call->keep.negate,
        .wide_indices = call->index_size == sizeof(uint64_t),
        .in_place = call->d_out != NULL && call->d_out == call->d_in,
    };
}

const struct select_instance *select_instance_of(const struct select_call *call)
{
    size_t size = onepass_type_size(call->type);
    int idx = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return &(call->d_flags != NULL ? compaction_select.by_flags : compaction_select.by_predicate)[idx];
}

struct launch_shape select_shape_of(const struct select_instance *instance, struct device_limits limits,
                                    struct select_params *params)
{
    uint64_t max_items = params->pipeline.max_items;
    uint64_t num_tiles = max_items == 0 ? 1 : (max_items - 1) / instance->needs.tile_items + 1;
    return shape_of_pipeline(&instance->needs, limits, num_tiles, &params->pipeline);
}
