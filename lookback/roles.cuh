/* SPDX-License-Identifier: MIT */
/* The roles that a scan and a reduction share: what reducers do with a tile, and how a role goes through the ring. */
#ifndef ONEPASS_LOOKBACK_ROLES_CUH
#define ONEPASS_LOOKBACK_ROLES_CUH

#include "loader.cuh"
#include "tile.cuh"

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

/* The sums of num_rows rows, into the slot. plain: the tile is; else fewer rows at a time, which then take more
 * registers. */
template <bool plain, int num_rows, typename Fold, typename Shape, typename Slot>
ONEPASS_DEVICE void sum_rows(const Fold &fold, const tile_view<Fold, Shape> &view, unsigned first_row, Slot &slot)
{
    constexpr int at_once = plain || num_rows < 4 ? num_rows : 4, batch = at_once < 8 ? at_once : 8;
#pragma unroll 1
    for (int done = 0; done < num_rows; done += at_once) {
        typename Fold::acc sums[at_once];
#pragma unroll
        for (int i = 0; i < at_once; i += batch) {
            vec16 lines[batch]; /* up to 32 registers */
            view.template load_rows<plain>(first_row + done + i, lines);
            typename Fold::acc some[batch];
            view.template sum_rows<plain>(fold, first_row + done + i, lines, some);
#pragma unroll
            for (int j = 0; j < batch; ++j)
                sums[i + j] = some[j];
        }
        const typename Fold::acc sum = sums_of_rows(sums, typename Fold::op());
        if (lane_idx() < at_once)
            slot.block_sums[first_row + done + row_of_lane<at_once>(lane_idx())] = sum;
    }
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
    if (view.is_plain())
        sum_rows<true, k>(fold, view, first, slot);
    else
        sum_rows<false, k>(fold, view, first, slot);
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
    if (lane_idx() == width - 1) /* as early as can be: others wait for it */
        publish(params.pipeline.aggregates, tile_idx, mine[rows_per_lane - 1], epoch, STATUS_A);
    syncwarp(); /* all segments have read before one writes */
    if (lane_idx() < width) {
#pragma unroll
        for (int i = 0; i < rows_per_lane; ++i)
            slot.block_sums[first_of_lane + i] = mine[i];
    }
    mbar_arrive(&slot.ready); /* every lane for the block sums that it wrote */
}

/* The loader's work in a scan or a reduction. */
template <typename Fold, typename Shape, typename Slot>
ONEPASS_DEVICE uint32_t fill_slot(const fold_params &params, const launch_view<Fold, Shape> &all, uint64_t tile_idx,
                                  Slot &slot)
{
    using in = typename Fold::in;
    const uint64_t tile_address = tile_view<Fold, Shape>::address(params, all, tile_idx);
    const uint32_t shift = (uint32_t)tile_address % line_bytes;
    const uint32_t num_bytes = all.in_tile(all.num_items, tile_idx) * (uint32_t)sizeof(in);
    const uint32_t begin = params.reverse ? Shape::tile_bytes - num_bytes : 0;
    const uint32_t lead_bytes = tile_idx == 0 ? params.lead * (uint32_t)sizeof(in) : 0;
    return copy_to_slot<in>(reinterpret_cast<const unsigned char *>((uintptr_t)(tile_address - shift)),
                            shift + begin + lead_bytes, shift + begin + num_bytes, slot.data, &slot.full);
}

template <typename Fold, typename Shape, typename Shared>
ONEPASS_DEVICE void run_reducer(const fold_params &params, const Fold &fold, const launch_view<Fold, Shape> &all,
                                Shared &shared)
{
    for_each_slot(params.pipeline, shared, all.num_tiles, 0, 1, [&](auto &slot, uint64_t tile_idx, unsigned) {
        reduce_tile<Fold, Shape>(params, fold, all, tile_idx, shared.epoch, slot);
        leave_slot(slot);
    });
}

} // namespace onepass

#endif
