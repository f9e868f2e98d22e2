/* SPDX-License-Identifier: MIT */
/*
 * The partition kernel: all items, those that pass before those that do not, each part in order; two parts or three.
 *
 * As the selection kernel, but writers go through all items of their segment once, and compact each part into a region
 * of their staging memory. The rank of an item in the last part is its position less its ranks in the others, so one
 * bitmap does for two parts.
 *
 * Parts with outputs of their own are written in one pass. A second part behind the first in one output begins where
 * the first ends, which is known when all has been decided: so every tile has two tickets. By the first it is counted
 * only; by the second, after all of the first, it is decided again and written. Forward progress is as in walk.cuh: a
 * writing tile waits for aggregates of counting ones, which all have lower tickets, and wait for no writing tile.
 */
#ifndef ONEPASS_COMPACTION_PARTITION_CUH
#define ONEPASS_COMPACTION_PARTITION_CUH

#include "decide.cuh"
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

/* The walkers' role where every tile has two tickets: those that write have their prefix, and the number of items in
 * the first part of all. Of the others only the ends of windows walk, for the sake of the starts. */
template <typename Shape, typename Shared>
ONEPASS_DEVICE void walk_twice(const pipeline_params &params, uint64_t num_tiles, Shared &shared)
{
    using shape_walker = walker<uint64_t, op_SUM<uint64_t>, Shape::window_tiles, typename Shape::aggregate,
                                op_SUM<typename Shape::aggregate>>;
    const unsigned turn = warp_idx() - Shape::first_walker, num_walkers = walkers_in_use<Shape>(params);
    if (turn >= num_walkers)
        return;
    const auto new_walker = [&] {
        return shape_walker(params.aggregates, params.starts, shared.walk_sums[turn], (uint64_t)0);
    };
    shape_walker counting = new_walker(), writing = new_walker();
    uint64_t total = 0;
    bool has_total = false;
    for_each_slot(params, shared, 2 * num_tiles, turn, num_walkers, [&](auto &slot, uint64_t ticket, unsigned) {
        uint64_t prefix = 0;
        if (ticket < num_tiles) {
            counting.epoch = shared.epoch;
            if (shape_walker::ends_window(ticket))
                (void)counting.exclusive_prefix(ticket);
        } else {
            if (!has_total) {
                shape_walker last = new_walker(); /* the others may be beyond, or have to go on from where they are */
                last.epoch = shared.epoch;
                total = last.total_after(num_tiles - 1);
                has_total = true;
            }
            writing.epoch = shared.epoch;
            prefix = writing.exclusive_prefix(ticket - num_tiles);
        }
        if (lane_idx() == 0) {
            slot.prefix = prefix;
            slot.total = total;
            mbar_arrive(&slot.ready);
        }
    });
}

/*
 * All items, in parts, each in order; and how many there are in each part but the last.
 *
 * Launch: Shape::block_threads threads; any number of blocks, best as many as multiprocessors; shared memory for
 *   partition_shared and num_slots slots.
 * Items: a tile is Shape::tile_items items; whichever block drew its ticket decides and writes. No output overlaps with
 * the input or another output. A single output has all the items. Workspace: as for scan_kernel, with aggregates of
 * Shape::aggregate and starts of Shape::prefix.
 */
template <typename Shape>
__global__ void __launch_bounds__(Shape::block_threads, 1)
    partition_tiles_kernel(const __grid_constant__ partition_params params)
{
    using shared_type = partition_shared<Shape>;
    shared_type &shared = shared_memory<shared_type>();
    begin_launch<Shape>(params.pipeline, shared);
    const select_view<Shape> all(shared.num_items);
    /* Tickets below num_counting count; one of a tile behind them writes. */
    const uint64_t num_counting = params.single_output ? all.num_tiles : 0;
    const uint64_t num_tickets = num_counting + all.num_tiles;
    const auto tile_of = [&](uint64_t ticket) { return ticket < num_counting ? ticket : ticket - num_counting; };
    if (warp_idx() < Shape::first_walker) {
        run_loader<Shape>(params.pipeline, num_tickets, shared, [&](auto &slot, uint64_t ticket) {
            return fill_select_slot<Shape>(params.decision, ticket >= num_counting, all, slot, tile_of(ticket));
        });
    } else if (warp_idx() < Shape::first_reducer) {
        if constexpr (Shape::bitmaps == 1) {
            if (params.single_output) {
                walk_twice<Shape>(params.pipeline, all.num_tiles, shared);
            } else {
                run_walker<uint64_t, op_SUM<uint64_t>, op_SUM<typename Shape::aggregate>, Shape>(
                    params.pipeline, all.num_tiles, (uint64_t)0, false, shared);
            }
        } else {
            run_walker<u64x2, op_add_counts, op_SUM<uint64_t>, Shape>(params.pipeline, all.num_tiles, u64x2{ 0, 0 },
                                                                      false, shared);
        }
    } else if (warp_idx() < Shape::first_writer) {
        for_each_slot(params.pipeline, shared, num_tickets, 0, 1, [&](auto &slot, uint64_t ticket, unsigned) {
            const bool published = num_counting == 0 || ticket < num_counting;
            decide_tile<Shape>(params.pipeline, params.decision, all, tile_of(ticket), shared.epoch, published, slot);
            leave_slot(slot);
        });
    } else {
        for_each_slot(params.pipeline, shared, num_tickets, 0, 1, [&](auto &slot, uint64_t ticket, unsigned phase) {
            mbar_wait(&slot.ready, phase); /* the reducers' words and counts, and the walker's prefix */
            if (ticket < num_counting)
                leave_slot(slot);
            else
                write_parts<Shape>(params, all, tile_of(ticket), slot,
                                   shared.staging[warp_idx() - Shape::first_writer]);
        });
    }
    finish_launch(params.pipeline, shared);
}

} // namespace onepass

#endif
