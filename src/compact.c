/* SPDX-License-Identifier: MIT */
/* See compact.h. */
#include "compact.h"

#include "types.h"

#include <inttypes.h>

/* --------------------------------------------------------------------------------------------- what decides */

static onepass_result check_predicate(const struct caller *caller, const char *name, onepass_type type,
                                      const onepass_predicate *predicate)
{
    if (!is_predicate_kind((int)predicate->kind))
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %s%s->kind is %d, which is no onepass_predicate_kind", caller->function, caller->field,
                            name, (int)predicate->kind);
    if (!is_predicate_defined(predicate->kind, type))
        return context_fail(caller->ctx, ONEPASS_UNSUPPORTED,
                            "%s: %s%s->kind is %d, which does not go with items of type %s", caller->function,
                            caller->field, name, (int)predicate->kind, onepass_type_name(type));
    return ONEPASS_SUCCESS;
}

static onepass_result check_one_decides(const struct caller *caller, const struct compact_request *request)
{
    int num_set = (request->keep != NULL) + (request->d_flags != NULL) + request->unique;
    if (num_set != 1)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: of spec->keep, spec->d_flags and spec->unique %d are set (keep %p, d_flags %p, "
                            "unique %d); exactly one of them must be",
                            caller->function, num_set, (const void *)request->keep, (const void *)request->d_flags,
                            request->unique);
    if (request->keep_second != NULL && request->keep == NULL)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: spec->keep_second is set without spec->keep; it must be NULL", caller->function);
    if (request->d_flags != NULL &&
        ((int)request->flag_kind < ONEPASS_FLAG_NONZERO || (int)request->flag_kind > ONEPASS_FLAG_BITS))
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: spec->flag_kind is %d, which is no onepass_flag_kind", caller->function,
                            (int)request->flag_kind);
    return ONEPASS_SUCCESS;
}

static onepass_result check_decision(const struct caller *caller, const struct compact_request *request)
{
    bool is_empty = request->count.max_items == 0;
    const struct {
        const char *name;
        const onepass_predicate *predicate;
        bool is_required;
    } predicates[] = {
        { "keep", request->keep, request->form == BY_KEEP && !is_empty },
        { "keep_second", request->keep_second, request->form == BY_KEEP && request->has_second && !is_empty },
    };
    if (request->form == BY_SPEC && (!is_empty || request->keep != NULL || request->d_flags != NULL || request->unique))
        CHECK(check_one_decides(caller, request));
    for (int i = 0; i < 2; i++) {
        if (predicates[i].is_required && predicates[i].predicate == NULL)
            return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT, "%s: %s is NULL; it must be a predicate",
                                caller->function, predicates[i].name);
        if (predicates[i].predicate != NULL)
            CHECK(check_predicate(caller, predicates[i].name, request->type, predicates[i].predicate));
    }
    return ONEPASS_SUCCESS;
}

/* -------------------------------------------------------------------------------------------- what is wanted */

static onepass_result check_indices(const struct caller *caller, const struct compact_request *request)
{
    bool has_indices = false;
    for (int part = 0; part < num_output_parts; part++)
        has_indices |= request->parts[part].to.d_indices != NULL;
    if (!has_indices)
        return ONEPASS_SUCCESS;
    if (request->index_type != ONEPASS_U32 && request->index_type != ONEPASS_U64)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %sindex_type is %d; it must be ONEPASS_U32 or ONEPASS_U64", caller->function,
                            caller->field, (int)request->index_type);
    if (request->index_type == ONEPASS_U32 && request->count.max_items > UINT64_C(1) << 32)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %sindex_type is U32 and max_items is %" PRIu64 "; beyond 2^32 it must be U64",
                            caller->function, caller->field, request->count.max_items);
    return ONEPASS_SUCCESS;
}

static onepass_result fail_unwanted(const struct caller *caller, const char *what, const char *why)
{
    return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT, "%s: %s%s is set; %s", caller->function, caller->field,
                        what, why);
}

/* Outputs of parts that there are none of. A part that is not there and a joined one are alike: neither has outputs. */
static onepass_result check_parts(const struct caller *caller, const struct compact_request *request)
{
    static const char no_second[] = "it goes with keep_second, which is NULL";
    static const char is_joined[] = "with joined all parts go to the outputs of the selected one";
    const onepass_part *selected = &request->parts[PART_SELECTED].to;
    if (!request->has_second && request->d_num_second != NULL)
        return fail_unwanted(caller, "d_num_second", no_second);
    for (int part = PART_SECOND; part <= request->last_part; part++) {
        const struct compact_part *other = &request->parts[part];
        bool is_missing = part == PART_SECOND && !request->has_second;
        if (!is_missing && !request->joined)
            continue;
        if (other->to.d_items != NULL)
            return fail_unwanted(caller, other->items_name, is_missing ? no_second : is_joined);
        if (other->to.d_indices != NULL)
            return fail_unwanted(caller, other->indices_name, is_missing ? no_second : is_joined);
    }
    if (request->joined && selected->capacity < request->count.max_items)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %sselected.capacity is %" PRIu64
                            "; with joined the output holds all max_items, %" PRIu64,
                            caller->function, caller->field, selected->capacity, request->count.max_items);
    return ONEPASS_SUCCESS;
}

