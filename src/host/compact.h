/* SPDX-License-Identifier: MIT */
/*
 * One compaction on the host, and what a thread does with a tile of it: decide every item once, and compact each part
 * of each array into memory of the thread's own; later, when the tile's place is known, write it.
 *
 * All of a tile has been read when compact_tile returns, so that tiles may be written in place once it is published.
 */
#ifndef ONEPASS_SRC_HOST_COMPACT_H
#define ONEPASS_SRC_HOST_COMPACT_H

#include "host.h"

/* An array to move: each part that is wanted is gathered at kept_at in the worker's memory. */
struct gather {
    const unsigned char *in; /* NULL: positions from the start of the tile */
    size_t item_size;
    compact_fn compact;
    size_t kept_at[num_output_parts];
    unsigned char *out[num_output_parts];
};

enum { max_gathers = max_moved_arrays + 1 };

struct compact_job {
    struct host *host;
    const struct compact_call *call;
    uint64_t infinity; /* of a floating type, where heads decide */
    keep_fn keep;
    keep_fn keep_second;
    heads_fn heads;
    size_t item_size;
    struct gather gathers[max_gathers]; /* indices last */
    int num_gathers;
    bool is_wanted[num_output_parts]; /* by any gather */
    write_fn write;
    int num_threads;
    uint64_t tile_items;
    /* The launch: items from first_item on, fewer than 2^32 of them, and where their parts go. */
    uint64_t first_item;
    uint64_t num_items;
    uint64_t num_tiles;
    uint64_t places[num_output_parts];
    uint64_t counts; /* of all items, as packed below; set by the thread that has the last tile */
};

/* How many items are selected, and how many belong to the second part, in one word: the value that the look-back adds
 * up. A launch has fewer than 2^32 items, so neither half overflows. */
static inline uint64_t counts_pack(uint64_t num_selected, uint64_t num_second)
{
    return num_second << 32 | num_selected;
}

static inline uint64_t counts_selected(uint64_t counts)
{
    return counts & UINT32_MAX;
}

static inline uint64_t counts_second(uint64_t counts)
{
    return counts >> 32;
}

/* Sets what the tiles need: gathers, and the tile size. */
void compact_plan(struct compact_job *job, uint64_t num_items, bool has_outputs);

/* Reads and compacts the tile's items, which are first_item and on of the job; returns the tile's counts. */
uint64_t compact_tile(const struct compact_job *job, struct worker *worker, uint64_t first_item, size_t num_items);

/* Writes what compact_tile left, given the tile's counts and those of the job's items before it. */
void compact_write_tile(const struct compact_job *job, struct worker *worker, uint64_t first_item, size_t num_items,
                        uint64_t counts, uint64_t counts_before);

#endif
