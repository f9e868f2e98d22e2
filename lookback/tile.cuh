/* SPDX-License-Identifier: MIT */
/* A tile of a scan or a reduction: which positions it has, and its items in a slot as lanes take them. */
#ifndef ONEPASS_LOOKBACK_TILE_CUH
#define ONEPASS_LOOKBACK_TILE_CUH

#include "fold.cuh"
#include "pipeline.cuh"

namespace onepass
{

/* Nothing here changes a bit of any result; window_rows is ORDER.md's, and smaller only in tests of exact operators. */
template <unsigned rows_, unsigned walkers_, unsigned reducers_, unsigned writers_, unsigned window_rows_ = WINDOW_ROWS>
struct pipeline_shape : pipeline_roles<walkers_, reducers_, writers_, window_rows_ / rows_> {
    static constexpr unsigned rows = rows_;
    static constexpr unsigned tile_bytes = rows * row_bytes;
};

template <typename T, typename Shape> struct alignas(128) tile_slot : slot_control<T> {
    /* The reducer warp that has the block sums, and the walker if there are writers. */
    static constexpr unsigned ready_arrivals = warp_threads + (Shape::writers != 0 ? 1 : 0);
    alignas(128) unsigned char data[Shape::tile_bytes +
                                    line_bytes]; /* the input's first line is at 0: an unaligned tile has one more */
    T block_sums[Shape::rows];
};

template <typename Fold, typename Shape>
using fold_shared = pipeline_shared<typename Fold::acc, Shape, tile_slot<typename Fold::acc, Shape>>;

/* What every thread knows of the launch. Positions are those of ORDER.md. */
template <typename Fold, typename Shape> struct launch_view {
    static constexpr uint32_t row_items = row_bytes / sizeof(typename Fold::in);
    static constexpr uint32_t tile_items = row_items * Shape::rows;
    uint64_t num_items, num_positions, num_tiles;

    ONEPASS_DEVICE launch_view(const fold_params &params, uint64_t items, bool at_least_one_tile)
        : num_items(items + params.lead), num_positions(num_items + params.has_total),
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
    uint32_t shift, first_item, num_items; /* items are at positions first_item to num_items - 1 */
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
          first_item(tile_idx == 0 ? params.lead : 0), num_items(all.in_tile(all.num_items, tile_idx)),
          reverse(params.reverse)
    {
    }

    ONEPASS_DEVICE bool is_full() const
    {
        return num_items == launch::tile_items && first_item == 0;
    }

    /* All items are there, in step with lanes and lines, and positions run with addresses. */
    ONEPASS_DEVICE bool is_plain() const
    {
        return is_full() && shift == 0 && !reverse;
    }

    /* The lane's items of some neighbouring rows, in the order of positions. What is no item has undefined bits. Each
     * step is done for all rows before the next, so that loads and shuffles overlap. */
    template <bool plain, int rows> ONEPASS_DEVICE void load_rows(unsigned first_row, vec16 (&lines)[rows]) const
    {
        if (plain) {
#pragma unroll
            for (int i = 0; i < rows; ++i)
                lines[i] = load_vec(data + (first_row + i) * row_bytes + lane_idx() * line_bytes);
            return;
        }
        const unsigned lane = reverse ? warp_threads - 1 - lane_idx() : lane_idx();
        const unsigned char *first =
            data + (reverse ? Shape::rows - 1 - first_row : first_row) * row_bytes + lane * line_bytes;
        const int32_t stride = reverse ? -(int32_t)row_bytes : (int32_t)row_bytes;
#pragma unroll
        for (int i = 0; i < rows; ++i)
            lines[i] = load_vec(first + i * stride);
        if (shift != 0) {
            vec16 next[rows];
#pragma unroll
            for (int i = 0; i < rows; ++i)
                next[i] = load_vec(first + i * stride + line_bytes);
            funnel_pairs<in>(lines, next, shift);
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
        if (is_full())
            fold.load_line(line, items);
        else
            load_items(fold, line, row * launch::row_items + lane_idx() * k - first_item, num_items - first_item,
                       items);
    }

    /* The sums of the lane's items in each of some neighbouring rows. */
    template <bool plain, int rows>
    ONEPASS_DEVICE void sum_rows(const Fold &fold, unsigned first_row, const vec16 (&lines)[rows],
                                 acc (&sums)[rows]) const
    {
        if (plain || is_full()) {
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

} // namespace onepass

#endif
