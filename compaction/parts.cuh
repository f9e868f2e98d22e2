/* SPDX-License-Identifier: MIT */
/*
 * What writers do with a tile of a partition: each compacts all parts of its segment at once, every part into a region
 * of its staging memory, and stores them one after the other.
 *
 * The rank of an item in the last part is its position less its ranks in the others, so one bitmap does for two parts.
 */
#ifndef ONEPASS_COMPACTION_PARTS_CUH
#define ONEPASS_COMPACTION_PARTS_CUH

#include "write.cuh"

namespace onepass
{

template <typename Shape>
struct alignas(128) partition_shared : pipeline_shared<typename Shape::aggregate, Shape, select_slot<Shape>> {
    static constexpr unsigned parts = Shape::bitmaps + 1;
    /* Each part is in step with its output, which leaves less than a line unused at either end. */
    alignas(128) unsigned char staging[Shape::writers][Shape::segment_bytes + 2 * parts * line_bytes];
};

ONEPASS_DEVICE uint64_t part_prefix(uint64_t prefix, unsigned)
{
    return prefix;
}
ONEPASS_DEVICE uint64_t part_prefix(const u64x2 &prefix, unsigned part)
{
    return part == 0 ? prefix.x : prefix.y;
}

/* Where the parts of a writer's segment go. */
template <typename Shape> struct segment_parts {
    static constexpr unsigned parts = Shape::bitmaps + 1;
    using item = typename Shape::item;
    uint32_t num_items[parts];
    uintptr_t out[parts];   /* of the part's first item */
    uint32_t line[parts];   /* where the part's lines are staged */
    uint32_t staged[parts]; /* the place of the part's first item in staging, in items */

    template <typename Slot>
    ONEPASS_DEVICE segment_parts(const partition_params &params, const select_view<Shape> &all, const Slot &slot,
                                 uint64_t tile_idx, unsigned segment)
    {
        const uint32_t before = slot.before[segment], counts = slot.before[segment + 1] - before;
        uint64_t place[parts];
        place[parts - 1] = tile_idx * Shape::tile_items + segment * Shape::segment_items;
        num_items[parts - 1] = all.in_segment(all.in_tile(tile_idx), segment);
#pragma unroll
        for (unsigned i = 0; i + 1 < parts; ++i) {
            place[i] = part_prefix(slot.prefix, i) + count_of(before, i);
            num_items[i] = count_of(counts, i);
            place[parts - 1] -= place[i];
            num_items[parts - 1] -= num_items[i];
        }
        uint32_t at = 0;
#pragma unroll
        for (unsigned i = 0; i < parts; ++i) {
            const bool is_behind = params.single_output && i == 1;
            const void *first = params.out[is_behind ? 0 : i];
            out[i] = (uintptr_t)first + (place[i] + (is_behind ? slot.total : 0)) * sizeof(item);
            const uint32_t shift = (uint32_t)(out[i] % line_bytes);
            line[i] = at;
            staged[i] = (at + shift) / (uint32_t)sizeof(item);
            at += (shift + num_items[i] * (uint32_t)sizeof(item) + line_bytes - 1) / line_bytes * line_bytes;
        }
    }
};

/* Stages the items of a segment, each in its part's region. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void stage_parts(const Slot &slot, unsigned segment, uint32_t num_items,
                                const typename Shape::item *items, const uint32_t (&first)[Shape::bitmaps + 1],
                                typename Shape::item *staging)
{
    using item = typename Shape::item;
    constexpr unsigned maps = Shape::bitmaps;
    constexpr unsigned batch = maps == 1 ? Shape::batch_words : 4; /* more would not fit into registers */
    constexpr unsigned block_words = Shape::segment_words < warp_threads ? Shape::segment_words : warp_threads;
    unsigned rank = 0; /* two in a word if there are two bitmaps, here and below */
#pragma unroll 1
    for (unsigned done = 0; done < Shape::segment_words && done * 32 < num_items; done += block_words) {
        uint32_t own_words[maps], own_count = 0;
#pragma unroll
        for (unsigned m = 0; m < maps; ++m) {
            own_words[m] =
                lane_idx() < block_words ? slot.kept[m][segment * Shape::segment_words + done + lane_idx()] : 0;
            own_count |= popc(own_words[m]) << 16 * m;
        }
        const uint32_t counts = warp_inclusive_scan(own_count, op_SUM<uint32_t>());
        const uint32_t own_rank = rank + counts - own_count;
        rank += shfl_idx(counts, warp_threads - 1);
#pragma unroll 1
        for (unsigned w = 0; w < block_words; w += batch) {
            const unsigned first_idx = (done + w) * 32 + lane_idx();
            item own[batch];
            uint32_t places[batch];
#pragma unroll
            for (unsigned j = 0; j < batch; ++j)
                own[j] = items[first_idx + j * 32]; /* an item or not: it is there */
#pragma unroll
            for (unsigned j = 0; j < batch; ++j) {
                const uint32_t before = shfl_idx(own_rank, w + j);
                uint32_t place = first[maps] + first_idx + j * 32;
                uint32_t chosen = 0;
                bool is_chosen = false;
#pragma unroll
                for (unsigned m = 0; m < maps; ++m) {
                    const uint32_t word = shfl_idx(own_words[m], w + j);
                    const uint32_t own_place = count_of(before, m) + popc(word & lanes_before());
                    place -= own_place;
                    if (word >> lane_idx() & 1) {
                        chosen = first[m] + own_place;
                        is_chosen = true;
                    }
                }
                places[j] = is_chosen ? chosen : place;
            }
#pragma unroll
            for (unsigned j = 0; j < batch; ++j)
                staging[places[j]] = own[j]; /* what is no item goes behind the last part, where there is room */
        }
    }
}

/* A writer's segment of a tile. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void write_parts(const partition_params &params, const select_view<Shape> &all, uint64_t tile_idx,
                                Slot &slot, unsigned char *staging)
{
    using item = typename Shape::item;
    constexpr unsigned parts = Shape::bitmaps + 1;
    const unsigned segment = warp_idx() - Shape::first_writer;
    if (tile_idx == all.num_tiles - 1 && threadIdx.x == Shape::first_writer * warp_threads) {
#pragma unroll
        for (unsigned i = 0; i + 1 < parts; ++i)
            if (params.num_items[i])
                *params.num_items[i] = part_prefix(slot.prefix, i) + count_of(slot.before[Shape::writers], i);
    }
    const segment_parts<Shape> to(params, all, slot, tile_idx, segment);
    stage_parts<Shape>(slot, segment, all.in_segment(all.in_tile(tile_idx), segment),
                       reinterpret_cast<const item *>(slot.first_line() + all.shift(params.decision.in)) +
                           segment * Shape::segment_items,
                       to.staged, reinterpret_cast<item *>(staging));
    leave_slot(slot); /* also: every lane's staged items are there for the warp */
#pragma unroll
    for (unsigned i = 0; i < parts; ++i)
        if (to.num_items[i] != 0 && params.out[params.single_output ? 0 : i])
            store_staged<item>(staging + to.line[i], to.out[i], to.num_items[i]);
    syncwarp(); /* all lanes have read what is staged, before the next tile's comes */
}

} // namespace onepass

#endif
