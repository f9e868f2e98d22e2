/* SPDX-License-Identifier: MIT */
/* See fold_case.h. The oracle works on a copy of the output buffer, in place where the library does, so that all of the
 * two buffers must be equal in the end: what was written and what was left alone. */
#include "fold_case.h"

#include "backends.h"
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char fault[300];

const char *fold_fault(void)
{
    return fault;
}

const char *fold_described(const fold_case *c)
{
    static char text[400];
    static const char *const kinds[] = { "reduction", "inclusive scan", "exclusive scan", "offsets" };
    static const char *const initials[] = { "none", "given", "in memory" };
    static const char *const counts[] = { "none", "below", "equal", "above" };
    snprintf(text, sizeof text,
             "%s of %s into %s, %s%s%s, %" PRIu64 " items, initial %s, count %s, %d threads, shifts %zu %zu, place %d, "
             "values %s, seed %" PRIu64,
             onepass_operator_name(c->op), onepass_type_name(c->types.in), onepass_type_name(c->types.out),
             kinds[c->kind], c->reverse ? " reverse" : "", c->in_place ? " in place" : "", c->max_items,
             initials[c->initial], counts[c->count], thread_counts[c->context_idx], c->in_shift, c->out_shift,
             (int)c->place, input_kind_name(c->values), c->seed);
    return text;
}

/* Everything a case works on. */
typedef struct buffers {
    guard in, out, initial, num_items;
    void *expected, *in_before;
} buffers;

static uint64_t num_outputs_of(const fold_case *c)
{
    return c->kind == FOLD_REDUCE ? 1 : c->max_items + (c->kind == FOLD_OFFSETS);
}

static uint64_t count_of(const fold_case *c)
{
    uint64_t random = c->seed + 2;
    switch (c->count) {
    case COUNT_BELOW:
        return prop_random(&random) % (c->max_items + 1);
    case COUNT_ABOVE:
        return (prop_random(&random) & 1) != 0 ? c->max_items + 1 : UINT64_MAX;
    default:
        return c->max_items;
    }
}

static buffers make_buffers(onepass_context *ctx, const fold_case *c)
{
    const size_t in_bytes = c->in_place ? 0 : c->max_items * onepass_type_size(c->types.in);
    const size_t out_size = onepass_type_size(c->types.out), out_bytes = num_outputs_of(c) * out_size;
    const uint64_t count = count_of(c);
    buffers b = { .in = guard_new(ctx, c->place, in_bytes, c->in_shift),
                  .out = guard_new(ctx, c->place, out_bytes, c->out_shift),
                  .initial = guard_new(ctx, GUARD_CANARIES, out_size, c->out_shift),
                  .num_items = guard_copy_of(ctx, GUARD_CANARIES, &count, sizeof count, 8),
                  .expected = malloc(out_bytes + 1),
                  .in_before = malloc(in_bytes + 1) };
    assert_true(b.expected != NULL && b.in_before != NULL);
    input_fill(c->in_place ? b.out.items : b.in.items, c->types.in, c->values, c->seed, c->max_items);
    input_fill(b.initial.items, c->types.out, c->values, c->seed + 1, 1);
    memcpy(b.expected, b.out.items, out_bytes);
    memcpy(b.in_before, b.in.items, in_bytes);
    guard_send(&b.in);
    guard_send(&b.out);
    guard_send(&b.initial);
    return b;
}

static void drop_buffers(buffers *b)
{
    free(b->in_before);
    free(b->expected);
    guard_drop(&b->num_items);
    guard_drop(&b->initial);
    guard_drop(&b->out);
    guard_drop(&b->in);
}

/* The case as a spec of a scan; a reduction takes its fields over. */
static onepass_scan_spec spec_of(const fold_case *c, const void *d_in, void *d_out, const void *d_initial,
                                 const uint64_t *d_num_items)
{
    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    spec.in_type = c->types.in;
    spec.out_type = c->types.out == c->types.in && (c->seed & 1) != 0 ? (onepass_type)0 : c->types.out;
    spec.op = c->op;
    spec.kind = (onepass_scan_kind)c->kind;
    spec.reverse = c->reverse ? 1 + (int)(c->seed & 0xff) : 0;
    spec.has_initial = c->initial == INITIAL_GIVEN;
    spec.initial = input_value(c->types.out, c->values, c->seed + 1);
    spec.d_initial = c->initial == INITIAL_IN_MEMORY ? d_initial : NULL;
    spec.d_in = d_in;
    spec.d_out = d_out;
    spec.max_items = c->max_items;
    spec.d_num_items = c->count != COUNT_NONE ? d_num_items : NULL;
    return spec;
}

