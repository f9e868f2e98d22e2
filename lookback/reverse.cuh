/* SPDX-License-Identifier: MIT */
/*
 * Rows for scans that run from the end: positions rise where addresses fall, so lanes change places from one end of the
 * warp to the other, and so do the items in a lane's lines.
 */
#ifndef ONEPASS_LOOKBACK_REVERSE_CUH
#define ONEPASS_LOOKBACK_REVERSE_CUH

#include "primitives/tile_io.cuh"

namespace onepass
{

/* A line with its items in the opposite order. */
template <typename T> ONEPASS_DEVICE vec16 reversed_line(const vec16 &line)
{
    static_assert(sizeof(T) <= 8, "items of up to 8 bytes");
    const uint32_t *w = line.word;
    if constexpr (sizeof(T) == 8) {
        return { { w[2], w[3], w[0], w[1] } };
    } else {
        constexpr uint32_t selector = sizeof(T) == 1 ? 0x0123 : sizeof(T) == 2 ? 0x1032 : 0x3210;
        return { { byte_perm(w[3], 0, selector), byte_perm(w[2], 0, selector), byte_perm(w[1], 0, selector),
                   byte_perm(w[0], 0, selector) } };
    }
}

/* A row of positions to where it lies in memory: item `last` gets position 0, the item before it position 1, and so on
 * for num_items positions. Otherwise like store_row. */
template <typename T, int count>
ONEPASS_DEVICE void store_row_reversed(T *last, unsigned num_items, const T (&items)[count])
{
    constexpr unsigned row_items = warp_threads * count;
    if (num_items == row_items) {
        T turned[count];
#pragma unroll
        for (int i = 0; i < count; ++i)
            turned[i] = shfl_idx(items[count - 1 - i], warp_threads - 1 - lane_idx());
        store_row(last - (row_items - 1), row_items, turned);
        return;
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const unsigned position = lane_idx() * count + i;
        if (position < num_items)
            *(last - position) = items[i];
    }
}

} // namespace onepass

#endif
