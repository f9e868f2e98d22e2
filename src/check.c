/* SPDX-License-Identifier: MIT */
/* See check.h. */
#include "check.h"

#include "types.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

onepass_result check_context(const struct caller *caller)
{
    onepass_context *ctx = caller->ctx;
    if (ctx == NULL)
        return context_fail(NULL, ONEPASS_INVALID_ARGUMENT, "%s: ctx is NULL; it must be a context from onepass_create",
                            caller->function);
    if (ctx->process != getpid())
        return context_fail(ctx, ONEPASS_CONTEXT_DEAD,
                            "%s: the context was made by process %ld and does not survive fork into %ld",
                            caller->function, (long)ctx->process, (long)getpid());
    if (ctx->is_dead)
        return context_fail(ctx, ONEPASS_CONTEXT_DEAD, "%s: an earlier error has left the context unusable",
                            caller->function);
    return ONEPASS_SUCCESS;
}

onepass_result check_spec(const struct caller *caller, const void *spec, void *known, size_t known_size)
{
    const size_t largest_size = 4096; /* no later version will have; beyond it, the field was never set */
    if (spec == NULL)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT, "%s: spec is NULL", caller->function);
    size_t size;
    memcpy(&size, spec, sizeof size);
    if (size < known_size || size > largest_size)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %ssize is %zu; it must be %zu, as the _INIT macro sets it", caller->function,
                            caller->field, size, known_size);
    const unsigned char *bytes = spec;
    for (size_t i = known_size; i < size; i++)
        if (bytes[i] != 0)
            return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                                "%s: %ssize is %zu and byte %zu is set; this library, version %d, knows %zu bytes",
                                caller->function, caller->field, size, i, ONEPASS_VERSION, known_size);
    memcpy(known, spec, known_size);
    return ONEPASS_SUCCESS;
}

onepass_result check_type(const struct caller *caller, const char *name, onepass_type type)
{
    if (!is_type((int)type))
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT, "%s: %s%s is %d, which is no onepass_type",
                            caller->function, caller->field, name, (int)type);
    return ONEPASS_SUCCESS;
}

onepass_result check_operator(const struct caller *caller, onepass_operator op)
{
    if (!is_operator((int)op))
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT, "%s: %sop is %d, which is no onepass_operator",
                            caller->function, caller->field, (int)op);
    return ONEPASS_SUCCESS;
}

onepass_result check_supported(const struct caller *caller, onepass_type in_type, onepass_type out_type,
                               onepass_operator op)
{
    if (!is_output(in_type, out_type))
        return context_fail(caller->ctx, ONEPASS_UNSUPPORTED, "%s: %sout_type %s does not go with in_type %s",
                            caller->function, caller->field, onepass_type_name(out_type), onepass_type_name(in_type));
    if (!is_defined(op, in_type))
        return context_fail(caller->ctx, ONEPASS_UNSUPPORTED, "%s: %sop %s is for integers; the items are %s",
                            caller->function, caller->field, onepass_operator_name(op), onepass_type_name(in_type));
    return ONEPASS_SUCCESS;
}

onepass_result check_reserved(const struct caller *caller, const char *name, uint64_t max_items)
{
    if (max_items > caller->ctx->max_items)
        return context_fail(caller->ctx, ONEPASS_NOT_RESERVED,
                            "%s: %s%s is %" PRIu64 "; the context has room for %" PRIu64 " (onepass_reserve)",
                            caller->function, caller->field, name, max_items, caller->ctx->max_items);
    return ONEPASS_SUCCESS;
}

static uint64_t num_bytes(const struct range *range)
{
    return range->start == NULL ? 0 : range->num_items * range->item_size;
}

static onepass_result check_range(const struct caller *caller, const struct range *range)
{
    uintptr_t address = (uintptr_t)range->start;
    if (range->start == NULL) {
        if (!range->is_required || range->num_items == 0)
            return ONEPASS_SUCCESS;
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %s%s is NULL; it must point to %" PRIu64 " items of %zu bytes", caller->function,
                            caller->field, range->name, range->num_items, range->item_size);
    }
    if (address % range->item_size != 0)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT, "%s: %s%s is %p; it must be aligned to %zu bytes",
                            caller->function, caller->field, range->name, range->start, range->item_size);
    if (range->num_items > (UINTPTR_MAX - address) / range->item_size)
        return context_fail(caller->ctx, ONEPASS_INVALID_ARGUMENT,
                            "%s: %s%s is %p; %" PRIu64 " items of %zu bytes from there leave the address space",
                            caller->function, caller->field, range->name, range->start, range->num_items,
                            range->item_size);
    return ONEPASS_SUCCESS;
}

static bool ranges_overlap(const struct range *x, const struct range *y)
{
    uintptr_t x_start = (uintptr_t)x->start;
    uintptr_t y_start = (uintptr_t)y->start;
    return num_bytes(x) > 0 && num_bytes(y) > 0 && x_start < y_start + num_bytes(y) && y_start < x_start + num_bytes(x);
}

onepass_result check_ranges(const struct caller *caller, const struct range *ranges, int num_ranges)
{
    for (int i = 0; i < num_ranges; i++)
        CHECK(check_range(caller, &ranges[i]));
    for (int i = 0; i < num_ranges; i++) {
        for (int j = 0; j < i; j++) {
            const struct range *x = &ranges[j];
            const struct range *y = &ranges[i];
            bool is_in_place = x->in_place != 0 && x->in_place == y->in_place && x->start == y->start;
            if ((x->is_output || y->is_output) && !is_in_place && ranges_overlap(x, y))
                return context_fail(caller->ctx, ONEPASS_OVERLAP,
                                    "%s: %s%s [%p, +%" PRIu64 " bytes) and %s%s [%p, +%" PRIu64 " bytes) overlap",
                                    caller->function, caller->field, x->name, x->start, num_bytes(x), caller->field,
                                    y->name, y->start, num_bytes(y));
        }
    }
    return ONEPASS_SUCCESS;
}
