/* SPDX-License-Identifier: MIT */
/* See select.h. */
#include "select.h"

#include "../types.h"

struct select_params select_params_of(const struct select_call *call)
{
    unsigned num_bits = 8 * (unsigned)onepass_type_size(call->type);
    return (struct select_params){
        .pipeline = { .max_items = call->count.max_items, .d_num_items = call->count.d_num_items },
        .decision = {
            .in = call->d_in,
            .flags = call->d_flags,
            .test[0] = {
                .mask = call->keep.mask,
                .low = call->keep.low,
                .span = call->keep.span,
                .negate = call->d_flags != NULL || call->keep.negate, /* flags keep if they are not zero */
            },
            .float_key = call->keep.floating ? (UINT64_C(1) << (num_bits - 1)) - 1 : 0,
            .in_place = call->d_out != NULL && call->d_out == call->d_in,
        },
        .out = call->d_out,
        .out_indices = call->d_out_indices,
        .capacity = call->capacity,
        .num_selected = call->d_num_selected,
        .wide_indices = call->index_size == sizeof(uint64_t),
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
