/* SPDX-License-Identifier: MIT */
/*
 * A tile of a compaction: its shape, its slot, and how the loader fills it.
 *
 * What is decided for each item is decided once, by the reducers, and left in the slot as a bitmap, a bit an item; the
 * writers work from it, so that their cost follows what is written.
 */
#ifndef ONEPASS_COMPACTION_TILE_CUH
#define ONEPASS_COMPACTION_TILE_CUH

#include "../lookback/loader.cuh"
#include "params.h"

namespace onepass
{

/* What decides. Heads are the first items of runs of equal neighbours. */
enum decision { BY_PREDICATE, BY_FLAGS, BY_HEADS, BY_TWO_PREDICATES };

/* Two numbers of items in one word: of a segment or a tile in 16 bits each, of a window in 32. */
ONEPASS_DEVICE uint32_t count_of(uint32_t counts, unsigned idx)
{
    return idx == 0 ? counts & 0xffff : counts >> 16;
}
ONEPASS_DEVICE uint64_t window_counts(uint32_t counts)
{
    return (uint64_t)count_of(counts, 1) << 32 | count_of(counts, 0);
}

/* Two numbers of any size, and those of some tiles. */
struct op_add_counts {
    static constexpr bool any_order = true;
    ONEPASS_DEVICE u64x2 operator()(u64x2 start, uint64_t counts) const
    {
        return { start.x + (uint32_t)counts, start.y + (counts >> 32) };
    }
};

/* Tiles of tile_items items; each writer has one segment of it. Items fit their unsigned type. With two
 * bitmaps no item is in both, and numbers of kept items are two in a word (count_of). */
template <typename Item, decision by_, unsigned tile_items_, unsigned walkers_, unsigned reducers_, unsigned writers_,
          unsigned window_tiles_ = 128>
struct select_shape : pipeline_roles<walkers_, reducers_, writers_, window_tiles_> {
    using item = Item;
    static constexpr decision by = by_;
    static constexpr bool has_flags = by == BY_FLAGS;
    static constexpr unsigned bitmaps = by == BY_TWO_PREDICATES ? 2 : 1;
    /* Aggregates of 32 bits halve what walkers read. There is room for those of tiles of 8192 items (src/cuda/
     * workspace.c), and smaller ones in tests; starts have 64 bits, for counts beyond 2^32. Two counts take a start of
     * two descriptors: there is room for them if windows have 2^20 items, twice what it is made for. */
    using aggregate = typename choose<sizeof(Item) != 8 && bitmaps == 1, uint32_t, uint64_t>::type;
    using prefix = typename choose<bitmaps == 1, uint64_t, u64x2>::type;
    using add = typename choose<bitmaps == 1, op_SUM<uint64_t>, op_add_counts>::type;
    static constexpr unsigned tile_items = tile_items_, tile_bytes = tile_items * sizeof(Item);
    static constexpr unsigned segment_items = tile_items / writers_, segment_bytes = segment_items * sizeof(Item);
    static constexpr unsigned segment_words = segment_items / 32;
    static constexpr unsigned batch_words = segment_words < 8 ? segment_words : 8; /* that a writer takes at once */
    static_assert(segment_words * 32 * writers_ == tile_items && segment_words % 4 == 0 &&
                      segment_words % batch_words == 0 && writers_ % reducers_ == 0 && writers_ <= 32,
                  "whole lines of words a segment, whole segments a reducer");
    static_assert(tile_items < 65536, "numbers of 16 bits");
};

/* The library's shapes: 32 KiB of items. Tuned for selections: one walker polls least, and at half kept int32 has 0.87
 * of a copy with one, 0.77 with two. Where aggregates have 64 bits it is slow: with nothing kept int64 has 0.69 with
 * one, 0.85 with two. Small items are many, and want more writers (H200, 2026-11-30). */
template <typename Item, decision by>
using library_shape =
    select_shape<Item, by, 32768 / sizeof(Item), sizeof(Item) == 8 ? 2 : 1, 8, sizeof(Item) <= 2 ? 16 : 8>;

template <typename Shape> struct alignas(128) select_slot : slot_control<typename Shape::prefix> {
    static constexpr unsigned ready_arrivals = Shape::reducers * warp_threads + 1;
    static constexpr unsigned halo_bytes = Shape::by == BY_HEADS ? 128 : 0; /* of which the last line is used */
    alignas(128) unsigned char lines[halo_bytes + Shape::tile_bytes + line_bytes];
    alignas(128) unsigned char flags[Shape::has_flags ? Shape::tile_items + line_bytes : line_bytes];
    alignas(16) uint32_t kept[Shape::bitmaps][Shape::tile_items / 32]; /* bit i of word w: item 32 w + i */
    uint32_t counts[Shape::writers];                                   /* of kept items, by segment */
    uint32_t before[Shape::writers + 1];                               /* kept before each segment, and in all */
    uint64_t total; /* of all tiles: partition into a single output */

    /* Where the line is that the tile's first item is in. */
    ONEPASS_DEVICE unsigned char *first_line()
    {
        return lines + halo_bytes;
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
    /* Of how many a segment of the tile is. */
    static ONEPASS_DEVICE uint32_t in_segment(uint32_t in_tile, unsigned segment)
    {
        const uint32_t first = segment * Shape::segment_items;
        const uint32_t left = in_tile > first ? in_tile - first : 0;
        return left < Shape::segment_items ? left : Shape::segment_items;
    }
    /* How far an array, and its part for any tile, is behind the start of its line. */
    static ONEPASS_DEVICE unsigned shift(const void *array)
    {
        static_assert(Shape::tile_items * sizeof(item) % line_bytes == 0 && Shape::tile_items / 8 % line_bytes == 0,
                      "all tiles have the same shift");
        return line_shift(array);
    }
};

/* Part of an array of T in a slot: items first to first + num_items, and the `halo` bytes before them. `lines` is where
 * the line of item `first` goes. */
template <typename T>
ONEPASS_DEVICE uint32_t copy_items(const T *array, uint64_t first, uint32_t num_items, uint32_t halo,
                                   unsigned char *lines, mbarrier *full)
{
    const uintptr_t address = (uintptr_t)(array + first);
    const uint32_t shift = (uint32_t)address % line_bytes, before = halo == 0 ? 0 : line_bytes;
    return copy_to_slot<T>(reinterpret_cast<const unsigned char *>(address - shift - before), shift + before - halo,
                           shift + before + num_items * (uint32_t)sizeof(T), lines - before, full);
}

/* The loader's work. The halo is the item before the tile, or the line of it where nobody writes there. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE uint32_t fill_select_slot(const decision_params &params, bool wants_items, const select_view<Shape> &all,
                                         Slot &slot, uint64_t tile_idx)
{
    using item = typename Shape::item;
    const uint32_t num_items = all.in_tile(tile_idx);
    const uint64_t first = tile_idx * Shape::tile_items;
    uint32_t bulk_bytes = 0;
    if (!Shape::has_flags || wants_items) {
        uint32_t halo = 0;
        if (Shape::by == BY_HEADS && tile_idx != 0)
            halo = params.in_place ? (uint32_t)sizeof(item) : line_bytes;
        bulk_bytes +=
            copy_items(static_cast<const item *>(params.in), first, num_items, halo, slot.first_line(), &slot.full);
    }
    if (Shape::has_flags) {
        if (params.flags_are_bits)
            bulk_bytes += copy_items(params.flags, first / 8, (num_items + 7) / 8, 0, slot.flags, &slot.full);
        else
            bulk_bytes += copy_items(params.flags, first, num_items, 0, slot.flags, &slot.full);
    }
    return bulk_bytes;
}

} // namespace onepass

#endif
