/* SPDX-License-Identifier: MIT */
/* See select_case.h. The oracle works on copies of the output buffers, in place where the library does. */
#include "select_case.h"

#include "backends.h"
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const unsigned flag_densities[num_flag_densities] = { 128, 0, 256, 1, 16, 240, 255 };

static char fault[300];

const char *select_fault(void)
{
    return fault;
}

bool predicate_goes_with(int kind, onepass_type type)
{
    if (kind == ONEPASS_NAN || kind == ONEPASS_FINITE)
        return type_is_floating(type);
    if (kind == ONEPASS_ANY_BITS || kind == ONEPASS_ALL_BITS)
        return !type_is_floating(type);
    return true;
}

const char *select_described(const select_case *c)
{
    static char text[500];
    static const char *const capacities[] = { "unlimited", "0", "1", "kept - 1", "kept", "kept + 1" };
    snprintf(text, sizeof text,
             "%" PRIu64 " items of %s, %s %d%s (values %d %d, density %u/256), into%s%s%s%s, capacity %s, count %s, "
             "%d threads, shifts %zu %zu %zu, place %d, values %s, seed %" PRIu64,
             c->max_items, onepass_type_name(c->type), c->kind == by_flags ? "flags" : "predicate", c->kind,
             c->negate ? " negated" : "", (int)c->a, (int)c->b, flag_densities[c->density_idx],
             c->wants_items ? " items" : "", c->in_place ? " in place" : "", c->index_type != 0 ? " indices " : "",
             c->index_type != 0 ? onepass_type_name(c->index_type) : "", capacities[c->capacity],
             !c->has_count       ? "none"
             : c->count_is_above ? "above"
                                 : "up to max_items",
             thread_counts[c->context_idx], c->in_shift, c->out_shift, c->flag_shift, (int)c->place,
             input_kind_name(c->values), c->seed);
    return text;
}

/* -------------------------------------------------------------------------------------------- the inputs */

/* The ends of the type's range, one beyond, and the ends of all numbers there are. */
static onepass_value value_at_the_end(onepass_type type, uint64_t r)
{
    const unsigned bits = 8 * (unsigned)onepass_type_size(type);
    if (type_is_floating(type)) {
        const double values[] = { 0.0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 1e300, -1e300, 65520.0 };
        return (r & 8) != 0 ? input_value(type, INPUT_EXTREME, r >> 4) : (onepass_value){ .f = values[r & 7] };
    }
    if (type_is_signed(type)) {
        const int64_t top = (int64_t)(UINT64_MAX >> (65 - bits)), beyond = bits < 64;
        const int64_t values[] = {
            top, top - 1, top + beyond, -top - 1, -top, -top - 1 - beyond, INT64_MIN, INT64_MAX
        };
        return (onepass_value){ .i = values[r & 7] };
    }
    const uint64_t top = UINT64_MAX >> (64 - bits), beyond = bits < 64;
    const uint64_t values[] = { top, top - 1, top + beyond, 0, 1, 2, UINT64_MAX, UINT64_C(1) << 63 };
    return (onepass_value){ .u = values[r & 7] };
}

static onepass_value make_value(const select_case *c, value_source source, const void *items, uint64_t seed)
{
    const uint64_t r = prop_random(&seed);
    switch (source) {
    case VALUE_OF_AN_ITEM:
        if (c->max_items > 0)
            return oracle_load(c->type, items, r % c->max_items);
        return input_value(c->type, c->values, r);
    case VALUE_AT_THE_END:
        return value_at_the_end(c->type, r);
    case VALUE_ANY:
        return (onepass_value){ .u = r };
    default:
        return input_value(c->type, c->values, r);
    }
}

/* Kept flags have any nonzero byte. */
static void fill_flags(uint8_t *flags, unsigned density, uint64_t seed, uint64_t num_flags)
{
    for (uint64_t i = 0; i < num_flags; ++i) {
        const uint64_t r = prop_random(&seed);
        flags[i] = (r & 0xff) < density ? (uint8_t)(1 + (r >> 8) % 255) : 0;
    }
}

/* ---------------------------------------------------------------------------------------------- one case */

/* Everything a case works on. One of d_in and d_out holds the items when it works in place: d_in, the longer. */
typedef struct buffers {
    guard in, flags, out, indices, num_selected, num_items;
    void *expected_in, *expected_out, *expected_indices;
    uint64_t expected_num_selected;
} buffers;

static void *copy_of(const guard *buffer)
{
    void *copy = malloc(buffer->num_bytes + 1);
    assert_non_null(copy);
    memcpy(copy, buffer->items, buffer->num_bytes);
    return copy;
}

/* The spec with the items, flags and count where the oracle reads them, and no outputs: it only counts. */
static onepass_select_spec counting_spec(const select_case *c, const buffers *b, const onepass_predicate *keep)
{
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    spec.type = c->type;
    spec.keep = c->kind != by_flags ? keep : NULL;
    spec.d_flags = c->kind == by_flags ? b->flags.items : NULL;
    spec.d_in = c->kind != by_flags || c->wants_items ? b->in.items : NULL;
    spec.max_items = c->max_items;
    spec.d_num_items = c->has_count ? b->num_items.items : NULL;
    return spec;
}

static uint64_t capacity_of(capacity_mode mode, uint64_t num_kept)
{
    const uint64_t capacities[] = { UINT64_MAX, 0, 1, num_kept == 0 ? 0 : num_kept - 1, num_kept, num_kept + 1 };
    return capacities[mode];
}

