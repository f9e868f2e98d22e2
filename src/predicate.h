/* SPDX-License-Identifier: MIT */
/*
 * Every predicate as one range test on the item's bits, so that a backend needs one kernel for each item size.
 *
 * With w bits an item and all arithmetic modulo 2^w, an item x is kept if
 *     (((key(x) & mask) - low) <= span) != negate
 * where key(x) is x for integers, and x ^ (x negative ? 2^(w-1) - 1 : 0) for floating types. As signed numbers these
 * keys order floating items as < does, with -0.0 just below 0.0 and the NaNs outside [-infinity, +infinity].
 * Subtracting low turns the signed or unsigned interval [low, low + span] into [0, span].
 */
#ifndef ONEPASS_SRC_PREDICATE_H
#define ONEPASS_SRC_PREDICATE_H

#include "onepass.h"

#include <stdbool.h>

struct range_test {
    uint64_t mask;
    uint64_t low;
    uint64_t span;
    bool negate;
    bool floating; /* use the floating key */
};

/* Whether kind is an enumerator. */
bool is_predicate_kind(int kind);

/* Whether a predicate of this kind goes with the type. */
bool is_predicate_defined(onepass_predicate_kind kind, onepass_type type);

/* The range test that keeps what the predicate keeps. The predicate must be defined for the type. */
struct range_test range_test_of(onepass_type type, const onepass_predicate *predicate);

#endif
