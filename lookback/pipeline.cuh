/* SPDX-License-Identifier: MIT */
/*
 * The tile pipeline: a persistent block's four roles, the ring of slots they share, and how a launch begins and ends.
 *
 * A tile is a power-of-two number of rows; its slot has its input, the sums of its blocks of rows, and its prefix. The
 * loader takes tickets and fills slots; reducers sum each tile as soon as it is there and publish its aggregate; the
 * walkers, taking turns, find its exclusive prefix; writers do the rest. Publishing early, by warps that never wait for
 * a look-back, is what makes it fast: 0.96 of a copy against 0.31 to 0.50 without (H200, 2026-11-30).
 *
 * Three barriers a slot: `full` (the loader's: input and tile_idx are there), `ready` (a reducer, and with writers a
 * walker: block sums and prefix are there), `empty` (every reducer and writer warp, without writers a walker: the slot
 * may be filled again).
 */
#ifndef ONEPASS_LOOKBACK_PIPELINE_CUH
#define ONEPASS_LOOKBACK_PIPELINE_CUH

#include "descriptor.h"
#include "fold.cuh"
#include "primitives/block.cuh"
#include "reverse.cuh"
#include "walk.cuh"

namespace onepass
{

/* How a kernel is cut. Nothing here changes a bit of any result; window_rows is ORDER.md's, and smaller only in tests
 * of exact operators. Warps in order: one loader, the walkers, the reducers, the writers. */
template <unsigned rows_, unsigned walkers_, unsigned reducers_, unsigned writers_, unsigned window_rows_ = 8192>
struct pipeline_shape {
    static constexpr unsigned rows = rows_, walkers = walkers_, reducers = reducers_, writers = writers_;
    static constexpr unsigned window_tiles = window_rows_ / rows_;
    static constexpr unsigned first_walker = 1, first_reducer = 1 + walkers, first_writer = first_reducer + reducers;
    static constexpr unsigned block_threads = (first_writer + writers) * warp_threads;
    static constexpr unsigned tile_bytes = rows * row_bytes;
    using reducer_group = role_group<first_reducer, reducers, 1>;
};

template <typename T, unsigned rows, unsigned tile_bytes> struct alignas(128) tile_slot {
    unsigned char
        data[tile_bytes + line_bytes]; /* the input's first line is at 0: an unaligned tile has one line more */
    T block_sums[rows];
    T prefix;
    uint64_t tile_idx; /* num_tiles or more: there are no more tiles */
    mbarrier full, ready, empty;
};

/* The dynamic shared memory: this, then num_slots slots. */
template <typename T, typename Shape> struct alignas(128) pipeline_shared {
    using slot = tile_slot<T, Shape::rows, Shape::tile_bytes>;
    T walk_sums[Shape::walkers][Shape::window_tiles];
    uint64_t num_items;
    uint32_t epoch;
    uint32_t is_last_block;

    ONEPASS_DEVICE slot &slot_at(uint32_t idx)
    {
        static_assert(alignof(pipeline_shared) >= alignof(slot), "the slots follow at once");
        return reinterpret_cast<slot *>(this + 1)[idx];
    }
};

/* The ring as one role walks it: use k of the ring, and its slot. */
struct ring_cursor {
    uint32_t num_slots, idx, phase;

