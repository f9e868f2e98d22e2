/* SPDX-License-Identifier: MIT */
/* What writers have in common: going through the kept items of a segment, and storing what they have staged. */
#ifndef ONEPASS_COMPACTION_WRITE_CUH
#define ONEPASS_COMPACTION_WRITE_CUH

#include "tile.cuh"

namespace onepass
{

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
        const uint32_t own_word = lane_idx() < block_words ? slot.kept[0][first_word + lane_idx()] : 0;
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

/* What a warp has staged from byte out % 16 on, to `out`: whole lines with a head and a tail. */
template <typename Item>
ONEPASS_DEVICE void store_staged(const unsigned char *staging, uintptr_t out, uint32_t num_items)
{
    const unsigned shift = (unsigned)(out % line_bytes);
    const output_run<Item> run(out, num_items, false);
    const unsigned num_lines = (shift + num_items * (unsigned)sizeof(Item) + line_bytes - 1) / line_bytes;
    /* Lane 0 has the first line of 128 aligned bytes. */
    const unsigned ahead = (unsigned)(out / line_bytes % 8);
    for (unsigned i = lane_idx(); i < num_lines + ahead; i += warp_threads)
        if (i >= ahead)
            run.store_line(i - ahead, load_vec(staging + (i - ahead) * line_bytes));
}

} // namespace onepass

#endif
