/* SPDX-License-Identifier: MIT */
/*
 * The look-back walk: one warp turns published descriptors into a tile's exclusive prefix, in the order of ORDER.md.
 *
 * Windows of 8192 rows are fixed. Inside one, where the order counts, the aggregates of its tiles are swept up in
 * registers to the sums of aligned power-of-two blocks, and the tile's prefix adds those, largest first, to H, the
 * start of the window. The walk keeps H of the window where its last tile was. The tile at a window's end publishes P,
 * the start of the next window, in an array of its own: one word a window.
 *
 * Forward progress: the walk of tile t waits for aggregates of tiles up to t only (P just saves time). Tickets rise
 * with time, so each such tile has been drawn by a block that runs. That block's reducers publish its aggregate without
 * waiting for any look-back, once its loader has filled a slot; and a slot gets empty when its writers are done, which
 * need the prefix of an older tile of the same block. So the lowest unfinished tile has all it needs, and its block
 * finishes it; by induction every tile is finished, whatever blocks are resident and in whatever order they started.
 */
#ifndef ONEPASS_LOOKBACK_WALK_CUH
#define ONEPASS_LOOKBACK_WALK_CUH

#include "descriptors.cuh"
#include "primitives/block.cuh"

namespace onepass
{

/* All lanes of a warp hold the same walker; `block_sums` is the warp's own, in shared memory. Aggregates may be of a
 * narrower type A, with its own operator, if it holds the sum of a window. */
template <typename T, typename Op, unsigned window_tiles, typename A = T, typename AOp = Op> class walker
{
  public:
    static constexpr int k = window_tiles / warp_threads; /* tiles of a window that a lane looks at: neighbours */
    static_assert(k >= 1 && k <= 32 && k * warp_threads == window_tiles && (window_tiles & (window_tiles - 1)) == 0,
                  "a power of two of tiles, 32 to 1024");

    uint32_t epoch; /* of the launch: set before the first tile that is not alone */

    /* is_fenced: what happened before an aggregate was released (with a fence before its publication) happens before
     * what follows the warp's return with a prefix that holds it, or with one that holds a start it went into. */
    ONEPASS_DEVICE walker(const uint64_t *aggregates, uint64_t *starts, A (&block_sums)[window_tiles], T start,
                          bool is_fenced = false)
        : epoch(0), aggregates_(aggregates), starts_(starts), block_sums_(block_sums), window_(0), start_(start),
          is_fenced_(is_fenced)
    {
    }

    /* The exclusive prefix of a tile. A warp's tiles rise. Whoever ends a window publishes the start of the next before
     * anything else, because all blocks wait for one window's start after another: its own aggregate is summed with the
     * others, and then an addition to H is all that lies between one start and the next. */
    ONEPASS_DEVICE T exclusive_prefix(uint64_t tile_idx)
    {
        const uint64_t window = tile_idx / window_tiles;
        const unsigned tile = (unsigned)(tile_idx % window_tiles);
        const bool is_end = ends_window(tile_idx);
        A read[k];
        [[maybe_unused]] A sums[k];
        const descriptor_image<T> nearest = read_start_before(window); /* on its way together with the aggregates */
        if (tile != 0)
            read_tiles(window, is_end ? window_tiles : tile, read, nullptr);
        if constexpr (!Op::any_order)
            if (tile != 0)
                sum_blocks(read, sums);
        if (window_ != window)
            move_to(window, nearest);
        if (is_fenced_) {
            fence_acq_rel(); /* every lane acquires what it has read */
            syncwarp();
            fence_acq_rel(); /* lane 0 releases all of it with the start that it may publish */
        }
        const T start = start_;
        if constexpr (Op::any_order) {
            if (tile == 0)
                return start;
            const A own = shfl_idx(read[k - 1], warp_threads - 1); /* if this is the window's last tile */
            if (is_end && lane_idx() == warp_threads - 1)
                read[k - 1] = AOp::identity();
            const A before = warp_reduce(fold_items(read, AOp()), AOp());
            if (is_end)
                publish_start(AOp()(before, own));
            return Op()(start, before);
        } else {
            if (is_end)
                publish_start(shfl_idx(sums[k - 1], warp_threads - 1));
            if (tile == 0)
                return start;
            syncwarp(); /* every lane is done with what was in block_sums_ before */
#pragma unroll
            for (int i = 0; i < k; ++i)
                block_sums_[lane_idx() * k + i] = sums[i];
            syncwarp(); /* publishes the block sums to the warp */
            return row_prefix<window_tiles>(start, block_sums_, tile, Op());
        }
    }

    static ONEPASS_DEVICE bool ends_window(uint64_t tile_idx)
    {
        return tile_idx % window_tiles == window_tiles - 1;
    }

    /* The total of the tiles up to and with this one, as if nothing came behind: H after its window. If the tile ends
     * its window this is also published. No call of exclusive_prefix is needed. */
    ONEPASS_DEVICE T total_after(uint64_t tile_idx)
    {
        A read[k];
        const uint64_t window = tile_idx / window_tiles;
        read_tiles(window, (unsigned)(tile_idx % window_tiles) + 1, read, nullptr);
        const A sum = sum_of(read);
        move_to(window, read_start_before(window));
        if (!ends_window(tile_idx))
            return Op()(start_, sum);
        publish_start(sum);
        return start_;
    }

  private:
    const uint64_t *aggregates_;
    uint64_t *starts_; /* word w: H of window w + 1 */
    A (&block_sums_)[window_tiles];
    uint64_t window_; /* start_ is H of this window */
    T start_;
    bool is_fenced_;

    ONEPASS_DEVICE void publish_start(A window_sum)
    {
        start_ = Op()(start_, window_sum);
        if (lane_idx() == 0)
            publish(starts_, window_, start_, epoch, STATUS_P);
        ++window_;
    }

    /* Aggregates of the window's first num_tiles tiles, the others holding nothing, once they are there: read[i] is
     * that of tile 32 i + lane. Or, if next_start is not NULL, the window's P, if that comes first; true then. */
    ONEPASS_DEVICE bool read_tiles(uint64_t window, unsigned num_tiles, A (&read)[k], T *next_start)
    {
        /* Read by neighbouring lanes from neighbouring words. */
        const uint64_t base = window * window_tiles + lane_idx();
        descriptor_image<A> images[k];
        unsigned missing = 0;
#pragma unroll
        for (int i = 0; i < k; ++i) { /* all at once: one trip to the second-level cache */
            images[i] = {};
            read[i] = AOp::identity();
            if (i * warp_threads + lane_idx() < num_tiles) {
                images[i] = read_descriptor<A>(aggregates_, base + i * warp_threads);
                missing |= 1u << i;
            }
        }
        for (;;) {
#pragma unroll
            for (int i = 0; i < k; ++i) {
                if ((missing >> i & 1) && images[i].is_valid(epoch)) {
                    read[i] = images[i].value();
                    missing &= ~(1u << i);
                }
            }
            if (!warp_any(missing != 0))
                return false;
            if (next_start) {
                const descriptor_image<T> start = read_descriptor<T>(starts_, window);
                const unsigned found = warp_ballot(start.is_valid(epoch));
                if (found) {
                    *next_start = value_of_first(start, found);
                    return true;
                }
            }
#pragma unroll
            for (int i = 0; i < k; ++i)
                if (missing >> i & 1)
                    images[i] = read_descriptor<A>(aggregates_, base + i * warp_threads);
        }
    }

    /* Sums of the blocks of the tiles read, as warp_up_sweep leaves them. */
    ONEPASS_DEVICE void sum_blocks(const A (&read)[k], A (&sums)[k])
    {
        syncwarp(); /* every lane is done with what was in block_sums_ before */
#pragma unroll
        for (int i = 0; i < k; ++i)
            block_sums_[i * warp_threads + lane_idx()] = read[i];
        syncwarp(); /* publishes the aggregates to the warp */
#pragma unroll
        for (int i = 0; i < k; ++i)
            sums[i] = block_sums_[lane_idx() * k + i];
        warp_up_sweep(sums, AOp());
    }

    /* The sum of all tiles read. */
    ONEPASS_DEVICE A sum_of(const A (&read)[k])
    {
        if constexpr (Op::any_order) {
            return warp_reduce(fold_items(read, AOp()), AOp());
        } else {
            A sums[k];
            sum_blocks(read, sums);
            return shfl_idx(sums[k - 1], warp_threads - 1);
        }
    }

    /* Each lane looks at one of the 32 starts before a window, nearest first; where there is none, at the first. */
    ONEPASS_DEVICE descriptor_image<T> read_start_before(uint64_t window) const
    {
        const uint64_t distance = lane_idx() + 1;
        return read_descriptor<T>(starts_, window >= distance ? window - distance : 0);
    }

    /* Moves on to a window: from the nearest start that is published, 32 windows at a time, but from no farther than
     * where the walk is; and from there over the aggregates of the windows between. nearest: what read_start_before of
     * the window gave, perhaps a while ago. */
    ONEPASS_DEVICE void move_to(uint64_t window, descriptor_image<T> nearest)
    {
        while (window_ != window) {
            for (uint64_t at = window; at > window_;) {
                const unsigned found = warp_ballot(lane_idx() < at - window_ && nearest.is_valid(epoch));
                if (found) {
                    start_ = value_of_first(nearest, found);
                    window_ = at - lowest_bit(found);
                    break;
                }
                at -= at - window_ < warp_threads ? at - window_ : warp_threads;
                if (at > window_)
                    nearest = read_start_before(at);
            }
            if (window_ == window)
                return;
            A read[k];
            T next_start;
            const bool is_start = read_tiles(window_, window_tiles, read, &next_start);
            start_ = is_start ? next_start : Op()(start_, sum_of(read));
            ++window_;
            if (window_ != window)
                nearest = read_start_before(window);
        }
    }
};

} // namespace onepass

#endif
