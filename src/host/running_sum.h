/* SPDX-License-Identifier: MIT */
/*
 * The sums above the rows, in the order of ORDER.md: values come one after another (rows in a kernel, tiles in the
 * look-back walk), and the prefix before the next one is always known.
 *
 * It counts in binary, as adding one to a binary number does: a value closes every block that ends with it, smallest
 * first, and the largest block it closes is added to the prefix where that block began. That is Brent-Kung's
 * down-sweep, done while the values arrive; it takes two additions a value on average.
 */
#ifndef ONEPASS_SRC_HOST_RUNNING_SUM_H
#define ONEPASS_SRC_HOST_RUNNING_SUM_H

#include <stdint.h>

/* left op right, on accumulators kept in the low bytes of 64 bits. */
typedef uint64_t (*combine_fn)(uint64_t left, uint64_t right);

enum { window_levels = 13, window_rows = 1 << window_levels };

struct running_sum {
    uint64_t prefix;                   /* of everything added so far, from the start */
    uint64_t num_added;                /* since the start of the window */
    uint64_t start[window_levels + 1]; /* start[k]: the prefix where the current aligned block of 2^k begins */
    uint64_t block[window_levels + 1]; /* block[k]: the sum of the complete block of 2^k that its sibling waits for */
};

/* Begins at the start of a window, or of an aligned block inside one. */
static inline void sum_start(struct running_sum *sum, uint64_t start)
{
    sum->prefix = start;
    sum->num_added = 0;
    for (int level = 0; level <= window_levels; level++)
        sum->start[level] = start;
}

/* Adds the next value. After the last one of a window the prefix is the start of the next window, which begins. */
static inline void sum_add(struct running_sum *sum, combine_fn combine, uint64_t value)
{
    int level = 0;
    for (; sum->num_added >> level & 1; level++)
        value = combine(sum->block[level], value);
    sum->block[level] = value;
    sum->prefix = combine(sum->start[level], value);
    sum->num_added = (sum->num_added + 1) % window_rows;
    for (int lower = 0; lower <= level; lower++)
        sum->start[lower] = sum->prefix;
}

/* The balanced sum of the block that has begun, padded with nothing to any power of two; num_added must not be 0. */
static inline uint64_t sum_of_block(const struct running_sum *sum, combine_fn combine)
{
    int level = 0;
    while (!(sum->num_added >> level & 1))
        level++;
    uint64_t value = sum->block[level];
    for (level++; level <= window_levels; level++)
        if (sum->num_added >> level & 1)
            value = combine(sum->block[level], value);
    return value;
}

#endif
