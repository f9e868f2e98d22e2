/* SPDX-License-Identifier: MIT */
/*
 * Scans and reductions of the oracle.
 *
 * The one idea: everything is computed by position, the place of an item in the order of the operator. Two lines say
 * where the item of a position and the output of a position lie; a reverse scan differs in nothing else. The input is
 * copied before the first output is written, so that working in place needs no thought.
 */
#include "oracle.h"

#include "order_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t oracle_num_items(uint64_t max_items, const uint64_t *d_num_items)
{
    return d_num_items != NULL && *d_num_items < max_items ? *d_num_items : max_items;
}

/* ----------------------------------------------------------------------------------- items and positions */

onepass_type oracle_out_type(onepass_type in_type, onepass_type out_type)
{
    return out_type == 0 ? in_type : out_type;
}

uint64_t oracle_item_of_position(const onepass_scan_spec *spec, uint64_t num_items, uint64_t position)
{
    return spec->reverse ? num_items - 1 - position : position;
}

uint64_t oracle_output_of_position(const onepass_scan_spec *spec, uint64_t num_items, uint64_t position)
{
    uint64_t last = spec->kind == ONEPASS_OFFSETS ? num_items : num_items - 1;
    return spec->reverse ? last - position : position;
}

static void *allocate(uint64_t num_items, size_t item_bytes)
{
    void *memory = calloc((size_t)num_items + 1, item_bytes); /* one more, so that none is not NULL */
    if (memory == NULL) {
        fprintf(stderr, "oracle: out of memory\n");
        abort();
    }
    return memory;
}

/* -------------------------------------------------------------------------------------------- operators */

static onepass_value identity_of(onepass_operator op, onepass_type type)
{
    onepass_value identity = { 0 };
    int64_t largest_signed = INT64_MAX >> (64 - 8 * oracle_type_size(type));
    if (oracle_is_floating(type)) {
        switch (op) {
        case ONEPASS_SUM: identity.f = +0.0; break;
        case ONEPASS_PROD: identity.f = 1.0; break;
        case ONEPASS_MIN: identity.f = INFINITY; break;
        case ONEPASS_MAX: identity.f = -INFINITY; break;
        case ONEPASS_AND: case ONEPASS_OR: case ONEPASS_XOR: break; /* unsupported */
        }
        return identity;
    }
    switch (op) {
    case ONEPASS_SUM: case ONEPASS_OR: case ONEPASS_XOR: identity.u = 0; break;
    case ONEPASS_PROD: identity.u = 1; break;
    case ONEPASS_AND: identity.u = UINT64_MAX; break;
    case ONEPASS_MIN: identity.u = oracle_is_signed(type) ? (uint64_t)largest_signed : UINT64_MAX; break;
    case ONEPASS_MAX: identity.i = oracle_is_signed(type) ? -largest_signed - 1 : 0; break;
    }
    return oracle_convert(type, identity); /* UINT64_MAX to as many ones as the type has */
}

static onepass_value combine_integers(onepass_operator op, onepass_type type, onepass_value a, onepass_value b)
{
    onepass_value result = { 0 };
    int a_is_less = oracle_is_signed(type) ? a.i < b.i : a.u < b.u;
    switch (op) {
    case ONEPASS_SUM: result.u = a.u + b.u; break;
    case ONEPASS_PROD: result.u = a.u * b.u; break;
    case ONEPASS_MIN: result = a_is_less ? a : b; break;
    case ONEPASS_MAX: result = a_is_less ? b : a; break;
    case ONEPASS_AND: result.u = a.u & b.u; break;
    case ONEPASS_OR: result.u = a.u | b.u; break;
    case ONEPASS_XOR: result.u = a.u ^ b.u; break;
    }
    return oracle_convert(type, result); /* modulo 2^bits */
}

/* MIN and MAX only: SUM and PROD go to the order oracle. */
static onepass_value combine_floats(onepass_operator op, onepass_value a, onepass_value b)
{
    int a_is_less = a.f < b.f || (a.f == 0.0 && b.f == 0.0 && signbit(a.f) && !signbit(b.f));
    if (isnan(a.f) || isnan(b.f)) {
        return isnan(a.f) ? a : b; /* which of them does not matter: it is written as the fixed NaN */
    }
    return (op == ONEPASS_MIN) == a_is_less ? a : b;
}

static onepass_value combine(onepass_operator op, onepass_type type, onepass_value a, onepass_value b)
{
    return oracle_is_floating(type) ? combine_floats(op, a, b) : combine_integers(op, type, a, b);
}

static int goes_by_order(onepass_operator op, onepass_type type)
{
    return oracle_is_floating(type) && (op == ONEPASS_SUM || op == ONEPASS_PROD);
}

/* The initial value if there is one, else `otherwise`. */
static onepass_value start_value(onepass_type out_type, int has_initial, onepass_value initial, const void *d_initial,
                                 onepass_value otherwise)
{
    if (d_initial != NULL) {
        return oracle_load(out_type, d_initial, 0);
    }
    return has_initial ? oracle_convert(out_type, initial) : otherwise;
}

static onepass_value nothing_of(onepass_operator op)
{
    onepass_value nothing = { 0 };
    nothing.f = order_oracle_nothing(op);
    return nothing;
}

onepass_type oracle_accumulator(onepass_type out_type)
{
    return out_type == ONEPASS_F64 ? ONEPASS_F64 : ONEPASS_F32;
}

/* ------------------------------------------------------------------------------------------------- scan */

