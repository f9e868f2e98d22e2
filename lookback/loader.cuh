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

/* A lane's arrival on `full`: for the ends that it stored, and where there are no bulk copies for what it copied. */
ONEPASS_DEVICE void arrive_full(mbarrier *full)
{
    if (!has_bulk_copy)
        cp_async_mbar_arrive(full);
    mbar_arrive(full);
}

/* A tile's copy into a slot, and all arrivals on its `full`. All lanes of the warp; the slot is empty. */
template <typename Fold, typename Shape, typename Slot>
ONEPASS_DEVICE void fill_slot(const fold_params &params, const launch_view<Fold, Shape> &all, uint64_t tile_idx,
                              Slot &slot)
{
    using in = typename Fold::in;
    using view = tile_view<Fold, Shape>;
    const uint64_t tile_address = view::address(params, all, tile_idx);
    const uint32_t shift = (uint32_t)tile_address % line_bytes;
    const uint32_t num_bytes = all.in_tile(all.num_items, tile_idx) * (uint32_t)sizeof(in);
    /* Bytes begin to end of the slot will hold items; whole lines from middle to middle_end. */
    const uint32_t begin = shift + (params.reverse ? Shape::tile_bytes - num_bytes : 0);
    const uint32_t end = begin + num_bytes;
    uint32_t middle = (begin + line_bytes - 1) / line_bytes * line_bytes;
    uint32_t middle_end = end / line_bytes * line_bytes;
    if (middle >= middle_end)
        middle = middle_end = end; /* no whole line: all is head */
    const unsigned char *src = reinterpret_cast<const unsigned char *>((uintptr_t)(tile_address - shift));

    if (has_bulk_copy) {
        if (lane_idx() == 0 && middle < middle_end)
            bulk_load(slot.data + middle, src + middle, middle_end - middle, &slot.full);
    } else {
        for (uint32_t at = middle + lane_idx() * line_bytes; at < middle_end; at += row_bytes)
            cp_async_16(slot.data + at, src + at);
    }
    for (uint32_t at = begin + lane_idx() * (uint32_t)sizeof(in); at < middle;
         at += warp_threads * (uint32_t)sizeof(in))
        *reinterpret_cast<in *>(slot.data + at) = *reinterpret_cast<const in *>(src + at);
    for (uint32_t at = middle_end + lane_idx() * (uint32_t)sizeof(in); at < end;
         at += warp_threads * (uint32_t)sizeof(in))
        *reinterpret_cast<in *>(slot.data + at) = *reinterpret_cast<const in *>(src + at);
    fence_proxy_async(); /* this lane's stores, before a later copy over them */
    if (has_bulk_copy && lane_idx() == 0)
        mbar_arrive_expect_tx(&slot.full, middle_end - middle);
    else
        arrive_full(&slot.full);
}

/* The ticket of the loader's k-th tile: the epoch and the tile. Lane 0. */
ONEPASS_DEVICE uint64_t take_ticket(const fold_params &params, uint64_t k)
{
    return params.alone ? ticket_pack(1, k) : atomic_add_relaxed(params.control + CONTROL_TICKET, 1);
}

/* The role, by all lanes of its warp. After the last tile each walker gets a slot that says so, for they take turns;
 * reducers and writers stop at the first of these. */
template <typename Fold, typename Shape, typename Shared>
ONEPASS_DEVICE void run_loader(const fold_params &params, const launch_view<Fold, Shape> &all, Shared &shared)
{
    const uint32_t num_walkers = walkers_in_use<Shape>(params);
    ring_cursor at(params.num_slots);
    uint64_t ticket = 0;
    if (lane_idx() == 0)
        ticket = take_ticket(params, 0);
    uint32_t num_ends = 0;
    for (uint64_t k = 0; num_ends < num_walkers; ++k) {
        auto &slot = shared.slot_at(at.idx);
        mbar_wait(&slot.empty, at.phase ^ 1); /* the first time round it is empty */
        ticket = shfl_idx(ticket, 0);
        const uint64_t tile_idx = ticket_tile_idx(ticket);
        if (lane_idx() == 0) {
            slot.tile_idx = tile_idx;
            if (k == 0)
                shared.epoch = ticket_epoch(ticket);
        }
        if (tile_idx < all.num_tiles) {
            fill_slot<Fold, Shape>(params, all, tile_idx, slot);
            if (lane_idx() == 0) /* ahead of time: it is on its way while the loader waits for a slot */
                ticket = take_ticket(params, k + 1);
        } else {
            ++num_ends;
            arrive_full(&slot.full);
        }
        at.advance();
    }
}

} // namespace onepass

#endif
