/* SPDX-License-Identifier: MIT */
/* See select_case.h. The oracle works on copies of the output buffers, in place where the library does. */
#include "select_buffers.h"

#include "backends.h"
#include "oracle.h"

#include <inttypes.h>
#include <string.h>

static char fault[300];

const char *select_fault(void)
{
    return fault;
}

const char *select_described(const select_case *c)
{
    static char text[700];
    static const char *const capacities[] = { "unlimited", "0", "1", "kept - 1", "kept", "kept + 1" };
    static const char *const shapes[] = { "select", "two parts", "three parts" };
    snprintf(text, sizeof text,
             "%s%s of %" PRIu64 " items of %s, %s %d%s (values %d %d, second %d%s, density %u/256, flags %d), "
             "into%s%s%s%s, without parts %x, %u payloads, capacity %s, count %s, %d threads, shifts %zu %zu %zu, "
             "place %d, values %s, seed %" PRIu64,
             shapes[c->shape], c->joined ? " joined" : "", c->max_items, onepass_type_name(c->type),
             c->kind == by_flags  ? "flags"
             : c->kind == by_runs ? "runs"
                                  : "predicate",
             c->kind, c->negate ? " negated" : "", (int)c->a, (int)c->b, c->kind_second,
             c->negate_second ? " negated" : "", flag_densities[c->density_idx], (int)c->flag_kind,
             c->wants_items ? " items" : "", c->in_place ? " in place" : "", c->index_type != 0 ? " indices " : "",
             c->index_type != 0 ? onepass_type_name(c->index_type) : "", c->unwanted, c->num_payloads,
             capacities[c->capacity],
             !c->has_count       ? "none"
             : c->count_is_above ? "above"
                                 : "up to max_items",
             thread_counts[c->context_idx % num_thread_counts], c->in_shift, c->out_shift, c->flag_shift, (int)c->place,
             input_kind_name(c->values), c->seed);
    return text;
}

static onepass_select_spec select_spec_of(const onepass_partition_spec *p)
{
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    spec.type = p->type;
    spec.keep = p->keep;
    spec.d_flags = p->d_flags;
    spec.flag_kind = p->flag_kind;
    spec.flag_value = p->flag_value;
    spec.unique = p->unique;
    spec.d_in = p->d_in;
    spec.d_out = p->selected.d_items;
    spec.index_type = p->index_type;
    spec.d_out_indices = p->selected.d_indices;
    spec.capacity = p->selected.capacity;
    spec.payloads = p->payloads;
    spec.num_payloads = p->num_payloads;
    spec.d_num_selected = p->d_num_selected;
    spec.max_items = p->max_items;
    spec.d_num_items = p->d_num_items;
    return spec;
}

static void run_oracle(const select_case *c, const onepass_partition_spec *p)
{
    const onepass_select_spec s = select_spec_of(p);
    if (c->shape == SELECTS)
        oracle_select(&s);
    else
        oracle_partition(p);
}

static onepass_result select_shortly(onepass_context *ctx, const select_case *c, const onepass_select_spec *s)
{
    if (c->kind == by_runs)
        return onepass_unique(ctx, s->type, s->d_in, s->d_out, s->d_num_selected, s->max_items);
    if (c->kind == by_flags)
        return onepass_select_flagged(ctx, s->type, s->d_in, s->d_flags, s->d_out, s->d_num_selected, s->max_items);
    return onepass_select_if(ctx, s->type, s->keep, s->d_in, s->d_out, s->d_num_selected, s->max_items);
}

static onepass_result partition_shortly(onepass_context *ctx, const select_case *c, const onepass_partition_spec *p)
{
    void *const selected = p->selected.d_items, *const second = p->second.d_items,
                *const rejected = p->rejected.d_items;
    if (c->shape == PARTS_IN_THREE)
        return onepass_partition_three_way(ctx, p->type, p->keep, p->keep_second, p->d_in, selected, second, rejected,
                                           p->d_num_selected, p->d_num_second, p->max_items);
    if (c->kind == by_flags)
        return onepass_partition_flagged(ctx, p->type, p->d_in, p->d_flags, selected, rejected, p->d_num_selected,
                                         p->max_items);
    return onepass_partition_if(ctx, p->type, p->keep, p->d_in, selected, rejected, p->d_num_selected, p->max_items);
}

