/* SPDX-License-Identifier: MIT */
/*
 * Every bad argument of the scans and reductions: the right result, a text that names the argument and its value,
 * nothing written, and of two faults the one that onepass.h checks first. Among the faults stand the valid calls that
 * are nearest to them. A reduction takes its arguments from the same table. test_arguments_select.c has the selections.
 */
#include "argument_faults.h"
#include "backends.h"

#include <string.h>

enum { SCAN_SPEC = 1, SCAN = 2, REDUCE_SPEC = 4, REDUCE = 8 };
enum { SCANS = SCAN_SPEC | SCAN, REDUCES = REDUCE_SPEC | REDUCE, SPECS = SCAN_SPEC | REDUCE_SPEC, ALL = 15 };
enum { reserved_items = 1000, spec_bytes = sizeof(onepass_scan_spec) };

#define SET(field, number) NUMBER(fold.spec.field, number)
#define PUT(field, place) PLACE(fold.spec.field, place)
/* Aligned for any type, and 8 bytes below the end of the address space. */
#define LAST_ADDRESS (UINTPTR_MAX - 7)

/* clang-format off */
static const fault faults[] = {
    { ALL, CONTEXT, INVALID, { NUMBER(ctx, 0) }, { "ctx", "NULL" } },

    { SPECS, SPEC, INVALID, { NUMBER(spec_is_null, 1) }, { "spec", "NULL" } },
    { SPECS, SPEC, INVALID, { SET(size, 0) }, { "size is 0" } },
    { SPECS, SPEC, INVALID, { SET(size, 8) }, { "size is 8" } },
    { SPECS, SPEC, INVALID, { SET(size, spec_bytes - 1) }, { "size" } },
    { SPECS, SPEC, INVALID, { SET(size, SIZE_MAX) }, { "size" } },
    { SPECS, SPEC, INVALID, { SET(size, spec_bytes + tail_bytes), NUMBER(fold.tail[0], 1) }, { "size" } },
    { SPECS, SPEC, INVALID, { SET(size, spec_bytes + tail_bytes), NUMBER(fold.tail[tail_bytes - 1], 1) }, { "size" } },
    { SPECS, SPEC, VALID, { SET(size, spec_bytes + tail_bytes - 1), NUMBER(fold.tail[tail_bytes - 1], 1) }, { NULL } },

    { ALL, TYPE, INVALID, { SET(in_type, 0) }, { "in_type", "0" } },
    { ALL, TYPE, INVALID, { SET(in_type, 13) }, { "in_type", "13" } },
    { ALL, TYPE, INVALID, { SET(in_type, -1) }, { "in_type", "-1" } },
    { SPECS, TYPE, INVALID, { SET(out_type, 99) }, { "out_type", "99" } },
    { SPECS, TYPE, INVALID, { SET(out_type, -2) }, { "out_type", "-2" } },

    { ALL, OPERATOR, INVALID, { SET(op, 0) }, { "op", "0" } },
    { ALL, OPERATOR, INVALID, { SET(op, 8) }, { "op", "8" } },
    { ALL, OPERATOR, INVALID, { SET(op, -7) }, { "op", "-7" } },
    { ALL, TYPE_TO_OPERATOR, UNSUPPORTED, { SET(in_type, ONEPASS_F32), SET(out_type, ONEPASS_F32),
        SET(op, ONEPASS_AND) },
      { "op", "AND", "F32" } },
    { SPECS, TYPE_TO_OPERATOR, UNSUPPORTED, { SET(out_type, ONEPASS_I16) }, { "out_type", "I16", "I32" } },
    { SPECS, TYPE_TO_OPERATOR, UNSUPPORTED, { SET(out_type, ONEPASS_F32) }, { "out_type", "F32", "I32" } },

    { SPECS, SPEC_TO_OPERATOR, INVALID, { PUT(d_initial, INITIAL), SET(has_initial, 1) },
      { "has_initial", "d_initial" } },
    { SCAN_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(kind, 0) }, { "kind", "0" } },
    { SCAN_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(kind, 4) }, { "kind", "4" } },
    { SCAN_SPEC, SPEC_TO_OPERATOR, INVALID, { SET(kind, -1) }, { "kind", "-1" } },

    { ALL, RESERVE, TOO_MANY, { SET(max_items, reserved_items + 1) }, { "max_items", "1001", "1000" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, INT32_MAX) }, { "max_items", "2147483647" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_C(1) << 31) }, { "max_items", "2147483648" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT32_MAX) }, { "max_items", "4294967295" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_C(1) << 32) }, { "max_items", "4294967296" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_C(1) << 40) }, { "max_items", "1099511627776" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_C(1) << 60) }, { "max_items", "1152921504606846976" } },
    { ALL, RESERVE, TOO_MANY, { SET(max_items, UINT64_MAX) }, { "max_items", "18446744073709551615" } },

    { ALL, POINTER, INVALID, { SET(d_in, 0) }, { "d_in", "NULL" } },
    { ALL, POINTER, INVALID, { SET(d_out, 0) }, { "d_out", "NULL" } },
    { ALL, POINTER, INVALID, { PUT(d_in, IN + 1) }, { "d_in", "aligned" } },
    { ALL, POINTER, INVALID, { PUT(d_out, OUT + 2) }, { "d_out", "aligned" } },
    { SPECS, POINTER, INVALID, { PUT(d_initial, INITIAL + 2) }, { "d_initial", "aligned" } },
    { SPECS, POINTER, INVALID, { PUT(d_num_items, COUNT + 4) }, { "d_num_items", "aligned" } },
    { ALL, POINTER, INVALID, { SET(d_in, LAST_ADDRESS) }, { "d_in", "0xfffffffffffffff8" } },
    { SCANS, POINTER, INVALID, { SET(d_out, LAST_ADDRESS) }, { "d_out", "0xfffffffffffffff8" } },

    /* An item further or back; the last item or output alone; an output on an input that is one item long. */
    { ALL, OVERLAP, OVERLAPS, { PUT(d_out, IN + 4) }, { "d_in", "d_out" } },
    { ALL, OVERLAP, OVERLAPS, { PUT(d_out, IN + array_bytes - 4) }, { "d_in", "d_out" } },
    { SCANS, OVERLAP, OVERLAPS, { PUT(d_out, IN - 4) }, { "d_in", "d_out" } },
    { SCANS, OVERLAP, OVERLAPS, { PUT(d_out, IN - array_bytes + 4) }, { "d_in", "d_out" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_initial, OUT) }, { "d_initial", "d_out" } },
    { SPECS, OVERLAP, OVERLAPS, { PUT(d_num_items, OUT) }, { "d_num_items", "d_out" } },
    { SCAN_SPEC, OVERLAP, OVERLAPS, { PUT(d_num_items, OUT + array_bytes - 8) }, { "d_num_items", "d_out" } },
    { REDUCES, OVERLAP, OVERLAPS, { PUT(d_out, IN) }, { "d_in", "d_out" } },
    /* What lies right beside an output is fine; OFFSETS has one more output, and a wider output begins earlier. */
    { ALL, OVERLAP, VALID, { PUT(d_out, IN + array_bytes) }, { NULL } },
    { ALL, OVERLAP, VALID, { PUT(d_out, IN - array_bytes) }, { NULL } },
    { SCAN_SPEC, OVERLAP, OVERLAPS, { PUT(d_out, IN - array_bytes), SET(kind, ONEPASS_OFFSETS) }, { "d_in", "d_out" } },
    { SCAN_SPEC, OVERLAP, VALID, { PUT(d_initial, OUT + array_bytes) }, { NULL } },
    { SCAN_SPEC, OVERLAP, OVERLAPS, { PUT(d_initial, OUT + array_bytes), SET(kind, ONEPASS_OFFSETS) }, { "d_out" } },
    { SCAN_SPEC, OVERLAP, OVERLAPS, { PUT(d_out, IN - 2 * array_bytes + 8), SET(out_type, ONEPASS_I64) }, { "d_in" } },
    { REDUCE, OVERLAP, VALID, { PUT(d_out, IN - 4) }, { NULL } },
    { REDUCE_SPEC, OVERLAP, OVERLAPS, { PUT(d_out, IN - 8), PUT(d_in, IN - 4), SET(out_type, ONEPASS_I64) },
      { "d_in" } },
    /* In place: with one size only. Inputs may overlap each other. */
    { SCANS, OVERLAP, VALID, { PUT(d_out, IN) }, { NULL } },
    { SCAN_SPEC, OVERLAP, VALID, { PUT(d_out, IN), SET(out_type, ONEPASS_I32), SET(reverse, 1) }, { NULL } },
    { SCAN_SPEC, OVERLAP, VALID, { PUT(d_out, IN), SET(kind, ONEPASS_OFFSETS) }, { NULL } },
    { SCAN_SPEC, OVERLAP, OVERLAPS, { PUT(d_out, IN), SET(kind, ONEPASS_OFFSETS), SET(reverse, 1) }, { "d_in" } },
    { SCAN_SPEC, OVERLAP, OVERLAPS, { PUT(d_out, IN), SET(out_type, ONEPASS_I64) }, { "d_in", "d_out" } },
    { SPECS, OVERLAP, VALID, { PUT(d_in, COUNT - 32), PUT(d_num_items, COUNT), PUT(d_initial, COUNT) }, { NULL } },
};
/* clang-format on */

