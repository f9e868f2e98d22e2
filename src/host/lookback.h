/* SPDX-License-Identifier: MIT */
/*
 * Decoupled look-back among host threads: tickets, status descriptors, and the walk that turns the aggregates of the
 * tiles before into a tile's exclusive prefix, in the order of ORDER.md.
 *
 * A tile is a power-of-two number of rows, so a window is a power-of-two number of tiles, and a tile's aggregate is the
 * balanced sum of its rows. Each tile publishes its aggregate (status A) before it waits for anything; the last tile of
 * a window publishes the start of the next window (status P) in an array of its own.
 *
 * Progress: a wait is only ever for the A of a lower tile. Its ticket was drawn by a thread that publishes it without
 * waiting, so every wait ends.
 *
 * A value is up to 64 bits and travels as two words of descriptor.h, each with half of it and with its own epoch and
 * status. Both are stored with release and read with acquire, so whatever a thread did before it published a tile, such
 * as reading that tile's input, has happened before what a thread does that has seen it.
 */
#ifndef ONEPASS_SRC_HOST_LOOKBACK_H
#define ONEPASS_SRC_HOST_LOOKBACK_H

#include "running_sum.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct descriptor {
    _Atomic(uint64_t) low;
    _Atomic(uint64_t) high;
};

/* What outlives a launch. */
struct lookback {
    _Alignas(64) _Atomic(uint64_t) ticket;      /* epoch and next tile */
    _Alignas(64) struct descriptor *aggregates; /* one for each tile */
    struct descriptor *starts;                  /* one for each window: the start of the window after it */
    uint64_t max_tiles;
};

/* One launch, as one thread sees it. */
struct walker {
    struct lookback *lookback;
    combine_fn combine;
    uint64_t tiles_per_window;
    uint32_t epoch;
    uint64_t window_idx; /* window_start is the start of this window: where the last tile was */
    uint64_t window_start;
};

/* Zeroed descriptors for max_tiles tiles; false if there is no memory. */
bool lookback_create(struct lookback *lookback, uint64_t max_tiles);
void lookback_destroy(struct lookback *lookback);

/* Between launches, by one thread: leaves every descriptor as X for the next launch. */
void lookback_finish(struct lookback *lookback);

/* A walker for a thread that joins a launch; initial is the start of the first window. */
struct walker walker_start(struct lookback *lookback, combine_fn combine, uint64_t tiles_per_window, uint64_t initial);

/* Draws the next tile; false if all num_tiles are drawn. A thread's tiles rise. */
bool walker_draw(struct walker *walker, uint64_t num_tiles, uint64_t *tile_idx);

/* Publishes the tile's aggregate, walks, and returns the tile's exclusive prefix. */
uint64_t walker_publish_and_walk(struct walker *walker, uint64_t tile_idx, uint64_t aggregate);

/* Publishes alone, for a reduction, which has no use for prefixes. */
void walker_publish(struct walker *walker, uint64_t tile_idx, uint64_t aggregate);

/* H of ORDER.md after num_tiles tiles, all published: the last window is padded with nothing. */
uint64_t walker_total(struct walker *walker, uint64_t num_tiles);

#endif
