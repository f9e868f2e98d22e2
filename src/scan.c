/* SPDX-License-Identifier: MIT */
/* The public scans and reductions: the checks, then the backend. The short forms are specs in disguise. */
#include "check.h"
#include "types.h"
#include "value.h"

/* Whether this is a short form, whose arguments have shorter names than the fields of a spec. */
static bool is_plain(const struct caller *caller)
{
    return caller->field[0] == '\0';
}

/* What a scan and a reduction have in common, before the number of items. */
static onepass_result check_operation(const struct caller *caller, const onepass_reduce_spec *spec)
{
    CHECK(check_type(caller, is_plain(caller) ? "type" : "in_type", spec->in_type));
    CHECK(check_type(caller, "out_type", spec->out_type));
    CHECK(check_operator(caller, spec->op));
    CHECK(check_supported(caller, spec->in_type, spec->out_type, spec->op));
    if (spec->has_initial && spec->d_initial != NULL)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: spec->has_initial and spec->d_initial are both set; one initial value at most",
                            caller->function);
    return ONEPASS_SUCCESS;
}

static onepass_result check_memory(const struct caller *caller, const onepass_reduce_spec *spec, uint64_t num_outputs,
                                   bool allow_in_place)
{
    CHECK(check_reserved(caller, is_plain(caller) ? "num_items" : "max_items", spec->max_items));
    size_t in_size = onepass_type_size(spec->in_type);
    size_t out_size = onepass_type_size(spec->out_type);
    const int in_place = allow_in_place && in_size == out_size;
    const struct range ranges[] = {
        { "d_in", spec->d_in, spec->max_items, in_size, false, true, in_place },
        { "d_out", spec->d_out, num_outputs, out_size, true, spec->max_items > 0, in_place },
        { "d_initial", spec->d_initial, 1, out_size, false, false, 0 },
        { "d_num_items", spec->d_num_items, 1, sizeof(uint64_t), false, false, 0 },
    };
    return check_ranges(caller, ranges, 4);
}

static struct reduce_call reduce_call_of(const onepass_reduce_spec *spec)
{
    return (struct reduce_call){
        .in_type = spec->in_type,
        .out_type = spec->out_type,
        .op = spec->op,
        .initial = { spec->has_initial != 0, value_bits(spec->out_type, spec->initial), spec->d_initial },
        .d_in = spec->d_in,
        .d_out = spec->d_out,
        .count = { spec->max_items, spec->d_num_items },
    };
}

static onepass_result scan(const struct caller *caller, const onepass_scan_spec *spec)
{
    const onepass_reduce_spec common = {
        .in_type = spec->in_type,
        .out_type = spec->out_type != 0 ? spec->out_type : spec->in_type,
        .op = spec->op,
        .has_initial = spec->has_initial,
        .initial = spec->initial,
        .d_initial = spec->d_initial,
        .d_in = spec->d_in,
        .d_out = spec->d_out,
        .max_items = spec->max_items,
        .d_num_items = spec->d_num_items,
    };
    CHECK(check_operation(caller, &common));
    if ((int)spec->kind < ONEPASS_INCLUSIVE || (int)spec->kind > ONEPASS_OFFSETS)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: spec->kind is %d, which is no onepass_scan_kind", caller->function, (int)spec->kind);
    uint64_t num_outputs = spec->max_items + (spec->kind == ONEPASS_OFFSETS);
    bool shifts_items = spec->kind == ONEPASS_OFFSETS && spec->reverse; /* an item's result goes one place further on */
    CHECK(check_memory(caller, &common, num_outputs, !shifts_items));
    if (spec->d_out == NULL)
        return ONEPASS_SUCCESS;
    const struct scan_call call = { reduce_call_of(&common), spec->kind, spec->reverse != 0 };
    return caller->ctx->backend->scan(caller->ctx, &call);
}

static onepass_result reduce(const struct caller *caller, const onepass_reduce_spec *spec)
{
    onepass_reduce_spec resolved = *spec;
    if (resolved.out_type == 0)
        resolved.out_type = spec->in_type;
    CHECK(check_operation(caller, &resolved));
    CHECK(check_memory(caller, &resolved, 1, false));
    if (spec->d_out == NULL)
        return ONEPASS_SUCCESS;
    const struct reduce_call call = reduce_call_of(&resolved);
    return caller->ctx->backend->reduce(caller->ctx, &call);
}

static onepass_result plain_scan(const struct caller *caller, onepass_scan_kind kind, onepass_type type,
                                 onepass_operator op, const void *d_in, void *d_out, uint64_t num_items)
{
    CHECK(check_context(caller));
    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    spec.in_type = type;
    spec.op = op;
    spec.kind = kind;
    spec.d_in = d_in;
    spec.d_out = d_out;
    spec.max_items = num_items;
    return scan(caller, &spec);
}

onepass_result onepass_inclusive_scan(onepass_context *ctx, onepass_type type, onepass_operator op, const void *d_in,
                                      void *d_out, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_inclusive_scan", "" };
    return plain_scan(&caller, ONEPASS_INCLUSIVE, type, op, d_in, d_out, num_items);
}

onepass_result onepass_exclusive_scan(onepass_context *ctx, onepass_type type, onepass_operator op, const void *d_in,
                                      void *d_out, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_exclusive_scan", "" };
    return plain_scan(&caller, ONEPASS_EXCLUSIVE, type, op, d_in, d_out, num_items);
}

onepass_result onepass_scan(onepass_context *ctx, const onepass_scan_spec *spec)
{
    const struct caller caller = { ctx, "onepass_scan", "spec->" };
    onepass_scan_spec known;
    CHECK(check_context(&caller));
    CHECK(check_spec(&caller, spec, &known, sizeof known));
    return scan(&caller, &known);
}

onepass_result onepass_reduce(onepass_context *ctx, onepass_type type, onepass_operator op, const void *d_in,
                              void *d_out, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_reduce", "" };
    CHECK(check_context(&caller));
    onepass_reduce_spec spec = ONEPASS_REDUCE_SPEC_INIT;
    spec.in_type = type;
    spec.op = op;
    spec.d_in = d_in;
    spec.d_out = d_out;
    spec.max_items = num_items;
    return reduce(&caller, &spec);
}

onepass_result onepass_reduce_with(onepass_context *ctx, const onepass_reduce_spec *spec)
{
    const struct caller caller = { ctx, "onepass_reduce_with", "spec->" };
    onepass_reduce_spec known;
    CHECK(check_context(&caller));
    CHECK(check_spec(&caller, spec, &known, sizeof known));
    return reduce(&caller, &known);
}