static void set_valid(arguments *a, unsigned char *d_arena)
{
    const onepass_scan_spec initial = ONEPASS_SCAN_SPEC_INIT;
    a->fold.spec = initial;
    a->fold.spec.in_type = ONEPASS_I32;
    a->fold.spec.op = ONEPASS_SUM;
    a->fold.spec.kind = ONEPASS_EXCLUSIVE;
    a->fold.spec.d_in = d_arena + IN;
    a->fold.spec.d_out = d_arena + OUT;
    a->fold.spec.max_items = num_valid_items;
}

static onepass_result call_scan(const arguments *a)
{
    return onepass_scan(a->ctx, a->spec_is_null != 0 ? NULL : &a->fold.spec);
}

static onepass_result call_inclusive_scan(const arguments *a)
{
    const onepass_scan_spec *s = &a->fold.spec;
    return onepass_inclusive_scan(a->ctx, s->in_type, s->op, s->d_in, s->d_out, s->max_items);
}

static onepass_result call_exclusive_scan(const arguments *a)
{
    const onepass_scan_spec *s = &a->fold.spec;
    return onepass_exclusive_scan(a->ctx, s->in_type, s->op, s->d_in, s->d_out, s->max_items);
}

static onepass_result call_reduce(const arguments *a)
{
    const onepass_scan_spec *s = &a->fold.spec;
    return onepass_reduce(a->ctx, s->in_type, s->op, s->d_in, s->d_out, s->max_items);
}

