/* SPDX-License-Identifier: MIT */
/*
 * The vector code of the host backend: what is done to one block of items in the first-level cache. kernels.c is
 * compiled once for each instruction set, and each of those gives one table.
 *
 * A scan of a block has three steps, so that types, operators and output types do not multiply: load (convert items to
 * accumulators), scan (accumulators to accumulators), store (convert to the output type). MIN and MAX of floating types
 * load order-preserving integer keys, and then are MIN and MAX of integers.
 */
#ifndef ONEPASS_SRC_HOST_KERNELS_H
#define ONEPASS_SRC_HOST_KERNELS_H

#include "../predicate.h"
#include "../types.h"
#include "running_sum.h"

#include <float.h>
#include <stddef.h>

/* What the results depend on: IEEE operations in their own type, and the low bytes of a word first in memory. */
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "onepass: floating-point operations must be done as written, in their own type (no -ffast-math, no x87)"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "onepass: the host backend is for little-endian processors"
#endif

/* A row of ORDER.md. */
enum { row_bytes = 512, row_lanes = 32, lane_bytes = row_bytes / row_lanes };

/* Accumulators in a block, of which several fit the first-level cache; the vector that scans step by; a cache line. */
enum { block_bytes = 4096, vector_bytes = 16, line_bytes = 64 };

/* A block, and behind it room for one vector and one item more. */
struct block {
    _Alignas(line_bytes) unsigned char items[block_bytes];
    unsigned char slack[line_bytes];
};

/* Work space of one thread. A scan leaves its result in `results`. While it computes it asks for the input of the next
 * block, a cache line now and then: the processor's own prefetching stops at every pause, and a burst of requests waits
 * for itself (one thread, int32: 54 ms without, 54 ms in a burst, 29 ms spread out; EPYC 9004, 2026-11-30). */
struct scratch {
    struct block items;
    struct block results;
    struct block stored;
    struct block reversed;
    unsigned char *past_cache; /* where a scan of rows leaves its results instead, past the caches, if not NULL */
    const unsigned char *next_input;
    size_t next_bytes;
};

typedef void (*convert_fn)(const void *src, void *dst, size_t num_items);

/* Scans num_items accumulators, which are whole rows or padded to that with nothing, from sum->prefix on, and moves sum
 * on. */
typedef void (*scan_fn)(struct scratch *scratch, const void *items, size_t num_items, bool is_exclusive,
                        struct running_sum *sum);

/* Moves sum on over num_items accumulators, of which the last row is padded as above. */
typedef void (*reduce_fn)(const void *items, size_t num_items, struct running_sum *sum);

/* Bit i % 64 of bits[i / 64] tells whether item i is kept; bits of the last word beyond num_items are 0. */
typedef void (*keep_fn)(const void *items, size_t num_items, const struct range_test *test, uint64_t *bits);

/* The same for the first items of runs of equal items. has_before: the item before items[0] is there, and counts.
 * infinity: of a floating type, its bits; there -0.0 equals 0.0, and every NaN every NaN. */
typedef void (*heads_fn)(const void *items, size_t num_items, bool has_before, uint64_t infinity, uint64_t *bits);

/* Writes the kept items to out, which has line_bytes of slack, and returns how many. */
typedef size_t (*compact_fn)(const void *items, size_t num_items, const uint64_t *bits, void *out);

/* As memcpy. Writes past the caches are in order with other memory accesses only after host_end_writes. */
typedef void (*write_fn)(void *dst, const void *src, size_t num_bytes);

enum { num_sizes = 4, num_moved_sizes = 5 }; /* tables by item size: index is the base-2 logarithm */
enum { num_lane_sizes = 4 };

struct host_kernels {
    /* [from][to]. Integers are converted modulo 2^bits. An empty entry of `store` means that nothing is to be done. */
    convert_fn load[num_types][num_types];
    convert_fn load_key[2][num_types][num_types]; /* [MAX][floating type][I32 or I64] */
    convert_fn store[num_types][num_types];
    convert_fn store_key[num_types][num_types]; /* [I32 or I64][floating type] */
    convert_fn reverse[num_sizes];

    /* Where the order does not matter: [operator][accumulator type]. */
    combine_fn combine[num_operators][num_types];
    scan_fn scan[num_operators][num_types];
    reduce_fn reduce[num_operators][num_types];
    /* Floating SUM and PROD: [operator][accumulator type][base-2 logarithm of the items in a lane]. */
    combine_fn combine_rows[num_operators][num_types][num_lane_sizes];
    scan_fn scan_rows[num_operators][num_types][num_lane_sizes];
    reduce_fn reduce_rows[num_operators][num_types][num_lane_sizes];

    keep_fn keep[2][num_sizes]; /* [floating][size] */
    heads_fn heads[2][num_sizes];
    compact_fn compact[num_moved_sizes];

    write_fn write_past_cache;
};

extern const struct host_kernels host_kernels_generic;
#ifdef HOST_HAVE_X86
extern const struct host_kernels host_kernels_avx2;
extern const struct host_kernels host_kernels_avx512;
#endif

/* The best table for this processor. */
const struct host_kernels *host_kernels_best(void);

#endif