/* By the short function where there is one for the case, half of the time; else by spec. */
static onepass_result run_library(onepass_context *ctx, const select_case *c, const onepass_partition_spec *p)
{
    const onepass_select_spec s = select_spec_of(p);
    const bool is_plain = c->wants_items && c->index_type == 0 && select_capacity(c, 1) == UINT64_MAX &&
                          !c->has_count && c->num_payloads == 0 && p->flag_kind == ONEPASS_FLAG_NONZERO &&
                          c->unwanted == 0;
    const bool is_short = is_plain && (c->seed & 1) == 0;
    if (c->shape == SELECTS)
        return is_short ? select_shortly(ctx, c, &s) : onepass_select(ctx, &s);
    return is_short && !c->joined && c->kind != by_runs ? partition_shortly(ctx, c, p) : onepass_partition(ctx, p);
}

static bool same(const output *o)
{
    if (o->expected == NULL)
        return true;
    guard_fetch(&o->written);
    if (!guard_intact(&o->written)) {
        snprintf(fault, sizeof fault, "something was written beside %s", o->name);
        return false;
    }
    const unsigned char *should = o->expected, *is = o->written.items;
    if (o->written.num_bytes == 0 || memcmp(should, is, o->written.num_bytes) == 0)
        return true;
    size_t i = 0;
    while (should[i] == is[i])
        ++i;
    snprintf(fault, sizeof fault, "item %zu of %s (byte %zu) is %02x, should be %02x", i / o->item_size, o->name,
             i % o->item_size, (unsigned)is[i], (unsigned)should[i]);
    return false;
}

static bool same_count(const buffers *b, int part, bool is_wanted)
{
    uint64_t poison, count;
    memset(&poison, GUARD_POISON, sizeof poison);
    guard_fetch(&b->counts[part]);
    memcpy(&count, b->counts[part].items, sizeof count);
    const uint64_t expected = is_wanted ? b->expected_counts[part] : poison;
    if (count == expected && guard_intact(&b->counts[part]))
        return true;
    snprintf(fault, sizeof fault, "the count of part %d is %" PRIu64 ", should be %" PRIu64, part, count, expected);
    return false;
}

static bool same_results(onepass_context *ctx, const select_case *c, onepass_result result)
{
    const onepass_result done = onepass_synchronize(ctx);
    const bool is_clamped = c->has_count && c->count_is_above;
    if (result == ONEPASS_SUCCESS && done == (is_clamped ? ONEPASS_INVALID_ARGUMENT : ONEPASS_SUCCESS))
        return true;
    snprintf(fault, sizeof fault, "the call gave %s, synchronize %s; last error: %.150s", onepass_result_name(result),
             onepass_result_name(done), onepass_last_error(ctx));
    return false;
}

bool select_agrees(onepass_context *ctx, const select_case *given)
{
    const bool is_on_cuda = onepass_context_backend(ctx) == ONEPASS_BACKEND_CUDA;
    select_case of_backend = *given;
    of_backend.payload_apart |= is_on_cuda; /* which does not move payload in place so far */
    const select_case *c = &of_backend;
    buffers b;
    const onepass_partition_spec here = select_make_buffers(ctx, c, &b);
    run_oracle(c, &here);
    const onepass_partition_spec spec = select_spec_there(c, &b, &here);
    const onepass_result result = run_library(ctx, c, &spec);
    if (result == ONEPASS_UNSUPPORTED && is_on_cuda && c->shape != SELECTS) { /* so far */
        select_drop_buffers(&b);
        return true;
    }
    bool agrees = same_results(ctx, c, result) && same_count(&b, 0, true) &&
                  same_count(&b, 1, c->shape == PARTS_IN_THREE) && same(&b.in);
    for (int i = 0; i < num_arrays; ++i)
        for (int part = 0; part < num_case_parts; ++part)
            agrees = agrees && same(&b.parts[i][part]);
    for (int i = 0; i < ONEPASS_MAX_PAYLOADS; ++i)
        agrees = agrees && same(&b.payload_in[i]);
    agrees = agrees && guard_intact(&b.flags) && guard_intact(&b.num_items);
    select_drop_buffers(&b);
    return agrees;
}
