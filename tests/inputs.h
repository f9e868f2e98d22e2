/* SPDX-License-Identifier: MIT */
/*
 * What the tests run through: the lists of types.h as arrays, items that are hard for each type, and numbers of items
 * around every boundary. Bulk items come from a seed, by integer arithmetic alone: the same on every machine.
 */
#ifndef ONEPASS_TESTS_INPUTS_H
#define ONEPASS_TESTS_INPUTS_H

#include "onepass.h"
#include "prop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct type_pair {
    onepass_type in, out;
} type_pair;

enum { num_item_types = 12, num_item_operators = 7, num_type_pairs = 39 };
extern const onepass_type item_types[num_item_types];
extern const onepass_operator item_operators[num_item_operators];
extern const type_pair type_pairs[num_type_pairs]; /* every pair that a scan or a reduction may have */

bool type_is_floating(onepass_type type);
bool type_is_signed(onepass_type type);

/* Whether the type has the operator; every other combination is UNSUPPORTED. */
bool operator_goes_with(onepass_operator op, onepass_type type);

/* ORDER.md: a row is 512 bytes of input, a window 8192 rows. */
enum { input_row_bytes = 512, input_window_bytes = 8192 * input_row_bytes };

/* Kinds of items; what is said of floating types comes first. */
typedef enum input_kind {
    INPUT_SMALL,    /* whole numbers from -4 to 4; integers, too */
    INPUT_ORDINARY, /* both signs, exponents around 0: every addition rounds; integers: all bits random */
    INPUT_BITS,     /* all bits random, NaNs with payloads among them */
    INPUT_EXTREME,  /* only zeros, infinities, NaNs, the largest, the smallest; integers: the ends of the range */
    INPUT_HUGE,     /* near the largest: sums overflow; integers: near both ends of the range */
    INPUT_TINY,     /* denormals and the smallest normals; integers: 0 and 1 */
    INPUT_NEAR_ONE, /* 1 and its neighbours, both signs: products of millions stay finite; odd integers: they stay odd
                     */
    INPUT_RARE,     /* ordinary, one in 5000 extreme; integers: all 0 or all bits 1, one in 5000 random */
    INPUT_ZEROS     /* -0.0, one in 300 +0.0; integers: 0, one in 300 is 1 */
} input_kind;
enum { num_input_kinds = INPUT_ZEROS + 1 };

const char *input_kind_name(input_kind kind);

/* Fills num_items items of the type, which need no alignment. */
void input_fill(void *items, onepass_type type, input_kind kind, uint64_t seed, uint64_t num_items);

/* A number like such items: for floating types some that must be rounded, ties between two items among them. */
onepass_value input_value(onepass_type type, input_kind kind, uint64_t seed);

/* A number of items of so many bytes, at most max_bytes of them: often small, or within 2 of a multiple of a power of
 * two of bytes, from a lane to several windows: rows, tiles of any size, and windows are such multiples. */
uint64_t draw_num_items(prop *p, size_t item_bytes, uint64_t max_bytes);

/* Where a buffer starts: so many items past a boundary. */
size_t draw_shift(prop *p, size_t item_bytes);

#endif
