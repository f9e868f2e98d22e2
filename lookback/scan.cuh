/* SPDX-License-Identifier: MIT */
/*
 * The scan kernel: writers bring a tile's items, the sums of its blocks of rows, and its exclusive prefix together.
 *
 * Each writer warp has a run of neighbouring rows. It folds its lanes' items and scans them over the lanes while the
 * prefix is still on its way; then a row costs a few additions for its start, and one for each item.
 */
#ifndef ONEPASS_LOOKBACK_SCAN_CUH
#define ONEPASS_LOOKBACK_SCAN_CUH

#include "roles.cuh"

namespace onepass
{

/* Results of one row to memory. The lane's results are for positions first + lane * k and on, of all.num_positions. */
template <typename Fold, typename Shape>
ONEPASS_DEVICE void write_row(const fold_params &params, const launch_view<Fold, Shape> &all, uint64_t first,
                              const typename Fold::out (&results)[Fold::k])
{
    using launch = launch_view<Fold, Shape>;
    if (first >= all.num_positions)
        return;
    const uint64_t left = all.num_positions - first;
    const unsigned num_results = left < launch::row_items ? (unsigned)left : launch::row_items;
    typename Fold::out *out = static_cast<typename Fold::out *>(params.out);
    if (params.reverse)
        store_row_reversed(out + (all.num_positions - 1 - first), num_results, results);
    else
        store_row(out + first, num_results, results);
}

/* A full row to where all is aligned. */
template <typename T, int count> ONEPASS_DEVICE void store_aligned_row(T *row, const T (&items)[count])
{
    constexpr int m = count / line_items<T>;
    vec16 lines[m];
#pragma unroll
    for (int i = 0; i < m; ++i)
        memcpy(&lines[i], &items[i * line_items<T>], line_bytes);
    transpose_lines(lines);
    char *at = reinterpret_cast<char *>(row) + (lane_idx() / m * (m * m) + lane_idx() % m) * line_bytes;
#pragma unroll
    for (int i = 0; i < m; ++i)
        store_vec_streaming(at + i * m * line_bytes, lines[i]);
}

/* Results of some neighbouring rows from the lanes' items, their inclusive sums over the lanes, and the start of row
 * first_row + i in lane first_lane + i. is_plain: nothing is ragged, unaligned or in reverse. */
template <bool is_plain, typename Fold, typename Shape, int rows>
ONEPASS_DEVICE void write_rows(const fold_params &params, const Fold &fold, const launch_view<Fold, Shape> &all,
                               const tile_view<Fold, Shape> &view, uint64_t tile_idx, unsigned first_row,
                               typename Fold::acc row_start, unsigned first_lane, const vec16 (&lines)[rows],
                               const typename Fold::acc (&sums)[rows])
{
    using acc = typename Fold::acc;
    using op = typename Fold::op;
    const uint64_t first = tile_idx * all.tile_items + first_row * all.row_items;
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        acc sum = op()(shfl_idx(row_start, first_lane + i), warp_before(sums[i], op::identity()));
        acc items[Fold::k];
        if (is_plain)
            fold.load_line(lines[i], items);
        else
            view.items_of(fold, lines[i], first_row + i, items);
        typename Fold::out results[Fold::k];
#pragma unroll
        for (int j = 0; j < Fold::k; ++j) {
            const acc next = op()(sum, items[j]);
            results[j] = fold.store(params.exclusive ? sum : next);
            sum = next;
        }
        if (is_plain)
            store_aligned_row(static_cast<typename Fold::out *>(params.out) + first + i * all.row_items, results);
        else
            write_row(params, all, first + i * all.row_items, results);
    }
}

