/* SPDX-License-Identifier: MIT */
/*
 * The selection kernel: kept items, in order, and their indices.
 *
 * On the tile pipeline. Whether an item is kept is decided once, by the reducers, who leave a bitmap: a bit an item,
 * words by ballot. Each writer warp has a segment of the tile and goes through its words; a word without a kept item
 * costs next to nothing. It compacts what is kept into shared memory of its own, in step with the 16-byte lines of the
 * output, and then writes whole lines with a head and a tail: straight stores measured 0.65 to 0.88 of a copy, staged
 * ones 0.81 to 0.95 (H200, 2026-11-30).
 *
 * In place a tile is written to where it or tiles before it were read from. Those have been: a tile's aggregate is
 * released after its copy into shared memory was seen to be complete, and acquired by the walk that leads to the write.
 */
#ifndef ONEPASS_COMPACTION_SELECT_CUH
#define ONEPASS_COMPACTION_SELECT_CUH

#include "../lookback/loader.cuh"
#include "params.h"

namespace onepass
{

/* Tiles of tile_items items; each writer has one segment of it. Items fit their unsigned type. */
template <typename Item, bool flagged, unsigned tile_items_, unsigned walkers_, unsigned reducers_, unsigned writers_,
          unsigned window_tiles_ = 128>
struct select_shape : pipeline_roles<walkers_, reducers_, writers_, window_tiles_> {
    using item = Item;
    static constexpr bool has_flags = flagged;
    /* Aggregates of 32 bits halve what walkers read. There is room for those of tiles of 8192 items (src/cuda/
     * workspace.c), and smaller ones in tests; starts have 64 bits, for counts beyond 2^32. */
    using aggregate = typename choose<sizeof(Item) != 8, uint32_t, uint64_t>::type;
    static constexpr unsigned tile_items = tile_items_, tile_bytes = tile_items * sizeof(Item);
    static constexpr unsigned segment_items = tile_items / writers_, segment_bytes = segment_items * sizeof(Item);
    static constexpr unsigned segment_words = segment_items / 32;
    static constexpr unsigned batch_words = segment_words < 8 ? segment_words : 8; /* that a writer takes at once */
    static_assert(segment_words * 32 * writers_ == tile_items && segment_words % 4 == 0 &&
                      segment_words % batch_words == 0 && writers_ % reducers_ == 0 && writers_ <= 32,
                  "whole lines of words a segment, whole segments a reducer");
};

template <typename Shape> struct alignas(128) select_slot : slot_control<uint64_t> {
    static constexpr unsigned ready_arrivals = Shape::reducers * warp_threads + 1;
    alignas(128) unsigned char items[Shape::tile_bytes + line_bytes];
    alignas(128) unsigned char flags[Shape::has_flags ? Shape::tile_items + line_bytes : line_bytes];
    alignas(16) uint32_t kept[Shape::tile_items / 32]; /* bit i of word w: item 32 w + i */
    uint32_t counts[Shape::writers];                   /* of kept items, by segment */
    uint32_t before[Shape::writers + 1];               /* kept items before each segment, and in all */
};

template <typename Shape>
struct alignas(128) select_shared : pipeline_shared<typename Shape::aggregate, Shape, select_slot<Shape>> {
    alignas(128) unsigned char staging[Shape::writers][Shape::segment_bytes + line_bytes];
};

/* What every thread knows of the launch and of a tile's items. */
template <typename Shape> struct select_view {
    using item = typename Shape::item;
    uint64_t num_items, num_tiles;

    explicit ONEPASS_DEVICE select_view(uint64_t items)
        : num_items(items), num_tiles(items == 0 ? 1 : (items - 1) / Shape::tile_items + 1) /* someone tells of none */
    {
    }
    ONEPASS_DEVICE uint32_t in_tile(uint64_t tile_idx) const
    {
        const uint64_t left = num_items - tile_idx * Shape::tile_items;
        return left < Shape::tile_items ? (uint32_t)left : Shape::tile_items;
    }
    /* Where an array's part for the tile would begin, and how far that is behind the start of its line. */
    template <typename T> static ONEPASS_DEVICE uintptr_t address(const T *array, uint64_t tile_idx)
    {
        return (uintptr_t)(array + tile_idx * Shape::tile_items);
    }
    static ONEPASS_DEVICE unsigned shift(const void *array)
    {
        static_assert(Shape::tile_items * sizeof(item) % line_bytes == 0, "all tiles have the same shift");
        return line_shift(array);
    }
};

/* The loader's work. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE uint32_t fill_select_slot(const select_params &params, const select_view<Shape> &all, Slot &slot,
                                         uint64_t tile_idx)
{
    using item = typename Shape::item;
    const uint32_t num_items = all.in_tile(tile_idx);
    uint32_t bulk_bytes = 0;
    if (!Shape::has_flags || params.out) {
        const unsigned shift = all.shift(params.in);
        const uintptr_t first = all.address(static_cast<const item *>(params.in), tile_idx);
        bulk_bytes += copy_to_slot<item>(reinterpret_cast<const unsigned char *>(first - shift), shift,
                                         shift + num_items * (uint32_t)sizeof(item), slot.items, &slot.full);
    }
    if (Shape::has_flags) {
        const unsigned shift = all.shift(params.flags);
        const uintptr_t first = all.address(params.flags, tile_idx);
        bulk_bytes += copy_to_slot<uint8_t>(reinterpret_cast<const unsigned char *>(first - shift), shift,
                                            shift + num_items, slot.flags, &slot.full);
    }
    return bulk_bytes;
}

/* The range test on one item's bits, but for negate. */
template <typename Item, bool floating> struct device_range_test {
    using word = typename choose<sizeof(Item) == 8, uint64_t, uint32_t>::type;
    word mask, low, span, float_key;

    explicit ONEPASS_DEVICE device_range_test(const select_params &params)
        : mask((word)params.mask), low((word)params.low), span((word)params.span), float_key((word)params.float_key)
    {
    }
    ONEPASS_DEVICE bool operator()(Item x) const
    {
        word key = x;
        if (floating) {
            const word negative = (word)0 - (word)(key >> (8 * sizeof(Item) - 1)); /* all bits, or none */
            key ^= negative & float_key;
        }
        return (Item)((key & mask) - low) <= (Item)span;
    }
};

/* Which of some neighbouring items are kept, a bit each: num_words words at `kept`. */
template <unsigned num_words, typename Item, typename Test>
ONEPASS_DEVICE void decide_words(const Item *items, uint32_t *kept, Test is_kept)
{
    constexpr unsigned batch = num_words < 16 ? num_words : 16;
#pragma unroll 1
    for (unsigned done = 0; done < num_words; done += batch) {
        Item own[batch];
#pragma unroll
        for (unsigned w = 0; w < batch; ++w)
            own[w] = items[(done + w) * 32 + lane_idx()];
#pragma unroll
        for (unsigned w = 0; w < batch; w += 4) {
            const vec16 words = { { warp_ballot(is_kept(own[w])), warp_ballot(is_kept(own[w + 1])),
                                    warp_ballot(is_kept(own[w + 2])), warp_ballot(is_kept(own[w + 3])) } };
            if (lane_idx() == 0)
                store_vec(kept + done + w, words);
        }
    }
}

/* A reducer's part of a tile: which items are kept, in its segments; then, by the first reducer warp, how many are kept
 * before each segment, and the tile's aggregate. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void decide_tile(const select_params &params, const select_view<Shape> &all, uint64_t tile_idx,
                                uint32_t epoch, Slot &slot)
{
    using item = typename Shape::item;
    constexpr unsigned segments = Shape::writers / Shape::reducers;
    const typename Shape::reducer_group group;
    const uint32_t num_items = all.in_tile(tile_idx);
    const uint32_t negate = !Shape::has_flags && params.negate ? 0xffffffffu : 0;
    const bool is_ragged = num_items != Shape::tile_items;
    const item *items = reinterpret_cast<const item *>(slot.items + all.shift(params.in));
    const uint8_t *flags = slot.flags + all.shift(params.flags);
#pragma unroll 1
    for (unsigned i = 0; i < segments; ++i) {
        const unsigned segment = group.thread() / warp_threads * segments + i;
        const unsigned first_word = segment * Shape::segment_words, first = first_word * 32;
        uint32_t *kept = slot.kept + first_word;
        if (Shape::has_flags)
            decide_words<Shape::segment_words>(flags + first, kept, [](uint8_t flag) { return flag != 0; });
        else if (params.float_key != 0)
            decide_words<Shape::segment_words>(items + first, kept, device_range_test<item, true>(params));
        else
            decide_words<Shape::segment_words>(items + first, kept, device_range_test<item, false>(params));
        syncwarp(); /* lane 0 has stored the words */
        uint32_t count = 0;
        for (unsigned w = lane_idx(); w < Shape::segment_words; w += warp_threads) {
            const unsigned begin = first + w * 32;
            uint32_t word = kept[w] ^ negate;
            if (is_ragged)
                word &= first_lanes(num_items > begin ? num_items - begin : 0);
            if (negate | is_ragged)
                kept[w] = word;
            count += popc(word);
        }
        count = redux_add(count);
        if (lane_idx() == 0)
            slot.counts[segment] = count;
    }
    group.sync(); /* publishes the segments' counts to the first reducer warp; all have seen that the tile was read */
    if (group.thread() < warp_threads) {
        const uint32_t own = lane_idx() < Shape::writers ? slot.counts[lane_idx()] : 0;
        const uint32_t sum = warp_inclusive_scan(own, op_SUM<uint32_t>());
        if (lane_idx() == Shape::writers - 1) {
            if (params.in_place)
                fence_acq_rel(); /* releases the reading of the tile to whoever writes there */
            publish(params.pipeline.aggregates, tile_idx, (typename Shape::aggregate)sum, epoch, STATUS_A);
            slot.before[Shape::writers] = sum;
        }
        if (lane_idx() < Shape::writers)
            slot.before[lane_idx()] = sum - own;
    }
    mbar_arrive(&slot.ready); /* every lane, for the words and the counts that it wrote */
}

