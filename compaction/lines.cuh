/* SPDX-License-Identifier: MIT */
/*
 * Deciding for 1- and 2-byte items a word at a time: in the word each item is a field, and the top bit of its field
 * says what was decided. A lane takes 16 neighbouring bytes, whose bits are neighbours in the bitmap, so there are no
 * ballots, and a sixteenth or an eighth of the accesses to shared memory.
 */
#ifndef ONEPASS_COMPACTION_LINES_CUH
#define ONEPASS_COMPACTION_LINES_CUH

#include "tile.cuh"

namespace onepass
{

/* The fields of a word. */
template <typename Item> struct item_fields {
    static_assert(sizeof(Item) <= 2, "several items in a word");
    static constexpr unsigned bits = 8 * sizeof(Item);
    static constexpr uint32_t lows = sizeof(Item) == 1 ? 0x01010101 : 0x00010001; /* the lowest bit of each */
    static constexpr uint32_t tops = lows << (bits - 1);

    static ONEPASS_DEVICE uint32_t all(uint64_t value)
    {
        return (uint32_t)(Item)value * lows;
    }
    /* x - y in each: no field borrows from the next, whose top bit is set; the tops are put right after. */
    static ONEPASS_DEVICE uint32_t difference(uint32_t x, uint32_t y)
    {
        return ((x | tops) - (y & ~tops)) ^ ((x ^ ~y) & tops);
    }
    /* In the top bits: x <= y. Where the tops are the same, the rest decides, by a difference that borrows no top. */
    static ONEPASS_DEVICE uint32_t at_most(uint32_t x, uint32_t y)
    {
        const uint32_t rest = (y | tops) - (x & ~tops);
        return (~x & y) | (~(x ^ y) & rest);
    }
    /* In the top bits: x != 0. */
    static ONEPASS_DEVICE uint32_t not_zero(uint32_t x)
    {
        return ((x & ~tops) + ~tops) | x;
    }
    /* The top bits as the lowest bits: the product has one copy of each at the top, and no two copies meet. */
    static ONEPASS_DEVICE uint32_t gather(uint32_t x)
    {
        constexpr uint32_t copies = sizeof(Item) == 1 ? 0x00204081 : 0x00008001;
        return ((x & tops) * copies) >> (32 - 32 / bits);
    }
};

/* The range test of device_range_test. */
template <typename Item, bool floating> struct line_range_test {
    using fields = item_fields<Item>;
    uint32_t mask, low, span, float_key;

    ONEPASS_DEVICE line_range_test(const range_params &test, uint64_t key)
        : mask(fields::all(test.mask)), low(fields::all(test.low)), span(fields::all(test.span)),
          float_key((uint32_t)(Item)key)
    {
    }
    ONEPASS_DEVICE uint32_t operator()(uint32_t, uint32_t x) const
    {
        if (floating)
            x ^= (x >> (fields::bits - 1) & fields::lows) * float_key;
        return fields::at_most(fields::difference(x & mask, low), span);
    }
};

/* Whether items differ from those before them. */
template <typename Item> struct line_head_test {
    ONEPASS_DEVICE uint32_t operator()(uint32_t before, uint32_t x) const
    {
        return item_fields<Item>::not_zero(x ^ funnel_left(before, x, item_fields<Item>::bits));
    }
};

/* As decide_words, for num_items neighbouring items that begin `shift` bytes into the line at `lines`. The test gets a
 * word and the one before it, of which, if `pairs`, the last item is right. */
template <unsigned num_items, bool pairs, typename Item, typename Test>
ONEPASS_DEVICE void decide_lines(const unsigned char *lines, unsigned shift, uint32_t *kept, Test test)
{
    using bits = typename choose<sizeof(Item) == 1, uint16_t, uint8_t>::type; /* of a line */
    constexpr unsigned num_lines = num_items * sizeof(Item) / line_bytes;
    constexpr unsigned batch = num_lines <= warp_threads ? 1 : num_lines <= 2 * warp_threads ? 2 : 4;
    static_assert(num_lines < warp_threads || num_lines % (batch * warp_threads) == 0, "whole batches");
#pragma unroll 1
    for (unsigned first = lane_idx(); first < num_lines; first += batch * warp_threads) {
        vec16 own[batch], next[batch];
        uint32_t before[batch];
#pragma unroll
        for (unsigned i = 0; i < batch; ++i)
            own[i] = load_vec(lines + (first + i * warp_threads) * line_bytes);
        if (shift != 0) {
#pragma unroll
            for (unsigned i = 0; i < batch; ++i)
                next[i] = load_vec(lines + (first + i * warp_threads + 1) * line_bytes);
            funnel_pairs<Item>(own, next, shift);
        }
#pragma unroll
        for (unsigned i = 0; i < batch; ++i) {
            const unsigned char *first_item = lines + shift + (first + i * warp_threads) * line_bytes;
            before[i] = pairs ? (uint32_t) reinterpret_cast<const Item *>(first_item)[-1] : 0;
            before[i] <<= 32 - item_fields<Item>::bits; /* the last of a word */
        }
#pragma unroll
        for (unsigned i = 0; i < batch; ++i) {
            uint32_t decided = 0;
#pragma unroll
            for (unsigned w = 0; w < 4; ++w)
                decided |= item_fields<Item>::gather(test(w == 0 ? before[i] : own[i].word[w - 1], own[i].word[w]))
                           << w * 4 / sizeof(Item);
            reinterpret_cast<bits *>(kept)[first + i * warp_threads] = (bits)decided;
        }
    }
}

} // namespace onepass

#endif