static void fill_inputs(onepass_context *ctx, const select_case *c, buffers *b)
{
    uint64_t random = c->seed;
    uint64_t count = prop_random(&random) % (c->max_items + 1);
    if (c->count_is_above)
        count = c->max_items + 1 + (prop_random(&random) >> 1);
    b->in = guard_new(ctx, c->place, c->max_items * onepass_type_size(c->type), c->in_shift);
    b->flags = guard_new(ctx, c->place, c->max_items, c->flag_shift);
    b->num_items = guard_copy_of(ctx, GUARD_CANARIES, &count, sizeof count, 8);
    input_fill(b->in.items, c->type, c->values, c->seed, c->max_items);
    fill_flags(b->flags.items, flag_densities[c->density_idx], c->seed + 1, c->max_items);
}

/* Outputs of exactly the size that the header asks for, and what the oracle leaves in them. */
static void make_outputs(onepass_context *ctx, const select_case *c, buffers *b, onepass_select_spec *spec)
{
    spec->d_num_selected = &b->expected_num_selected;
    oracle_select(spec);
    spec->capacity = capacity_of(c->capacity, b->expected_num_selected);
    const uint64_t num_outputs = spec->capacity < c->max_items ? spec->capacity : c->max_items;
    const size_t index_size = c->index_type != 0 ? onepass_type_size(c->index_type) : 0;
    b->out = guard_new(ctx, c->place, c->wants_items && !c->in_place ? num_outputs * onepass_type_size(c->type) : 0,
                       c->out_shift);
    b->indices = guard_new(ctx, c->place, num_outputs * index_size, c->flag_shift * index_size);
    b->num_selected = guard_new(ctx, GUARD_CANARIES, sizeof(uint64_t), 8);
    b->expected_in = copy_of(&b->in);
    b->expected_out = copy_of(&b->out);
    b->expected_indices = copy_of(&b->indices);
    if (c->wants_items)
        spec->d_out = c->in_place ? b->expected_in : b->expected_out;
    if (c->in_place)
        spec->d_in = b->expected_in;
    spec->index_type = c->index_type;
    spec->d_out_indices = c->index_type != 0 ? b->expected_indices : NULL;
    oracle_select(spec);
}

/* The oracle's spec with the library's pointers. */
static onepass_select_spec spec_there(const select_case *c, const buffers *b, const onepass_select_spec *here)
{
    onepass_select_spec spec = *here;
    spec.d_flags = here->d_flags != NULL ? b->flags.d_items : NULL;
    spec.d_in = here->d_in != NULL ? b->in.d_items : NULL;
    spec.d_out = !c->wants_items ? NULL : c->in_place ? b->in.d_items : b->out.d_items;
    spec.d_out_indices = c->index_type != 0 ? b->indices.d_items : NULL;
    spec.d_num_selected = b->num_selected.d_items;
    spec.d_num_items = c->has_count ? b->num_items.d_items : NULL;
    return spec;
}

/* By the short function where there is one for the case, half of the time; else by spec. */
static onepass_result run_library(onepass_context *ctx, const select_case *c, const onepass_select_spec *s)
{
    const bool is_short = c->wants_items && c->index_type == 0 && s->capacity == UINT64_MAX && !c->has_count;
    if (!is_short || (c->seed & 1) != 0)
        return onepass_select(ctx, s);
    if (c->kind == by_flags)
        return onepass_select_flagged(ctx, s->type, s->d_in, s->d_flags, s->d_out, s->d_num_selected, s->max_items);
    return onepass_select_if(ctx, s->type, s->keep, s->d_in, s->d_out, s->d_num_selected, s->max_items);
}

static bool same(const char *name, const void *expected, const guard *actual, size_t item_size)
{
    guard_fetch(actual);
    if (!guard_intact(actual)) {
        snprintf(fault, sizeof fault, "something was written beside %s", name);
        return false;
    }
    const unsigned char *should = expected, *is = actual->items;
    if (actual->num_bytes == 0 || memcmp(should, is, actual->num_bytes) == 0)
        return true;
    size_t i = 0;
    while (should[i] == is[i])
        ++i;
    snprintf(fault, sizeof fault, "item %zu of %s (byte %zu) is %02x, should be %02x", i / item_size, name,
             i % item_size, (unsigned)is[i], (unsigned)should[i]);
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

bool select_agrees(onepass_context *ctx, const select_case *c)
{
    buffers b = { 0 };
    fill_inputs(ctx, c, &b);
    const onepass_predicate keep = { (onepass_predicate_kind)c->kind, c->negate ? 1 + (int)(c->seed & 0xff) : 0,
                                     make_value(c, c->a, b.in.items, c->seed + 2),
                                     make_value(c, c->b, b.in.items, c->seed + 3) };
    onepass_select_spec here = counting_spec(c, &b, &keep);
    make_outputs(ctx, c, &b, &here);
    guard_send(&b.in);
    guard_send(&b.flags);
    const onepass_select_spec there = spec_there(c, &b, &here);
    const size_t size = onepass_type_size(c->type);
    const bool agrees = same_results(ctx, c, run_library(ctx, c, &there)) &&
                        same("d_num_selected", &b.expected_num_selected, &b.num_selected, sizeof(uint64_t)) &&
                        same("d_out", b.expected_out, &b.out, size) && same("d_in", b.expected_in, &b.in, size) &&
                        same("d_out_indices", b.expected_indices, &b.indices, c->index_type == ONEPASS_U64 ? 8 : 4) &&
                        guard_intact(&b.flags) && guard_intact(&b.num_items);
    free(b.expected_in);
    free(b.expected_out);
    free(b.expected_indices);
    guard *const all[] = { &b.in, &b.flags, &b.out, &b.indices, &b.num_selected, &b.num_items };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        guard_drop(all[i]);
    return agrees;
}
