/* SPDX-License-Identifier: MIT */
/*
 * The calls whose outputs are digested in digests.txt: a fixed list of rows, each with everything that its call needs,
 * and two ways to compute a row's digest. test_digests.c has the table.
 */
#ifndef ONEPASS_TESTS_DIGEST_ROWS_H
#define ONEPASS_TESTS_DIGEST_ROWS_H

#include "inputs.h"

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

/* FNV-1a over all outputs of the row's call, by the oracle or by the library on a context. */
uint64_t digest_by_oracle(const digest_row *r);
uint64_t digest_by_library(const digest_row *r, onepass_context *ctx);

#endif
