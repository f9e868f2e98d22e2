/* SPDX-License-Identifier: MIT */
/*
 * The reduction kernel: the scan's pipeline without writers. Walkers have work only at the end of each window, where
 * they publish the start of the next, and at the last tile, whose walker writes the result.
 */
#ifndef ONEPASS_LOOKBACK_REDUCE_CUH
#define ONEPASS_LOOKBACK_REDUCE_CUH

#include "roles.cuh"

namespace onepass
{

template <typename Fold, typename Shape, typename Shared>
ONEPASS_DEVICE void run_totaller(const fold_params &params, const Fold &fold, const launch_view<Fold, Shape> &all,
                                 Shared &shared)
{
    using acc = typename Fold::acc;
    const unsigned turn = warp_idx() - Shape::first_walker, num_walkers = walkers_in_use<Shape>(params.pipeline);
    if (turn >= num_walkers)
        return;
    const acc start = total_start(params, fold, shared.num_items);
    walker<acc, typename Fold::op, Shape::window_tiles> walk(params.pipeline.aggregates, params.pipeline.starts,
                                                             shared.walk_sums[turn], start);
    for_each_slot(params.pipeline, shared, all.num_tiles, turn, num_walkers,
                  [&](auto &slot, uint64_t tile_idx, unsigned) {
                      walk.epoch = shared.epoch; /* written before the first slot was full */
                      const bool is_last = tile_idx == all.num_tiles - 1;
                      acc total = start;
                      if (is_last || walk.ends_window(tile_idx))
                          total = walk.total_after(tile_idx);
                      if (is_last && lane_idx() == 0)
                          *static_cast<typename Fold::out *>(params.out) = fold.store(total);
                      leave_slot(slot);
                  });
}

/*
 * *out = the reduction of all items as ORDER.md groups it: H after the last window; the start if there are no items.
 *
 * Launch, items and workspace: as for scan_kernel; the shape has no writers.
 */
template <typename Fold, typename Shape>
__global__ void __launch_bounds__(Shape::block_threads, 1) reduce_kernel(const __grid_constant__ fold_params params)
{
    static_assert(Shape::writers == 0, "a reduction writes one item");
    using shared_type = fold_shared<Fold, Shape>;
    shared_type &shared = shared_memory<shared_type>();
    begin_launch<Shape>(params.pipeline, shared);
    const Fold fold(params);
    const launch_view<Fold, Shape> all(params, shared.num_items, true);
    if (warp_idx() < Shape::first_walker)
        run_loader<Shape>(params.pipeline, all.num_tiles, shared, [&](auto &slot, uint64_t tile_idx) {
            return fill_slot<Fold, Shape>(params, all, tile_idx, slot);
        });
    else if (warp_idx() < Shape::first_reducer)
        run_totaller(params, fold, all, shared);
    else
        run_reducer(params, fold, all, shared);
    finish_launch(params.pipeline, shared);
}

} // namespace onepass

#endif
