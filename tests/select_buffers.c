/* SPDX-License-Identifier: MIT */
/* See select_buffers.h. */
#include "select_buffers.h"

#include "backends.h"
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

static void expect_copy(output *o)
{
    o->expected = malloc(o->written.num_bytes + 1);
    assert_non_null(o->expected);
    memcpy(o->expected, o->written.items, o->written.num_bytes);
}

static output new_output(onepass_context *ctx, const select_case *c, const char *name, int part, uint64_t num_items,
                         size_t item_size, size_t shift)
{
    output o = { .written = guard_new(ctx, c->place, num_items * item_size, shift), .item_size = item_size };
    snprintf(o.name, sizeof o.name, "%s of part %d", name, part);
    expect_copy(&o);
    return o;
}

/* A payload with no part in outputs: one in four. Its sizes go round from a random one. */
static bool payload_is_wanted(const select_case *c, unsigned i, int part)
{
    return (c->seed >> (3 * i + (unsigned)part) & 3) != 0;
}

static size_t payload_size(const select_case *c, unsigned i)
{
    return (size_t)1 << (c->seed / 3 + i) % 5;
}

static bool payload_is_in_place(const select_case *c, unsigned i)
{
    return c->in_place && !c->payload_apart && i % 2 == 0;
}

static void fill_inputs(onepass_context *ctx, const select_case *c, buffers *b)
{
    uint64_t random = c->seed;
    uint64_t count = prop_random(&random) % (c->max_items + 1);
    if (c->count_is_above)
        count = c->max_items + 1 + (prop_random(&random) >> 1);
    const size_t size = onepass_type_size(c->type);
    b->in = (output){ .written = guard_new(ctx, c->place, c->max_items * size, c->in_shift), .item_size = size };
    b->flags = guard_new(ctx, c->place, select_flag_bytes(c), c->flag_shift);
    b->num_items = guard_copy_of(ctx, GUARD_CANARIES, &count, sizeof count, 8);
    select_fill_items(c, b->in.written.items);
    select_fill_flags(c, b->flags.items, (uint8_t)c->seed);
    snprintf(b->in.name, sizeof b->in.name, "d_in");
    expect_copy(&b->in);
    for (unsigned i = 0; i < c->num_payloads; ++i) {
        output *o = &b->payload_in[i];
        o->item_size = payload_size(c, i);
        o->written = guard_new(ctx, c->place, c->max_items * o->item_size, c->flag_shift * o->item_size);
        input_fill(o->written.items, ONEPASS_U8, INPUT_BITS, c->seed + 20 + i, o->written.num_bytes);
        snprintf(o->name, sizeof o->name, "payloads[%u].d_in", i);
        expect_copy(o);
        guard_send(&o->written);
    }
    guard_send(&b->in.written);
    guard_send(&b->flags);
}

/* ---------------------------------------------------------------------------------------------- the specs */

/* What decides, where the oracle reads it, and no outputs: it only counts. */
static onepass_partition_spec counting_spec(const select_case *c, buffers *b)
{
    onepass_partition_spec spec = ONEPASS_PARTITION_SPEC_INIT;
    b->keep = select_predicate(c, b->in.expected, false);
    b->keep_second = select_predicate(c, b->in.expected, true);
    spec.type = c->type;
    spec.keep = c->kind > by_flags ? &b->keep : NULL;
    spec.keep_second = c->shape == PARTS_IN_THREE ? &b->keep_second : NULL;
    spec.d_flags = c->kind == by_flags ? b->flags.items : NULL;
    spec.flag_kind = c->flag_kind != 0 ? c->flag_kind : ONEPASS_FLAG_NONZERO;
    spec.flag_value = (uint8_t)c->seed;
    spec.unique = c->kind == by_runs ? 1 + (int)(c->seed & 0xff) : 0;
    spec.d_in = c->kind != by_flags || c->wants_items ? b->in.expected : NULL;
    spec.index_type = c->index_type;
    spec.joined = c->joined;
    spec.max_items = c->max_items;
    spec.d_num_items = c->has_count ? b->num_items.items : NULL;
    return spec;
}

uint64_t select_capacity(const select_case *c, uint64_t num_kept)
{
    const uint64_t capacities[] = { UINT64_MAX, 0, 1, num_kept == 0 ? 0 : num_kept - 1, num_kept, num_kept + 1 };
    return c->joined ? UINT64_MAX : capacities[c->capacity];
}

static bool part_is_there(const select_case *c, int part)
{
    const bool has_part = part == 0 || (!c->joined && (part == 1 ? c->shape == PARTS_IN_THREE : c->shape != SELECTS));
    return has_part && (c->shape == SELECTS || (c->unwanted >> part & 1) == 0);
}

