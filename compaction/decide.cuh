/* SPDX-License-Identifier: MIT */
/*
 * What reducers do with a tile of a compaction: they decide for each item, leave a bitmap and the counts of each
 * segment, and publish the tile's aggregate.
 */
#ifndef ONEPASS_COMPACTION_DECIDE_CUH
#define ONEPASS_COMPACTION_DECIDE_CUH

#include "lines.cuh"

namespace onepass
{

/* Items of up to 32 bits are worked on as words. */
template <typename Item> using item_word = typename choose<sizeof(Item) == 8, uint64_t, uint32_t>::type;

/* The range test on one item's bits, but for negate. */
template <typename Item, bool floating> struct device_range_test {
    using word = item_word<Item>;
    word mask, low, span, float_key;

    ONEPASS_DEVICE device_range_test(const range_params &test, uint64_t key)
        : mask((word)test.mask), low((word)test.low), span((word)test.span), float_key((word)key)
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

/* Whether an item differs from the one before it. Floating items are equal if == says so, or if both are NaN: of the
 * bits above infinity's, sign apart, all are NaN; and the two zeros differ in the sign alone. */
template <typename Item, bool floating> struct device_head_test {
    using word = item_word<Item>;
    word infinity;

    explicit ONEPASS_DEVICE device_head_test(uint64_t bits) : infinity((word)bits)
    {
    }
    ONEPASS_DEVICE word key(word x) const
    {
        if (!floating)
            return x;
        const word magnitude = x & (((word)1 << (8 * sizeof(Item) - 1)) - 1);
        return magnitude > infinity ? infinity + 1 : magnitude == 0 ? 0 : x;
    }
    ONEPASS_DEVICE bool operator()(Item before, Item x) const
    {
        return key(before) != key(x);
    }
};

/* Which of some neighbouring items are kept, a bit each: num_words words at `kept`. is_kept looks at an item, or if
 * `pairs` at the one before it and the item. */
template <unsigned num_words, bool pairs, typename Item, typename Test>
ONEPASS_DEVICE void decide_words(const Item *items, uint32_t *kept, Test is_kept)
{
    constexpr unsigned batch = num_words < 16 ? num_words : 16;
#pragma unroll 1
    for (unsigned done = 0; done < num_words; done += batch) {
        Item own[batch];
        [[maybe_unused]] Item before[batch];
#pragma unroll
        for (unsigned w = 0; w < batch; ++w) {
            own[w] = items[(done + w) * 32 + lane_idx()];
            if constexpr (pairs)
                before[w] = items[(int)((done + w) * 32 + lane_idx()) - 1];
        }
#pragma unroll
        for (unsigned w = 0; w < batch; w += 4) {
            vec16 words;
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) {
                if constexpr (pairs)
                    words.word[i] = warp_ballot(is_kept(before[w + i], own[w + i]));
                else
                    words.word[i] = warp_ballot(is_kept(own[w + i]));
            }
            if (lane_idx() == 0)
                store_vec(kept + done + w, words);
        }
    }
}

/* The same where the bits are there already, from word first_word of those at any address on. */
template <unsigned num_words> ONEPASS_DEVICE void copy_words(const uint8_t *bits, unsigned first_word, uint32_t *kept)
{
    const unsigned shift = (unsigned)(uintptr_t)bits % 4;
    const uint32_t *words = reinterpret_cast<const uint32_t *>(bits - shift) + first_word;
    for (unsigned w = lane_idx(); w < num_words; w += warp_threads)
        kept[w] = funnel_right(words[w], words[w + 1], shift * 8);
}

/* Which items pass a range test. */
template <typename Item, unsigned num_words, bool floating>
ONEPASS_DEVICE void decide_range(const range_params &test, uint64_t float_key, const unsigned char *lines,
                                 unsigned shift, uint32_t *kept)
{
    if constexpr (sizeof(Item) <= 2)
        decide_lines<num_words * 32, false, Item>(lines, shift, kept, line_range_test<Item, floating>(test, float_key));
    else
        decide_words<num_words, false>(reinterpret_cast<const Item *>(lines + shift), kept,
                                       device_range_test<Item, floating>(test, float_key));
}

/* The bits of one segment, before they are negated and cut off. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void decide_segment(const decision_params &params, const select_view<Shape> &all, unsigned first_word,
                                   Slot &slot)
{
    using item = typename Shape::item;
    constexpr unsigned num_words = Shape::segment_words;
    const unsigned first = first_word * 32, shift = all.shift(params.in);
    const unsigned char *lines = slot.first_line() + first * sizeof(item);
    uint32_t *kept = slot.kept[0] + first_word;
    if constexpr (Shape::by == BY_FLAGS) {
        const unsigned flag_shift = all.shift(params.flags);
        const range_params is_value = { 0xff, params.flag_value, 0, false };
        if (params.flags_are_bits)
            copy_words<num_words>(slot.flags + flag_shift, first_word, kept);
        else
            decide_range<uint8_t, num_words, false>(is_value, 0, slot.flags + first, flag_shift, kept);
    } else if constexpr (Shape::by == BY_HEADS) {
        const item *items = reinterpret_cast<const item *>(lines + shift);
        if (params.infinity != 0)
            decide_words<num_words, true>(items, kept, device_head_test<item, true>(params.infinity));
        else if constexpr (sizeof(item) <= 2)
            decide_lines<num_words * 32, true, item>(lines, shift, kept, line_head_test<item>());
        else
            decide_words<num_words, true>(items, kept, device_head_test<item, false>(0));
    } else {
#pragma unroll
        for (unsigned i = 0; i < Shape::bitmaps; ++i) {
            if (params.float_key != 0)
                decide_range<item, num_words, true>(params.test[i], params.float_key, lines, shift,
                                                    slot.kept[i] + first_word);
            else
                decide_range<item, num_words, false>(params.test[i], 0, lines, shift, slot.kept[i] + first_word);
        }
    }
}

/* A reducer's part of a tile: which items are kept, in its segments; then, by the first reducer warp, how many are kept
 * before each segment, and the tile's aggregate if it is `published` now. */
template <typename Shape, typename Slot>
ONEPASS_DEVICE void decide_tile(const pipeline_params &pipeline, const decision_params &params,
                                const select_view<Shape> &all, uint64_t tile_idx, uint32_t epoch, bool published,
                                Slot &slot)
{
    constexpr unsigned segments = Shape::writers / Shape::reducers;
    const typename Shape::reducer_group group;
    const uint32_t num_items = all.in_tile(tile_idx);
    const uint32_t negate = Shape::by != BY_HEADS && params.test[0].negate ? 0xffffffffu : 0;
    const bool is_ragged = num_items != Shape::tile_items;
#pragma unroll 1
    for (unsigned i = 0; i < segments; ++i) {
        const unsigned segment = group.thread() / warp_threads * segments + i;
        const unsigned first_word = segment * Shape::segment_words, first = first_word * 32;
        uint32_t *kept = slot.kept[0] + first_word;
        decide_segment<Shape>(params, all, first_word, slot);
        syncwarp(); /* publishes the words to the warp */
        const bool has_first = Shape::by == BY_HEADS && tile_idx == 0 && segment == 0; /* nothing is before it */
        uint32_t count = 0;
        for (unsigned w = lane_idx(); w < Shape::segment_words; w += warp_threads) {
            const unsigned begin = first + w * 32;
            uint32_t word = kept[w] ^ negate;
            if (has_first && w == 0)
                word |= 1;
            const uint32_t there = is_ragged ? first_lanes(num_items > begin ? num_items - begin : 0) : full_mask;
            word &= there;
            if constexpr (Shape::bitmaps == 2) {
                uint32_t *second = slot.kept[1] + first_word + w;
                const uint32_t passed = *second ^ (params.test[1].negate ? full_mask : 0);
                *second = passed & ~word & there;
                count += popc(*second) << 16;
            }
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
            const typename Shape::aggregate aggregate = Shape::bitmaps == 2 ? window_counts(sum) : sum;
            if (published)
                publish(pipeline.aggregates, tile_idx, aggregate, epoch, STATUS_A);
            slot.before[Shape::writers] = sum;
        }
        if (lane_idx() < Shape::writers)
            slot.before[lane_idx()] = sum - own;
    }
    mbar_arrive(&slot.ready); /* every lane, for the words and the counts that it wrote */
}

} // namespace onepass

#endif
