/* SPDX-License-Identifier: MIT */
/*
 * Predicates and selection of the oracle.
 *
 * The one idea: a predicate is one C comparison of two int64_t, two uint64_t or two double, whichever holds every value
 * of the item type; that these reach beyond a small integer type is just what the header wants. Kept items are moved as
 * bytes, so that they keep their bits.
 */
#include "oracle.h"

#include <math.h>
#include <string.h>

static int holds_signed(onepass_predicate_kind kind, int64_t x, int64_t a, int64_t b)
{
    switch ((int)kind) {
    case ONEPASS_EQUAL: return x == a;
    case ONEPASS_LESS: return x < a;
    case ONEPASS_LESS_EQUAL: return x <= a;
    case ONEPASS_GREATER: return x > a;
    case ONEPASS_GREATER_EQUAL: return x >= a;
    case ONEPASS_BETWEEN: return a <= x && x <= b;
    case ONEPASS_ZERO: return x == 0;
    default: return 0;
    }
}

static int holds_unsigned(onepass_predicate_kind kind, uint64_t x, uint64_t a, uint64_t b)
{
    switch ((int)kind) {
    case ONEPASS_EQUAL: return x == a;
    case ONEPASS_LESS: return x < a;
    case ONEPASS_LESS_EQUAL: return x <= a;
    case ONEPASS_GREATER: return x > a;
    case ONEPASS_GREATER_EQUAL: return x >= a;
    case ONEPASS_BETWEEN: return a <= x && x <= b;
    case ONEPASS_ZERO: return x == 0;
    default: return 0;
    }
}

static int holds_floating(onepass_predicate_kind kind, double x, double a, double b)
{
    switch ((int)kind) {
    case ONEPASS_EQUAL: return x == a;
    case ONEPASS_LESS: return x < a;
    case ONEPASS_LESS_EQUAL: return x <= a;
    case ONEPASS_GREATER: return x > a;
    case ONEPASS_GREATER_EQUAL: return x >= a;
    case ONEPASS_BETWEEN: return a <= x && x <= b;
    case ONEPASS_ZERO: return x == 0.0;
    case ONEPASS_NAN: return isnan(x) != 0;
    case ONEPASS_FINITE: return isfinite(x) != 0;
    default: return 0;
    }
}

int oracle_keeps(onepass_type type, const onepass_predicate *keep, const void *items, uint64_t idx)
{
    onepass_value x = oracle_load(type, items, idx);
    int holds;
    if (keep->kind == ONEPASS_ANY_BITS || keep->kind == ONEPASS_ALL_BITS) {
        uint64_t mask = oracle_convert(type, keep->a).u; /* modulo 2^bits; sign bits above go with those of x */
        holds = keep->kind == ONEPASS_ANY_BITS ? (x.u & mask) != 0 : (x.u & mask) == mask;
    } else if (oracle_is_floating(type)) {
        holds = holds_floating(keep->kind, x.f, oracle_convert(type, keep->a).f, oracle_convert(type, keep->b).f);
    } else if (oracle_is_signed(type)) {
        holds = holds_signed(keep->kind, x.i, keep->a.i, keep->b.i);
    } else {
        holds = holds_unsigned(keep->kind, x.u, keep->a.u, keep->b.u);
    }
    return keep->negate ? !holds : holds;
}

void oracle_select(const onepass_select_spec *spec)
{
    uint64_t num_items = oracle_num_items(spec->max_items, spec->d_num_items);
    size_t size = oracle_type_size(spec->type);
    onepass_value position;
    uint64_t num_selected = 0;

    /* In place needs no copy: output num_selected is written after item idx was read, and num_selected <= idx. */
    for (uint64_t idx = 0; idx < num_items; ++idx) {
        int kept = spec->keep != NULL ? oracle_keeps(spec->type, spec->keep, spec->d_in, idx) : spec->d_flags[idx] != 0;
        if (!kept) {
            continue;
        }
        if (num_selected < spec->capacity && spec->d_out != NULL) {
            memmove((unsigned char *)spec->d_out + num_selected * size,
                    (const unsigned char *)spec->d_in + idx * size, size);
        }
        if (num_selected < spec->capacity && spec->d_out_indices != NULL) {
            position.u = idx;
            oracle_store(spec->index_type, position, spec->d_out_indices, num_selected);
        }
        ++num_selected;
    }
    if (spec->d_num_selected != NULL) { /* may be NULL if max_items is 0 */
        *spec->d_num_selected = num_selected;
    }
}