/* A size as far from that of a reduction's spec as the one given is from that of a scan's. */
static onepass_result call_reduce_with(const arguments *a)
{
    const onepass_scan_spec *s = &a->fold.spec;
    struct {
        onepass_reduce_spec spec;
        unsigned char tail[tail_bytes];
    } reduce = { .spec = { .in_type = s->in_type,
                           .out_type = s->out_type,
                           .op = s->op,
                           .has_initial = s->has_initial,
                           .d_initial = s->d_initial,
                           .d_in = s->d_in,
                           .d_out = s->d_out,
                           .max_items = s->max_items,
                           .d_num_items = s->d_num_items } };
    const bool is_near = s->size >= spec_bytes - 1 && s->size <= spec_bytes + tail_bytes;
    reduce.spec.size = is_near ? s->size - spec_bytes + sizeof reduce.spec : s->size;
    memcpy(reduce.tail, a->fold.tail, tail_bytes);
    return onepass_reduce_with(a->ctx, a->spec_is_null != 0 ? NULL : &reduce.spec);
}

static const function_under_test functions[] = {
    { "onepass_scan", SCAN_SPEC, false, set_valid, call_scan },
    { "onepass_inclusive_scan", SCAN, true, set_valid, call_inclusive_scan },
    { "onepass_exclusive_scan", SCAN, true, set_valid, call_exclusive_scan },
    { "onepass_reduce_with", REDUCE_SPEC, false, set_valid, call_reduce_with },
    { "onepass_reduce", REDUCE, true, set_valid, call_reduce },
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