static onepass_reduce_spec reduce_spec_of(const onepass_scan_spec *scan)
{
    onepass_reduce_spec spec = ONEPASS_REDUCE_SPEC_INIT;
    spec.in_type = scan->in_type;
    spec.out_type = scan->out_type;
    spec.op = scan->op;
    spec.has_initial = scan->has_initial;
    spec.initial = scan->initial;
    spec.d_initial = scan->d_initial;
    spec.d_in = scan->d_in;
    spec.d_out = scan->d_out;
    spec.max_items = scan->max_items;
    spec.d_num_items = scan->d_num_items;
    return spec;
}

static void run_oracle(const fold_case *c, const onepass_scan_spec *spec)
{
    const onepass_reduce_spec reduce = reduce_spec_of(spec);
    if (c->kind == FOLD_REDUCE)
        oracle_reduce(&reduce);
    else
        oracle_scan(spec);
}

/* By the short function where there is one for the case, half of the time; else by spec. */
static onepass_result run_library(onepass_context *ctx, const fold_case *c, const onepass_scan_spec *spec)
{
    const bool is_short = c->types.in == c->types.out && !c->reverse && c->initial == INITIAL_NONE &&
                          c->count == COUNT_NONE && (c->seed & 2) != 0;
    if (is_short && c->kind == FOLD_INCLUSIVE)
        return onepass_inclusive_scan(ctx, spec->in_type, spec->op, spec->d_in, spec->d_out, spec->max_items);
    if (is_short && c->kind == FOLD_EXCLUSIVE)
        return onepass_exclusive_scan(ctx, spec->in_type, spec->op, spec->d_in, spec->d_out, spec->max_items);
    if (is_short && c->kind == FOLD_REDUCE)
        return onepass_reduce(ctx, spec->in_type, spec->op, spec->d_in, spec->d_out, spec->max_items);
    if (c->kind == FOLD_REDUCE) {
        const onepass_reduce_spec reduce = reduce_spec_of(spec);
        return onepass_reduce_with(ctx, &reduce);
    }
    return onepass_scan(ctx, spec);
}

/* A count above max_items is reported by the next onepass_synchronize, and by no other. */
static bool same_results(onepass_context *ctx, const fold_case *c, onepass_result result)
{
    const onepass_result done = onepass_synchronize(ctx), again = onepass_synchronize(ctx);
    const onepass_result should = c->count == COUNT_ABOVE ? ONEPASS_INVALID_ARGUMENT : ONEPASS_SUCCESS;
    if (result == ONEPASS_SUCCESS && done == should && again == ONEPASS_SUCCESS &&
        (should == ONEPASS_SUCCESS || strstr(onepass_last_error(ctx), "d_num_items") != NULL))
        return true;
    snprintf(fault, sizeof fault, "the call gave %s, synchronize %s, then %s; last error: %.150s",
             onepass_result_name(result), onepass_result_name(done), onepass_result_name(again),
             onepass_last_error(ctx));
    return false;
}

static bool same_outputs(const fold_case *c, const buffers *b)
{
    const size_t size = onepass_type_size(c->types.out);
    const unsigned char *should = b->expected, *is = b->out.items;
    if (memcmp(should, is, b->out.num_bytes) == 0)
        return true;
    uint64_t i = 0, should_bits = 0, is_bits = 0;
    while (memcmp(should + i * size, is + i * size, size) == 0)
        ++i;
    memcpy(&should_bits, should + i * size, size);
    memcpy(&is_bits, is + i * size, size);
    snprintf(fault, sizeof fault, "output %" PRIu64 " has bits %" PRIx64 "; the oracle has %" PRIx64, i, is_bits,
             should_bits);
    return false;
}

static bool untouched(const buffers *b)
{
    const bool canaries = guard_intact(&b->in) && guard_intact(&b->out) && guard_intact(&b->initial);
    if (canaries && memcmp(b->in_before, b->in.items, b->in.num_bytes) == 0)
        return true;
    snprintf(fault, sizeof fault, "%s", canaries ? "the input has changed" : "something was written beside a buffer");
    return false;
}

bool fold_agrees(onepass_context *ctx, const fold_case *c)
{
    buffers b = make_buffers(ctx, c);
    const onepass_scan_spec here =
        spec_of(c, c->in_place ? b.expected : b.in.items, b.expected, b.initial.items, b.num_items.items);
    run_oracle(c, &here);
    const onepass_scan_spec there =
        spec_of(c, c->in_place ? b.out.d_items : b.in.d_items, b.out.d_items, b.initial.d_items, b.num_items.d_items);
    bool agrees = same_results(ctx, c, run_library(ctx, c, &there));
    guard_fetch(&b.in);
    guard_fetch(&b.out);
    agrees = agrees && same_outputs(c, &b) && untouched(&b);
    drop_buffers(&b);
    return agrees;
}

void fold_check(void **state, const fold_case *c)
{
    if (fold_agrees(backend_context(state, c->context_idx), c))
        return;
    print_error("%s: %s\n", fold_described(c), fault);
    fail_msg("the library differs from the oracle");
}
