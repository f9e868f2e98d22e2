/* SPDX-License-Identifier: MIT */
/* The public selections: the checks, then the backend. The short forms are specs in disguise. */
#include "check.h"
#include "types.h"

#include <inttypes.h>

/* Which of keep and d_flags a function takes. */
enum chooser { KEEP, FLAGS, EITHER };

static onepass_result check_chooser(const struct caller *caller, enum chooser chooser, const onepass_select_spec *spec)
{
    bool has_keep = spec->keep != NULL;
    bool has_flags = spec->d_flags != NULL;
    if (spec->max_items == 0 && !has_keep && !has_flags)
        return ONEPASS_SUCCESS;
    if (chooser == KEEP && !has_keep)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT, "%s: keep is NULL; it must be a predicate",
                            caller->function);
    if (chooser == EITHER && has_keep == has_flags)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: spec->keep and spec->d_flags are both %s; exactly one of them must be set",
                            caller->function, has_keep ? "set" : "NULL");
    if (!has_keep)
        return ONEPASS_SUCCESS;
    if (!is_predicate_kind((int)spec->keep->kind))
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %skeep->kind is %d, which is no onepass_predicate_kind", caller->function,
                            caller->field, (int)spec->keep->kind);
    if (!is_predicate_defined(spec->keep->kind, spec->type))
        return context_fail(caller->ctx, ONEPASS_UNSUPPORTED,
                            "%s: %skeep->kind is %d, which does not go with items of type %s", caller->function,
                            caller->field, (int)spec->keep->kind, onepass_type_name(spec->type));
    return ONEPASS_SUCCESS;
}

static onepass_result check_indices(const struct caller *caller, const onepass_select_spec *spec)
{
    if (spec->d_out_indices == NULL)
        return ONEPASS_SUCCESS;
    if (spec->index_type != ONEPASS_U32 && spec->index_type != ONEPASS_U64)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %sindex_type is %d; it must be ONEPASS_U32 or ONEPASS_U64", caller->function,
                            caller->field, (int)spec->index_type);
    if (spec->index_type == ONEPASS_U32 && spec->max_items > UINT64_C(1) << 32)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %sindex_type is U32 and max_items is %" PRIu64 "; beyond 2^32 it must be U64",
                            caller->function, caller->field, spec->max_items);
    return ONEPASS_SUCCESS;
}

static onepass_result check_memory(const struct caller *caller, enum chooser chooser, const onepass_select_spec *spec)
{
    size_t size = onepass_type_size(spec->type);
    size_t index_size = spec->d_out_indices != NULL ? onepass_type_size(spec->index_type) : 1;
    uint64_t num_outputs = spec->capacity < spec->max_items ? spec->capacity : spec->max_items;
    bool reads_items = chooser != EITHER || spec->keep != NULL || spec->d_out != NULL;
    const struct range ranges[] = {
        { "d_in", spec->d_in, spec->max_items, size, false, reads_items },
        { "d_out", spec->d_out, num_outputs, size, true, chooser != EITHER },
        { "d_flags", spec->d_flags, spec->max_items, 1, false, chooser == FLAGS },
        { "d_out_indices", spec->d_out_indices, num_outputs, index_size, true, false },
        { "d_num_selected", spec->d_num_selected, 1, sizeof(uint64_t), true, spec->max_items > 0 },
        { "d_num_items", spec->d_num_items, 1, sizeof(uint64_t), false, false },
    };
    return check_ranges(caller, ranges, 6, true);
}

static struct compact_call compact_call_of(const onepass_select_spec *spec)
{
    static const struct range_test is_not_zero = { .mask = 255, .negate = true };
    struct compact_call call = {
        .decision = { .kind = spec->keep != NULL ? DECIDE_BY_ITEM : DECIDE_BY_FLAG,
                      .type = spec->type,
                      .d_in = spec->d_in,
                      .d_flags = spec->d_flags,
                      .keep = spec->keep != NULL ? range_test_of(spec->type, spec->keep) : is_not_zero },
        .outputs = { .index_size = spec->d_out_indices != NULL ? onepass_type_size(spec->index_type) : 0,
                     .d_indices = { spec->d_out_indices },
                     .capacity = { spec->capacity < spec->max_items ? spec->capacity : spec->max_items },
                     .d_num_selected = spec->d_num_selected },
        .count = { spec->max_items, spec->d_num_items },
    };
    if (spec->d_out != NULL) {
        call.outputs.num_arrays = 1;
        call.outputs.arrays[0] = (struct moved_array){ spec->d_in, onepass_type_size(spec->type), { spec->d_out } };
    }
    return call;
}

static onepass_result select_items(const struct caller *caller, enum chooser chooser, const onepass_select_spec *spec)
{
    CHECK(check_type(caller, "type", spec->type));
    CHECK(check_chooser(caller, chooser, spec));
    CHECK(check_indices(caller, spec));
    CHECK(check_reserved(caller, chooser == EITHER ? "max_items" : "num_items", spec->max_items));
    CHECK(check_memory(caller, chooser, spec));
    if (spec->d_num_selected == NULL)
        return ONEPASS_SUCCESS;
    const struct compact_call call = compact_call_of(spec);
    return caller->ctx->backend->compact(caller->ctx, &call);
}

onepass_result onepass_select(onepass_context *ctx, const onepass_select_spec *spec)
{
    const struct caller caller = { ctx, "onepass_select", "spec->" };
    onepass_select_spec known;
    CHECK(check_context(&caller));
    CHECK(check_spec(&caller, spec, &known, sizeof known));
    return select_items(&caller, EITHER, &known);
}

/* A spec for a short form. */
static onepass_select_spec plain_spec(onepass_type type, const void *d_in, void *d_out, uint64_t *d_num_selected,
                                      uint64_t num_items)
{
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    spec.type = type;
    spec.d_in = d_in;
    spec.d_out = d_out;
    spec.d_num_selected = d_num_selected;
    spec.max_items = num_items;
    return spec;
}

onepass_result onepass_select_if(onepass_context *ctx, onepass_type type, const onepass_predicate *keep,
                                 const void *d_in, void *d_out, uint64_t *d_num_selected, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_select_if", "" };
    CHECK(check_context(&caller));
    onepass_select_spec spec = plain_spec(type, d_in, d_out, d_num_selected, num_items);
    spec.keep = keep;
    return select_items(&caller, KEEP, &spec);
}

onepass_result onepass_select_flagged(onepass_context *ctx, onepass_type type, const void *d_in, const uint8_t *d_flags,
                                      void *d_out, uint64_t *d_num_selected, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_select_flagged", "" };
    CHECK(check_context(&caller));
    onepass_select_spec spec = plain_spec(type, d_in, d_out, d_num_selected, num_items);
    spec.d_flags = d_flags;
    return select_items(&caller, FLAGS, &spec);
}
