/* SPDX-License-Identifier: MIT */
/* See select.h. */
#include "select.h"

#include "../types.h"
#include "../value.h"

_Static_assert((int)SELECT_BY_ITEM == (int)DECIDE_BY_ITEM && (int)SELECT_BY_FLAG == (int)DECIDE_BY_FLAG &&
                   (int)SELECT_BY_FLAG_BIT == (int)DECIDE_BY_FLAG_BIT && (int)SELECT_BY_HEAD == (int)DECIDE_BY_HEAD,
               "a decision's kind is a decider");
_Static_assert((int)SELECT_MAX_PAYLOADS == ONEPASS_MAX_PAYLOADS, "as many as the interface has");

/* The first array has the items themselves, if that is what it moves; all others are payload. */
static bool moves_items(const struct compact_call *call)
{
    const struct moved_array *first = &call->outputs.arrays[0];
    return call->outputs.num_arrays > 0 && first->d_in == call->decision.d_in &&
           first->item_size == onepass_type_size(call->decision.type);
}

const char *select_lacks(const struct compact_call *call)
{
    const struct compact_outputs *outputs = &call->outputs;
    if (call->decision.has_second || outputs->d_num_second != NULL)
        return "partitions in three";
    if (outputs->is_joined)
        return "partitions into one output";
    if (outputs->num_arrays - moves_items(call) > SELECT_MAX_PAYLOADS)
        return "so many arrays of payload";
    for (int i = moves_items(call); i < outputs->num_arrays; i++)
        if (outputs->arrays[i].d_in == outputs->arrays[i].d_out[PART_SELECTED])
            return "payload that moves in place";
    return NULL;
}

static void add_payload(struct select_params *params, const struct moved_array *array)
{
    params->payloads[params->num_payloads++] = (struct select_payload){
        .in = array->d_in,
        .selected = array->d_out[PART_SELECTED],
        .rejected = array->d_out[PART_REJECTED],
        .item_size = (uint32_t)array->item_size,
    };
    params->has_rejected |= array->d_out[PART_REJECTED] != NULL;
}

struct select_params select_params_of(const struct compact_call *call)
{
    const struct decision *decision = &call->decision;
    const struct compact_outputs *outputs = &call->outputs;
    const struct range_test *keep = &decision->keep;
    struct select_params params = {
        .pipeline = { .max_items = call->count.max_items, .d_num_items = call->count.d_num_items },
        .in = decision->d_in,
        .flags = decision->d_flags,
        .selected = { NULL, outputs->d_indices[PART_SELECTED], outputs->capacity[PART_SELECTED] },
        .rejected = { NULL, outputs->d_indices[PART_REJECTED], outputs->capacity[PART_REJECTED] },
        .num_selected = outputs->d_num_selected,
        .mask = keep->mask,
        .low = keep->low,
        .span = keep->span,
        .float_key = keep->floating ? sign_bit(decision->type) - 1 : 0,
        .infinity = is_floating(decision->type) ? infinity_bits(decision->type) : 0,
        .negate = keep->negate,
        .wide_indices = outputs->index_size == sizeof(uint64_t),
    };
    if (moves_items(call)) {
        params.selected.items = outputs->arrays[0].d_out[PART_SELECTED];
        params.rejected.items = outputs->arrays[0].d_out[PART_REJECTED];
        params.in_place = params.selected.items != NULL && params.selected.items == params.in;
    }
    params.has_rejected = params.rejected.items != NULL || params.rejected.indices != NULL;
    for (int i = moves_items(call); i < outputs->num_arrays; i++)
        add_payload(&params, &outputs->arrays[i]);
    return params;
}

const struct select_instance *select_instance_of(const struct compact_call *call)
{
    size_t size = onepass_type_size(call->decision.type);
    int idx = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return &compaction_select.instances[call->decision.kind][idx];
}

struct launch_shape select_shape_of(const struct select_instance *instance, struct device_limits limits,
                                    struct select_params *params)
{
    uint64_t max_items = params->pipeline.max_items;
    uint64_t num_tiles = max_items == 0 ? 1 : (max_items - 1) / instance->needs.tile_items + 1;
    return shape_of_pipeline(&instance->needs, limits, num_tiles, &params->pipeline);
}
