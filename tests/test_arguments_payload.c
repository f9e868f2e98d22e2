/* SPDX-License-Identifier: MIT */
/*
 * Every bad argument of onepass_unique, and those of onepass_select that came with it: what decides, kinds of flags, and
 * payload, in place and not. test_arguments_select.c has the others.
 */
#include "argument_faults.h"
#include "backends.h"

#include <string.h>

enum { RUNS_SPEC = 1, FLAGS_SPEC = 2, UNIQUE = 4, ALL = 7, SPECS = RUNS_SPEC | FLAGS_SPEC };
enum { reserved_items = 1000, payload_bytes = 2 * num_valid_items };

#define SET(field, number) NUMBER(select.spec.field, number)
#define PUT(field, place) PLACE(select.spec.field, place)

/* clang-format off */
static const fault faults[] = {
    { ALL, CONTEXT, INVALID, { NUMBER(ctx, 0) }, { "ctx", "NULL" } },
    { ALL, TYPE, INVALID, { SET(type, 0) }, { "type", "0" } },
    { ALL, TYPE, INVALID, { SET(type, 13) }, { "type", "13" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { SET(num_payloads, -1) }, { "num_payloads", "-1" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { SET(num_payloads, ONEPASS_MAX_PAYLOADS + 1) }, { "num_payloads", "9" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { SET(payloads, 0) }, { "payloads", "NULL" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { NUMBER(payload.item_size, 0) }, { "payloads[0].item_size", "0" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { NUMBER(payload.item_size, 3) }, { "payloads[0].item_size", "3" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { NUMBER(payload.item_size, 32) }, { "payloads[0].item_size", "32" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { PLACE(payload.d_second, SECOND) }, { "payloads[0].d_second" } },
    { SPECS, SPEC_TO_OPERATOR, INVALID, { PLACE(payload.d_rejected, REJECTED) }, { "payloads[0].d_rejected" } },
    { RUNS_SPEC, SPEC_TO_OPERATOR, INVALID, { PUT(d_flags, FLAGS) }, { "keep", "d_flags", "unique" } },
    { RUNS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(unique, 0) }, { "keep", "d_flags", "unique" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(unique, 1) }, { "keep", "d_flags", "unique" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(flag_kind, 0) }, { "flag_kind", "0" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(flag_kind, -1) }, { "flag_kind", "-1" } },
    { FLAGS_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(flag_kind, 4) }, { "flag_kind", "4" } },

    { ALL, RESERVE, TOO_MANY, { SET(max_items, reserved_items + 1) }, { "max_items", "1001", "1000" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_MAX) }, { "max_items", "18446744073709551615" } },

    { UNIQUE | RUNS_SPEC, POINTER, INVALID, { SET(d_in, 0), SET(d_out, 0) }, { "d_in", "NULL" } },
    { UNIQUE, POINTER, INVALID, { SET(d_out, 0) }, { "d_out", "NULL" } },
    { ALL, POINTER, INVALID, { SET(d_num_selected, 0) }, { "d_num_selected", "NULL" } },
    { ALL, POINTER, INVALID, { PUT(d_in, IN + 2) }, { "d_in", "aligned" } },
    { ALL, POINTER, INVALID, { PUT(d_out, OUT + 1) }, { "d_out", "aligned" } },
    { ALL, POINTER, INVALID, { PUT(d_num_selected, SELECTED + 4) }, { "d_num_selected", "aligned" } },
    { SPECS, POINTER, INVALID, { NUMBER(payload.d_in, 0) }, { "payloads[0].d_in", "NULL" } },
    { SPECS, POINTER, VALID, { NUMBER(payload.d_in, 0), NUMBER(payload.d_selected, 0) }, { NULL } },
    { SPECS, POINTER, INVALID, { PLACE(payload.d_in, PAYLOAD_IN + 1) }, { "payloads[0].d_in", "aligned", "2 bytes" } },
    { SPECS, POINTER, INVALID, { PLACE(payload.d_selected, PAYLOAD_OUT + 1) },
      { "payloads[0].d_selected", "aligned" } },

    { ALL, OVERLAP, VALID, { PUT(d_out, IN) }, { NULL } },
    { ALL, OVERLAP, OVERLAPS, { PUT(d_out, IN + 4) }, { "d_in", "d_out" } },
    { ALL, OVERLAP, OVERLAPS, { PUT(d_out, IN - 4) }, { "d_in", "d_out" } },
    { ALL, OVERLAP, OVERLAPS, { PUT(d_num_selected, IN + 8) }, { "d_in", "d_num_selected" } },
    { SPECS, OVERLAP, VALID, { PLACE(payload.d_selected, PAYLOAD_IN) }, { NULL } },
    { SPECS, OVERLAP, OVERLAPS, { PLACE(payload.d_selected, PAYLOAD_IN + 2) },
      { "payloads[0].d_in", "payloads[0].d_selected" } },
    { SPECS, OVERLAP, VALID, { PLACE(payload.d_selected, PAYLOAD_IN + payload_bytes) }, { NULL } },
    { SPECS, OVERLAP, OVERLAPS, { PLACE(payload.d_selected, IN) }, { "d_in", "payloads[0].d_selected" } },
    { SPECS, OVERLAP, OVERLAPS, { PLACE(payload.d_selected, OUT + 8) }, { "d_out", "payloads[0].d_selected" } },
    { SPECS, OVERLAP, OVERLAPS, { PLACE(payload.d_in, OUT) }, { "d_out", "payloads[0].d_in" } },
    { SPECS, OVERLAP, VALID, { PLACE(payload.d_in, IN) }, { NULL } },
    { SPECS, OVERLAP, OVERLAPS, { PLACE(payload.d_selected, SELECTED) }, { "d_num_selected", "payloads[0]" } },
    /* Items in place, and payload that is the same items: what it reads would be written over. */
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_out, IN), PLACE(payload.d_in, IN) }, { "d_out", "payloads[0].d_in" } },
    { FLAGS_SPEC, OVERLAP, VALID, { PUT(d_flags, OUT - 2), SET(flag_kind, ONEPASS_FLAG_BITS) }, { NULL } },
    { FLAGS_SPEC, OVERLAP, OVERLAPS, { PUT(d_flags, OUT - 1), SET(flag_kind, ONEPASS_FLAG_BITS) }, { "d_flags" } },
};
/* clang-format on */

static void set_valid(arguments *a, unsigned char *d_arena)
{
    const onepass_select_spec initial = ONEPASS_SELECT_SPEC_INIT;
    a->payload = (onepass_payload){ 2, d_arena + PAYLOAD_IN, d_arena + PAYLOAD_OUT, NULL, NULL };
    a->select.spec = initial;
    a->select.spec.type = ONEPASS_I32;
    a->select.spec.d_in = d_arena + IN;
    a->select.spec.d_out = d_arena + OUT;
    a->select.spec.payloads = &a->payload;
    a->select.spec.num_payloads = 1;
    a->select.spec.d_num_selected = (uint64_t *)(void *)(d_arena + SELECTED);
    a->select.spec.max_items = num_valid_items;
}

static void set_valid_runs(arguments *a, unsigned char *d_arena)
{
    set_valid(a, d_arena);
    a->select.spec.unique = 1;
}

static void set_valid_flags(arguments *a, unsigned char *d_arena)
{
    set_valid(a, d_arena);
    a->select.spec.d_flags = d_arena + FLAGS;
}

static onepass_result call_select(const arguments *a)
{
    return onepass_select(a->ctx, &a->select.spec);
}

static onepass_result call_unique(const arguments *a)
{
    const onepass_select_spec *s = &a->select.spec;
    return onepass_unique(a->ctx, s->type, s->d_in, s->d_out, s->d_num_selected, s->max_items);
}

static const function_under_test functions[] = {
    { "onepass_select", RUNS_SPEC, false, set_valid_runs, call_select },
    { "onepass_select", FLAGS_SPEC, false, set_valid_flags, call_select },
    { "onepass_unique", UNIQUE, true, set_valid_runs, call_unique },
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
