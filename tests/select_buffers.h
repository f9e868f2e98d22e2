/* SPDX-License-Identifier: MIT */
/*
 * The buffers of a case of select_case.h, and the spec that describes them to the oracle and to the library. A
 * selection is described as the partition that it is a part of.
 */
#ifndef ONEPASS_TESTS_SELECT_BUFFERS_H
#define ONEPASS_TESTS_SELECT_BUFFERS_H

#include "select_case.h"

enum { num_case_parts = 3, num_arrays = 2 + ONEPASS_MAX_PAYLOADS }; /* items, indices, payload */

/* One output, as the library and as the oracle leave it. */
typedef struct output {
    guard written;
    void *expected; /* NULL: not wanted */
    size_t item_size;
    char name[40];
} output;

/* Everything a case works on. In place the inputs are outputs: `in` and `payload_in`, of which the oracle has copies.
 */
typedef struct buffers {
    output in, payload_in[ONEPASS_MAX_PAYLOADS];
    output parts[num_arrays][num_case_parts];
    guard flags, num_items, counts[2];
    uint64_t expected_counts[2];
    onepass_predicate keep, keep_second;
    onepass_payload payloads_here[ONEPASS_MAX_PAYLOADS], payloads_there[ONEPASS_MAX_PAYLOADS];
} buffers;

/* Makes and fills everything. The spec is the oracle's: its outputs are the copies in `expected`, which have in them
 * what the library's have. */
onepass_partition_spec select_make_buffers(onepass_context *ctx, const select_case *c, buffers *b);

/* The same spec with the library's pointers. */
onepass_partition_spec select_spec_there(const select_case *c, buffers *b, const onepass_partition_spec *here);

void select_drop_buffers(buffers *b);

/* The most entries that a part's outputs may receive, by the number that belong there. */
uint64_t select_capacity(const select_case *c, uint64_t num_kept);

#endif