/* Kept items of a segment, some words at a time, so that loads and stores of different words overlap; a batch without
 * a kept item costs one branch. Calls visit(kept, ranks, idx): for each bit j of kept, the lane has a kept item whose
 * index in the tile is idx + 32 j and whose rank in the segment is ranks[j]. */
template <typename Shape, typename Slot, typename Visit>
ONEPASS_DEVICE void for_each_kept(const Slot &slot, unsigned segment, Visit visit)
{
    constexpr unsigned block_words = Shape::segment_words < warp_threads ? Shape::segment_words : warp_threads;
    constexpr unsigned batch = Shape::batch_words;
    const uint32_t before_own = lanes_before();
    unsigned rank = 0;
#pragma unroll 1
    for (unsigned done = 0; done < Shape::segment_words; done += block_words) {
        const unsigned first_word = segment * Shape::segment_words + done;
        const uint32_t own_word = lane_idx() < block_words ? slot.kept[first_word + lane_idx()] : 0;
        const unsigned own_count = popc(own_word);
        const unsigned counts = warp_inclusive_scan(own_count, op_SUM<uint32_t>());
        const unsigned own_rank = rank + counts - own_count; /* of the first item of the lane's word */
        const unsigned used = warp_ballot(own_word != 0);
        rank += shfl_idx(counts, warp_threads - 1);
#pragma unroll 1
        for (unsigned w = 0; w < block_words; w += batch) {
            if ((used >> w & ((1u << batch) - 1)) == 0)
                continue;
            unsigned ranks[batch], kept = 0;
#pragma unroll
            for (unsigned j = 0; j < batch; ++j) {
                const uint32_t word = shfl_idx(own_word, w + j);
                ranks[j] = shfl_idx(own_rank, w + j) + popc(word & before_own);
                kept |= (word >> lane_idx() & 1) << j;
            }
            visit(kept, ranks, (first_word + w) * 32 + lane_idx());
        }
    }
}

