/* SPDX-License-Identifier: MIT */
/*
 * What a launch is told: plain C, and for scans and reductions the same for every kernel, so that one table of kernels
 * serves all types and operators and the caller never sees CUDA C++.
 *
 * A workspace is one piece of memory that outlives launches: a control block, then for each layout of descriptors the
 * aggregates (one a tile) and the starts of windows (one a window). It is zeroed once; then ticket_pack(1, 0) goes into
 * the ticket word. Every launch leaves it ready for the next: nothing is cleared in between, because each word carries
 * the epoch of its launch (src/descriptor.h).
 */
#ifndef ONEPASS_LOOKBACK_PARAMS_H
#define ONEPASS_LOOKBACK_PARAMS_H

#include <stdint.h>

/* Words of the control block, each on a line of its own: they are what all blocks write. */
enum lookback_control {
    CONTROL_TICKET = 0,        /* epoch and next tile */
    CONTROL_NUM_FINISHED = 16, /* blocks that are done with this launch */
    CONTROL_NUM_WORDS = 32
};

/* Rows in a window: ORDER.md. */
enum { WINDOW_ROWS = 8192 };

/* Tiles of one_window_kernel have up to 64 rows, a power of two; a warp has a row, or 2 or 4 beyond 16 rows. */
enum { ONE_WINDOW_MAX_ROWS = 64, ONE_WINDOW_MIN_ROWS = 8, ONE_WINDOW_MAX_WARPS = 16, ONE_WINDOW_MAX_TILES = 128 };

/* What the first window starts from. */
enum fold_start {
    START_NOTHING = 0,  /* an inclusive scan or a reduction */
    START_IDENTITY = 1, /* the operator's start: +0.0 for SUM */
    START_BITS = 2,     /* fold_params.initial */
    START_MEMORY = 3    /* *fold_params.d_initial */
};

/* What the launch of a kernel of the pipeline must give it. */
struct pipeline_needs {
    uint32_t tile_items;
    uint32_t window_tiles;    /* tiles in a window: the kernel has one start for each */
    uint32_t aggregate_words; /* 64-bit words of an aggregate's descriptor: 1 or 2 */
    uint32_t start_words;     /* likewise of a window's start */
    uint32_t block_threads;
    uint32_t shared_bytes; /* dynamic shared memory without slots */
    uint32_t slot_bytes;   /* of one slot */
};

/* What the pipeline itself is told. */
struct pipeline_params {
    uint64_t max_items;
    const uint64_t *d_num_items; /* or NULL: max_items */
    /* The workspace. */
    uint64_t *control;
    uint64_t *aggregates; /* of this kernel's layouts; values that lie apart are before their words (descriptors.cuh) */
    uint64_t *starts;
    uint64_t *descriptors; /* all of them, of both layouts, for the clearing when epochs begin again */
    uint64_t num_descriptor_words;
    uint64_t *clamped;  /* two words: a count that was above max_items, and max_items */
    uint32_t num_slots; /* of the ring: what the shared memory of the launch has room for; at least 2 */
};

/* What a kernel reads first comes first: constants arrive by 64 bytes, and a small launch waits for each. */
struct fold_params {
    const void *in;
    void *out;
    uint64_t initial; /* one output item in the low bytes, for START_BITS */
    /* How one kernel serves several types and operators. Integer items that are widened are first taken as
     * (x ^ sign) - sign: sign is the top bit of a signed input type, else 0. The operators MIN and OR work on x ^ key:
     * key turns MIN into MAX, unsigned order into signed, and OR into AND. */
    uint64_t sign;
    uint64_t key;
    uint32_t start;     /* enum fold_start */
    uint32_t tile_rows; /* one_window_kernel: rows in a tile */
    uint8_t exclusive;  /* scan only: EXCLUSIVE and OFFSETS */
    uint8_t has_total;  /* scan only: OFFSETS, one position more than there are items */
    uint8_t reverse;    /* scan only */
    uint8_t is_reduction;
    /* Positions before the first item's, fewer than a line has: where any order will do, these are added so that lines
     * of items are lines of memory, and in and out point at the line's start. Nothing is read or written there. Not
     * for one_tile_kernel, nor in reverse. */
    uint8_t lead;
    const void *d_initial;           /* one output item, for START_MEMORY */
    struct pipeline_params pipeline; /* one_window_kernel has no ring; one_tile_kernel no workspace */
};

#endif
