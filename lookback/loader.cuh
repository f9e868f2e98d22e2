/* SPDX-License-Identifier: MIT */
/*
 * The loader: one warp that takes tickets and starts each tile's copy into the next empty slot.
 *
 * Tile borders never move with the address. The tile's whole aligned lines come by asynchronous copy, the up to 15
 * bytes at either end item by item, so nothing outside the tile is read, not even by a copy whose result nobody looks
 * at: in place, a neighbouring tile may be overwriting it.
 */
#ifndef ONEPASS_LOOKBACK_LOADER_CUH
#define ONEPASS_LOOKBACK_LOADER_CUH

#include "pipeline.cuh"

namespace onepass
{

/* Part of a tile's copy into a slot: bytes begin to end of `src`, whose first line is at `dst`, as items of type T.
 * Returns the bytes that come by bulk copy, for arrive_full. All lanes of the warp; the slot is empty. */
template <typename T>
ONEPASS_DEVICE uint32_t copy_to_slot(const unsigned char *src, uint32_t begin, uint32_t end, unsigned char *dst,
                                     mbarrier *full)
{
    constexpr uint32_t size = sizeof(T);
    uint32_t middle = (begin + line_bytes - 1) / line_bytes * line_bytes;
    uint32_t middle_end = end / line_bytes * line_bytes;
    if (middle >= middle_end)
        middle = middle_end = end; /* no whole line: all is head */
    if (has_bulk_copy) {
        if (lane_idx() == 0 && middle < middle_end)
            bulk_load(dst + middle, src + middle, middle_end - middle, full);
    } else {
        for (uint32_t at = middle + lane_idx() * line_bytes; at < middle_end; at += row_bytes)
            cp_async_16(dst + at, src + at);
    }
    for (uint32_t at = begin + lane_idx() * size; at < middle; at += warp_threads * size)
        *reinterpret_cast<T *>(dst + at) = *reinterpret_cast<const T *>(src + at);
    for (uint32_t at = middle_end + lane_idx() * size; at < end; at += warp_threads * size)
        *reinterpret_cast<T *>(dst + at) = *reinterpret_cast<const T *>(src + at);
    return middle_end - middle;
}

/* All arrivals on `full`, after the tile's copies have been started: by every lane, for what it stored, and where there
 * are no bulk copies for what it copied. */
ONEPASS_DEVICE void arrive_full(mbarrier *full, uint32_t bulk_bytes)
{
    fence_proxy_async(); /* this lane's stores, before a later copy over them */
    if (!has_bulk_copy)
        cp_async_mbar_arrive(full);
    if (has_bulk_copy && lane_idx() == 0)
        mbar_arrive_expect_tx(full, bulk_bytes);
    else
        mbar_arrive(full);
}

/* The role, by all lanes of its warp: fill(slot, tile_idx) starts a tile's copies and returns the bytes of the bulk
 * ones. A ticket is drawn when there is a slot for its tile, and no earlier: all later tiles wait for this one's
 * aggregate, and a ticket drawn ahead of time makes them wait for the slot too (int32: 0.965 of a copy against 0.955;
 * H200, 2026-11-30). After the last tile come slots that say so, until each walker has had one; reducers and writers
 * stop at the first. */
template <typename Shape, typename Shared, typename Fill>
ONEPASS_DEVICE void run_loader(const pipeline_params &params, uint64_t num_tiles, Shared &shared, Fill fill)
{
    const uint32_t all_ends = slots_of_all_walkers<Shape>(params);
    const uint64_t num_tickets = num_tiles + (uint64_t)all_ends * gridDim.x;
    uint32_t idx = 0, phase = 0, num_ends = 0;
    for (bool is_first = true; num_ends < all_ends; is_first = false) {
        auto &slot = slot_at(shared, idx);
        mbar_wait(&slot.empty, phase ^ 1); /* the first time round it is empty */
        uint64_t ticket = 0;
        if (lane_idx() == 0)
            ticket = take_ticket(params, num_tickets);
        ticket = shfl_idx(ticket, 0);
        const uint64_t tile_idx = ticket_tile_idx(ticket);
        if (lane_idx() == 0) {
            slot.tile_idx = tile_idx;
            if (is_first)
                shared.epoch = ticket_epoch(ticket);
        }
        uint32_t bulk_bytes = 0;
        if (tile_idx < num_tiles)
            bulk_bytes = fill(slot, tile_idx);
        else
            ++num_ends;
        arrive_full(&slot.full, bulk_bytes);
        if (tile_idx >= num_tiles)
            mbar_wait(&slot.full, phase); /* perhaps nobody else does: no arrival is on its way when the block ends */
        if (++idx == params.num_slots) {
            idx = 0;
            phase ^= 1;
        }
    }
}

} // namespace onepass

#endif