/* A writer's segment of a tile. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void write_segment(const select_params &params, const select_view<Shape> &all, uint64_t tile_idx,
                                  unsigned phase, Slot &slot, unsigned char *staging)
{
    using item = typename Shape::item;
    const unsigned segment = warp_idx() - Shape::first_writer;
    mbar_wait(&slot.ready, phase); /* the reducers' words and counts, and the walker's prefix */
    const uint64_t place = slot.prefix + slot.before[segment];
    const uint32_t num_kept = slot.before[segment + 1] - slot.before[segment];
    const uint64_t room = params.capacity > place ? params.capacity - place : 0;
    const uint32_t num_written = num_kept < room ? num_kept : (uint32_t)room;
    if (tile_idx == all.num_tiles - 1 && threadIdx.x == Shape::first_writer * warp_threads)
        *params.num_selected = slot.prefix + slot.before[Shape::writers];

    if (params.out_indices && num_written != 0) {
        const uint64_t first = tile_idx * Shape::tile_items;
        for_each_kept<Shape>(slot, segment, [&](unsigned kept, const auto &ranks, unsigned idx) {
#pragma unroll
            for (unsigned j = 0; j < Shape::batch_words; ++j) {
                if (!(kept >> j & 1) || ranks[j] >= num_written)
                    continue;
                if (params.wide_indices)
                    static_cast<uint64_t *>(params.out_indices)[place + ranks[j]] = first + idx + j * 32;
                else
                    static_cast<uint32_t *>(params.out_indices)[place + ranks[j]] = (uint32_t)first + idx + j * 32;
            }
        });
    }
    if (!params.out || num_written == 0) {
        leave_slot(slot);
        return;
    }
    const uintptr_t out = (uintptr_t)(static_cast<item *>(params.out) + place);
    const unsigned shift = (unsigned)(out % line_bytes);
    const item *items = reinterpret_cast<const item *>(slot.items + all.shift(params.in));
    item *staged = reinterpret_cast<item *>(staging + shift);
    for_each_kept<Shape>(slot, segment, [&](unsigned kept, const auto &ranks, unsigned idx) {
        item own[Shape::batch_words];
#pragma unroll
        for (unsigned j = 0; j < Shape::batch_words; ++j)
            own[j] = items[idx + j * 32]; /* kept or not: it is there */
#pragma unroll
        for (unsigned j = 0; j < Shape::batch_words; ++j)
            if (kept >> j & 1)
                staged[ranks[j]] = own[j];
    });
    leave_slot(slot); /* also: every lane's staged items are there for the warp */
    const output_run<item> run(out, num_written, false);
    const unsigned num_lines = (shift + num_written * (unsigned)sizeof(item) + line_bytes - 1) / line_bytes;
    /* Lane 0 has the first line of 128 aligned bytes. */
    const unsigned ahead = (unsigned)(out / line_bytes % 8);
    for (unsigned i = lane_idx(); i < num_lines + ahead; i += warp_threads)
        if (i >= ahead)
            run.store_line(i - ahead, load_vec(staging + (i - ahead) * line_bytes));
    syncwarp(); /* all lanes have read what is staged, before the next tile's comes */
}

