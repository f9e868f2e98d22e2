/* SPDX-License-Identifier: MIT */
/* See digest_rows.h. A call is written once, for whatever computes it: only the pointers differ. */
#include "digest_rows.h"

#include "oracle.h"

#include <assert.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

digest_row digest_rows[max_digest_rows];
size_t num_digest_rows;

/* ------------------------------------------------------------------------------------------------ the list */

static const onepass_operator no_operator = (onepass_operator)0; /* of a selection */

/* Values for which the result depends on all items: no NaN early on, no product that has become 0 or infinite. */
static input_kind lasting_values(onepass_operator op, onepass_type type, uint64_t seed)
{
    if (op == ONEPASS_PROD)
        return INPUT_NEAR_ONE;
    if (op == ONEPASS_SUM || op == no_operator)
        return INPUT_ORDINARY;
    if (type_is_floating(type))
        return seed % 3 == 0 ? INPUT_BITS : INPUT_HUGE;
    return op == ONEPASS_XOR ? INPUT_BITS : INPUT_RARE;
}

/* Some rows, some tiles, or a little over three windows. Floating sums and products take four, all of them: only they
 * depend on how windows are grouped, and nothing + (w0 + w1) + (w2 + w3), which would be wrong, is right before that.
 */
static uint64_t varied_num_items(onepass_operator op, onepass_type type, uint64_t seed)
{
    const uint64_t window = input_window_bytes / onepass_type_size(type);
    if (type_is_floating(type) && (op == ONEPASS_SUM || op == ONEPASS_PROD))
        return 4 * window + 1 + seed;
    return seed / 2 % 6 == 0 ? 3 * window + 1 + seed : seed / 2 % 2 == 0 ? 65536 + seed : 1000 + seed;
}

static void add_row(digest_operation what, type_pair types, onepass_operator op)
{
    assert(num_digest_rows < max_digest_rows);
    /* INPUT_RARE is all ones for odd seeds, else all zeros: whichever the operator leaves as it is. */
    const uint64_t seed = 2 * num_digest_rows + (op == ONEPASS_AND || op == ONEPASS_MIN);
    digest_rows[num_digest_rows] = (digest_row){ .operation = what,
                                                 .types = types,
                                                 .op = op,
                                                 .kind = (onepass_scan_kind)(ONEPASS_INCLUSIVE + num_digest_rows % 3),
                                                 .reverse = num_digest_rows % 5 == 0,
                                                 .num_items = varied_num_items(op, types.in, seed),
                                                 .values = lasting_values(op, types.in, seed),
                                                 .seed = seed };
    ++num_digest_rows;
}

void digest_list_rows(void)
{
    for (size_t i = 0; i < num_type_pairs; ++i)
        for (size_t j = 0; j < num_item_operators; ++j)
            if (operator_goes_with(item_operators[j], type_pairs[i].in)) {
                add_row(SCAN, type_pairs[i], item_operators[j]);
                if (j == 0 || (i + j) % 4 == 0)
                    add_row(REDUCE, type_pairs[i], item_operators[j]);
            }
    for (size_t i = 0; i < num_item_types; ++i)
        for (int j = 0; j < 3; ++j) {
            add_row(SELECT_IF, (type_pair){ item_types[i], item_types[i] }, no_operator);
            add_row(SELECT_FLAGGED, (type_pair){ item_types[i], item_types[i] }, no_operator);
        }
    for (size_t i = 0; i < num_item_types; ++i)
        for (int j = 0; j < 2; ++j) {
            add_row(UNIQUE, (type_pair){ item_types[i], item_types[i] }, no_operator);
            add_row(PARTITION, (type_pair){ item_types[i], item_types[i] }, no_operator);
        }
}

/* All of a line but the digest. */
void digest_print_key(const digest_row *r, char *key)
{
    static const char *const operations[] = { "scan", "reduce", "select_if", "select_flagged", "unique", "partition" };
    static const char *const kinds[] = { "", "inclusive", "exclusive", "offsets" };
    const bool is_select = r->operation >= SELECT_IF;
    snprintf(key, digest_line_length, "%s %s %s %s %s%s %" PRIu64 " %s %" PRIu64, operations[r->operation],
             is_select ? "-" : onepass_operator_name(r->op), onepass_type_name(r->types.in),
             onepass_type_name(r->types.out), r->operation == SCAN ? kinds[r->kind] : "-",
             r->operation == SCAN && r->reverse ? "_reverse" : "", r->num_items, input_kind_name(r->values), r->seed);
}

