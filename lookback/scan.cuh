/* SPDX-License-Identifier: MIT */
/*
 * The scan kernel: writers bring a tile's items, the sums of its blocks of rows, and its exclusive prefix together.
 *
 * Each writer warp has a run of neighbouring rows. It folds its lanes' items and scans them over the lanes while the
 * prefix is still on its way; then a row costs a few additions for its start, and one for each item.
 */
#ifndef ONEPASS_LOOKBACK_SCAN_CUH
#define ONEPASS_LOOKBACK_SCAN_CUH

#include "byte_sums.cuh"
#include "roles.cuh"

namespace onepass
{

/* A lane's results in a row, as lines: `sum` is what lies before its first item. */
template <typename Fold, int m>
ONEPASS_DEVICE void results_of(const fold_params &params, const Fold &fold, typename Fold::acc sum,
                               const typename Fold::acc (&items)[Fold::k], vec16 (&lines)[m])
{
    typename Fold::out results[Fold::k];
#pragma unroll
    for (int j = 0; j < Fold::k; ++j) {
        const typename Fold::acc next = typename Fold::op()(sum, items[j]);
        results[j] = fold.store(params.exclusive ? sum : next);
        sum = next;
    }
    pack_lines(results, lines);
}

/* Where the results of positions first to first + max_positions - 1 go, as far as there are so many. */
template <typename Out>
ONEPASS_DEVICE output_run<Out> output_at(const fold_params &params, uint64_t num_positions, uint64_t first,
                                         uint32_t max_positions)
{
    const uint64_t left = first < num_positions ? num_positions - first : 0;
    const uint64_t item = params.reverse ? num_positions - 1 - first : first; /* modulo 2^64 */
    return output_run<Out>((uintptr_t)params.out + (uintptr_t)item * sizeof(Out),
                           left < max_positions ? (uint32_t)left : max_positions, params.reverse,
                           first == 0 ? params.lead : 0);
}

/* A writer's rows of a tile, `group` at a time: more rows at once overlap better and take more registers. plain: the
 * tile is, and outputs are in step with lanes and lines too; else rows take more registers. */
template <bool plain, int group, typename Fold, typename Shape, typename Slot>
ONEPASS_DEVICE void write_rows(const fold_params &params, const Fold &fold, const launch_view<Fold, Shape> &all,
                               const tile_view<Fold, Shape> &view, uint64_t tile_idx, unsigned phase, Slot &slot)
{
    using acc = typename Fold::acc;
    using out = typename Fold::out;
    using op = typename Fold::op;
    constexpr int k = Shape::rows / Shape::writers, m = sizeof(out) / sizeof(typename Fold::in);
    static_assert(k * Shape::writers == Shape::rows && k % group == 0 && k <= 32, "writers have equal parts");
    const unsigned first_row = (warp_idx() - Shape::first_writer) * k;
    const uint64_t first = tile_idx * all.tile_items + first_row * all.row_items;
    out *plain_row = static_cast<out *>(params.out) + first;
    output_run<out> run = output_at<out>(params, all.num_positions, first, k * all.row_items);
    acc row_start = op::identity();

#pragma unroll 1
    for (int done = 0; done < k; done += group) {
        vec16 lines[group];
        acc sums[group];
        view.template load_rows<plain>(first_row + done, lines);
        view.template sum_rows<plain>(fold, first_row + done, lines, sums);
        warp_inclusive_scan(sums, op());
        if (done == 0) {
            mbar_wait(&slot.ready, phase); /* the reducers' block sums and the walker's prefix */
            row_start = row_prefix<Shape::rows>(slot.prefix, slot.block_sums, first_row + lane_idx() % k, op());
        }
        if (done + group == k)
            leave_slot(slot); /* the rest is in registers */
        vec16 results[group][m];
#pragma unroll
        for (int i = 0; i < group; ++i) {
            const acc sum = op()(shfl_idx(row_start, done + i), warp_before(sums[i], op::identity()));
            acc items[Fold::k];
            if (plain)
                fold.load_line(lines[i], items);
            else
                view.items_of(fold, lines[i], first_row + done + i, items);
            results_of(params, fold, sum, items, results[i]);
            if (plain)
                store_aligned_row(plain_row + (done + i) * all.row_items, results[i]);
        }
        if (!plain)
            run.store_rows(results);
    }
    if (!plain)
        run.finish();
}

/*
 * out[p] for every position p of ORDER.md, for an inclusive or exclusive scan, offsets, forward or in reverse.
 *
 * Launch: Shape::block_threads threads; any number of blocks, best as many as multiprocessors; shared memory for
 *   pipeline_shared and num_slots slots.
 * Items: a tile is Shape::rows rows of positions; whichever block drew its ticket owns it, in and out. in == out is
 *   legal if items are of one size: a tile's input is read before its output is written, and by that block only.
 * Workspace: on entry as params.h says, and not in use by a launch that may run at the same time; on exit ready for the
 *   next launch.
 */
template <typename Fold, typename Shape, int group>
__global__ void __launch_bounds__(Shape::block_threads, 1) scan_kernel(const __grid_constant__ fold_params params)
{
    using shared_type = fold_shared<Fold, Shape>;
    shared_type &shared = shared_memory<shared_type>();
    begin_launch<Shape>(params.pipeline, shared);
    const Fold fold(params);
    const launch_view<Fold, Shape> all(params, shared.num_items, false);
    if (warp_idx() < Shape::first_walker) {
        run_loader<Shape>(params.pipeline, all.num_tiles, shared, [&](auto &slot, uint64_t tile_idx) {
            return fill_slot<Fold, Shape>(params, all, tile_idx, slot);
        });
    } else if (warp_idx() < Shape::first_reducer) {
        run_walker<typename Fold::acc, typename Fold::op, typename Fold::op, Shape>(
            params.pipeline, all.num_tiles, start_of(params, fold), false, shared);
    } else if (warp_idx() < Shape::first_writer) {
        run_reducer(params, fold, all, shared);
    } else {
        for_each_slot(params.pipeline, shared, all.num_tiles, 0, 1, [&](auto &slot, uint64_t tile_idx, unsigned phase) {
            const tile_view<Fold, Shape> view(params, all, tile_idx, slot.data);
            if (!view.is_plain() || line_shift(params.out) != 0)
                return write_rows<false, group>(params, fold, all, view, tile_idx, phase, slot);
            if constexpr (is_wide_byte_sum<Fold>)
                if (fold.sign == 0)
                    return write_byte_sums(params, all, view, tile_idx, phase, slot);
            write_rows<true, group>(params, fold, all, view, tile_idx, phase, slot);
        });
    }
    finish_launch(params.pipeline, shared);
}

} // namespace onepass

#endif
