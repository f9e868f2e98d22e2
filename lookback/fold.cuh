/* SPDX-License-Identifier: MIT */
/*
 * What a kernel instance computes: how items become accumulators, which operator, how results become output items.
 *
 * Types that differ in nothing but their sign share an instance: items are unsigned integers, or floating. An
 * accumulator is 32 or 64 bits wide, also for narrower outputs, since the upper bits never reach the lower ones. What
 * remains of the sign is in two numbers of the launch, sign and key (params.h). A test may bring a fold of its own.
 */
#ifndef ONEPASS_LOOKBACK_FOLD_CUH
#define ONEPASS_LOOKBACK_FOLD_CUH

#include "params.h"
#include "primitives/tile_io.cuh"

namespace onepass
{

template <typename T> constexpr bool is_item_floating = is_floating_type<T> || is_same<T, f16> || is_same<T, bf16>;

/* The item type of a kernel for an item type of the interface. */
template <unsigned size> struct unsigned_of;
template <> struct unsigned_of<1> {
    using type = uint8_t;
};
template <> struct unsigned_of<2> {
    using type = uint16_t;
};
template <> struct unsigned_of<4> {
    using type = uint32_t;
};
template <> struct unsigned_of<8> {
    using type = uint64_t;
};
template <typename T>
using kernel_item = typename choose<is_item_floating<T>, T, typename unsigned_of<sizeof(T)>::type>::type;

template <typename In, typename Out, template <typename> class Operator> struct fold_of {
    using in = In;
    using out = Out;
    static constexpr bool floating = is_item_floating<Out>;
    /* MIN of doubles is MIN of integers in the same order: there is no instruction for the former. */
    static constexpr bool is_ordinal = is_same<Out, double> && is_same<Operator<double>, op_MIN<double>>;
    using acc = typename choose<floating && !is_ordinal, accumulator<Out>,
                                typename choose<sizeof(Out) == 8, uint64_t, uint32_t>::type>::type;
    using op = Operator<acc>;
    using word = typename unsigned_of<sizeof(acc)>::type;
    static constexpr bool has_key = is_same<op, op_MIN<acc>> || is_same<op, op_OR<acc>>;
    static constexpr bool has_sign = !floating && sizeof(In) < sizeof(Out);
    static constexpr int k = line_items<In>;

    word sign, key;

    explicit ONEPASS_DEVICE fold_of(const fold_params &params) : sign((word)params.sign), key((word)params.key)
    {
    }

    ONEPASS_DEVICE acc load(In item) const
    {
        if constexpr (is_ordinal) {
            return to_ordinal(to_accumulator<double>(item));
        } else {
            acc value = to_accumulator<acc>(item);
            if constexpr (has_sign)
                value = (value ^ sign) - sign;
            return with_key(value);
        }
    }

    ONEPASS_DEVICE Out store(acc value) const
    {
        if constexpr (is_ordinal)
            return from_ordinal(value);
        else if constexpr (floating)
            return from_accumulator<Out>(plain_with_key(value));
        else
            return (Out)plain_with_key(value);
    }

    /* An output item as an accumulator: an initial value. */
    ONEPASS_DEVICE acc load_output(Out item) const
    {
        if constexpr (is_ordinal)
            return to_ordinal(item);
        else
            return with_key(to_accumulator<acc>(item));
    }

    /* The sum of a line's items, left to right. */
    ONEPASS_DEVICE acc fold_line(const vec16 &line) const
    {
        if constexpr (is_same<op, op_SUM<acc>> && sizeof(In) == 1) {
            uint32_t sum = 0;
            const uint32_t signs = has_sign ? (uint32_t)sign * 0x01010101u : 0;
#pragma unroll
            for (int i = 0; i < 4; ++i)
                sum = dp4a(line.word[i] ^ signs, 0x01010101u, sum);
            return has_sign ? (acc)sum - (acc)(16 * sign) : (acc)sum;
        } else {
            acc items[k];
            load_line(line, items);
            return fold_items(items, op());
        }
    }

    ONEPASS_DEVICE void load_line(const vec16 &line, acc (&items)[k]) const
    {
        In raw[k];
        unpack(line, raw);
#pragma unroll
        for (int i = 0; i < k; ++i)
            items[i] = load(raw[i]);
    }

  private:
    static constexpr uint64_t top_bit = (uint64_t)1 << 63, num_nans_of_a_sign = ((uint64_t)1 << 52) - 1;

    /* Numbers to unsigned integers in the same order, -0.0 before +0.0: negative ones have all bits turned round,
     * others the top bit. Of the NaNs half are now below all numbers and half above; moved on by so many they are all
     * below, and +infinity is the largest integer. Before that the key turns MIN into MAX. */
    ONEPASS_DEVICE uint64_t to_ordinal(double x) const
    {
        const uint64_t bits = bits_as<uint64_t>(x) ^ key;
        return (bits ^ ((uint64_t)((int64_t)bits >> 63) | top_bit)) + num_nans_of_a_sign;
    }
    ONEPASS_DEVICE double from_ordinal(uint64_t ordinal) const
    {
        ordinal -= num_nans_of_a_sign;
        const uint64_t bits = ordinal ^ ((uint64_t)((int64_t)~ordinal >> 63) | top_bit);
        return from_accumulator<double>(bits_as<double>(bits ^ key)); /* one NaN */
    }

    ONEPASS_DEVICE acc plain_with_key(acc value) const
    {
        if constexpr (has_key)
            return bits_as<acc>((word)(bits_as<word>(value) ^ key));
        else
            return value;
    }

    /* With a key, values are compared, so an integer must have no bits beyond its type. */
    ONEPASS_DEVICE acc with_key(acc value) const
    {
        if constexpr (has_key && has_sign && sizeof(Out) < sizeof(acc))
            value = (Out)value;
        return plain_with_key(value);
    }
};

/* The items of a lane's line. The first is item `first` (modulo 2^32) of num_items; what is not among them becomes
 * nothing. */
template <typename Fold>
ONEPASS_DEVICE void load_items(const Fold &fold, const vec16 &line, unsigned first, unsigned num_items,
                               typename Fold::acc (&items)[Fold::k])
{
    fold.load_line(line, items);
    if (first + (Fold::k - 1) >= num_items || first >= num_items) {
#pragma unroll
        for (int i = 0; i < Fold::k; ++i)
            if (first + i >= num_items)
                items[i] = Fold::op::identity();
    }
}

/* Where the first window starts. */
template <typename Fold> ONEPASS_DEVICE typename Fold::acc start_of(const fold_params &params, const Fold &fold)
{
    typename Fold::out item;
    switch (params.start) {
    case START_NOTHING:
        return Fold::op::identity();
    case START_IDENTITY:
        return Fold::op::start();
    case START_BITS:
        memcpy(&item, &params.initial, sizeof(item));
        return fold.load_output(item);
    default:
        return fold.load_output(*static_cast<const typename Fold::out *>(params.d_initial));
    }
}

/* The same for a reduction: of no items it gives what an exclusive scan starts from. */
template <typename Fold>
ONEPASS_DEVICE typename Fold::acc total_start(const fold_params &params, const Fold &fold, uint64_t num_items)
{
    return num_items == 0 && params.start == START_NOTHING ? Fold::op::start() : start_of(params, fold);
}

} // namespace onepass

#endif
