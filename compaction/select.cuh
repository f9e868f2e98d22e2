/* SPDX-License-Identifier: MIT */
/*
 * The selection kernel: kept items, in order, and their indices. By predicate, by flags, or the heads of runs.
 *
 * On the tile pipeline. The reducers leave a bitmap; each writer warp has a segment of the tile and goes through its
 * words; a word without a kept item costs next to nothing. It compacts what is kept into shared memory of its own, in
 * step with the 16-byte lines of the output, and then writes whole lines with a head and a tail: straight stores
 * measured 0.65 to 0.88 of a copy, staged ones 0.81 to 0.95 (H200, 2026-11-30).
 *
 * In place a tile is written to where it or tiles before it were read from. Those have been: a tile's aggregate is
 * released after its copy into shared memory was seen to be complete, and acquired by the walk that leads to the write.
 *
 * Heads in place: a tile also reads the item before it, at position p, the last of the tile before. What is written to
 * p is the item of rank p, and an item's rank is at most its position. If it is of this tile or of a later one, the
 * argument above holds for p as for the tile's own items. The one item of earlier tiles that can have rank p is item p
 * itself, if it and all before it are kept; then its segment, and every one before, goes to where it is. Such a segment
 * is not written, so that nothing touches p while it may be read.
 */
#ifndef ONEPASS_COMPACTION_SELECT_CUH
#define ONEPASS_COMPACTION_SELECT_CUH

#include "decide.cuh"
#include "write.cuh"

namespace onepass
{

/* Moves a segment's kept items of another array, whose part for the segment's tile begins at array.in. Straight from
 * memory to memory, so that what is not kept is not read: where a line has nothing that is kept, not at all. */
template <typename Shape, typename T, typename Slot>
ONEPASS_DEVICE void move_payload(const Slot &slot, unsigned segment, const T *in, T *out, uint32_t num_written)
{
    for_each_kept<Shape>(slot, segment, [&](unsigned kept, const auto &ranks, unsigned idx) {
        if constexpr (sizeof(T) == line_bytes) {
#pragma unroll
            for (unsigned j = 0; j < Shape::batch_words; ++j)
                if ((kept >> j & 1) && ranks[j] < num_written)
                    store_vec(out + ranks[j], load_vec(in + idx + j * 32));
        } else {
            T own[Shape::batch_words];
#pragma unroll
            for (unsigned j = 0; j < Shape::batch_words; ++j)
                own[j] = kept >> j & 1 ? in[idx + j * 32] : (T)0;
#pragma unroll
            for (unsigned j = 0; j < Shape::batch_words; ++j)
                if ((kept >> j & 1) && ranks[j] < num_written)
                    out[ranks[j]] = own[j];
        }
    });
}

template <typename Shape, typename Slot>
ONEPASS_DEVICE void move_payloads(const select_params &params, const Slot &slot, unsigned segment, uint64_t first,
                                  uint64_t place, uint32_t num_written)
{
#pragma unroll 1
    for (unsigned i = 0; i < params.num_payloads; ++i) {
        const payload_array &array = params.payloads[i];
        const auto move = [&](auto item) {
            using T = decltype(item);
            move_payload<Shape>(slot, segment, static_cast<const T *>(array.in) + first,
                                static_cast<T *>(array.out) + place, num_written);
        };
        switch (array.item_bytes) {
        case 1:
            move((uint8_t)0);
            break;
        case 2:
            move((uint16_t)0);
            break;
        case 4:
            move((uint32_t)0);
            break;
        case 8:
            move((uint64_t)0);
            break;
        default:
            move(vec16());
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

    const uint64_t first = tile_idx * Shape::tile_items;
    if (num_written != 0)
        move_payloads<Shape>(params, slot, segment, first, place, num_written);
    if (params.out_indices && num_written != 0) {
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
    /* In place, and all of it stays where it is. */
    const bool is_there = params.decision.in_place && num_kept == all.in_segment(all.in_tile(tile_idx), segment) &&
                          place == first + segment * Shape::segment_items;
    if (!params.out || num_written == 0 || is_there) {
        leave_slot(slot);
        return;
    }
    const uintptr_t out = (uintptr_t)(static_cast<item *>(params.out) + place);
    const unsigned shift = (unsigned)(out % line_bytes);
    const item *items = reinterpret_cast<const item *>(slot.first_line() + all.shift(params.decision.in));
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
    store_staged<item>(staging, out, num_written);
    syncwarp(); /* all lanes have read what is staged, before the next tile's comes */
}

/*
 * The kept items, their indices and what else goes with them, in order and up to the capacity, and how many are kept in
 * all.
 *
 * Launch: Shape::block_threads threads; any number of blocks, best as many as multiprocessors; shared memory for
 *   select_shared and num_slots slots.
 * Items: a tile is Shape::tile_items items; whichever block drew its ticket decides, and writes what it keeps. out ==
 * in is legal (decision.in_place); every other overlap is not. Workspace: as for scan_kernel, with aggregates of
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
            return fill_select_slot<Shape>(params.decision, params.out != nullptr, all, slot, tile_idx);
        });
    } else if (warp_idx() < Shape::first_reducer) {
        run_walker<uint64_t, op_SUM<uint64_t>, op_SUM<typename Shape::aggregate>, Shape>(
            params.pipeline, all.num_tiles, (uint64_t)0, params.decision.in_place, shared);
    } else if (warp_idx() < Shape::first_writer) {
        for_each_slot(params.pipeline, shared, all.num_tiles, 0, 1, [&](auto &slot, uint64_t tile_idx, unsigned) {
            decide_tile<Shape>(params.pipeline, params.decision, all, tile_idx, shared.epoch, true, slot);
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