    explicit ONEPASS_DEVICE ring_cursor(uint32_t slots) : num_slots(slots), idx(0), phase(0)
    {
    }
    ONEPASS_DEVICE void advance()
    {
        if (++idx == num_slots) {
            idx = 0;
            phase ^= 1;
        }
    }
};

/* Walkers take turns: as many as there are slots, so that each can be told of the end in a slot of its own. */
template <typename Shape> ONEPASS_DEVICE uint32_t walkers_in_use(const fold_params &params)
{
    return params.num_slots < Shape::walkers ? params.num_slots : Shape::walkers;
}

/* What every thread knows of the launch. Positions are those of ORDER.md. */
template <typename Fold, typename Shape> struct launch_view {
    static constexpr uint32_t row_items = row_bytes / sizeof(typename Fold::in);
    static constexpr uint32_t tile_items = row_items * Shape::rows;
    uint64_t num_items, num_positions, num_tiles;

    ONEPASS_DEVICE launch_view(const fold_params &params, uint64_t items, bool at_least_one_tile)
        : num_items(items), num_positions(items + params.has_total),
          num_tiles((num_positions + tile_items - 1) / tile_items)
    {
        if (at_least_one_tile && num_tiles == 0)
            num_tiles = 1;
    }
    /* How many items, or outputs, of `all` a tile has. */
    ONEPASS_DEVICE uint32_t in_tile(uint64_t all, uint64_t tile_idx) const
    {
        const uint64_t first = tile_idx * tile_items;
        return all <= first ? 0 : all - first < tile_items ? (uint32_t)(all - first) : tile_items;
    }
};

/* A tile's input in its slot: item at position p of the tile is item p of the data, which begin `shift` bytes in, or
 * item tile_items - 1 - p if the scan runs in reverse. */
template <typename Fold, typename Shape> struct tile_view {
    const unsigned char *data;
    uint32_t shift, num_items;
    bool reverse;

    using in = typename Fold::in;
    using acc = typename Fold::acc;
    static constexpr int k = Fold::k;
    using launch = launch_view<Fold, Shape>;

    /* Where the tile's data would begin in memory; in a last tile in reverse there may be nothing there. */
    static ONEPASS_DEVICE uint64_t address(const fold_params &params, const launch &all, uint64_t tile_idx)
    {
        const uint64_t first = tile_idx * launch::tile_items;
        const uint64_t item = params.reverse ? all.num_items - first - launch::tile_items : first;
        return (uint64_t)(uintptr_t)params.in + item * sizeof(in); /* modulo 2^64 */
    }

    ONEPASS_DEVICE tile_view(const fold_params &params, const launch &all, uint64_t tile_idx, const unsigned char *slot)
        : data(slot), shift((uint32_t)address(params, all, tile_idx) % line_bytes),
          num_items(all.in_tile(all.num_items, tile_idx)), reverse(params.reverse)
    {
    }

    ONEPASS_DEVICE bool is_ragged() const
    {
        return num_items != launch::tile_items;
    }

    /* The lane's items of some neighbouring rows, in the order of positions. What is no item has undefined bits. Each
     * step is done for all rows before the next, so that loads and shuffles overlap. */
    template <int rows> ONEPASS_DEVICE void load_rows(unsigned first_row, vec16 (&lines)[rows]) const
    {
        const unsigned lane = reverse ? warp_threads - 1 - lane_idx() : lane_idx();
        const unsigned char *first = data + (reverse ? Shape::rows - 1 - first_row : first_row) * row_bytes;
        const int32_t stride = reverse ? -(int32_t)row_bytes : (int32_t)row_bytes;
#pragma unroll
        for (int i = 0; i < rows; ++i)
            lines[i] = load_vec(first + i * stride + lane * line_bytes);
        if (shift != 0) {
            const unsigned neighbour = reverse ? lane_idx() + warp_threads - 1 : lane_idx() + 1;
#pragma unroll
            for (int i = 0; i < rows; ++i) {
                vec16 next = shfl_idx(lines[i], neighbour);
                if (lane == warp_threads - 1)
                    next = load_vec(first + i * stride + row_bytes);
                lines[i] = funnel_lines(lines[i], next, shift);
            }
        }
        if (reverse) {
#pragma unroll
            for (int i = 0; i < rows; ++i)
                lines[i] = reversed_line<in>(lines[i]);
        }
    }

    /* A line as accumulators; what is no item becomes nothing. */
    ONEPASS_DEVICE void items_of(const Fold &fold, const vec16 &line, unsigned row, acc (&items)[k]) const
    {
        fold.load_line(line, items);
        const unsigned first = row * launch::row_items + lane_idx() * k;
#pragma unroll
        for (int i = 0; i < k; ++i)
            if (first + i >= num_items)
                items[i] = Fold::op::identity();
    }

    /* The sums of the lane's items in each of some neighbouring rows. */
    template <int rows>
    ONEPASS_DEVICE void sum_rows(const Fold &fold, unsigned first_row, const vec16 (&lines)[rows],
                                 acc (&sums)[rows]) const
    {
        if (!is_ragged()) {
#pragma unroll
            for (int i = 0; i < rows; ++i)
                sums[i] = fold.fold_line(lines[i]);
        } else {
#pragma unroll
            for (int i = 0; i < rows; ++i) {
                acc items[k];
                items_of(fold, lines[i], first_row + i, items);
                sums[i] = fold_items(items, typename Fold::op());
            }
        }
    }
};

/* ---------------------------------------------------------------------------------------- a launch's begin and end */

/* All threads of the block, first of all: makes the barriers and reads the number of items. */
template <typename Shape, typename Shared> ONEPASS_DEVICE void begin_launch(const fold_params &params, Shared &shared)
{
    if (threadIdx.x == 0) {
        const uint64_t wanted = params.d_num_items ? *params.d_num_items : params.max_items;
        shared.num_items = wanted < params.max_items ? wanted : params.max_items;
        if (wanted > params.max_items && blockIdx.x == 0) { /* read by the host after the launch */
            params.clamped[0] = wanted;
            params.clamped[1] = params.max_items;
        }
        for (uint32_t i = 0; i < params.num_slots; ++i) {
            auto &slot = shared.slot_at(i);
            mbar_init(&slot.full, has_bulk_copy ? warp_threads : 2 * warp_threads);
            mbar_init(&slot.ready, Shape::writers != 0 ? 2 : 1);
            mbar_init(&slot.empty, Shape::reducers + (Shape::writers != 0 ? Shape::writers : 1));
        }
        fence_mbar_init();
    }
    syncthreads(); /* publishes the barriers and num_items */
}

/* All threads of the block, when their roles are done. The last block of the grid leaves the workspace as the next
 * launch expects it: no ticket taken, the next epoch, and no word that could be mistaken for one of that epoch. */
template <typename Shared> ONEPASS_DEVICE void end_launch(const fold_params &params, Shared &shared)
{
    if (params.alone)
        return;
    syncthreads(); /* every warp of the block has finished: tickets drawn, descriptors read */
    if (threadIdx.x == 0) {
        /* Releases what the block did to the last block, which acquires it here. */
        const uint64_t before = atomic_add_acq_rel(params.control + CONTROL_NUM_FINISHED, 1);
        shared.is_last_block = before == gridDim.x - 1;
    }
    syncthreads(); /* publishes is_last_block */
    if (!shared.is_last_block)
        return;
    const uint32_t epoch = shared.epoch;
    if (epoch == EPOCH_LAST)
        for (uint64_t i = threadIdx.x; i < params.num_descriptor_words; i += blockDim.x)
            store_relaxed(params.descriptors + i, 0);
    if (threadIdx.x == 0) {
        store_relaxed(params.control + CONTROL_NUM_FINISHED, 0);
        store_relaxed(params.control + CONTROL_TICKET, ticket_pack(epoch_next(epoch), 0));
    }
}

} // namespace onepass

#endif
