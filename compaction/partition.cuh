/* SPDX-License-Identifier: MIT */
/*
 * The partition kernel: all items, those that pass before those that do not, each part in order; two parts or three.
 *
 * As the selection kernel, but writers go through all items of their segment (parts.cuh).
 *
 * Parts with outputs of their own are written in one pass. A second part behind the first in one output begins where
 * the first ends, which is known when all has been decided: so every tile has two tickets. By the first it is counted
 * only; by the second, after all of the first, it is decided again and written. Forward progress is as in walk.cuh: a
 * writing tile waits for aggregates of counting ones, which all have lower tickets, and wait for no writing tile.
 */
#ifndef ONEPASS_COMPACTION_PARTITION_CUH
#define ONEPASS_COMPACTION_PARTITION_CUH

#include "decide.cuh"
#include "parts.cuh"

namespace onepass
{

/* The walkers' role where every tile has two tickets: those that write have their prefix, and the number of items in
 * the first part of all. Of the others only the ends of windows walk, for the sake of the starts. */
template <typename Shape, typename Shared>
ONEPASS_DEVICE void walk_twice(const pipeline_params &params, uint64_t num_tiles, Shared &shared)
{
    using shape_walker = walker<uint64_t, op_SUM<uint64_t>, Shape::window_tiles, typename Shape::aggregate,
                                op_SUM<typename Shape::aggregate>>;
    const unsigned turn = warp_idx() - Shape::first_walker, num_walkers = walkers_in_use<Shape>(params);
    if (turn >= num_walkers)
        return;
    const auto new_walker = [&] {
        return shape_walker(params.aggregates, params.starts, shared.walk_sums[turn], (uint64_t)0);
    };
    shape_walker counting = new_walker(), writing = new_walker();
    uint64_t total = 0;
    bool has_total = false;
    for_each_slot(params, shared, 2 * num_tiles, turn, num_walkers, [&](auto &slot, uint64_t ticket, unsigned) {
        uint64_t prefix = 0;
        if (ticket < num_tiles) {
            counting.epoch = shared.epoch;
            if (shape_walker::ends_window(ticket))
                (void)counting.exclusive_prefix(ticket);
        } else {
            if (!has_total) {
                shape_walker last = new_walker(); /* the others may be beyond, or have to go on from where they are */
                last.epoch = shared.epoch;
                total = last.total_after(num_tiles - 1);
                has_total = true;
            }
            writing.epoch = shared.epoch;
            prefix = writing.exclusive_prefix(ticket - num_tiles);
        }
        if (lane_idx() == 0) {
            slot.prefix = prefix;
            slot.total = total;
            mbar_arrive(&slot.ready);
        }
    });
}

/*
 * All items, in parts, each in order; and how many there are in each part but the last.
 *
 * Launch: Shape::block_threads threads; any number of blocks, best as many as multiprocessors; shared memory for
 *   partition_shared and num_slots slots.
 * Items: a tile is Shape::tile_items items; whichever block drew its ticket decides and writes. No output overlaps with
 * the input or another output. A single output has all the items. Workspace: as for scan_kernel, with aggregates of
 * Shape::aggregate and starts of Shape::prefix.
 */
template <typename Shape>
__global__ void __launch_bounds__(Shape::block_threads, 1)
    partition_tiles_kernel(const __grid_constant__ partition_params params)
{
    using shared_type = partition_shared<Shape>;
    shared_type &shared = shared_memory<shared_type>();
    begin_launch<Shape>(params.pipeline, shared);
    const select_view<Shape> all(shared.num_items);
    /* Tickets below num_counting count; one of a tile behind them writes. */
    const uint64_t num_counting = params.single_output ? all.num_tiles : 0;
    const uint64_t num_tickets = num_counting + all.num_tiles;
    /* Else flags alone may decide, and there need be no items. */
    const bool wants_items = params.out[0] || params.out[1] || params.out[2];
    const auto tile_of = [&](uint64_t ticket) { return ticket < num_counting ? ticket : ticket - num_counting; };
    if (warp_idx() < Shape::first_walker) {
        run_loader<Shape>(params.pipeline, num_tickets, shared, [&](auto &slot, uint64_t ticket) {
            return fill_select_slot<Shape>(params.decision, wants_items && ticket >= num_counting, all, slot,
                                           tile_of(ticket));
        });
    } else if (warp_idx() < Shape::first_reducer) {
        if constexpr (Shape::bitmaps == 1) {
            if (params.single_output) {
                walk_twice<Shape>(params.pipeline, all.num_tiles, shared);
            } else {
                run_walker<uint64_t, op_SUM<uint64_t>, op_SUM<typename Shape::aggregate>, Shape>(
                    params.pipeline, all.num_tiles, (uint64_t)0, false, shared);
            }
        } else {
            run_walker<u64x2, op_add_counts, op_SUM<uint64_t>, Shape>(params.pipeline, all.num_tiles, u64x2{ 0, 0 },
                                                                      false, shared);
        }
    } else if (warp_idx() < Shape::first_writer) {
        for_each_slot(params.pipeline, shared, num_tickets, 0, 1, [&](auto &slot, uint64_t ticket, unsigned) {
            const bool published = num_counting == 0 || ticket < num_counting;
            decide_tile<Shape>(params.pipeline, params.decision, all, tile_of(ticket), shared.epoch, published, slot);
            leave_slot(slot);
        });
    } else {
        for_each_slot(params.pipeline, shared, num_tickets, 0, 1, [&](auto &slot, uint64_t ticket, unsigned phase) {
            mbar_wait(&slot.ready, phase); /* the reducers' words and counts, and the walker's prefix */
            if (ticket < num_counting)
                leave_slot(slot);
            else
                write_parts<Shape>(params, all, tile_of(ticket), slot,
                                   shared.staging[warp_idx() - Shape::first_writer]);
        });
    }
    finish_launch(params.pipeline, shared);
}

} // namespace onepass

#endif
