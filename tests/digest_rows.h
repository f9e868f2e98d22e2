/* SPDX-License-Identifier: MIT */
/*
 * The calls whose outputs are digested in digests.txt: a fixed list of rows, each with everything that its call needs,
 * and two ways to compute a row's digest. test_digests.c has the table.
 */
#ifndef ONEPASS_TESTS_DIGEST_ROWS_H
#define ONEPASS_TESTS_DIGEST_ROWS_H

#include "guard.h"
#include "inputs.h"

#include <stdio.h>

typedef enum digest_operation { SCAN, REDUCE, SELECT_IF, SELECT_FLAGGED, UNIQUE, PARTITION } digest_operation;
typedef struct digest_row {
    digest_operation operation;
    type_pair types;
    onepass_operator op;
    onepass_scan_kind kind;
    bool reverse;
    uint64_t num_items;
    input_kind values;
    uint64_t seed;
} digest_row;

enum { max_digest_rows = 500, digest_line_length = 160 };
extern digest_row digest_rows[max_digest_rows];
extern size_t num_digest_rows;

/* Fills digest_rows. */
void digest_list_rows(void);

/* Writes all of the row's line but the digest to key, which has room for digest_line_length. */
void digest_print_key(const digest_row *r, char *key);

/* The digest in the table's next line, which must be the row's: else the CMocka test fails. */
uint64_t digest_next_in_table(FILE *table, const digest_row *r);

/* FNV-1a over all outputs of the row's call, by the oracle or by the library on a context. */
uint64_t digest_by_oracle(const digest_row *r);
uint64_t digest_by_library(const digest_row *r, onepass_context *ctx);

/* The library's half in steps. A call that has begun can be made any number of times; outputs are zero before. */
typedef struct digest_call {
    const digest_row *row;
    onepass_context *ctx;
    guard in, flags, out, indices, count;
} digest_call;
digest_call digest_call_begin(const digest_row *r, onepass_context *ctx);
void digest_call_make(const digest_call *call);
uint64_t digest_call_result(const digest_call *call); /* waits */
void digest_call_end(digest_call *call);

#endif