uint64_t digest_next_in_table(FILE *table, const digest_row *r)
{
    char line[digest_line_length] = "", key[digest_line_length];
    digest_print_key(r, key);
    const size_t length = strlen(key);
    if (fgets(line, sizeof line, table) == NULL || strncmp(line, key, length) != 0)
        fail_msg("the table does not have the line \"%s ...\": test_digests --update", key);
    char *end = line;
    const uint64_t result = strtoull(line + length, &end, 16);
    if (*end != '\n')
        fail_msg("the table's line \"%s\" does not end with a digest", line);
    return result;
}

/* --------------------------------------------------------------------------------------------- computing */

/* FNV-1a. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t num_bytes)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < num_bytes; ++i)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}
static const uint64_t empty_digest = UINT64_C(0xcbf29ce484222325);

/* Where the items, the flags and the outputs of a row lie: ordinary memory for the oracle, the backend's for the
 * library. ctx is NULL for the oracle. */
typedef struct place {
    onepass_context *ctx;
    const void *in, *flags;
    void *out, *indices, *count;
} place;

static onepass_result run_scan(const digest_row *r, const place *at)
{
    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    spec.in_type = r->types.in;
    spec.out_type = r->types.out;
    spec.op = r->op;
    spec.kind = r->kind;
    spec.reverse = r->reverse;
    spec.d_in = at->in;
    spec.d_out = at->out;
    spec.max_items = r->num_items;
    if (at->ctx != NULL)
        return onepass_scan(at->ctx, &spec);
    oracle_scan(&spec);
    return ONEPASS_SUCCESS;
}

static onepass_result run_reduce(const digest_row *r, const place *at)
{
    onepass_reduce_spec spec = ONEPASS_REDUCE_SPEC_INIT;
    spec.in_type = r->types.in;
    spec.out_type = r->types.out;
    spec.op = r->op;
    spec.d_in = at->in;
    spec.d_out = at->out;
    spec.max_items = r->num_items;
    if (at->ctx != NULL)
        return onepass_reduce_with(at->ctx, &spec);
    oracle_reduce(&spec);
    return ONEPASS_SUCCESS;
}

static onepass_predicate predicate_of(const digest_row *r, uint64_t seed)
{
    return (onepass_predicate){ (onepass_predicate_kind)(ONEPASS_EQUAL + seed / 2 % ONEPASS_ZERO), seed % 4 != 0,
                                input_value(r->types.in, r->values, seed),
                                input_value(r->types.in, r->values, seed + 1) };
}

static onepass_result run_select(const digest_row *r, const place *at)
{
    const onepass_predicate keep = predicate_of(r, r->seed);
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    spec.type = r->types.in;
    spec.keep = r->operation == SELECT_IF ? &keep : NULL;
    spec.d_flags = r->operation == SELECT_FLAGGED ? at->flags : NULL;
    spec.unique = r->operation == UNIQUE;
    spec.d_in = at->in;
    spec.d_out = at->out;
    spec.index_type = r->seed % 4 != 0 ? ONEPASS_U32 : ONEPASS_U64;
    spec.d_out_indices = at->indices;
    spec.d_num_selected = at->count;
    spec.max_items = r->num_items;
    if (at->ctx != NULL)
        return onepass_select(at->ctx, &spec);
    oracle_select(&spec);
    return ONEPASS_SUCCESS;
}

/* In three parts, one behind another, so that all of the outputs is written. */
static onepass_result run_partition(const digest_row *r, const place *at)
{
    const onepass_predicate keep = predicate_of(r, r->seed + 2), keep_second = predicate_of(r, r->seed + 7);
    onepass_partition_spec spec = ONEPASS_PARTITION_SPEC_INIT;
    spec.type = r->types.in;
    spec.keep = &keep;
    spec.keep_second = &keep_second;
    spec.d_in = at->in;
    spec.joined = 1;
    spec.selected.d_items = at->out;
    spec.index_type = r->seed % 4 != 0 ? ONEPASS_U32 : ONEPASS_U64;
    spec.selected.d_indices = at->indices;
    spec.d_num_selected = at->count;
    spec.d_num_second = (uint64_t *)at->count + 1;
    spec.max_items = r->num_items;
    if (at->ctx != NULL)
        return onepass_partition(at->ctx, &spec);
    oracle_partition(&spec);
    return ONEPASS_SUCCESS;
}

static onepass_result run(const digest_row *r, const place *at)
{
    return r->operation == SCAN        ? run_scan(r, at)
           : r->operation == REDUCE    ? run_reduce(r, at)
           : r->operation == PARTITION ? run_partition(r, at)
                                       : run_select(r, at);
}

