/* SPDX-License-Identifier: MIT */
/*
 * Every bad argument of the selections, as test_arguments.c has them for scans and reductions. The spec is tried with a
 * predicate and with flags.
 */
#include "argument_faults.h"
#include "backends.h"

#include <string.h>

enum { KEEP_SPEC = 1, FLAGS_SPEC = 2, IF = 4, FLAGGED = 8 };
enum { SPECS = KEEP_SPEC | FLAGS_SPEC, KEEPS = KEEP_SPEC | IF, BY_FLAGS = FLAGS_SPEC | FLAGGED, ALL = 15 };
enum { reserved_items = 1000, spec_bytes = sizeof(onepass_select_spec) };

#define SET(field, number) NUMBER(select.spec.field, number)
#define PUT(field, place) PLACE(select.spec.field, place)
#define LAST_ADDRESS (UINTPTR_MAX - 7)
#define BEYOND_U32 ((UINT64_C(1) << 32) + 1)

/* clang-format off */
static const fault faults[] = {
    { ALL, CONTEXT, INVALID, { NUMBER(ctx, 0) }, { "ctx", "NULL" } },

    { SPECS, SPEC, INVALID, { NUMBER(spec_is_null, 1) }, { "spec", "NULL" } },
    { SPECS, SPEC, INVALID, { SET(size, 0) }, { "size is 0" } },
    { SPECS, SPEC, INVALID, { SET(size, spec_bytes - 1) }, { "size" } },
    { SPECS, SPEC, INVALID, { SET(size, spec_bytes + tail_bytes), NUMBER(select.tail[0], 1) }, { "size" } },
    { SPECS, SPEC, INVALID, { SET(size, spec_bytes + 8), NUMBER(select.tail[7], 128) }, { "size" } },
    { SPECS, SPEC, VALID, { SET(size, spec_bytes + 8), NUMBER(select.tail[8], 1) }, { NULL } },

    { ALL, TYPE, INVALID, { SET(type, 0) }, { "type", "0" } },
    { ALL, TYPE, INVALID, { SET(type, 13) }, { "type", "13" } },
    { ALL, TYPE, INVALID, { SET(type, -3) }, { "type", "-3" } },
    { SPECS, TYPE_TO_OPERATOR, INVALID, { SET(index_type, 0) }, { "index_type", "0" } },
    { SPECS, TYPE_TO_OPERATOR, INVALID, { SET(index_type, ONEPASS_I32) }, { "index_type", "5" } },
    { SPECS, TYPE_TO_OPERATOR, INVALID, { SET(index_type, 77) }, { "index_type", "77" } },

    { KEEPS, OPERATOR, INVALID, { NUMBER(keep.kind, 0) }, { "keep", "kind", "0" } },
    { KEEPS, OPERATOR, INVALID, { NUMBER(keep.kind, 12) }, { "keep", "kind", "12" } },
    { KEEPS, OPERATOR, INVALID, { NUMBER(keep.kind, -1) }, { "keep", "kind", "-1" } },
    { KEEPS, OPERATOR, UNSUPPORTED, { NUMBER(keep.kind, ONEPASS_NAN) }, { "keep", "kind", "I32" } },
    { KEEPS, OPERATOR, UNSUPPORTED, { NUMBER(keep.kind, ONEPASS_FINITE) }, { "keep", "kind", "I32" } },
    { KEEPS, TYPE_TO_OPERATOR, UNSUPPORTED, { NUMBER(keep.kind, ONEPASS_ANY_BITS), SET(type, ONEPASS_F32) },
      { "kind" } },
    { KEEPS, TYPE_TO_OPERATOR, UNSUPPORTED, { NUMBER(keep.kind, ONEPASS_ALL_BITS), SET(type, ONEPASS_F32) },
      { "kind" } },
    { KEEP_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(keep, 0) }, { "keep", "d_flags" } },
    { KEEP_SPEC, SPEC_TO_OPERATOR, INVALID, { PUT(d_flags, FLAGS) }, { "keep", "d_flags" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(d_flags, 0) }, { "keep", "d_flags" } },
    { IF, SPEC_TO_OPERATOR, INVALID, { SET(keep, 0) }, { "keep", "NULL" } },

    { SPECS, NUM_ITEMS, INVALID, { SET(index_type, ONEPASS_U32), SET(max_items, BEYOND_U32) },
      { "index_type", "U32" } },

    { ALL, RESERVE, TOO_MANY, { SET(max_items, reserved_items + 1) }, { "max_items", "1001", "1000" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_C(1) << 32) }, { "max_items", "4294967296" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_C(1) << 40) }, { "max_items", "1099511627776" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_C(1) << 60) }, { "max_items", "1152921504606846976" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_MAX) }, { "max_items", "18446744073709551615" } },
    { SPECS, RESERVE, TOO_MANY, { SET(max_items, UINT64_MAX), SET(capacity, 0) }, { "max_items" } },

    { ALL, POINTER, INVALID, { SET(d_in, 0) }, { "d_in", "NULL" } },
    { IF | FLAGGED, POINTER, INVALID, { SET(d_out, 0) }, { "d_out", "NULL" } },
    { FLAGGED, POINTER, INVALID, { SET(d_flags, 0) }, { "d_flags", "NULL" } },
    { ALL, POINTER, INVALID, { SET(d_num_selected, 0) }, { "d_num_selected", "NULL" } },
    { ALL, POINTER, INVALID, { PUT(d_in, IN + 2) }, { "d_in", "aligned" } },
    { ALL, POINTER, INVALID, { PUT(d_out, OUT + 1) }, { "d_out", "aligned" } },
    { ALL, POINTER, INVALID, { PUT(d_num_selected, SELECTED + 4) }, { "d_num_selected", "aligned" } },
    { SPECS, POINTER, INVALID, { PUT(d_num_items, COUNT + 2) }, { "d_num_items", "aligned" } },
    { SPECS, POINTER, INVALID, { PUT(d_out_indices, INDICES + 4) }, { "d_out_indices", "aligned" } },
    { SPECS, POINTER, VALID, { PUT(d_out_indices, INDICES + 4), SET(index_type, ONEPASS_U32) }, { NULL } },
    { BY_FLAGS, POINTER, VALID, { PUT(d_flags, FLAGS + 3) }, { NULL } },
    { ALL, POINTER, INVALID, { SET(d_in, LAST_ADDRESS) }, { "d_in", "0xfffffffffffffff8" } },
    { ALL, POINTER, INVALID, { SET(d_out, LAST_ADDRESS) }, { "d_out", "0xfffffffffffffff8" } },
    { BY_FLAGS, POINTER, INVALID, { SET(d_flags, LAST_ADDRESS) }, { "d_flags", "0xfffffffffffffff8" } },
    { SPECS, POINTER, INVALID, { SET(d_out_indices, LAST_ADDRESS) }, { "d_out_indices", "0xfffffffffffffff8" } },
    { FLAGS_SPEC, POINTER, VALID, { SET(d_in, 0), SET(d_out, 0) }, { NULL } },

    /* Items: in place is fine, an item further or back is not, and a capacity makes the output shorter. */
    { ALL, OVERLAP, VALID, { PUT(d_out, IN) }, { NULL } },
    { ALL, OVERLAP, OVERLAPS, { PUT(d_out, IN + 4) }, { "d_in", "d_out" } },
    { ALL, OVERLAP, OVERLAPS, { PUT(d_out, IN - 4) }, { "d_in", "d_out" } },
    { ALL, OVERLAP, VALID, { PUT(d_out, IN + array_bytes) }, { NULL } },
    { SPECS, OVERLAP, VALID, { PUT(d_out, IN - 16), SET(capacity, 4) }, { NULL } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_out, IN - 16), SET(capacity, 5) }, { "d_in", "d_out" } },
    { SPECS, OVERLAP, VALID, { PUT(d_out, IN), SET(capacity, 3) }, { NULL } },
    { BY_FLAGS, OVERLAP, OVERLAPS, { PUT(d_flags, OUT) }, { "d_out", "d_flags" } },
    { BY_FLAGS, OVERLAP, OVERLAPS, { PUT(d_flags, OUT - num_valid_items + 1) }, { "d_out", "d_flags" } },
    { BY_FLAGS, OVERLAP, VALID, { PUT(d_flags, OUT - num_valid_items) }, { NULL } },
    { BY_FLAGS, OVERLAP, VALID, { PUT(d_flags, IN + 3) }, { NULL } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_out_indices, OUT + array_bytes - 8) }, { "d_out", "d_out_indices" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_out_indices, IN) }, { "d_in", "d_out_indices" } },
    { FLAGS_SPEC, OVERLAP, OVERLAPS, { PUT(d_out_indices, FLAGS + 8) }, { "d_flags", "d_out_indices" } },
    { SPECS, OVERLAP, VALID, { PUT(d_out_indices, OUT + array_bytes) }, { NULL } },
    /* The count. */
    { ALL, OVERLAP, OVERLAPS, { PUT(d_num_selected, IN + 8) }, { "d_in", "d_num_selected" } },
    { ALL, OVERLAP, OVERLAPS, { PUT(d_num_selected, OUT + array_bytes - 8) }, { "d_out", "d_num_selected" } },
    { BY_FLAGS, OVERLAP, OVERLAPS, { PUT(d_num_selected, FLAGS + 8) }, { "d_flags", "d_num_selected" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_num_selected, INDICES) }, { "d_out_indices", "d_num_selected" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_num_items, SELECTED) }, { "d_num_items", "d_num_selected" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_num_items, OUT) }, { "d_num_items", "d_out" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_num_items, INDICES) }, { "d_num_items", "d_out_indices" } },
    { ALL, OVERLAP, VALID, { PUT(d_num_selected, OUT + array_bytes) }, { NULL } },
    { SPECS, OVERLAP, VALID, { PUT(d_in, COUNT - 8), PUT(d_num_items, COUNT) }, { NULL } },
};
/* clang-format on */

