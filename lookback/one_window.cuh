/* SPDX-License-Identifier: MIT */
/*
 * Scan and reduction of up to one window (4 MiB of input): a tile for each block, the textbook's look-back.
 *
 * Here latency counts, and the pipeline's roles would only wait for each other. A warp loads its rows once and keeps
 * them; two barriers lead from the rows' sums to the tile's aggregate and back from its prefix to the rows.
 *
 * Forward progress: a tile waits for aggregates of lower tiles only. Their tickets were drawn before, by blocks that
 * run and publish before they wait.
 */
#ifndef ONEPASS_LOOKBACK_ONE_WINDOW_CUH
#define ONEPASS_LOOKBACK_ONE_WINDOW_CUH

#include "scan.cuh"

namespace onepass
{

template <typename T> struct one_window_shared {
    T row_sums[ONE_WINDOW_MAX_ROWS];
    T walk_sums[ONE_WINDOW_MAX_TILES];
    T prefix;
    uint32_t tile_idx;
    uint32_t epoch;
};

/* By the first warp, from the sums of the tile's rows: publishes the tile's aggregate, and finds its prefix; leaves in
 * row_sums what row_start needs. A tile with fewer than 64 rows counts as one whose other rows hold nothing. For a
 * reduction the last tile writes the result. */
template <typename Fold>
ONEPASS_DEVICE void look_back(const fold_params &params, const Fold &fold, uint32_t num_positions,
                              one_window_shared<typename Fold::acc> &shared)
{
    using acc = typename Fold::acc;
    using op = typename Fold::op;
    constexpr int k = ONE_WINDOW_MAX_ROWS / warp_threads;
    acc sums[k];
#pragma unroll
    for (int i = 0; i < k; ++i) {
        const unsigned row = lane_idx() * k + i;
        sums[i] = row < params.tile_rows ? shared.row_sums[row] : op::identity();
    }
    acc aggregate;
    if constexpr (op::any_order) {
        aggregate = warp_reduce(fold_items(sums, op()), op());
    } else {
        warp_up_sweep(sums, op());
        aggregate = warp_last(sums[k - 1]);
    }
    const uint32_t tile_idx = shared.tile_idx;
    if (lane_idx() == 0)
        publish(params.pipeline.aggregates, tile_idx, aggregate, shared.epoch, STATUS_A);
    const acc start =
        params.is_reduction ? total_start(params, fold, num_positions - params.lead) : start_of(params, fold);
    walker<acc, op, ONE_WINDOW_MAX_TILES> walk(params.pipeline.aggregates, params.pipeline.starts, shared.walk_sums,
                                               start);
    walk.epoch = shared.epoch;
    if (params.is_reduction) {
        const uint32_t tile_items = params.tile_rows * (row_bytes / (uint32_t)sizeof(typename Fold::in));
        /* Without positions the first tile is the last. */
        if ((tile_idx != 0 && tile_idx * tile_items >= num_positions) || (tile_idx + 1) * tile_items < num_positions)
            return;
        const acc total = walk.total_after(tile_idx);
        if (lane_idx() == 0)
            *static_cast<typename Fold::out *>(params.out) = fold.store(total);
        return;
    }
    if constexpr (op::any_order) { /* the rows before each row */
        const acc own = fold_items(sums, op());
        acc before = warp_before(warp_inclusive_scan(own, op()), op::identity());
#pragma unroll
        for (int i = 0; i < k; ++i) {
            const acc next = op()(before, sums[i]);
            sums[i] = before;
            before = next;
        }
    }
#pragma unroll
    for (int i = 0; i < k; ++i)
        shared.row_sums[lane_idx() * k + i] = sums[i];
    const acc prefix = walk.exclusive_prefix(tile_idx);
    if (lane_idx() == 0)
        shared.prefix = prefix;
}

/* What lies before a row of the tile. */
template <typename T, typename Op> ONEPASS_DEVICE T row_start(const one_window_shared<T> &shared, unsigned row, Op op)
{
    if constexpr (Op::any_order)
        return op(shared.prefix, shared.row_sums[row]);
    else
        return row_prefix<ONE_WINDOW_MAX_ROWS>(shared.prefix, shared.row_sums, row, op);
}

/*
 * The same results as scan_kernel and reduce_kernel (params.is_reduction), for at most 8192 rows of positions.
 *
 * Launch: a block for each tile of params.tile_rows rows that max_items can have, at least one and at most
 *   ONE_WINDOW_MAX_TILES; min(tile_rows, 16) warps; sizeof(one_window_shared<acc>) bytes of shared memory.
 * Items: a tile belongs to the block that drew its ticket, in and out, and a row to one warp, which reads it (again)
 *   before it writes it, so in == out is legal.
 * Workspace: as for scan_kernel.
 */
template <typename Fold>
__global__ void __launch_bounds__(ONE_WINDOW_MAX_WARPS *warp_threads, 1)
    one_window_kernel(const __grid_constant__ fold_params params)
{
    using acc = typename Fold::acc;
    using in = typename Fold::in;
    using out = typename Fold::out;
    using op = typename Fold::op;
    constexpr uint32_t row_items = row_bytes / sizeof(in), k = Fold::k;
    constexpr int max_rows = ONE_WINDOW_MAX_ROWS / ONE_WINDOW_MAX_WARPS;
    auto &shared = shared_memory<one_window_shared<acc>>();
    if (threadIdx.x == 0) {
        const uint64_t ticket = take_ticket(params.pipeline, gridDim.x);
        shared.tile_idx = (uint32_t)ticket_tile_idx(ticket);
        shared.epoch = ticket_epoch(ticket);
    }
    const Fold fold(params);
    const uint32_t num_items =
        (uint32_t)num_items_of(params.pipeline, blockIdx.x == 0 && threadIdx.x == 0) + params.lead;
    const uint32_t num_positions = num_items + params.has_total;
    const unsigned num_rows = params.tile_rows < ONE_WINDOW_MAX_WARPS ? 1 : params.tile_rows / ONE_WINDOW_MAX_WARPS;
    const unsigned first_row = warp_idx() * num_rows;
    syncthreads(); /* publishes the tile */
    const uint32_t first = (shared.tile_idx * params.tile_rows + first_row) * row_items;
    const uint32_t lead = first == 0 ? params.lead : 0;
    const uint32_t left = first < num_items ? num_items - first : 0;
    const in *items_in = static_cast<const in *>(params.in) + first;
    out *results_out = static_cast<out *>(params.out) + first;
    /* Whether all of the warp's rows are full, in step with lanes and lines, and run with addresses. */
    const bool is_plain = left >= num_rows * row_items && lead == 0 && !params.reverse && line_shift(items_in) == 0 &&
                          (line_shift(results_out) == 0 || params.is_reduction);
    const uint32_t num_here = left < num_rows * row_items ? left : num_rows * row_items;
    const uint64_t last_item = (uint64_t)num_items - 1 - first; /* modulo 2^64 */
    const item_run<in> run(params.reverse ? (uintptr_t)params.in + (uintptr_t)last_item * sizeof(in)
                                          : (uintptr_t)items_in,
                           num_here, params.reverse, lead);
    vec16 lines[max_rows];
    acc sums[max_rows], items[k];
    if (is_plain) {
#pragma unroll
        for (unsigned i = 0; i < max_rows; ++i)
            if (i < num_rows)
                lines[i] = load_vec(reinterpret_cast<const char *>(items_in + i * row_items + lane_idx() * k));
#pragma unroll
        for (unsigned i = 0; i < max_rows; ++i)
            sums[i] = i < num_rows ? fold.fold_line(lines[i]) : op::identity();
        warp_inclusive_scan(sums, op());
#pragma unroll
        for (unsigned i = 0; i < max_rows; ++i)
            if (i < num_rows && lane_idx() == warp_threads - 1)
                shared.row_sums[first_row + i] = sums[i];
    } else {
#pragma unroll 1
        for (unsigned i = 0; i < num_rows; ++i) {
            load_items(fold, run.load_row(i, in()), i * row_items + lane_idx() * k - lead, num_here - lead, items);
            const acc sum = warp_inclusive_scan(fold_items(items, op()), op());
            if (lane_idx() == warp_threads - 1)
                shared.row_sums[first_row + i] = sum;
        }
    }
    syncthreads(); /* publishes the rows' sums */
    if (warp_idx() == 0) {
        look_back(params, fold, num_positions, shared);
        if (shared.epoch == EPOCH_LAST)
            end_epochs(params.pipeline);
    }
    if (params.is_reduction)
        return;
    syncthreads(); /* publishes the prefix, and what is before each row */
    const acc starts = row_start(shared, first_row + lane_idx() % num_rows, op());
    vec16 results[1][sizeof(out) / sizeof(in)];
    if (is_plain) {
#pragma unroll
        for (unsigned i = 0; i < max_rows; ++i) {
            if (i < num_rows) {
                const acc sum = op()(shfl_idx(starts, i), warp_before(sums[i], op::identity()));
                fold.load_line(lines[i], items);
                results_of(params, fold, sum, items, results[0]);
                store_aligned_row(results_out + i * row_items, results[0]);
            }
        }
        return;
    }
    output_run<out> results_run = output_at<out>(params, num_positions, first, num_rows * row_items);
#pragma unroll 1
    for (unsigned i = 0; i < num_rows; ++i) {
        load_items(fold, run.load_row(i, in()), i * row_items + lane_idx() * k - lead, num_here - lead, items);
        const acc scanned = warp_inclusive_scan(fold_items(items, op()), op());
        const acc sum = op()(shfl_idx(starts, i), warp_before(scanned, op::identity()));
        results_of(params, fold, sum, items, results[0]);
        syncwarp(); /* in place: neighbours have read the lines that a lane writes */
        results_run.store_rows(results);
    }
    results_run.finish();
}

} // namespace onepass

#endif