/* Sizes of what a row reads and of the most that it writes. */
static size_t in_bytes(const digest_row *r)
{
    return r->num_items * onepass_type_size(r->types.in);
}

static size_t out_bytes(const digest_row *r)
{
    const size_t size = onepass_type_size(r->types.out);
    return r->operation == REDUCE ? size : (r->num_items + (r->operation == SCAN && r->kind == ONEPASS_OFFSETS)) * size;
}

static size_t count_bytes(const digest_row *r)
{
    return r->operation == PARTITION ? 16 : 8;
}

static size_t indices_bytes(const digest_row *r)
{
    return r->operation >= SELECT_IF ? 8 * r->num_items : 0;
}

/* Outputs are cleared before, so that all of them can be digested. */
static uint64_t digest_of_outputs(const digest_row *r, const void *out, const void *indices, const void *count)
{
    const uint64_t of_out = digest(empty_digest, out, out_bytes(r));
    return r->operation < SELECT_IF ? of_out : digest(digest(of_out, indices, indices_bytes(r)), count, count_bytes(r));
}

static void fill(const digest_row *r, void *in, uint8_t *flags)
{
    input_fill(in, r->types.in, r->values, r->seed, r->num_items);
    const size_t size = onepass_type_size(r->types.in);
    for (uint64_t i = 1; r->operation == UNIQUE && i < r->num_items; ++i) /* runs of five */
        if (i % 5 != 0)
            memcpy((unsigned char *)in + i * size, (unsigned char *)in + (i - 1) * size, size);
    input_fill(flags, ONEPASS_U8, INPUT_EXTREME, r->seed + 1, r->operation == SELECT_FLAGGED ? r->num_items : 0);
}

uint64_t digest_by_oracle(const digest_row *r)
{
    void *in = malloc(in_bytes(r)), *flags = malloc(r->num_items);
    void *out = calloc(1, out_bytes(r)), *indices = calloc(1, indices_bytes(r) + 1);
    uint64_t counts[2] = { 0, 0 };
    assert(in != NULL && flags != NULL && out != NULL && indices != NULL);
    fill(r, in, flags);
    run(r, &(place){ NULL, in, flags, out, indices, counts });
    const uint64_t result = digest_of_outputs(r, out, indices, counts);
    free(indices);
    free(out);
    free(flags);
    free(in);
    return result;
}

digest_call digest_call_begin(const digest_row *r, onepass_context *ctx)
{
    const size_t shift = r->seed % 8 * 8;
    digest_call call = {
        .row = r,
        .ctx = ctx,
        .in = guard_new(ctx, GUARD_CANARIES, in_bytes(r), shift),
        .flags = guard_new(ctx, GUARD_CANARIES, r->num_items, shift + 1),
        .out = guard_new(ctx, GUARD_CANARIES, out_bytes(r), 64 - shift),
        .indices = guard_new(ctx, GUARD_CANARIES, indices_bytes(r), shift),
        .count = guard_new(ctx, GUARD_CANARIES, count_bytes(r), 8),
    };
    memset(call.out.items, 0, call.out.num_bytes);
    memset(call.indices.items, 0, call.indices.num_bytes);
    fill(r, call.in.items, call.flags.items);
    const guard *const all[] = { &call.in, &call.flags, &call.out, &call.indices, &call.count };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        guard_send(all[i]);
    return call;
}

void digest_call_make(const digest_call *call)
{
    const place at = { call->ctx,         call->in.d_items,      call->flags.d_items,
                       call->out.d_items, call->indices.d_items, call->count.d_items };
    assert_int_equal(run(call->row, &at), ONEPASS_SUCCESS);
}

uint64_t digest_call_result(const digest_call *call)
{
    guard_fetch(&call->out);
    guard_fetch(&call->indices);
    guard_fetch(&call->count);
    return digest_of_outputs(call->row, call->out.items, call->indices.items, call->count.items);
}

void digest_call_end(digest_call *call)
{
    guard_drop(&call->in);
    guard_drop(&call->flags);
    guard_drop(&call->out);
    guard_drop(&call->indices);
    guard_drop(&call->count);
}

uint64_t digest_by_library(const digest_row *r, onepass_context *ctx)
{
    digest_call call = digest_call_begin(r, ctx);
    digest_call_make(&call);
    const uint64_t result = digest_call_result(&call);
    digest_call_end(&call);
    return result;
}
