/* SPDX-License-Identifier: MIT */
/* The roles that a scan and a reduction share: what reducers do with a tile, and how a role goes through the ring. */
#ifndef ONEPASS_LOOKBACK_ROLES_CUH
#define ONEPASS_LOOKBACK_ROLES_CUH

#include "loader.cuh"

namespace onepass
{

/*
 * The sums of k rows, each over the 32 lanes by the balanced tree; lane l gets that of row row_of_lane<k>(l). While
 * lanes still hold several rows, each exchange also halves their number: 2k shuffles at most, instead of 5k. k is a
 * power of two, 1 to 32.
 */
template <int k> ONEPASS_DEVICE unsigned row_of_lane(unsigned lane)
{
    unsigned row = 0;
#pragma unroll
    for (unsigned half = k / 2, bit = 1; half != 0; half /= 2, bit *= 2)
        row += lane & bit ? half : 0;
    return row;
}

template <int k, typename T, typename Op> ONEPASS_DEVICE T sums_of_rows(T (&lanes)[k], Op op)
{
    static_assert((k & (k - 1)) == 0 && k <= 32, "a power of two of rows");
#pragma unroll
    for (int step = 0; step < 5; ++step) {
        const int half = k >> (step + 1);
        const unsigned delta = 1u << step;
        const bool upper = lane_idx() & delta;
#pragma unroll
        for (int i = 0; i < (k + 1) / 2; ++i) {
            if (i >= half && i != 0)
                continue;
            const T low = lanes[i], high = lanes[i + half];
            const T kept = upper ? high : low, given = upper ? low : high; /* by value: not a choice of addresses */
            const T other = shfl_xor(given, delta);
            if constexpr (Op::commutes)
                lanes[i] = op(kept, other);
            else
                lanes[i] = upper ? op(other, kept) : op(kept, other);
        }
    }
    return lanes[0];
}

/* A reducer's part of a tile: the sums of its rows, then, with the others, the sums of the tile's blocks of rows, into
 * the slot; one lane publishes the tile's aggregate. */
template <typename Fold, typename Shape, typename Slot>
ONEPASS_DEVICE void reduce_tile(const fold_params &params, const Fold &fold, const launch_view<Fold, Shape> &all,
                                uint64_t tile_idx, uint32_t epoch, Slot &slot)
{
    using acc = typename Fold::acc;
    using op = typename Fold::op;
    constexpr int k = Shape::rows / Shape::reducers;
    static_assert(k * Shape::reducers == Shape::rows, "reducers have equal parts");
    const typename Shape::reducer_group group;
    const tile_view<Fold, Shape> view(params, all, tile_idx, slot.data);
    const unsigned first = group.thread() / warp_threads * k;
    constexpr int batch = k < 8 ? k : 8; /* rows at a time: 32 registers */
    acc sums[k];
#pragma unroll
    for (int done = 0; done < k; done += batch) {
        vec16 lines[batch];
        acc some[batch];
        view.load_rows(first + done, lines);
        view.sum_rows(fold, first + done, lines, some);
#pragma unroll
        for (int i = 0; i < batch; ++i)
            sums[done + i] = some[i];
    }
    const acc sum = sums_of_rows(sums, op());
    if (lane_idx() < k)
        slot.block_sums[first + row_of_lane<k>(lane_idx())] = sum;
    group.sync(); /* publishes the rows' sums to the first reducer warp */
    if (group.thread() >= warp_threads)
        return;
    constexpr unsigned width = Shape::rows < warp_threads ? Shape::rows : warp_threads;
    constexpr int rows_per_lane = Shape::rows / width;
    const unsigned first_of_lane = lane_idx() % width * rows_per_lane; /* with less than 32 rows segments do the same */
    acc mine[rows_per_lane];
#pragma unroll
    for (int i = 0; i < rows_per_lane; ++i)
        mine[i] = slot.block_sums[first_of_lane + i];
    warp_up_sweep<width>(mine, op());
    if (lane_idx() == width - 1 && !params.alone) /* as early as can be: others wait for it */
        publish(params.aggregates, tile_idx, mine[rows_per_lane - 1], epoch, STATUS_A);
    syncwarp(); /* all segments have read before one writes */
    if (lane_idx() < width) {
#pragma unroll
        for (int i = 0; i < rows_per_lane; ++i)
            slot.block_sums[first_of_lane + i] = mine[i];
    }
    syncwarp(); /* the block sums are there before lane 0 arrives for them */
    if (lane_idx() == 0)
        mbar_arrive(&slot.ready);
}

/* Tells the loader that this warp is done with a slot. */
template <typename Slot> ONEPASS_DEVICE void leave_slot(Slot &slot)
{
    fence_proxy_async(); /* each lane's own accesses, before the next copy */
    syncwarp();          /* all lanes have read */
    if (lane_idx() == 0)
        mbar_arrive(&slot.empty);
}

/* Calls work(slot, tile_idx) for every `stride`-th use of the ring from use `first` on, until there are no more tiles.
 */
template <typename Shared, typename Work>
ONEPASS_DEVICE void for_each_slot(const fold_params &params, Shared &shared, uint64_t num_tiles, uint32_t first,
                                  uint32_t stride, Work work)
{
    ring_cursor at(params.num_slots);
    for (uint32_t i = 0; i < first; ++i)
        at.advance();
    for (;;) {
        auto &slot = shared.slot_at(at.idx);
        mbar_wait(&slot.full, at.phase); /* the loader's arrival, and the copy */
        const uint64_t tile_idx = slot.tile_idx;
        syncwarp(); /* all lanes have read it before one lets the slot go */
        if (tile_idx >= num_tiles)
            return;
        work(slot, tile_idx);
        for (uint32_t i = 0; i < stride; ++i)
            at.advance();
    }
}

template <typename Fold, typename Shape, typename Shared>
ONEPASS_DEVICE void run_reducer(const fold_params &params, const Fold &fold, const launch_view<Fold, Shape> &all,
                                Shared &shared)
{
    for_each_slot(params, shared, all.num_tiles, 0, 1, [&](auto &slot, uint64_t tile_idx) {
        reduce_tile<Fold, Shape>(params, fold, all, tile_idx, shared.epoch, slot);
        leave_slot(slot);
    });
}

} // namespace onepass

#endif