static void set_valid(arguments *a, unsigned char *d_arena)
{
    const onepass_select_spec initial = ONEPASS_SELECT_SPEC_INIT;
    a->keep = (onepass_predicate){ .kind = ONEPASS_GREATER, .a = { .i = 5 } };
    a->select.spec = initial;
    a->select.spec.type = ONEPASS_I32;
    a->select.spec.d_in = d_arena + IN;
    a->select.spec.d_out = d_arena + OUT;
    a->select.spec.index_type = ONEPASS_U64;
    a->select.spec.d_out_indices = d_arena + INDICES;
    a->select.spec.d_num_selected = (uint64_t *)(void *)(d_arena + SELECTED);
    a->select.spec.max_items = num_valid_items;
}

static void set_valid_keep(arguments *a, unsigned char *d_arena)
{
    set_valid(a, d_arena);
    a->select.spec.keep = &a->keep;
}

static void set_valid_flags(arguments *a, unsigned char *d_arena)
{
    set_valid(a, d_arena);
    a->select.spec.d_flags = d_arena + FLAGS;
}

static onepass_result call_select(const arguments *a)
{
    return onepass_select(a->ctx, a->spec_is_null != 0 ? NULL : &a->select.spec);
}

static onepass_result call_select_if(const arguments *a)
{
    const onepass_select_spec *s = &a->select.spec;
    return onepass_select_if(a->ctx, s->type, s->keep, s->d_in, s->d_out, s->d_num_selected, s->max_items);
}

static onepass_result call_select_flagged(const arguments *a)
{
    const onepass_select_spec *s = &a->select.spec;
    return onepass_select_flagged(a->ctx, s->type, s->d_in, s->d_flags, s->d_out, s->d_num_selected, s->max_items);
}

static const function_under_test functions[] = {
    { "onepass_select", KEEP_SPEC, false, set_valid_keep, call_select },
    { "onepass_select", FLAGS_SPEC, false, set_valid_flags, call_select },
    { "onepass_select_if", IF, true, set_valid_keep, call_select_if },
    { "onepass_select_flagged", FLAGGED, true, set_valid_flags, call_select_flagged },
};
enum { num_functions = sizeof functions / sizeof functions[0], num_faults = sizeof faults / sizeof faults[0] };

static void test_each_fault_has_its_result_and_text(void **state)
{
    onepass_context *ctx = backend_context_of(state, 2, reserved_items);
    for (size_t i = 0; i < num_functions; ++i)
        check_faults(ctx, &functions[i], faults, num_faults);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

static void test_of_two_faults_the_earlier_is_reported(void **state)
{
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
