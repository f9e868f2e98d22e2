/* SPDX-License-Identifier: MIT */
/*
 * From predicates to range tests (predicate.h).
 *
 * Items and values are placed on one line of 64-bit ranks that rises with their order: a signed key moved up by 2^63,
 * or an unsigned item as it is. A comparison is then an interval of ranks, cut to those that the type has.
 */
#include "predicate.h"

#include "types.h"
#include "value.h"

#define SIGNED_RANK(key) ((uint64_t)(key) ^ UINT64_C(1) << 63)

struct interval {
    uint64_t first;
    uint64_t last;
    bool empty;
};

bool is_predicate_kind(int kind)
{
    return kind >= ONEPASS_EQUAL && kind <= ONEPASS_ALL_BITS;
}

bool is_predicate_defined(onepass_predicate_kind kind, onepass_type type)
{
    switch (kind) {
    case ONEPASS_NAN:
    case ONEPASS_FINITE:
        return is_floating(type);
    case ONEPASS_ANY_BITS:
    case ONEPASS_ALL_BITS:
        return !is_floating(type);
    default:
        return true;
    }
}

static uint64_t all_bits(onepass_type type)
{
    return UINT64_MAX >> (64 - 8 * onepass_type_size(type));
}

/* Rank of the floating item with these bits; meaningful order for all but NaNs. */
static uint64_t floating_rank(onepass_type type, uint64_t bits)
{
    uint64_t sign = sign_bit(type);
    return bits & sign ? SIGNED_RANK(~(bits & ~sign)) : SIGNED_RANK(bits);
}

static struct interval ranks_of_type(onepass_type type)
{
    if (is_floating(type)) {
        uint64_t infinity = infinity_bits(type);
        return (struct interval){ floating_rank(type, sign_bit(type) | infinity), floating_rank(type, infinity),
                                  false };
    }
    if (is_signed(type)) {
        uint64_t highest = all_bits(type) >> 1;
        return (struct interval){ SIGNED_RANK(~highest), SIGNED_RANK(highest), false };
    }
    return (struct interval){ 0, all_bits(type), false };
}

/* The ranks that compare equal to value: one, two for a floating zero, none for NaN. */
static struct interval ranks_of_value(onepass_type type, onepass_value value)
{
    if (!is_floating(type)) {
        uint64_t rank = is_signed(type) ? SIGNED_RANK(value.i) : value.u;
        return (struct interval){ rank, rank, false };
    }
    uint64_t bits = value_bits(type, value);
    uint64_t sign = sign_bit(type);
    uint64_t magnitude = bits & ~sign;
    if (magnitude == 0)
        return (struct interval){ floating_rank(type, sign), floating_rank(type, 0), false };
    return (struct interval){ floating_rank(type, bits), floating_rank(type, bits), magnitude > infinity_bits(type) };
}

/* All ranks below, or above, one rank. */
static struct interval below(uint64_t rank)
{
    return (struct interval){ 0, rank - 1, rank == 0 };
}

static struct interval above(uint64_t rank)
{
    return (struct interval){ rank + 1, UINT64_MAX, rank == UINT64_MAX };
}

static struct interval intersection(struct interval x, struct interval y)
{
    uint64_t first = x.first > y.first ? x.first : y.first;
    uint64_t last = x.last < y.last ? x.last : y.last;
    return (struct interval){ first, last, x.empty || y.empty || first > last };
}

/* The ranks for which a comparison holds, before they are cut to the type. */
static struct interval ranks_kept(onepass_type type, const onepass_predicate *predicate)
{
    static const onepass_value zero; /* all bits 0: zero in every member */
    struct interval a = ranks_of_value(type, predicate->kind == ONEPASS_ZERO ? zero : predicate->a);
    struct interval kept = a;
    switch (predicate->kind) {
    case ONEPASS_LESS:
        kept = below(a.first);
        break;
    case ONEPASS_LESS_EQUAL:
        kept = (struct interval){ 0, a.last, false };
        break;
    case ONEPASS_GREATER:
        kept = above(a.last);
        break;
    case ONEPASS_GREATER_EQUAL:
        kept = (struct interval){ a.first, UINT64_MAX, false };
        break;
    case ONEPASS_BETWEEN: {
        struct interval b = ranks_of_value(type, predicate->b);
        kept = (struct interval){ a.first, b.last, b.empty || a.first > b.last };
        break;
    }
    default: /* EQUAL, ZERO */
        break;
    }
    kept.empty |= a.empty;
    return kept;
}

/* Keeps the ranks of an interval, which must lie inside the type's own. */
static struct range_test test_of_ranks(onepass_type type, struct interval kept, bool negate)
{
    uint64_t mask = all_bits(type);
    if (kept.empty) /* every key is in [0, mask], so negate that */
        return (struct range_test){ mask, 0, mask, !negate, is_floating(type) };
    bool has_signed_key = is_signed(type) || is_floating(type);
    uint64_t low = has_signed_key ? SIGNED_RANK(kept.first) : kept.first;
    return (struct range_test){ mask, low & mask, kept.last - kept.first, negate, is_floating(type) };
}

struct range_test range_test_of(onepass_type type, const onepass_predicate *predicate)
{
    bool negate = predicate->negate != 0;
    struct interval all = ranks_of_type(type);
    uint64_t bits;
    switch (predicate->kind) {
    case ONEPASS_NAN:
        return test_of_ranks(type, all, !negate);
    case ONEPASS_FINITE:
        return test_of_ranks(type, (struct interval){ all.first + 1, all.last - 1, false }, negate);
    case ONEPASS_ANY_BITS:
        bits = value_bits(type, predicate->a);
        return (struct range_test){ bits, 0, 0, !negate, false };
    case ONEPASS_ALL_BITS:
        bits = value_bits(type, predicate->a);
        return (struct range_test){ bits, bits, 0, negate, false };
    default:
        return test_of_ranks(type, intersection(ranks_kept(type, predicate), all), negate);
    }
}
