/* SPDX-License-Identifier: MIT */
/* The state of a host context, and what its operations share: working memory of a thread, the shape of the work, and
 * the way results leave the cache. */
#ifndef ONEPASS_SRC_HOST_HOST_H
#define ONEPASS_SRC_HOST_HOST_H

#include "../context.h"
#include "kernels.h"
#include "lookback.h"
#include "pool.h"

/* Tiles of 256 KiB: they stay in the second-level cache between the two times that a thread reads them, and are long
 * enough (some 20 us) for the descriptors to cost nothing. */
enum { tile_bytes = 256 * 1024, tile_rows = tile_bytes / row_bytes };

/* A compaction's tiles hold as much of what is moved, so they have fewer items the more arrays there are; but no fewer
 * than these, or the descriptors would take more memory than onepass_reserve promises. */
enum { compact_max_tile_items = 64 * 1024, compact_min_tile_items = 8 * 1024 };

/* Items that a thread decides on at once: their bits and indices stay in the first-level cache. */
enum { compact_block_items = 2048 };

/* Room for the parts of a tile, each of which may be all of it, in every array and index: of the smallest tile, if they
 * have the most bytes that they can have; else a tile has at most tile_bytes, which are fewer. */
enum {
    max_moved_bytes = 8 + 16 * ONEPASS_MAX_PAYLOADS + 4,
    kept_bytes = num_output_parts * (compact_min_tile_items * max_moved_bytes + 2 * line_bytes * (max_moved_arrays + 1))
};
_Static_assert((int)compact_min_tile_items *max_moved_bytes >= tile_bytes, "room for large tiles as well");

struct worker {
    struct scratch scratch;
    uint64_t bits[num_output_parts][compact_block_items / 64];
    uint32_t positions[compact_block_items]; /* 0, 1, 2, ...: what is compacted to get indices */
    _Alignas(line_bytes) unsigned char kept[kept_bytes];
};

struct host {
    const struct host_kernels *kernels;
    struct pool *pool;
    struct worker *workers; /* one for each thread */
    struct lookback lookback;
    uint64_t cache_bytes; /* of the last-level cache */
    /* A count read from memory that was above its bound, and the bound, for onepass_synchronize. */
    bool has_clamped;
    uint64_t clamped_items;
    uint64_t clamped_max;
};

static inline struct host *host_of(const onepass_context *ctx)
{
    return ctx->state;
}

/* The number of items; one above its bound is noted. */
uint64_t host_num_items(struct host *host, struct item_count count);

/* How many threads to use for so many bytes read and written: one, where waking others would take longer. */
int host_num_threads(const struct host *host, uint64_t num_bytes);

/* The largest tile of at most max_units units (rows, or items), a power of two and no less than min_units, that gives
 * every thread several tiles. */
uint64_t host_tile_units(uint64_t num_units, uint64_t min_units, uint64_t max_units, int num_threads);

/* How results are written where so many bytes are read and written: past the caches, which would first read what is to
 * be overwritten, if there are more than they hold. After its writes a thread calls host_end_writes. */
write_fn host_writer(const struct host *host, uint64_t num_bytes);
void host_end_writes(void);

onepass_result host_scan(onepass_context *ctx, const struct scan_call *call);
onepass_result host_reduce(onepass_context *ctx, const struct reduce_call *call);
onepass_result host_compact(onepass_context *ctx, const struct compact_call *call);

#endif
