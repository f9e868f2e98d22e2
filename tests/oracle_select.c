/* SPDX-License-Identifier: MIT */
/*
 * Predicates, selection and partition of the oracle.
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

int oracle_starts_a_run(onepass_type type, const void *items, uint64_t idx)
{
    if (idx == 0) {
        return 1;
    }
    onepass_value x = oracle_load(type, items, idx);
    onepass_value before = oracle_load(type, items, idx - 1);
    if (!oracle_is_floating(type)) {
        return x.u != before.u;
    }
    return x.f != before.f && !(isnan(x.f) && isnan(before.f));
}

/* Whether a flag says so. */
static int flag_keeps(const uint8_t *flags, onepass_flag_kind kind, uint8_t value, uint64_t idx)
{
    switch ((int)kind) {
    case ONEPASS_FLAG_NONZERO: return flags[idx] != 0;
    case ONEPASS_FLAG_EQUAL: return flags[idx] == value;
    default: return flags[idx / 8] >> idx % 8 & 1;
    }
}

/* The item that goes to entry number position of an output; NULL: not wanted. */
static void move_item(void *out, uint64_t position, const void *in, uint64_t idx, size_t size)
{
    if (out != NULL) {
        memmove((unsigned char *)out + position * size, (const unsigned char *)in + idx * size, size);
    }
}

static void write_index(void *out, uint64_t position, onepass_type type, uint64_t idx)
{
    onepass_value value;
    value.u = idx;
    if (out != NULL) {
        oracle_store(type, value, out, position);
    }
}

void oracle_select(const onepass_select_spec *spec)
{
    uint64_t num_items = oracle_num_items(spec->max_items, spec->d_num_items);
    size_t size = oracle_type_size(spec->type);
    uint64_t num_selected = 0;

    /* In place needs no copy: output num_selected is written after item idx was read, and num_selected <= idx. Nor is
     * the item before, which tells whether idx starts a run, another one then: it was written over only if everything
     * was kept so far, with itself. */
    for (uint64_t idx = 0; idx < num_items; ++idx) {
        int kept = spec->keep != NULL ? oracle_keeps(spec->type, spec->keep, spec->d_in, idx)
                   : spec->unique     ? oracle_starts_a_run(spec->type, spec->d_in, idx)
                                      : flag_keeps(spec->d_flags, spec->flag_kind, spec->flag_value, idx);
        if (!kept) {
            continue;
        }
        if (num_selected < spec->capacity) {
            move_item(spec->d_out, num_selected, spec->d_in, idx, size);
            write_index(spec->d_out_indices, num_selected, spec->index_type, idx);
            for (int i = 0; i < spec->num_payloads; ++i) {
                const onepass_payload *payload = &spec->payloads[i];
                move_item(payload->d_selected, num_selected, payload->d_in, idx, payload->item_size);
            }
        }
        ++num_selected;
    }
    if (spec->d_num_selected != NULL) { /* may be NULL if max_items is 0 */
        *spec->d_num_selected = num_selected;
    }
}

/* 0, 1 or 2: selected, second, rejected. */
static int part_of_item(const onepass_partition_spec *spec, uint64_t idx)
{
    if (spec->d_flags != NULL) {
        return flag_keeps(spec->d_flags, spec->flag_kind, spec->flag_value, idx) ? 0 : 2;
    }
    if (spec->unique) {
        return oracle_starts_a_run(spec->type, spec->d_in, idx) ? 0 : 2;
    }
    if (oracle_keeps(spec->type, spec->keep, spec->d_in, idx)) {
        return 0;
    }
    return spec->keep_second != NULL && oracle_keeps(spec->type, spec->keep_second, spec->d_in, idx) ? 1 : 2;
}

void oracle_partition(const onepass_partition_spec *spec)
{
    uint64_t num_items = oracle_num_items(spec->max_items, spec->d_num_items);
    size_t size = oracle_type_size(spec->type);
    uint64_t counts[3] = { 0, 0, 0 }, next[3] = { 0, 0, 0 };

    for (uint64_t idx = 0; idx < num_items; ++idx) {
        ++counts[part_of_item(spec, idx)];
    }
    if (spec->joined) {
        next[1] = counts[0];
        next[2] = counts[0] + counts[1];
    }
    for (uint64_t idx = 0; idx < num_items; ++idx) {
        int part = part_of_item(spec, idx);
        uint64_t position = next[part]++;
        int to = spec->joined ? 0 : part;
        const onepass_part *out = to == 0 ? &spec->selected : to == 1 ? &spec->second : &spec->rejected;
        if (position >= out->capacity) {
            continue;
        }
        move_item(out->d_items, position, spec->d_in, idx, size);
        write_index(out->d_indices, position, spec->index_type, idx);
        for (int i = 0; i < spec->num_payloads; ++i) {
            const onepass_payload *payload = &spec->payloads[i];
            void *const outs[3] = { payload->d_selected, payload->d_second, payload->d_rejected };
            move_item(outs[to], position, payload->d_in, idx, payload->item_size);
        }
    }
    if (spec->d_num_selected != NULL) {
        *spec->d_num_selected = counts[0];
    }
    if (spec->d_num_second != NULL) {
        *spec->d_num_second = counts[1];
    }
}
