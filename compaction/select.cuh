/* SPDX-License-Identifier: MIT */
/*
 * The selection kernel: kept items, in order, their indices and payload; and of a partition the rejected ones too.
 *
 * On the tile pipeline. From the reducers' bitmap (decide.cuh) each writer warp goes through the words of its segment
 * of the tile; a word without a kept item costs next to nothing. It compacts what is kept into shared memory of its
 * own, in step with the 16-byte lines of the output, and then writes whole lines with a head and a tail: straight
 * stores measured 0.65 to 0.88 of a copy, staged ones 0.81 to 0.95 (H200, 2026-11-30).
 *
 * In place a tile is written to where it or tiles before it were read from. Those have been: a tile's aggregate is
 * released after its copy into shared memory was seen to be complete, and acquired by the walk that leads to the write.
 * By head a tile also reads the last item before it, P. Whoever overwrites P has a prefix that holds this tile's
 * aggregate, or is this tile; but for the tile of P itself, which would write it to where it is, and does not.
 */
#ifndef ONEPASS_COMPACTION_SELECT_CUH
#define ONEPASS_COMPACTION_SELECT_CUH

#include "decide.cuh"

namespace onepass
{

/* Kept or rejected items of a segment, some words at a time, so that loads and stores of different words overlap; a
 * batch without such an item costs one branch. Calls visit(kept, ranks, idx): for each bit j of kept, the lane has such
 * an item whose index in the tile is idx + 32 j and whose rank in the segment is ranks[j]. num_items: in the tile. */
template <typename Shape, bool rejected, typename Slot, typename Visit>
ONEPASS_DEVICE void for_each_kept(const Slot &slot, unsigned segment, uint32_t num_items, Visit visit)
{
    constexpr unsigned block_words = Shape::segment_words < warp_threads ? Shape::segment_words : warp_threads;
    constexpr unsigned batch = Shape::batch_words;
    const uint32_t before_own = lanes_before();
    unsigned rank = 0;
#pragma unroll 1
    for (unsigned done = 0; done < Shape::segment_words; done += block_words) {
        const unsigned first_word = segment * Shape::segment_words + done;
        uint32_t own_word = lane_idx() < block_words ? slot.kept[first_word + lane_idx()] : 0;
        if (rejected && lane_idx() < block_words) {
            const unsigned begin = (first_word + lane_idx()) * 32;
            own_word = ~own_word & first_lanes(num_items > begin ? num_items - begin : 0);
        }
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

/* One array of payload for a segment's selected or rejected items, as write_indices_and_payload says. T: of the size of
 * its items. */
template <typename Shape, bool rejected, typename T, typename Slot>
ONEPASS_DEVICE void move_payload(const select_payload &payload, uint64_t first, uint32_t num_items, unsigned segment,
                                 uint64_t place, uint32_t num_written, const Slot &slot)
{
    const T *in = static_cast<const T *>(payload.in) + first;
    T *out = static_cast<T *>(rejected ? payload.rejected : payload.selected) + place;
    for_each_kept<Shape, rejected>(slot, segment, num_items, [&](unsigned kept, const auto &ranks, unsigned idx) {
#pragma unroll
        for (unsigned j = 0; j < Shape::batch_words; ++j) {
            if (!(kept >> j & 1) || ranks[j] >= num_written)
                continue;
            if constexpr (sizeof(T) == line_bytes)
                store_vec(out + ranks[j], load_vec(in + idx + j * 32));
            else
                out[ranks[j]] = in[idx + j * 32];
        }
    });
}

/* The indices and the payload of a segment's selected or rejected items: num_written of them, from `place` on. Payload
 * is read where it lies, and only what is wanted of it. */
template <typename Shape, bool rejected, typename Slot>
ONEPASS_DEVICE void write_indices_and_payload(const select_params &params, uint64_t first, uint32_t num_items,
                                              unsigned segment, uint64_t place, uint32_t num_written, const Slot &slot)
{
    void *indices = (rejected ? params.rejected : params.selected).indices;
    if (indices) {
        for_each_kept<Shape, rejected>(slot, segment, num_items, [&](unsigned kept, const auto &ranks, unsigned idx) {
#pragma unroll
            for (unsigned j = 0; j < Shape::batch_words; ++j) {
                if (!(kept >> j & 1) || ranks[j] >= num_written)
                    continue;
                if (params.wide_indices)
                    static_cast<uint64_t *>(indices)[place + ranks[j]] = first + idx + j * 32;
                else
                    static_cast<uint32_t *>(indices)[place + ranks[j]] = (uint32_t)first + idx + j * 32;
            }
        });
    }
#pragma unroll 1
    for (uint32_t i = 0; i < params.num_payloads; ++i) {
        const select_payload &payload = params.payloads[i];
        if (!(rejected ? payload.rejected : payload.selected))
            continue;
        const auto move = [&](auto item) {
            move_payload<Shape, rejected, decltype(item)>(payload, first, num_items, segment, place, num_written, slot);
        };
        switch (payload.item_size) {
        case 1:
            move(uint8_t());
            break;
        case 2:
            move(uint16_t());
            break;
        case 4:
            move(uint32_t());
            break;
        case 8:
            move(uint64_t());
            break;
        default:
            move(vec16());
        }
    }
}

/* The selected or the rejected items of a writer's segment of a tile. After the last of these the slot is let go. */
template <typename Shape, bool rejected, typename Slot>
ONEPASS_DEVICE void write_part(const select_params &params, const select_view<Shape> &all, uint64_t tile_idx,
                               bool is_last, Slot &slot, unsigned char *staging)
{
    using item = typename Shape::item;
    const unsigned segment = warp_idx() - Shape::first_writer;
    const select_output &to = rejected ? params.rejected : params.selected;
    const uint64_t first = tile_idx * Shape::tile_items;
    const uint32_t num_items = all.in_tile(tile_idx);
    uint64_t place = slot.prefix + slot.before[segment];
    uint32_t num_here = slot.before[segment + 1] - slot.before[segment];
    if (rejected) {
        const uint32_t begin = segment * Shape::segment_items, left = num_items > begin ? num_items - begin : 0;
        place = first + (num_items < begin ? num_items : begin) - place;
        num_here = (left < Shape::segment_items ? left : Shape::segment_items) - num_here;
    }
    const uint64_t room = to.capacity > place ? to.capacity - place : 0;
    const uint32_t num_written = num_here < room ? num_here : (uint32_t)room;
    if (num_written != 0 && (to.indices || params.num_payloads != 0))
        write_indices_and_payload<Shape, rejected>(params, first, num_items, segment, place, num_written, slot);
    const bool is_there = !rejected && params.in_place && num_here == Shape::segment_items &&
                          place == first + segment * Shape::segment_items; /* see above: not written again */
    if (!to.items || num_written == 0 || is_there) {
        if (is_last)
            leave_slot(slot);
        return;
    }
    const uintptr_t out = (uintptr_t)(static_cast<item *>(to.items) + place);
    const unsigned shift = (unsigned)(out % line_bytes);
    const item *items = reinterpret_cast<const item *>(slot.items() + all.shift(params.in));
    item *staged = reinterpret_cast<item *>(staging + shift);
    for_each_kept<Shape, rejected>(slot, segment, num_items, [&](unsigned kept, const auto &ranks, unsigned idx) {
        item own[Shape::batch_words];
#pragma unroll
        for (unsigned j = 0; j < Shape::batch_words; ++j)
            own[j] = items[idx + j * 32]; /* kept or not: it is there */
#pragma unroll
        for (unsigned j = 0; j < Shape::batch_words; ++j)
            if (kept >> j & 1)
                staged[ranks[j]] = own[j];
    });
    if (is_last)
        leave_slot(slot); /* also: every lane's staged items are there for the warp */
    else
        syncwarp(); /* every lane's staged items are there for the warp */
    const output_run<item> run(out, num_written, false);
    const unsigned num_lines = (shift + num_written * (unsigned)sizeof(item) + line_bytes - 1) / line_bytes;
    /* Lane 0 has the first line of 128 aligned bytes. */
    const unsigned ahead = (unsigned)(out / line_bytes % 8);
    for (unsigned i = lane_idx(); i < num_lines + ahead; i += warp_threads)
        if (i >= ahead)
            run.store_line(i - ahead, load_vec(staging + (i - ahead) * line_bytes));
    syncwarp(); /* all lanes have read what is staged, before the next items come */
}

/* A writer's segment of a tile. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void write_segment(const select_params &params, const select_view<Shape> &all, uint64_t tile_idx,
                                  unsigned phase, Slot &slot, unsigned char *staging)
{
    mbar_wait(&slot.ready, phase); /* the reducers' words and counts, and the walker's prefix */
    if (tile_idx == all.num_tiles - 1 && threadIdx.x == Shape::first_writer * warp_threads)
        *params.num_selected = slot.prefix + slot.before[Shape::writers];
    write_part<Shape, false>(params, all, tile_idx, !params.has_rejected, slot, staging);
    if (params.has_rejected)
        write_part<Shape, true>(params, all, tile_idx, true, slot, staging);
}

/*
 * The kept items, their indices and payload in order, up to the capacity, and how many are kept in all; the same of the
 * rejected ones (params.has_rejected).
 *
 * Launch: Shape::block_threads threads; any number of blocks, best as many as multiprocessors; shared memory for
 *   select_shared and num_slots slots.
 * Items: a tile is Shape::tile_items items; whichever block drew its ticket decides, and writes what it keeps.
 *   selected.items == in is legal (params.in_place), without rejected items; every other overlap is not.
 * Workspace: as for scan_kernel, with aggregates of
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
