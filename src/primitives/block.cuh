/* SPDX-License-Identifier: MIT */
/*
 * What several warps do together through shared memory: reductions, and the Brent-Kung scan over rows.
 *
 * A thread group is the whole block or a role, a run of warps with a named barrier of its own; the primitives take one
 * and do not care which. Shared storage is the caller's, in the kernel's one struct.
 * Grouping is that of ORDER.md: sums of aligned power-of-two blocks, and prefixes that add them largest first.
 */
#ifndef ONEPASS_PRIMITIVES_BLOCK_CUH
#define ONEPASS_PRIMITIVES_BLOCK_CUH

#include "warp.cuh"

namespace onepass
{

/* All threads of the block; any number up to 1024. */
struct block_group {
    ONEPASS_DEVICE unsigned thread() const
    {
        return threadIdx.x;
    }
    ONEPASS_DEVICE unsigned num_threads() const
    {
        return blockDim.x;
    }
    ONEPASS_DEVICE void sync() const
    {
        syncthreads();
    }
};

/* Warps first_warp to first_warp + num_warps - 1, which meet at barrier `barrier`, 1 to 15. */
template <unsigned first_warp, unsigned num_warps, unsigned barrier> struct role_group {
    ONEPASS_DEVICE unsigned thread() const
    {
        return threadIdx.x - first_warp * warp_threads;
    }
    ONEPASS_DEVICE unsigned num_threads() const
    {
        return num_warps * warp_threads;
    }
    ONEPASS_DEVICE void sync() const
    {
        if constexpr (num_warps == 1)
            syncwarp();
        else
            barrier_sync(barrier, num_warps * warp_threads);
    }
};

template <typename T> struct reduce_storage {
    T totals[32]; /* one a warp */
    T sum;
};

/*
 * The sum over the group's threads in thread order, in every thread: a balanced tree over the lanes of each warp, then
 * over the warps. Safe in a loop with one storage: a call writes the totals only after all have passed the second
 * barrier of the call before, and the sum only after all have come to the first of this one.
 */
template <typename T, typename Op, typename Group>
ONEPASS_DEVICE T block_reduce(Group group, T value, reduce_storage<T> &storage, Op op)
{
    const unsigned warp = group.thread() / warp_threads;
    const unsigned num_warps = (group.num_threads() + warp_threads - 1) / warp_threads;
    const unsigned lanes = group.num_threads() - warp * warp_threads; /* fewer than 32 in a short last warp */
    const T total = lanes >= warp_threads ? warp_reduce(value, op) : warp_reduce_first(value, lanes, op);
    if (lane_idx() == 0)
        storage.totals[warp] = total;
    group.sync();                     /* publishes the warps' totals */
    if (group.thread() < num_warps) { /* never more than there are in the first warp */
        const T sum = warp_reduce_first(storage.totals[group.thread()], num_warps, op);
        if (group.thread() == 0)
            storage.sum = sum;
    }
    group.sync(); /* publishes the sum */
    return storage.sum;
}

/* -------------------------------------------------------------------------------------------- Brent-Kung by rows */

/* Up-sweep in one lane, of k rows, a power of two: as warp_up_sweep says. */
template <int k, typename T, typename Op> ONEPASS_DEVICE void lane_up_sweep(T (&sums)[k], Op op)
{
#pragma unroll
    for (int half = 1; half < k; half *= 2)
#pragma unroll
        for (int i = 2 * half - 1; i < k; i += 2 * half)
            sums[i] = op(sums[i - half], sums[i]);
}

/*
 * Up-sweep in registers. On entry lane l holds the sums of the rows l * k to l * k + k - 1, of width * k rows in all;
 * on exit, in each row's place, the sum of the largest aligned power-of-two block of rows that ends with that row. So
 * the last place holds the sum of all. k and width are powers of two; segments of `width` lanes do it separately.
 */
template <unsigned width = 32, int k, typename T, typename Op> ONEPASS_DEVICE void warp_up_sweep(T (&sums)[k], Op op)
{
    lane_up_sweep(sums, op);
#pragma unroll
    for (unsigned half = 1; half < width; half *= 2) {
        bool in_range;
        const T earlier = shfl_up(sums[k - 1], half, in_range, width);
        if ((lane_idx() + 1) % (2 * half) == 0)
            sums[k - 1] = op(earlier, sums[k - 1]);
    }
}

/*
 * Down-sweep, for one row: `start` and the blocks of rows that lie before the row, from the largest to the smallest.
 * block_sums is as warp_up_sweep leaves it, for num_rows rows, a power of two; row may also be num_rows, for the start
 * of what follows. (The block that ends with row e - 1 has as many rows as the lowest set bit of e says.)
 */
template <unsigned num_rows, typename T, typename Op>
ONEPASS_DEVICE T row_prefix(T start, const T *block_sums, unsigned row, Op op)
{
    unsigned end = 0;
#pragma unroll
    for (unsigned size = num_rows; size != 0; size /= 2) {
        if (row & size) {
            end += size;
            start = op(start, block_sums[end - 1]);
        }
    }
    return start;
}

/*
 * The up-sweep of a whole group: each row's sum has been stored in sums[row] by any of its threads; afterwards every
 * thread may call row_prefix on it. num_rows is a power of two. The first warp does the work.
 */
template <unsigned num_rows, typename T, typename Op, typename Group>
ONEPASS_DEVICE void block_up_sweep(Group group, T (&sums)[num_rows], Op op)
{
    constexpr unsigned width = num_rows < warp_threads ? num_rows : warp_threads;
    constexpr int k = num_rows / width;
    static_assert(width * k == num_rows && (num_rows & (num_rows - 1)) == 0, "a power of two of rows");
    group.sync(); /* publishes the rows' sums */
    if (group.thread() < warp_threads) {
        T mine[k];
        const unsigned first = lane_idx() % width * k; /* with less than 32 rows all segments do the same */
#pragma unroll
        for (int i = 0; i < k; ++i)
            mine[i] = sums[first + i];
        warp_up_sweep<width>(mine, op);
        syncwarp(); /* all segments have read before one writes */
        if (lane_idx() < width) {
#pragma unroll
            for (int i = 0; i < k; ++i)
                sums[first + i] = mine[i];
        }
    }
    group.sync(); /* publishes the blocks' sums */
}

} // namespace onepass

#endif
