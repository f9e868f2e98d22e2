/* SPDX-License-Identifier: MIT */
/*
 * Scan and reduction of a few rows: one tile in one block, without tickets and descriptors.
 *
 * Nothing but latency counts here, and most of that is instructions that no one has fetched yet: so the code is short
 * and runs straight on. A lane loads its items once and keeps them; the only barrier lies between the warps' sums and
 * the prefixes, which every warp finds for itself.
 */
#ifndef ONEPASS_LOOKBACK_ONE_TILE_CUH
#define ONEPASS_LOOKBACK_ONE_TILE_CUH

#include "scan.cuh"

namespace onepass
{

/* Whether a condition holds, as it mostly does: what follows if it does not is kept out of the way. */
ONEPASS_DEVICE bool mostly(bool condition)
{
    return __builtin_expect(condition, true);
}

/* A lane's items whose positions begin with `first`; what is no item becomes nothing. */
template <typename Fold>
ONEPASS_DEVICE void read_items(const fold_params &params, const Fold &fold, uint32_t num_items, uint32_t first,
                               typename Fold::acc (&items)[Fold::k])
{
    using in = typename Fold::in;
    const in *all = static_cast<const in *>(params.in);
    vec16 line;
    if (mostly(first + Fold::k <= num_items && line_shift(all) == 0 && !params.reverse)) {
        line = load_vec(all + first);
        fold.load_line(line, items);
    } else {
        in raw[Fold::k];
#pragma unroll
        for (uint32_t i = 0; i < Fold::k; ++i) {
            raw[i] = in();
            if (first + i < num_items)
                raw[i] = all[params.reverse ? num_items - 1 - first - i : first + i];
        }
        line = pack(raw);
        load_items(fold, line, first, num_items, items);
    }
}

/* A lane's results, likewise. */
template <typename Out, int m>
ONEPASS_DEVICE void write_results(const fold_params &params, uint32_t num_positions, uint32_t first,
                                  const vec16 (&lines)[m])
{
    constexpr uint32_t k = m * line_items<Out>;
    Out *all = static_cast<Out *>(params.out);
    if (mostly(first + k <= num_positions && line_shift(all) == 0 && !params.reverse)) {
#pragma unroll
        for (int i = 0; i < m; ++i)
            store_vec(all + first + i * line_items<Out>, lines[i]);
        return;
    }
    Out results[k];
    memcpy(results, lines, sizeof(results));
#pragma unroll
    for (uint32_t i = 0; i < k; ++i)
        if (first + i < num_positions)
            all[params.reverse ? num_positions - 1 - first - i : first + i] = results[i];
}

/* start, and the sums of the first num_warps warps, in the order of ORDER.md; lane l holds the sum of warp l. */
template <typename T, typename Op> ONEPASS_DEVICE T sum_of_warps(T start, T warp_sum, unsigned num_warps, Op op)
{
    if constexpr (Op::any_order) {
        return op(start, warp_reduce(lane_idx() < num_warps ? warp_sum : Op::identity(), op));
    } else {
        T sums[1] = { warp_sum };
        warp_up_sweep(sums, op);
        unsigned end = 0;
#pragma unroll
        for (unsigned size = warp_threads; size != 0; size /= 2) {
            end += num_warps & size;
            const T block = shfl_idx(sums[0], end - 1);
            start = num_warps & size ? op(start, block) : start;
        }
        return start;
    }
}

/* The rows of a warp, and how many warps there may be: a lane keeps all its items in registers. Two rows overlap well,
 * and 64 make a tile of 8192 4-byte items; more rows are more instructions than they save warps (H200, 2026-12-01). */
template <typename Fold> struct one_tile_shape {
    static constexpr unsigned lane_bytes = Fold::k * (unsigned)sizeof(typename Fold::acc);
    static constexpr int warp_rows = lane_bytes > 64 ? 1 : 2;
    static constexpr unsigned max_warps = lane_bytes > 32 ? 16 : 32;
};

/*
 * The same results as scan_kernel and reduce_kernel (params.is_reduction), for as many rows of positions as the block
 * has room for.
 *
 * Launch: one block of as many warps as positions need, at least one; an accumulator of shared memory for each lane of
 *   a warp.
 * Items: a lane reads its items before it writes the results at the same positions, so in == out is legal.
 * Workspace: none.
 */
template <typename Fold>
__global__ void __launch_bounds__(one_tile_shape<Fold>::max_warps *warp_threads, 1)
    one_tile_kernel(const __grid_constant__ fold_params params)
{
    using acc = typename Fold::acc;
    using out = typename Fold::out;
    using op = typename Fold::op;
    constexpr int rows = one_tile_shape<Fold>::warp_rows, k = Fold::k, row_items = warp_threads * k;
    auto &warp_sums = shared_memory<acc[warp_threads]>();
    const Fold fold(params);
    const uint32_t num_items = (uint32_t)num_items_of(params.pipeline, threadIdx.x == 0);
    const uint32_t num_positions = num_items + params.has_total;
    const uint32_t first = warp_idx() * (rows * row_items) + lane_idx() * k;
    const unsigned num_warps = blockDim.x / warp_threads;
    acc items[rows][k], sums[rows], blocks[rows];
#pragma unroll
    for (int i = 0; i < rows; ++i)
        read_items(params, fold, num_items, first + i * row_items, items[i]);
    acc start = params.is_reduction ? total_start(params, fold, num_items) : start_of(params, fold);
#pragma unroll
    for (int i = 0; i < rows; ++i)
        sums[i] = fold_items(items[i], op());
    warp_inclusive_scan(sums, op());
#pragma unroll
    for (int i = 0; i < rows; ++i)
        blocks[i] = sums[i]; /* in the last lane, that of the row */
    lane_up_sweep(blocks, op());
    if (num_warps != 1 || params.is_reduction) {
        if (lane_idx() == warp_threads - 1)
            warp_sums[warp_idx()] = blocks[rows - 1];
        syncthreads(); /* publishes the warps' sums */
        const acc warp_sum = lane_idx() < num_warps ? warp_sums[lane_idx()] : op::identity();
        start = sum_of_warps(start, warp_sum, params.is_reduction ? warp_threads : warp_idx(), op());
    }
    if (params.is_reduction) {
        if (threadIdx.x == 0)
            *static_cast<out *>(params.out) = fold.store(start);
        return;
    }
#pragma unroll
    for (int i = 0; i < rows; ++i)
        if (i != rows - 1)
            blocks[i] = warp_last(blocks[i]);
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        vec16 lines[sizeof(out) / sizeof(typename Fold::in)];
        const acc before = row_prefix<rows>(start, blocks, i, op());
        results_of(params, fold, op()(before, warp_before(sums[i], op::identity())), items[i], lines);
        write_results<out>(params, num_positions, first + i * row_items, lines);
    }
}

} // namespace onepass

#endif
