/* SPDX-License-Identifier: MIT */
/*
 * Every bad argument of the partitions, as test_arguments.c has them for scans and reductions. The spec is tried in
 * three parts by predicates and in two by flags, with payload.
 */
#include "argument_faults.h"
#include "backends.h"

#include <string.h>

enum { THREE_SPEC = 1, FLAGS_SPEC = 2, IF = 4, FLAGGED = 8, THREE_WAY = 16, ALL = 31 };
enum { SPECS = THREE_SPEC | FLAGS_SPEC, KEEPS = THREE_SPEC | IF | THREE_WAY, THREE = THREE_SPEC | THREE_WAY };
enum { SHORT = IF | FLAGGED | THREE_WAY, BY_FLAGS = FLAGS_SPEC | FLAGGED };
enum { reserved_items = 1000, spec_bytes = sizeof(onepass_partition_spec) };

#define SET(field, number) NUMBER(partition.spec.field, number)
#define PUT(field, place) PLACE(partition.spec.field, place)
#define LAST_ADDRESS (UINTPTR_MAX - 7)

/* clang-format off */
static const fault faults[] = {
    { ALL, CONTEXT, INVALID, { NUMBER(ctx, 0) }, { "ctx", "NULL" } },
    { SPECS, SPEC, INVALID, { NUMBER(spec_is_null, 1) }, { "spec", "NULL" } },
    { SPECS, SPEC, INVALID, { SET(size, 0) }, { "size is 0" } },
    { SPECS, SPEC, INVALID, { SET(size, spec_bytes + tail_bytes), NUMBER(partition.tail[0], 1) }, { "size" } },
    { SPECS, SPEC, VALID, { SET(size, spec_bytes + tail_bytes) }, { NULL } },
    { ALL, TYPE, INVALID, { SET(type, 0) }, { "type", "0" } },
    { ALL, TYPE, INVALID, { SET(type, 13) }, { "type", "13" } },

    /* What decides. */
    { KEEPS, OPERATOR, INVALID, { NUMBER(keep.kind, 12) }, { "keep->", "kind", "12" } },
    { KEEPS, OPERATOR, UNSUPPORTED, { NUMBER(keep.kind, ONEPASS_NAN) }, { "keep->", "kind", "I32" } },
    { THREE, OPERATOR, INVALID, { NUMBER(keep_second.kind, 0) }, { "keep_second->", "kind", "0" } },
    { THREE, OPERATOR, UNSUPPORTED, { NUMBER(keep_second.kind, ONEPASS_NAN) }, { "keep_second->", "kind", "I32" } },
    { IF | THREE_WAY, SPEC_TO_OPERATOR, INVALID, { SET(keep, 0) }, { "keep is", "NULL" } },
    { THREE_WAY, SPEC_TO_OPERATOR, INVALID, { SET(keep_second, 0) }, { "keep_second", "NULL" } },
    { THREE_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(keep, 0) }, { "keep", "d_flags", "unique" } },
    { THREE_SPEC, SPEC_TO_OPERATOR, INVALID, { PUT(d_flags, FLAGS) }, { "keep", "d_flags", "unique" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { SET(unique, 1) }, { "keep", "d_flags", "unique" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(d_flags, 0) }, { "keep", "d_flags", "unique" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, VALID, { SET(d_flags, 0), SET(unique, -1) }, { NULL } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(keep_second, LAST_ADDRESS) }, { "keep_second", "keep" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(flag_kind, 0) }, { "flag_kind", "0" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(flag_kind, 4) }, { "flag_kind", "4" } },
    { THREE_SPEC, SPEC_TO_OPERATOR, VALID, { SET(flag_kind, 4) }, { NULL } },

    /* Parts that there are none of. */
    { THREE_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(keep_second, 0) }, { "is set", "keep_second" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { PUT(second.d_items, SECOND) }, { "second.d_items", "keep_second" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { PUT(second.d_indices, SECOND) }, { "second.d_indices" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { PLACE(payload.d_second, SECOND) }, { "payloads[0].d_second" } },
    { THREE_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(joined, 1), NUMBER(payload.d_rejected, 0) },
      { "second.d_items", "joined" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { SET(joined, 1) }, { "payloads[0].d_rejected" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(joined, 1), NUMBER(payload.d_rejected, 0) },
      { "rejected.d_items", "joined" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID,
      { SET(joined, 1), NUMBER(payload.d_rejected, 0), SET(rejected.d_items, 0), SET(rejected.d_indices, 0),
        SET(selected.capacity, 5) },
      { "selected.capacity", "5" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, VALID,
      { SET(joined, 1), NUMBER(payload.d_rejected, 0), SET(rejected.d_items, 0) }, { NULL } },

    { SPECS, TYPE_TO_OPERATOR, INVALID, { SET(index_type, 0) }, { "index_type", "0" } },
    { SPECS, TYPE_TO_OPERATOR, INVALID, { SET(index_type, ONEPASS_I64) }, { "index_type", "7" } },
    { SPECS, NUM_ITEMS, INVALID, { SET(index_type, ONEPASS_U32), SET(max_items, (UINT64_C(1) << 32) + 1) },
      { "index_type", "U32" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, reserved_items + 1) }, { "max_items", "1001", "1000" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_MAX) }, { "max_items", "18446744073709551615" } },

    { ALL, POINTER, INVALID, { SET(d_in, 0) }, { "d_in", "NULL" } },
    { SHORT, POINTER, INVALID, { SET(selected.d_items, 0) }, { "d_selected", "NULL" } },
    { THREE_WAY, POINTER, INVALID, { SET(second.d_items, 0) }, { "d_second", "NULL" } },
    { SHORT, POINTER, INVALID, { SET(rejected.d_items, 0) }, { "d_rejected", "NULL" } },
    { FLAGGED, POINTER, INVALID, { SET(d_flags, 0) }, { "d_flags", "NULL" } },
    { ALL, POINTER, INVALID, { SET(d_num_selected, 0) }, { "d_num_selected", "NULL" } },
    { THREE, POINTER, INVALID, { SET(d_num_second, 0) }, { "d_num_second", "NULL" } },
    { SPECS, POINTER, VALID, { SET(rejected.d_items, 0) }, { NULL } },
    { ALL, POINTER, INVALID, { PUT(d_in, IN + 2) }, { "d_in", "aligned" } },
    { SPECS, POINTER, INVALID, { PUT(selected.d_items, OUT + 1) }, { "spec->selected.d_items", "aligned" } },
    { SPECS, POINTER, INVALID, { PUT(rejected.d_items, REJECTED + 2) }, { "spec->rejected.d_items", "aligned" } },
    { SHORT, POINTER, INVALID, { PUT(rejected.d_items, REJECTED + 2) }, { "d_rejected", "aligned" } },
    { THREE_SPEC, POINTER, INVALID, { PUT(second.d_items, SECOND + 2) }, { "spec->second.d_items", "aligned" } },
    { SPECS, POINTER, INVALID, { PUT(rejected.d_indices, INDICES + 4) }, { "spec->rejected.d_indices", "aligned" } },
    { THREE, POINTER, INVALID, { PUT(d_num_second, NUM_SECOND + 4) }, { "d_num_second", "aligned" } },
    { ALL, POINTER, INVALID, { SET(rejected.d_items, LAST_ADDRESS) }, { "rejected", "0xfffffffffffffff8" } },

    /* Nothing overlaps an output, also not in place. */
    { SHORT, OVERLAP, OVERLAPS, { PUT(selected.d_items, IN) }, { "d_in", "d_selected" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(selected.d_items, IN) }, { "d_in", "selected.d_items" } },
    { SHORT, OVERLAP, OVERLAPS, { PUT(rejected.d_items, IN + 4) }, { "d_in", "d_rejected" } },
    { SHORT, OVERLAP, OVERLAPS, { PUT(rejected.d_items, OUT) }, { "d_selected", "d_rejected" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(rejected.d_items, OUT + 8) }, { "selected.d_items", "rejected.d_items" } },
    { SPECS, OVERLAP, VALID, { PUT(rejected.d_items, OUT + 8), SET(selected.capacity, 2) }, { NULL } },
    { THREE_WAY, OVERLAP, OVERLAPS, { PUT(second.d_items, REJECTED) }, { "d_second", "d_rejected" } },
    { THREE_SPEC, OVERLAP, OVERLAPS, { PUT(second.d_items, REJECTED) }, { "second.d_items", "rejected.d_items" } },
    { BY_FLAGS, OVERLAP, OVERLAPS, { PUT(d_flags, REJECTED + 3) }, { "d_flags", "rejected" } },
    { FLAGS_SPEC, OVERLAP, VALID, { PUT(d_flags, REJECTED - 2), SET(flag_kind, ONEPASS_FLAG_BITS) }, { NULL } },
    { FLAGS_SPEC, OVERLAP, OVERLAPS, { PUT(d_flags, REJECTED - 1), SET(flag_kind, ONEPASS_FLAG_BITS) },
      { "d_flags", "+2 bytes" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(rejected.d_indices, OUT) }, { "selected.d_items", "rejected.d_indices" } },
    { ALL, OVERLAP, OVERLAPS, { PUT(d_num_selected, REJECTED + 8) }, { "d_num_selected", "rejected" } },
    { THREE, OVERLAP, OVERLAPS, { PUT(d_num_second, SELECTED) }, { "d_num_selected", "d_num_second" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_num_items, REJECTED) }, { "d_num_items", "rejected.d_items" } },
    { SPECS, OVERLAP, OVERLAPS, { PLACE(payload.d_selected, PAYLOAD_IN) },
      { "payloads[0].d_in", "payloads[0].d_selected" } },
    { SPECS, OVERLAP, OVERLAPS, { PLACE(payload.d_selected, OUT) }, { "selected.d_items", "payloads[0].d_selected" } },
    { SPECS, OVERLAP, OVERLAPS, { PLACE(payload.d_in, OUT) }, { "selected.d_items", "payloads[0].d_in" } },
    { SPECS, OVERLAP, VALID, { PLACE(payload.d_in, IN) }, { NULL } },
};
/* clang-format on */

static void set_valid(arguments *a, unsigned char *d_arena)
{
    const onepass_partition_spec initial = ONEPASS_PARTITION_SPEC_INIT;
    onepass_partition_spec *s = &a->partition.spec;
    a->keep = (onepass_predicate){ .kind = ONEPASS_GREATER, .a = { .i = 5 } };
    a->keep_second = (onepass_predicate){ .kind = ONEPASS_LESS, .a = { .i = 5 } };
    a->payload = (onepass_payload){ 2, d_arena + PAYLOAD_IN, d_arena + PAYLOAD_OUT, NULL, d_arena + PAYLOAD_OUT + 64 };
    *s = initial;
    s->type = ONEPASS_I32;
    s->d_in = d_arena + IN;
    s->selected.d_items = d_arena + OUT;
    s->rejected.d_items = d_arena + REJECTED;
    s->d_num_selected = (uint64_t *)(void *)(d_arena + SELECTED);
    s->max_items = num_valid_items;
}

static void set_valid_keep(arguments *a, unsigned char *d_arena)
{
    set_valid(a, d_arena);
    a->partition.spec.keep = &a->keep;
}

static void set_valid_flags(arguments *a, unsigned char *d_arena)
{
    set_valid(a, d_arena);
    a->partition.spec.d_flags = d_arena + FLAGS;
}

static void set_valid_three(arguments *a, unsigned char *d_arena)
{
    set_valid_keep(a, d_arena);
    a->partition.spec.keep_second = &a->keep_second;
    a->partition.spec.second.d_items = d_arena + SECOND;
    a->partition.spec.d_num_second = (uint64_t *)(void *)(d_arena + NUM_SECOND);
}

/* Payload, and indices of the last part. */
static void add_the_rest(arguments *a, unsigned char *d_arena)
{
    a->partition.spec.index_type = ONEPASS_U64;
    a->partition.spec.selected.d_indices = d_arena + INDICES;
    a->partition.spec.payloads = &a->payload;
    a->partition.spec.num_payloads = 1;
}

static void set_valid_three_spec(arguments *a, unsigned char *d_arena)
{
    set_valid_three(a, d_arena);
    add_the_rest(a, d_arena);
}

static void set_valid_flags_spec(arguments *a, unsigned char *d_arena)
{
    set_valid_flags(a, d_arena);
    add_the_rest(a, d_arena);
}

static onepass_result call_partition(const arguments *a)
{
    return onepass_partition(a->ctx, a->spec_is_null != 0 ? NULL : &a->partition.spec);
}

static onepass_result call_partition_if(const arguments *a)
{
    const onepass_partition_spec *s = &a->partition.spec;
    return onepass_partition_if(a->ctx, s->type, s->keep, s->d_in, s->selected.d_items, s->rejected.d_items,
                                s->d_num_selected, s->max_items);
}

static onepass_result call_partition_flagged(const arguments *a)
{
    const onepass_partition_spec *s = &a->partition.spec;
    return onepass_partition_flagged(a->ctx, s->type, s->d_in, s->d_flags, s->selected.d_items, s->rejected.d_items,
                                     s->d_num_selected, s->max_items);
}

static onepass_result call_partition_three_way(const arguments *a)
{
    const onepass_partition_spec *s = &a->partition.spec;
    return onepass_partition_three_way(a->ctx, s->type, s->keep, s->keep_second, s->d_in, s->selected.d_items,
                                       s->second.d_items, s->rejected.d_items, s->d_num_selected, s->d_num_second,
                                       s->max_items);
}

static const function_under_test functions[] = {
    { "onepass_partition", THREE_SPEC, false, set_valid_three_spec, call_partition },
    { "onepass_partition", FLAGS_SPEC, false, set_valid_flags_spec, call_partition },
    { "onepass_partition_if", IF, true, set_valid_keep, call_partition_if },
    { "onepass_partition_flagged", FLAGGED, true, set_valid_flags, call_partition_flagged },
    { "onepass_partition_three_way", THREE_WAY, true, set_valid_three, call_partition_three_way },
};
enum { num_functions = sizeof functions / sizeof functions[0], num_faults = sizeof faults / sizeof faults[0] };

static void test_each_fault_has_its_result_and_text(void **state)
{
    (void)compaction_context(state, 0);
    onepass_context *ctx = backend_context_of(state, 2, reserved_items);
    for (size_t i = 0; i < num_functions; ++i)
        check_faults(ctx, &functions[i], faults, num_faults);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

static void test_of_two_faults_the_earlier_is_reported(void **state)
{
    (void)compaction_context(state, 0);
    onepass_context *ctx = backend_context_of(state, 2, reserved_items);
    for (size_t i = 0; i < num_functions; ++i)
        check_fault_pairs(ctx, &functions[i], faults, num_faults);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_each_fault_has_its_result_and_text),
        ON_EACH_BACKEND(test_of_two_faults_the_earlier_is_reported),
    };
    return run_on_backends(tests);
}