/* Outputs of exactly the size that the header asks for. */
static void make_outputs(onepass_context *ctx, const select_case *c, buffers *b, onepass_partition_spec *spec)
{
    onepass_part *const parts[] = { &spec->selected, &spec->second, &spec->rejected };
    uint64_t num_items = oracle_num_items(spec->max_items, spec->d_num_items);
    spec->d_num_selected = &b->expected_counts[0];
    spec->d_num_second = c->shape == PARTS_IN_THREE ? &b->expected_counts[1] : NULL;
    oracle_partition(spec);
    const uint64_t counts[] = { b->expected_counts[0], b->expected_counts[1],
                                num_items - b->expected_counts[0] - b->expected_counts[1] };
    for (unsigned i = 0; i < c->num_payloads; ++i)
        b->payloads_here[i] = (onepass_payload){ payload_size(c, i), b->payload_in[i].expected, NULL, NULL, NULL };
    for (int part = 0; part < num_case_parts; ++part) {
        if (!part_is_there(c, part))
            continue;
        parts[part]->capacity = select_capacity(c, counts[part]);
        const uint64_t num = parts[part]->capacity < c->max_items ? parts[part]->capacity : c->max_items;
        if (c->wants_items && !c->in_place)
            b->parts[0][part] = new_output(ctx, c, "items", part, num, onepass_type_size(c->type), c->out_shift);
        parts[part]->d_items = c->wants_items && c->in_place ? b->in.expected : b->parts[0][part].expected;
        if (c->index_type != 0) {
            const size_t size = onepass_type_size(c->index_type);
            b->parts[1][part] = new_output(ctx, c, "indices", part, num, size, c->flag_shift * size);
            parts[part]->d_indices = b->parts[1][part].expected;
        }
        for (unsigned i = 0; i < c->num_payloads; ++i) {
            onepass_payload *p = &b->payloads_here[i];
            void **const outs[] = { &p->d_selected, &p->d_second, &p->d_rejected };
            output *o = &b->parts[2 + i][part];
            if (!payload_is_wanted(c, i, part))
                continue;
            if (!payload_is_in_place(c, i))
                *o = new_output(ctx, c, "payload", part, num, p->item_size, c->in_shift * p->item_size);
            *outs[part] = payload_is_in_place(c, i) ? b->payload_in[i].expected : o->expected;
        }
    }
    spec->payloads = c->num_payloads > 0 ? b->payloads_here : NULL;
    spec->num_payloads = (int)c->num_payloads;
}

/* Where the library finds what the oracle finds at `here`. */
static void *there(const buffers *b, const void *here)
{
    if (here == NULL)
        return NULL;
    if (here == b->in.expected)
        return b->in.written.d_items;
    for (int i = 0; i < ONEPASS_MAX_PAYLOADS; ++i)
        if (here == b->payload_in[i].expected)
            return b->payload_in[i].written.d_items;
    for (int i = 0; i < num_arrays; ++i)
        for (int part = 0; part < num_case_parts; ++part)
            if (here == b->parts[i][part].expected)
                return b->parts[i][part].written.d_items;
    return NULL;
}

onepass_partition_spec select_spec_there(const select_case *c, buffers *b, const onepass_partition_spec *here)
{
    onepass_partition_spec spec = *here;
    onepass_part *const parts[] = { &spec.selected, &spec.second, &spec.rejected };
    spec.d_flags = here->d_flags != NULL ? b->flags.d_items : NULL;
    spec.d_in = there(b, here->d_in);
    for (int part = 0; part < num_case_parts; ++part) {
        parts[part]->d_items = there(b, parts[part]->d_items);
        parts[part]->d_indices = there(b, parts[part]->d_indices);
    }
    for (unsigned i = 0; i < c->num_payloads; ++i) {
        const onepass_payload *p = &b->payloads_here[i];
        b->payloads_there[i] = (onepass_payload){ p->item_size, there(b, p->d_in), there(b, p->d_selected),
                                                  there(b, p->d_second), there(b, p->d_rejected) };
    }
    spec.payloads = here->payloads != NULL ? b->payloads_there : NULL;
    spec.d_num_selected = b->counts[0].d_items;
    spec.d_num_second = here->d_num_second != NULL ? b->counts[1].d_items : NULL;
    spec.d_num_items = c->has_count ? b->num_items.d_items : NULL;
    return spec;
}

/* ---------------------------------------------------------------------------------------------- all of it */

onepass_partition_spec select_make_buffers(onepass_context *ctx, const select_case *c, buffers *b)
{
    static const buffers none;
    *b = none;
    fill_inputs(ctx, c, b);
    b->counts[0] = guard_new(ctx, GUARD_CANARIES, sizeof(uint64_t), 8);
    b->counts[1] = guard_new(ctx, GUARD_CANARIES, sizeof(uint64_t), 8);
    onepass_partition_spec spec = counting_spec(c, b);
    make_outputs(ctx, c, b, &spec);
    return spec;
}

static void drop(output *o)
{
    free(o->expected);
    guard_drop(&o->written);
}

void select_drop_buffers(buffers *b)
{
    drop(&b->in);
    for (int i = 0; i < num_arrays * num_case_parts; ++i)
        drop(&b->parts[i / num_case_parts][i % num_case_parts]);
    for (int i = 0; i < ONEPASS_MAX_PAYLOADS; ++i)
        drop(&b->payload_in[i]);
    guard *const rest[] = { &b->flags, &b->num_items, &b->counts[0], &b->counts[1] };
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; ++i)
        guard_drop(rest[i]);
}