static onepass_result check_payloads(const struct caller *caller, const struct compact_request *request)
{
    if (request->num_payloads < 0 || request->num_payloads > ONEPASS_MAX_PAYLOADS)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT, "%s: %snum_payloads is %d; it must be from 0 to %d",
                            caller->function, caller->field, request->num_payloads, ONEPASS_MAX_PAYLOADS);
    if (request->num_payloads > 0 && request->payloads == NULL)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %spayloads is NULL; it must be an array of %d, num_payloads", caller->function,
                            caller->field, request->num_payloads);
    for (int i = 0; i < request->num_payloads; i++) {
        const onepass_payload *payload = &request->payloads[i];
        size_t size = payload->item_size;
        if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
            return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                                "%s: %spayloads[%d].item_size is %zu; it must be 1, 2, 4, 8 or 16", caller->function,
                                caller->field, i, size);
        bool has_no_second = !request->has_second || request->joined;
        bool has_no_rejected = request->last_part == PART_SELECTED || request->joined;
        if ((payload->d_second != NULL && has_no_second) || (payload->d_rejected != NULL && has_no_rejected))
            return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                                "%s: %spayloads[%d].%s is set; this call has no such output", caller->function,
                                caller->field, i,
                                payload->d_second != NULL && has_no_second ? "d_second" : "d_rejected");
    }
    return ONEPASS_SUCCESS;
}

/* --------------------------------------------------------------------------------------------------- the call */

static struct decision decision_of(const struct compact_request *request)
{
    struct decision decision = {
        .type = request->type,
        .d_in = request->d_in,
        .d_flags = request->d_flags,
        .has_second = request->keep_second != NULL,
    };
    if (request->keep != NULL) {
        decision.kind = DECIDE_BY_ITEM;
        decision.keep = range_test_of(request->type, request->keep);
    } else if (request->unique) {
        decision.kind = DECIDE_BY_HEAD;
    } else if (request->flag_kind == ONEPASS_FLAG_BITS) {
        decision.kind = DECIDE_BY_FLAG_BIT;
    } else {
        bool is_nonzero = request->flag_kind == ONEPASS_FLAG_NONZERO;
        decision.kind = DECIDE_BY_FLAG;
        decision.keep =
            (struct range_test){ .mask = 255, .low = is_nonzero ? 0 : request->flag_value, .negate = is_nonzero };
    }
    if (decision.has_second)
        decision.keep_second = range_test_of(request->type, request->keep_second);
    return decision;
}

static void add_array(struct compact_outputs *outputs, const void *d_in, size_t item_size, void *const *d_out)
{
    struct moved_array *array = &outputs->arrays[outputs->num_arrays];
    bool is_wanted = false;
    *array = (struct moved_array){ .d_in = d_in, .item_size = item_size };
    for (int part = 0; part < num_output_parts; part++) {
        array->d_out[part] = outputs->is_joined ? d_out[PART_SELECTED] : d_out[part];
        is_wanted |= array->d_out[part] != NULL;
    }
    outputs->num_arrays += is_wanted;
}

static struct compact_outputs outputs_of(const struct compact_request *request)
{
    const struct compact_part *parts = request->parts;
    uint64_t max_items = request->count.max_items;
    struct compact_outputs outputs = {
        .is_joined = request->joined,
        .d_num_selected = request->d_num_selected,
        .d_num_second = request->d_num_second,
    };
    void *d_items[num_output_parts];
    for (int part = 0; part < num_output_parts; part++) {
        const onepass_part *to = &parts[request->joined ? PART_SELECTED : part].to;
        d_items[part] = to->d_items;
        outputs.d_indices[part] = to->d_indices;
        outputs.capacity[part] = to->capacity < max_items ? to->capacity : max_items;
        if (to->d_indices != NULL)
            outputs.index_size = onepass_type_size(request->index_type);
    }
    add_array(&outputs, request->d_in, onepass_type_size(request->type), d_items);
    for (int i = 0; i < request->num_payloads; i++) {
        const onepass_payload *payload = &request->payloads[i];
        void *const d_out[num_output_parts] = { payload->d_selected, payload->d_second, payload->d_rejected };
        add_array(&outputs, payload->d_in, payload->item_size, d_out);
    }
    return outputs;
}

onepass_result compact(const struct caller *caller, const struct compact_request *request)
{
    CHECK(check_type(caller, "type", request->type));
    CHECK(check_payloads(caller, request));
    CHECK(check_decision(caller, request));
    CHECK(check_parts(caller, request));
    CHECK(check_indices(caller, request));
    CHECK(check_reserved(caller, request->form == BY_SPEC ? "max_items" : "num_items", request->count.max_items));
    CHECK(compact_check_memory(caller, request));
    if (request->d_num_selected == NULL && request->d_num_second == NULL)
        return ONEPASS_SUCCESS;
    const struct compact_call call = { decision_of(request), outputs_of(request), request->count };
    return caller->ctx->backend->compact(caller->ctx, &call);
}
