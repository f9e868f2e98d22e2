/* SPDX-License-Identifier: MIT */
/*
 * The tile pipeline: a persistent block's four roles, the ring of slots they share, and how a launch begins and ends.
 *
 * A tile is a power-of-two number of rows; its slot has its input, the sums of its blocks of rows, and its prefix. The
 * loader takes tickets and fills slots; reducers sum each tile as soon as it is there and publish its aggregate; the
 * walkers, taking turns, find its exclusive prefix; writers do the rest. Publishing early, by warps that never wait for
 * a look-back, is what makes it fast: 0.96 of a copy against 0.31 to 0.50 without (H200, 2026-11-30).
 *
 * Three barriers a slot: `full` (the loader's: input and tile_idx are there), `ready` (a reducer warp, and with writers
 * a walker: block sums and prefix are there), `empty` (every reducer and writer warp, without writers a walker: the
 * slot may be filled again).
 */
#ifndef ONEPASS_LOOKBACK_PIPELINE_CUH
#define ONEPASS_LOOKBACK_PIPELINE_CUH

#include "descriptor.h"
#include "params.h"
#include "primitives/block.cuh"
#include "primitives/tile_io.cuh"
#include "walk.cuh"

namespace onepass
{

/* How a kernel's warps are cut, in order: one loader, the walkers, the reducers, the writers. */
template <unsigned walkers_, unsigned reducers_, unsigned writers_, unsigned window_tiles_> struct pipeline_roles {
    static constexpr unsigned walkers = walkers_, reducers = reducers_, writers = writers_;
    static constexpr unsigned window_tiles = window_tiles_;
    static constexpr unsigned first_walker = 1, first_reducer = 1 + walkers, first_writer = first_reducer + reducers;
    static constexpr unsigned block_threads = (first_writer + writers) * warp_threads;
    using reducer_group = role_group<first_reducer, reducers, 1>;
};

/* What every slot has besides what its tile needs. */
template <typename T> struct slot_control {
    T prefix;
    uint64_t tile_idx; /* num_tiles or more: there are no more tiles */
    mbarrier full, ready, empty;
};

/* The dynamic shared memory: what the block's warps share, then num_slots slots. A kernel may add to it. */
template <typename A, typename Shape, typename Slot> struct alignas(128) pipeline_shared {
    using slot = Slot;
    using aggregate = A;
    A walk_sums[Shape::walkers][Shape::window_tiles];
    uint64_t num_items;
    uint32_t epoch;
};

template <typename Shared> ONEPASS_DEVICE typename Shared::slot &slot_at(Shared &shared, uint32_t idx)
{
    using slot = typename Shared::slot;
    static_assert(alignof(Shared) >= alignof(slot), "the slots follow at once");
    return reinterpret_cast<slot *>(&shared + 1)[idx];
}

/* Walkers take turns: as many as there are slots, so that each has one. */
template <typename Shape> ONEPASS_DEVICE uint32_t walkers_in_use(const pipeline_params &params)
{
    return params.num_slots < Shape::walkers ? params.num_slots : Shape::walkers;
}

/* So many neighbouring slots, from whichever on, hold one of each walker's at least. */
template <typename Shape> ONEPASS_DEVICE uint32_t slots_of_all_walkers(const pipeline_params &params)
{
    const uint32_t num_walkers = walkers_in_use<Shape>(params);
    return num_walkers + params.num_slots % num_walkers;
}

/* Tells the loader that this warp is done with a slot. */
template <typename Slot> ONEPASS_DEVICE void leave_slot(Slot &slot)
{
    fence_proxy_async(); /* each lane's own accesses, before the next copy */
    syncwarp();          /* all lanes have read */
    if (lane_idx() == 0)
        mbar_arrive(&slot.empty);
}

/* Calls work(slot, tile_idx, phase) for every `stride`-th slot from slot `first` on, each time round the ring, until
 * there are no more tiles. Warps that take turns so have slots of their own. Were it every stride-th use, a warp could
 * come to a slot a whole round early, and take an older phase for the one it waits for. */
template <typename Shared, typename Work>
ONEPASS_DEVICE void for_each_slot(const pipeline_params &params, Shared &shared, uint64_t num_tiles, uint32_t first,
                                  uint32_t stride, Work work)
{
    uint32_t idx = first, phase = 0;
    for (;;) {
        auto &slot = slot_at(shared, idx);
        mbar_wait(&slot.full, phase); /* the loader's arrival, and the copy */
        const uint64_t tile_idx = slot.tile_idx;
        syncwarp(); /* all lanes have read it before one lets the slot go */
        if (tile_idx >= num_tiles)
            return;
        work(slot, tile_idx, phase);
        idx += stride;
        if (idx >= params.num_slots) {
            idx = first;
            phase ^= 1;
        }
    }
}

/* ---------------------------------------------------------------------------------------- a launch's begin and end */

/*
 * The epoch, and a tile that no other block takes. One thread. A launch draws num_tickets in all; with the last of them
 * nobody will draw again, so whoever has it leaves the word as the next launch expects it: the next epoch, no ticket
 * taken. A count of finished blocks would do the same 1 us later (H200, 2026-12-01). After the last epoch it is needed:
 * end_epochs.
 */
ONEPASS_DEVICE uint64_t take_ticket(const pipeline_params &params, uint64_t num_tickets)
{
    const uint64_t ticket = atomic_add_relaxed(params.control + CONTROL_TICKET, 1);
    const uint32_t epoch = ticket_epoch(ticket);
    if (ticket_tile_idx(ticket) == num_tickets - 1 && epoch != EPOCH_LAST)
        store_relaxed(params.control + CONTROL_TICKET, ticket_pack(epoch_next(epoch), 0));
    return ticket;
}

/* The number of items: at most max_items. If one thread of the grid says that it `reports`, more are told to the host,
 * which looks after the launch. */
ONEPASS_DEVICE uint64_t num_items_of(const pipeline_params &params, bool reports)
{
    if (!params.d_num_items)
        return params.max_items;
    const uint64_t wanted = *params.d_num_items;
    if (wanted <= params.max_items)
        return wanted;
    if (reports) {
        params.clamped[0] = wanted;
        params.clamped[1] = params.max_items;
    }
    return params.max_items;
}

/* All threads of the block, first of all: makes the barriers and reads the number of items. */
template <typename Shape, typename Shared>
ONEPASS_DEVICE void begin_launch(const pipeline_params &params, Shared &shared)
{
    if (threadIdx.x == 0) {
        shared.num_items = num_items_of(params, blockIdx.x == 0);
        for (uint32_t i = 0; i < params.num_slots; ++i) {
            auto &slot = slot_at(shared, i);
            mbar_init(&slot.full, has_bulk_copy ? warp_threads : 2 * warp_threads);
            mbar_init(&slot.ready, Shared::slot::ready_arrivals);
            mbar_init(&slot.empty, Shape::reducers + (Shape::writers != 0 ? Shape::writers : 1));
        }
        fence_mbar_init();
    }
    syncthreads(); /* publishes the barriers and num_items */
}

/* The end of a launch of the last epoch, by one warp of each block: all of the block has drawn its last ticket and read
 * its last descriptor. The epochs begin again, so the last block leaves no word that could be mistaken for one of
 * theirs. */
ONEPASS_DEVICE void end_epochs(const pipeline_params &params)
{
    uint64_t before = 0;
    if (lane_idx() == 0) {
        fence_acq_rel(); /* releases what the block did to the last block */
        before = atomic_add_relaxed(params.control + CONTROL_NUM_FINISHED, 1);
    }
    if (shfl_idx(before, 0) != gridDim.x - 1)
        return;
    fence_acq_rel(); /* acquires what the other blocks did */
    for (uint64_t i = lane_idx(); i < params.num_descriptor_words; i += warp_threads)
        store_relaxed(params.descriptors + i, 0);
    if (lane_idx() == 0) {
        store_relaxed(params.control + CONTROL_NUM_FINISHED, 0);
        store_relaxed(params.control + CONTROL_TICKET, ticket_pack(epoch_next(EPOCH_LAST), 0));
    }
}

/* The end of a pipeline's block, by all its threads, when their roles are done. */
template <typename Shared> ONEPASS_DEVICE void finish_launch(const pipeline_params &params, Shared &shared)
{
    syncthreads(); /* every warp has drawn its tickets and read its descriptors; publishes the epoch */
    if (shared.epoch == EPOCH_LAST && warp_idx() == 0)
        end_epochs(params);
}

/* ------------------------------------------------------------------------------------------------- the walkers' role
 */

/* Gives each tile its exclusive prefix; start is that of the first. AOp and is_fenced: walk.cuh. */
template <typename T, typename Op, typename AOp, typename Shape, typename Shared>
ONEPASS_DEVICE void run_walker(const pipeline_params &params, uint64_t num_tiles, T start, bool is_fenced,
                               Shared &shared)
{
    const unsigned turn = warp_idx() - Shape::first_walker, num_walkers = walkers_in_use<Shape>(params);
    if (turn >= num_walkers)
        return;
    walker<T, Op, Shape::window_tiles, typename Shared::aggregate, AOp> walk(params.aggregates, params.starts,
                                                                             shared.walk_sums[turn], start, is_fenced);
    for_each_slot(params, shared, num_tiles, turn, num_walkers, [&](auto &slot, uint64_t tile_idx, unsigned) {
        walk.epoch = shared.epoch; /* written before the first slot was full */
        const T prefix = walk.exclusive_prefix(tile_idx);
        if (lane_idx() == 0) {
            slot.prefix = prefix;
            mbar_arrive(&slot.ready);
        }
    });
}

/* What the host must know of a kernel of the pipeline. */
template <typename Shared, typename Shape> constexpr pipeline_needs needs_of(uint32_t tile_items)
{
    static_assert(!is_value_apart<typename Shared::aggregate> && !is_value_apart<decltype(Shared::slot::prefix)>,
                  "no kernel of the library has such values, so its workspace has no room for them");
    return { tile_items,
             Shape::window_tiles,
             descriptor_words<typename Shared::aggregate>,
             descriptor_words<decltype(Shared::slot::prefix)>,
             Shape::block_threads,
             (uint32_t)sizeof(Shared),
             (uint32_t)sizeof(typename Shared::slot) };
}

} // namespace onepass

#endif