static void scan_by_order(const onepass_scan_spec *spec, onepass_type out_type, uint64_t num_items,
                          uint64_t num_outputs)
{
    int inclusive = spec->kind == ONEPASS_INCLUSIVE;
    onepass_value no_initial = inclusive ? nothing_of(spec->op) : identity_of(spec->op, out_type);
    onepass_value start = start_value(out_type, spec->has_initial, spec->initial, spec->d_initial, no_initial);
    double *items = allocate(num_items, sizeof *items);
    double *outputs = allocate(num_outputs, sizeof *outputs);
    order_oracle order = { spec->op, oracle_accumulator(out_type), oracle_type_size(spec->in_type), start.f,
                           items, num_items };

    for (uint64_t p = 0; p < num_items; ++p) {
        items[p] = oracle_load(spec->in_type, spec->d_in, oracle_item_of_position(spec, num_items, p)).f;
    }
    order_oracle_scan(&order, inclusive, outputs, num_outputs);
    for (uint64_t p = 0; p < num_outputs; ++p) {
        onepass_value output;
        output.f = outputs[p];
        oracle_store(out_type, output, spec->d_out, oracle_output_of_position(spec, num_items, p));
    }
    free(outputs);
    free(items);
}

static void scan_one_by_one(const onepass_scan_spec *spec, onepass_type out_type, uint64_t num_items,
                            uint64_t num_outputs)
{
    onepass_value sum = start_value(out_type, spec->has_initial, spec->initial, spec->d_initial,
                                    identity_of(spec->op, out_type));
    onepass_value *items = allocate(num_items, sizeof *items);

    for (uint64_t p = 0; p < num_items; ++p) {
        items[p] = oracle_load(spec->in_type, spec->d_in, oracle_item_of_position(spec, num_items, p));
    }
    for (uint64_t p = 0; p < num_outputs; ++p) {
        onepass_value before = sum;
        if (p < num_items) { /* not behind the total of OFFSETS */
            sum = combine(spec->op, out_type, before, oracle_convert(out_type, items[p]));
        }
        oracle_store(out_type, spec->kind == ONEPASS_INCLUSIVE ? sum : before, spec->d_out,
                     oracle_output_of_position(spec, num_items, p));
    }
    free(items);
}

void oracle_scan(const onepass_scan_spec *spec)
{
    onepass_type out_type = oracle_out_type(spec->in_type, spec->out_type);
    uint64_t num_items = oracle_num_items(spec->max_items, spec->d_num_items);
    uint64_t num_outputs = spec->kind == ONEPASS_OFFSETS ? num_items + 1 : num_items;
    if (num_outputs == 0 || spec->d_out == NULL) { /* d_out may be NULL if max_items is 0, with OFFSETS too */
        return;
    }
    if (goes_by_order(spec->op, out_type)) {
        scan_by_order(spec, out_type, num_items, num_outputs);
    } else {
        scan_one_by_one(spec, out_type, num_items, num_outputs);
    }
}

/* ----------------------------------------------------------------------------------------------- reduce */

static onepass_value reduce_by_order(const onepass_reduce_spec *spec, onepass_type out_type, uint64_t num_items)
{
    onepass_value no_initial = num_items > 0 ? nothing_of(spec->op) : identity_of(spec->op, out_type);
    onepass_value start = start_value(out_type, spec->has_initial, spec->initial, spec->d_initial, no_initial);
    double *items = allocate(num_items, sizeof *items);
    order_oracle order = { spec->op, oracle_accumulator(out_type), oracle_type_size(spec->in_type), start.f,
                           items, num_items };
    onepass_value result;

    for (uint64_t p = 0; p < num_items; ++p) {
        items[p] = oracle_load(spec->in_type, spec->d_in, p).f;
    }
    result.f = order_oracle_reduce(&order);
    free(items);
    return result;
}

void oracle_reduce(const onepass_reduce_spec *spec)
{
    onepass_type out_type = oracle_out_type(spec->in_type, spec->out_type);
    uint64_t num_items = oracle_num_items(spec->max_items, spec->d_num_items);
    onepass_value sum = start_value(out_type, spec->has_initial, spec->initial, spec->d_initial,
                                    identity_of(spec->op, out_type));
    if (goes_by_order(spec->op, out_type)) {
        sum = reduce_by_order(spec, out_type, num_items);
    } else {
        for (uint64_t idx = 0; idx < num_items; ++idx) {
            onepass_value item = oracle_convert(out_type, oracle_load(spec->in_type, spec->d_in, idx));
            sum = combine(spec->op, out_type, sum, item);
        }
    }
    if (spec->d_out != NULL) { /* may be NULL if max_items is 0 */
        oracle_store(out_type, sum, spec->d_out, 0);
    }
}

/* ------------------------------------------------------------------------------------------------ specs */

onepass_scan_spec oracle_scan_spec(onepass_type in_type, onepass_type out_type, onepass_operator op,
                                   onepass_scan_kind kind, const void *in, void *out, uint64_t num_items)
{
    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    spec.in_type = in_type;
    spec.out_type = out_type;
    spec.op = op;
    spec.kind = kind;
    spec.d_in = in;
    spec.d_out = out;
    spec.max_items = num_items;
    return spec;
}

onepass_reduce_spec oracle_reduce_spec(const onepass_scan_spec *scan, void *out)
{
    onepass_reduce_spec spec = ONEPASS_REDUCE_SPEC_INIT;
    spec.in_type = scan->in_type;
    spec.out_type = scan->out_type;
    spec.op = scan->op;
    spec.has_initial = scan->has_initial;
    spec.initial = scan->initial;
    spec.d_initial = scan->d_initial;
    spec.d_in = scan->d_in;
    spec.d_out = out;
    spec.max_items = scan->max_items;
    spec.d_num_items = scan->d_num_items;
    return spec;
}
