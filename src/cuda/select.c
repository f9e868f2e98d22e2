/* SPDX-License-Identifier: MIT */
/* See select.h. */
#include "select.h"

#include "../types.h"
#include "../value.h"

_Static_assert((int)SELECT_MAX_PAYLOADS == ONEPASS_MAX_PAYLOADS, "as many as the interface has");

/* The first array has the items themselves, if that is what it moves; all others are payload. */
static bool moves_items(const struct compact_call *call)
{
    const struct moved_array *first = &call->outputs.arrays[0];
    return call->outputs.num_arrays > 0 && first->d_in == call->decision.d_in &&
           first->item_size == onepass_type_size(call->decision.type);
}

static void *items_out(const struct compact_call *call, enum part part)
{
    return moves_items(call) ? call->outputs.arrays[0].d_out[part] : NULL;
}

/* Without items the caller need not say what decides: then the count tells. */
static bool has_three_parts(const struct compact_call *call)
{
    return call->decision.has_second || call->outputs.d_num_second != NULL;
}

bool is_partition(const struct compact_call *call)
{
    const struct compact_outputs *outputs = &call->outputs;
    bool has_rejected = outputs->d_indices[PART_REJECTED] != NULL;
    for (int i = 0; i < outputs->num_arrays; i++)
        has_rejected |= outputs->arrays[i].d_out[PART_REJECTED] != NULL;
    return has_rejected || outputs->is_joined || has_three_parts(call);
}

const char *compaction_lacks(const struct compact_call *call)
{
    const struct compact_outputs *outputs = &call->outputs;
    /* The kernels are there, but have not yet passed tests/test_partition.c on a GPU. */
    if (is_partition(call) && call->count.max_items != 0)
        return "partitions";
    if (outputs->num_arrays - moves_items(call) > SELECT_MAX_PAYLOADS)
        return "so many arrays of payload";
    for (int i = moves_items(call); i < outputs->num_arrays; i++)
        if (outputs->arrays[i].d_in == outputs->arrays[i].d_out[PART_SELECTED])
            return "payload that moves in place";
    return NULL;
}

static struct range_params range_params_of(const struct range_test *test)
{
    return (struct range_params){ test->mask, test->low, test->span, test->negate };
}

static struct decision_params decision_params_of(const struct compact_call *call)
{
    const struct decision *decision = &call->decision;
    bool has_flags = decision->kind == DECIDE_BY_FLAG || decision->kind == DECIDE_BY_FLAG_BIT;
    return (struct decision_params){
        .in = decision->d_in,
        .flags = has_flags ? decision->d_flags : NULL,
        .test = { range_params_of(&decision->keep), range_params_of(&decision->keep_second) },
        .float_key = is_floating(decision->type) ? sign_bit(decision->type) - 1 : 0,
        .infinity = is_floating(decision->type) ? infinity_bits(decision->type) : 0,
        .flag_value = (uint8_t)decision->keep.low, /* a flag's range is one value */
        .flags_are_bits = decision->kind == DECIDE_BY_FLAG_BIT,
        .in_place = decision->d_in != NULL && items_out(call, PART_SELECTED) == decision->d_in,
    };
}

struct select_params select_params_of(const struct compact_call *call)
{
    const struct compact_outputs *outputs = &call->outputs;
    struct select_params params = {
        .pipeline = { .max_items = call->count.max_items, .d_num_items = call->count.d_num_items },
        .decision = decision_params_of(call),
        .out = items_out(call, PART_SELECTED),
        .out_indices = outputs->d_indices[PART_SELECTED],
        .capacity = outputs->capacity[PART_SELECTED],
        .num_selected = outputs->d_num_selected,
        .wide_indices = outputs->index_size == sizeof(uint64_t),
    };
    for (int i = moves_items(call); i < outputs->num_arrays; i++) {
        const struct moved_array *array = &outputs->arrays[i];
        if (array->d_out[PART_SELECTED] != NULL)
            params.payloads[params.num_payloads++] =
                (struct payload_array){ array->d_in, array->d_out[PART_SELECTED], (uint32_t)array->item_size };
    }
    return params;
}

struct partition_params partition_params_of(const struct compact_call *call)
{
    const struct compact_outputs *outputs = &call->outputs;
    const bool has_second = has_three_parts(call);
    void *rejected = items_out(call, PART_REJECTED);
    return (struct partition_params){
        .pipeline = { .max_items = call->count.max_items, .d_num_items = call->count.d_num_items },
        .decision = decision_params_of(call),
        .out = { items_out(call, PART_SELECTED), has_second ? items_out(call, PART_SECOND) : rejected,
                 has_second ? rejected : NULL },
        .num_items = { outputs->d_num_selected, outputs->d_num_second },
        .single_output = outputs->is_joined && items_out(call, PART_SELECTED) != NULL,
    };
}

static int log2_size(const struct compact_call *call)
{
    size_t size = onepass_type_size(call->decision.type);
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

const struct select_instance *select_instance_of(const struct compact_call *call)
{
    switch (call->decision.kind) {
    case DECIDE_BY_ITEM:
        return &compaction_select.by_predicate[log2_size(call)];
    case DECIDE_BY_HEAD:
        return &compaction_unique.by_size[log2_size(call)];
    default:
        return &compaction_select.by_flags[log2_size(call)];
    }
}

const struct partition_instance *partition_instance_of(const struct compact_call *call)
{
    if (has_three_parts(call))
        return &compaction_three_way.by_size[log2_size(call)];
    return &(call->decision.kind == DECIDE_BY_ITEM ? compaction_partition.by_predicate
                                                   : compaction_partition.by_flags)[log2_size(call)];
}

struct launch_shape compaction_shape_of(const struct pipeline_needs *needs, struct device_limits limits,
                                        struct pipeline_params *params)
{
    uint64_t num_tiles = params->max_items == 0 ? 1 : (params->max_items - 1) / needs->tile_items + 1;
    return shape_of_pipeline(needs, limits, num_tiles, params);
}