/* A writer's part of a tile, `group` rows at a time: more rows at once overlap better and take more registers. */
template <typename Fold, typename Shape, int group, typename Slot>
ONEPASS_DEVICE void write_tile(const fold_params &params, const Fold &fold, const launch_view<Fold, Shape> &all,
                               uint64_t tile_idx, unsigned phase, Slot &slot)
{
    using acc = typename Fold::acc;
    using op = typename Fold::op;
    constexpr int k = Shape::rows / Shape::writers;
    static_assert(k * Shape::writers == Shape::rows && k % group == 0 && k <= 32, "writers have equal parts");
    const tile_view<Fold, Shape> view(params, all, tile_idx, slot.data);
    const bool is_plain = !view.is_ragged() && !view.reverse && line_shift(params.out) == 0;
    const unsigned first_row = (warp_idx() - Shape::first_writer) * k;
    acc row_start = op::identity();

#pragma unroll 1
    for (int done = 0; done < k; done += group) {
        vec16 lines[group];
        acc sums[group];
        view.load_rows(first_row + done, lines);
        view.sum_rows(fold, first_row + done, lines, sums);
        warp_inclusive_scan(sums, op());
        if (done == 0) {
            mbar_wait(&slot.ready, phase); /* the reducers' block sums and the walker's prefix */
            row_start = row_prefix<Shape::rows>(slot.prefix, slot.block_sums, first_row + lane_idx() % k, op());
        }
        if (done + group == k)
            leave_slot(slot); /* the rest is in registers */
        if (is_plain)
            write_rows<true>(params, fold, all, view, tile_idx, first_row + done, row_start, done, lines, sums);
        else
            write_rows<false>(params, fold, all, view, tile_idx, first_row + done, row_start, done, lines, sums);
    }
}

template <typename Fold, typename Shape, typename Shared>
ONEPASS_DEVICE void run_walker(const fold_params &params, const Fold &fold, const launch_view<Fold, Shape> &all,
                               Shared &shared)
{
    using acc = typename Fold::acc;
    const unsigned turn = warp_idx() - Shape::first_walker, num_walkers = walkers_in_use<Shape>(params);
    if (turn >= num_walkers)
        return;
    const acc start = start_of(params, fold);
    walker<acc, typename Fold::op, Shape::window_tiles> walk(params.aggregates, params.starts, shared.walk_sums[turn],
                                                             start);
    for_each_slot(params, shared, all.num_tiles, turn, num_walkers, [&](auto &slot, uint64_t tile_idx) {
        walk.epoch = shared.epoch; /* written before the first slot was full */
        const acc prefix = params.alone ? start : walk.exclusive_prefix(tile_idx);
        if (lane_idx() == 0) {
            slot.prefix = prefix;
            mbar_arrive(&slot.ready);
        }
    });
}

/*
 * out[p] for every position p of ORDER.md, for an inclusive or exclusive scan, offsets, forward or in reverse.
 *
 * Launch: Shape::block_threads threads; any number of blocks, best as many as multiprocessors; shared memory for
 *   pipeline_shared and num_slots slots. `alone`: one block, at most one tile.
 * Items: a tile is Shape::rows rows of positions; whichever block drew its ticket owns it, in and out. in == out is
 *   legal if items are of one size: a tile's input is read before its output is written, and by that block only.
 * Workspace: on entry as params.h says, and not in use by a launch that may run at the same time; on exit ready for the
 *   next launch.
 */
template <typename Fold, typename Shape, int group>
__global__ void __launch_bounds__(Shape::block_threads, 1) scan_kernel(const __grid_constant__ fold_params params)
{
    using shared_type = pipeline_shared<typename Fold::acc, Shape>;
    shared_type &shared = shared_memory<shared_type>();
    begin_launch<Shape>(params, shared);
    const Fold fold(params);
    const launch_view<Fold, Shape> all(params, shared.num_items, false);
    if (warp_idx() < Shape::first_walker) {
        run_loader(params, all, shared);
    } else if (warp_idx() < Shape::first_reducer) {
        run_walker(params, fold, all, shared);
    } else if (warp_idx() < Shape::first_writer) {
        run_reducer(params, fold, all, shared);
    } else {
        unsigned phase = 0, uses = 0;
        for_each_slot(params, shared, all.num_tiles, 0, 1, [&](auto &slot, uint64_t tile_idx) {
            write_tile<Fold, Shape, group>(params, fold, all, tile_idx, phase, slot);
            if (++uses == params.num_slots) {
                uses = 0;
                phase ^= 1;
            }
        });
    }
    end_launch(params, shared);
}

} // namespace onepass

#endif
