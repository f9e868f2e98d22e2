/* SPDX-License-Identifier: MIT */
/*
 * The tiles of a selection, and what decides: the loader's work and the reducers'.
 *
 * Whether an item is kept is decided once, by the reducers, who leave a bitmap: a bit an item, words by ballot.
 */
#ifndef ONEPASS_COMPACTION_DECIDE_CUH
#define ONEPASS_COMPACTION_DECIDE_CUH

#include "../lookback/loader.cuh"
#include "params.h"

namespace onepass
{

/* Tiles of tile_items items; each writer has one segment of it. Items fit their unsigned type. */
template <typename Item, select_decider decider_, unsigned tile_items_, unsigned walkers_, unsigned reducers_,
          unsigned writers_, unsigned window_tiles_ = 128>
struct select_shape : pipeline_roles<walkers_, reducers_, writers_, window_tiles_> {
    using item = Item;
    static constexpr select_decider decider = decider_;
    static constexpr bool has_flags = decider == SELECT_BY_FLAG || decider == SELECT_BY_FLAG_BIT;
    /* Aggregates of 32 bits halve what walkers read. There is room for those of tiles of 8192 items (src/cuda/
     * workspace.c), and smaller ones in tests; starts have 64 bits, for counts beyond 2^32. */
    using aggregate = typename choose<sizeof(Item) != 8, uint32_t, uint64_t>::type;
    static constexpr unsigned tile_items = tile_items_, tile_bytes = tile_items * sizeof(Item);
    static constexpr unsigned flag_bytes = decider == SELECT_BY_FLAG       ? tile_items
                                           : decider == SELECT_BY_FLAG_BIT ? tile_items / 8
                                                                           : 0;
    static constexpr unsigned segment_items = tile_items / writers_, segment_bytes = segment_items * sizeof(Item);
    static constexpr unsigned segment_words = segment_items / 32;
    static constexpr unsigned batch_words = segment_words < 8 ? segment_words : 8; /* that a writer takes at once */
    static_assert(segment_words * 32 * writers_ == tile_items && segment_words % 4 == 0 &&
                      segment_words % batch_words == 0 && writers_ % reducers_ == 0 && writers_ <= 32,
                  "whole lines of words a segment, whole segments a reducer");
};

template <typename Shape> struct alignas(128) select_slot : slot_control<uint64_t> {
    static constexpr unsigned ready_arrivals = Shape::reducers * warp_threads + 1;
    static constexpr unsigned front_bytes = Shape::decider == SELECT_BY_HEAD ? 128 : 0; /* the item before the tile */
    alignas(128) unsigned char memory[front_bytes + Shape::tile_bytes + line_bytes];
    alignas(128) unsigned char flags[Shape::flag_bytes + line_bytes];
    alignas(16) uint32_t kept[Shape::tile_items / 32]; /* bit i of word w: item 32 w + i */
    uint32_t counts[Shape::writers];                   /* of kept items, by segment */
    uint32_t before[Shape::writers + 1];               /* kept items before each segment, and in all */

    /* The first line of the tile's items. */
    ONEPASS_DEVICE unsigned char *items()
    {
        return memory + front_bytes;
    }
    ONEPASS_DEVICE const unsigned char *items() const
    {
        return memory + front_bytes;
    }
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
        static_assert(Shape::tile_bytes % line_bytes == 0 && Shape::flag_bytes % line_bytes == 0,
                      "all tiles have the same shift");
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
    if (!Shape::has_flags || params.selected.items || params.rejected.items) {
        const unsigned shift = all.shift(params.in);
        const uintptr_t first = all.address(static_cast<const item *>(params.in), tile_idx);
        bulk_bytes += copy_to_slot<item>(reinterpret_cast<const unsigned char *>(first - shift), shift,
                                         shift + num_items * (uint32_t)sizeof(item), slot.items(), &slot.full);
        if (Shape::decider == SELECT_BY_HEAD && tile_idx != 0 && num_items != 0 && lane_idx() == 0)
            reinterpret_cast<item *>(slot.items() + shift)[-1] = reinterpret_cast<const item *>(first)[-1];
    }
    if (Shape::has_flags) {
        const unsigned shift = all.shift(params.flags);
        const uintptr_t first = (uintptr_t)(params.flags + tile_idx * Shape::flag_bytes);
        const uint32_t num_bytes = Shape::decider == SELECT_BY_FLAG_BIT ? (num_items + 7) / 8 : num_items;
        bulk_bytes += copy_to_slot<uint8_t>(reinterpret_cast<const unsigned char *>(first - shift), shift,
                                            shift + num_bytes, slot.flags, &slot.full);
    }
    return bulk_bytes;
}

/* Decides by an item, or by a flag: the range test on its bits, but for negate. */
template <typename Item, bool floating> class item_decider
{
  public:
    ONEPASS_DEVICE item_decider(const select_params &params, const Item *items)
        : items_(items), mask_((word)params.mask), low_((word)params.low), span_((word)params.span),
          float_key_((word)params.float_key)
    {
    }
    ONEPASS_DEVICE Item load(unsigned idx) const
    {
        return items_[idx];
    }
    ONEPASS_DEVICE bool operator()(Item x) const
    {
        word key = x;
        if (floating) {
            const word negative = (word)0 - (word)(key >> (8 * sizeof(Item) - 1)); /* all bits, or none */
            key ^= negative & float_key_;
        }
        return (Item)((key & mask_) - low_) <= (Item)span_;
    }

  private:
    using word = typename choose<sizeof(Item) == 8, uint64_t, uint32_t>::type;
    const Item *items_;
    word mask_, low_, span_, float_key_;
};

/* Decides by an item and the one before it, which is there even before the first: whether they differ as numbers, all
 * NaNs being one number. */
template <typename Item, bool floating> class head_decider
{
  public:
    struct neighbours {
        Item before, own;
    };

    ONEPASS_DEVICE head_decider(const select_params &params, const Item *items)
        : items_(items), infinity_((Item)params.infinity)
    {
    }
    ONEPASS_DEVICE neighbours load(unsigned idx) const
    {
        return { items_[(int)idx - 1], items_[idx] };
    }
    ONEPASS_DEVICE bool operator()(const neighbours &x) const
    {
        return number_of(x.before) != number_of(x.own);
    }

  private:
    const Item *items_;
    Item infinity_;

    ONEPASS_DEVICE Item number_of(Item x) const
    {
        constexpr Item sign = (Item)((Item)1 << (8 * sizeof(Item) - 1));
        const Item magnitude = (Item)(x & (Item)~sign);
        if (!floating)
            return x;
        return magnitude > infinity_ ? (Item)(sign | infinity_ | 1) : magnitude == 0 ? (Item)0 : x;
    }
};

/* Which of some neighbouring items are kept, a bit each: num_words words at `kept`, from item `first` on. */
template <unsigned num_words, typename Decider>
ONEPASS_DEVICE void decide_words(const Decider &decider, unsigned first, uint32_t *kept)
{
    constexpr unsigned batch = num_words < 16 ? num_words : 16;
#pragma unroll 1
    for (unsigned done = 0; done < num_words; done += batch) {
        decltype(decider.load(0)) own[batch];
#pragma unroll
        for (unsigned w = 0; w < batch; ++w)
            own[w] = decider.load(first + (done + w) * 32 + lane_idx());
#pragma unroll
        for (unsigned w = 0; w < batch; w += 4) {
            const vec16 words = { { warp_ballot(decider(own[w])), warp_ballot(decider(own[w + 1])),
                                    warp_ballot(decider(own[w + 2])), warp_ballot(decider(own[w + 3])) } };
            if (lane_idx() == 0)
                store_vec(kept + done + w, words);
        }
    }
}

/* The same for one segment of a tile, whichever way the kernel decides. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void decide_segment(const select_params &params, const select_view<Shape> &all, Slot &slot,
                                   unsigned first)
{
    using item = typename Shape::item;
    constexpr unsigned num_words = Shape::segment_words;
    const item *items = reinterpret_cast<const item *>(slot.items() + all.shift(params.in));
    const uint8_t *flags = slot.flags + all.shift(params.flags);
    uint32_t *kept = slot.kept + first / 32;
    if constexpr (Shape::decider == SELECT_BY_FLAG) {
        decide_words<num_words>(item_decider<uint8_t, false>(params, flags), first, kept);
    } else if constexpr (Shape::decider == SELECT_BY_FLAG_BIT) {
        for (unsigned w = lane_idx(); w < num_words; w += warp_threads) {
            const uint8_t *bytes = flags + first / 8 + w * 4;
            kept[w] = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        }
    } else if constexpr (Shape::decider == SELECT_BY_HEAD) {
        if (params.infinity != 0)
            decide_words<num_words>(head_decider<item, true>(params, items), first, kept);
        else
            decide_words<num_words>(head_decider<item, false>(params, items), first, kept);
    } else {
        if (params.float_key != 0)
            decide_words<num_words>(item_decider<item, true>(params, items), first, kept);
        else
            decide_words<num_words>(item_decider<item, false>(params, items), first, kept);
    }
}

/* A reducer's part of a tile: which items are kept, in its segments; then, by the first reducer warp, how many are kept
 * before each segment, and the tile's aggregate. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void decide_tile(const select_params &params, const select_view<Shape> &all, uint64_t tile_idx,
                                uint32_t epoch, Slot &slot)
{
    constexpr unsigned segments = Shape::writers / Shape::reducers;
    const typename Shape::reducer_group group;
    const uint32_t num_items = all.in_tile(tile_idx);
    const uint32_t negate = params.negate ? 0xffffffffu : 0;
    const bool is_ragged = num_items != Shape::tile_items;
#pragma unroll 1
    for (unsigned i = 0; i < segments; ++i) {
        const unsigned segment = group.thread() / warp_threads * segments + i;
        const unsigned first_word = segment * Shape::segment_words, first = first_word * 32;
        uint32_t *kept = slot.kept + first_word;
        decide_segment<Shape>(params, all, slot, first);
        syncwarp(); /* every word has been stored */
        uint32_t count = 0;
        for (unsigned w = lane_idx(); w < Shape::segment_words; w += warp_threads) {
            const unsigned begin = first + w * 32;
            uint32_t word = kept[w] ^ negate;
            const bool has_first = Shape::decider == SELECT_BY_HEAD && tile_idx == 0 && begin == 0;
            if (has_first)
                word |= 1;
            if (is_ragged)
                word &= first_lanes(num_items > begin ? num_items - begin : 0);
            if (negate | is_ragged | has_first)
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

} // namespace onepass

#endif