/*
 * The kept items and their indices in order, up to the capacity, and how many are kept in all.
 *
 * Launch: Shape::block_threads threads; any number of blocks, best as many as multiprocessors; shared memory for
 *   select_shared and num_slots slots.
 * Items: a tile is Shape::tile_items items; whichever block drew its ticket decides, and writes what it keeps. out ==
 * in is legal (params.in_place); every other overlap is not. Workspace: as for scan_kernel, with aggregates of
 * Shape::aggregate and starts of 64 bits.
 */
template <typename Shape>
__global__ void __launch_bounds__(Shape::block_threads, 1)
    select_tiles_kernel(const __grid_constant__ select_params params)
{
    using shared_type = select_shared<Shape>;
    shared_type &shared = shared_memory<shared_type>();
    begin_launch<Shape>(params.pipeline, shared);
    const select_view<Shape> all(shared.num_items);
    if (warp_idx() < Shape::first_walker) {
        run_loader<Shape>(params.pipeline, all.num_tiles, shared, [&](auto &slot, uint64_t tile_idx) {
            return fill_select_slot<Shape>(params, all, slot, tile_idx);
        });
    } else if (warp_idx() < Shape::first_reducer) {
        run_walker<uint64_t, op_SUM<uint64_t>, op_SUM<typename Shape::aggregate>, Shape>(
            params.pipeline, all.num_tiles, (uint64_t)0, params.in_place, shared);
    } else if (warp_idx() < Shape::first_writer) {
        for_each_slot(params.pipeline, shared, all.num_tiles, 0, 1, [&](auto &slot, uint64_t tile_idx, unsigned) {
            decide_tile<Shape>(params, all, tile_idx, shared.epoch, slot);
            leave_slot(slot);
        });
    } else {
        for_each_slot(params.pipeline, shared, all.num_tiles, 0, 1, [&](auto &slot, uint64_t tile_idx, unsigned phase) {
            write_segment<Shape>(params, all, tile_idx, phase, slot, shared.staging[warp_idx() - Shape::first_writer]);
        });
    }
    finish_launch(params.pipeline, shared);
}

} // namespace onepass

#endif
