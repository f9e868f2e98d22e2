/* SPDX-License-Identifier: MIT */
/*
 * What the lanes of one warp do together: scans, reductions, the sums of rows, groups of lanes.
 *
 * Every scan and reduction groups its operands as ORDER.md says, with the earlier item on the left, so all of them are
 * right for operators that are not commutative or not exactly associative. Where an operator may take any order (its
 * any_order) and the machine has one instruction for the whole reduction, that is used.
 * All lanes of the warp must call, unless a mask is given.
 */
#ifndef ONEPASS_PRIMITIVES_WARP_CUH
#define ONEPASS_PRIMITIVES_WARP_CUH

#include "operators.cuh"

namespace onepass
{

/* ----------------------------------------------------------------------------------------------- lanes and masks */

/* The lanes below the first `count`, 0 to 32. */
ONEPASS_DEVICE unsigned first_lanes(unsigned count)
{
    return count >= warp_threads ? full_mask : (1u << count) - 1;
}

/* The lanes before the caller. */
ONEPASS_DEVICE unsigned lanes_before()
{
    return (1u << lane_idx()) - 1;
}

/* How many lanes of the set come before the caller: its place among them. */
ONEPASS_DEVICE unsigned rank_in(unsigned lanes)
{
    return popc(lanes & lanes_before());
}

/* Whether the caller is the first lane of a set it belongs to. */
ONEPASS_DEVICE bool is_first_of(unsigned lanes)
{
    return (lanes & lanes_before()) == 0;
}

/* Items k * lane to k * lane + k - 1 belong to a lane: how many of them are among the first num_items of the row. */
template <unsigned k> ONEPASS_DEVICE unsigned lane_items_below(unsigned num_items)
{
    const unsigned first = lane_idx() * k;
    return num_items <= first ? 0 : num_items - first < k ? num_items - first : k;
}

/* The lanes of `mask` that have the caller's value, compared by bits; T has up to 8 bytes. */
template <typename T> ONEPASS_DEVICE unsigned lanes_with_same(const T &value, unsigned mask = full_mask)
{
    if constexpr (sizeof(T) <= 4) {
        uint32_t word = 0;
        memcpy(&word, &value, sizeof(T));
        return match_any(word, mask);
    } else {
        static_assert(sizeof(T) == 8, "values of 1, 2, 4 or 8 bytes");
        return match_any(bits_as<uint64_t>(value), mask);
    }
}

/* --------------------------------------------------------------------------------------------------- scans */

/* The lane's own items, left to right: ((x0 + x1) + x2) + ... */
template <int k, typename T, typename Op> ONEPASS_DEVICE T fold_items(const T (&items)[k], Op op)
{
    T sum = items[0];
#pragma unroll
    for (int i = 1; i < k; ++i)
        sum = op(sum, items[i]);
    return sum;
}

/* Kogge-Stone over segments of `width` lanes, for several rows at once so that their shuffles overlap: value r becomes
 * the inclusive sum of the lanes up to the caller's in its segment. */
template <unsigned width = 32, int rows, typename T, typename Op>
ONEPASS_DEVICE void warp_inclusive_scan(T (&values)[rows], Op op)
{
#pragma unroll
    for (unsigned delta = 1; delta < width; delta *= 2) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            bool in_range;
            const T before = shfl_up(values[r], delta, in_range, width);
            if (in_range)
                values[r] = op(before, values[r]);
        }
    }
}

template <unsigned width = 32, typename T, typename Op> ONEPASS_DEVICE T warp_inclusive_scan(T value, Op op)
{
    T values[1] = { value };
    warp_inclusive_scan<width>(values, op);
    return values[0];
}

/* From the inclusive sums: that of the lanes before the caller; `nothing` in the first lane of a segment. */
template <unsigned width = 32, typename T> ONEPASS_DEVICE T warp_before(const T &inclusive, const T &nothing)
{
    bool in_range;
    const T before = shfl_up(inclusive, 1, in_range, width);
    return in_range ? before : nothing;
}

/* From the inclusive sums: that of the whole segment, a balanced tree over its lanes. */
template <unsigned width = 32, typename T> ONEPASS_DEVICE T warp_last(const T &inclusive)
{
    return shfl_idx(inclusive, width - 1, width);
}

/* ----------------------------------------------------------------------------------------------- reductions */

/* Whether the machine reduces a warp in one instruction. It has 32-bit words only; narrower integers are extended. */
template <typename T, typename Op>
constexpr bool has_redux = sizeof(T) <= 4 &&
                           (is_same<Op, op_SUM<T>> || is_same<Op, op_MIN<T>> || is_same<Op, op_MAX<T>> ||
                            is_same<Op, op_AND<T>> || is_same<Op, op_OR<T>> || is_same<Op, op_XOR<T>>);
template <typename Op> constexpr bool has_redux<float, Op> = false;

template <typename Op, typename T> ONEPASS_DEVICE T warp_redux(T value, unsigned mask)
{
    using word = typename choose<is_signed_type<T>, int32_t, uint32_t>::type;
    if constexpr (is_same<Op, op_SUM<T>>)
        return (T)redux_add((uint32_t)value, mask);
    else if constexpr (is_same<Op, op_MIN<T>>)
        return (T)redux_min((word)value, mask);
    else if constexpr (is_same<Op, op_MAX<T>>)
        return (T)redux_max((word)value, mask);
    else if constexpr (is_same<Op, op_AND<T>>)
        return (T)redux_and((uint32_t)value, mask);
    else if constexpr (is_same<Op, op_OR<T>>)
        return (T)redux_or((uint32_t)value, mask);
    else
        return (T)redux_xor((uint32_t)value, mask);
}

/* The balanced sum of each segment of `width` lanes, in every lane of it. Each step joins two neighbouring blocks of
 * lanes, the same blocks as in warp_last(warp_inclusive_scan()). */
template <unsigned width = 32, typename T, typename Op> ONEPASS_DEVICE T warp_reduce(T value, Op op)
{
    if constexpr (width == 32 && has_redux<T, Op>) {
        return warp_redux<Op>(value, full_mask);
    } else {
#pragma unroll
        for (unsigned delta = 1; delta < width; delta *= 2) {
            const T other = shfl_xor(value, delta, width);
            if constexpr (Op::commutes)
                value = op(value, other);
            else
                value = lane_idx() & delta ? op(other, value) : op(value, other);
        }
        return value;
    }
}

/* The same for the first `count` lanes, 1 to 32, as if the others held nothing; only those lanes call. */
template <typename T, typename Op> ONEPASS_DEVICE T warp_reduce_first(T value, unsigned count, Op op)
{
    const unsigned mask = first_lanes(count);
    if constexpr (has_redux<T, Op>) {
        return warp_redux<Op>(value, mask);
    } else {
#pragma unroll
        for (unsigned delta = 1; delta < warp_threads; delta *= 2) {
            /* Lane 0 of each aligned block sums the block; what the lanes between come to is not used. */
            const unsigned later = lane_idx() + delta;
            const T other = shfl_idx(value, later < count ? later : lane_idx(), warp_threads, mask);
            if (later < count)
                value = op(value, other);
        }
        return shfl_idx(value, 0, warp_threads, mask);
    }
}

/* Within each set of lanes (disjoint sets, as lanes_with_same gives them): the sum of its values in lane order, a
 * balanced tree over the set, in every lane of it. All lanes of the mask call, each with its own set. */
template <typename T, typename Op>
ONEPASS_DEVICE T group_reduce(T value, unsigned lanes, Op op, unsigned mask = full_mask)
{
    unsigned rank = rank_in(lanes);
    unsigned later = lanes & ~lanes_before() & ~(1u << lane_idx()); /* those that still hold a sum of their own */
    while (warp_any(later != 0, mask)) {
        const T other = shfl_idx(value, later ? lowest_bit(later) : lane_idx(), warp_threads, mask);
        if (later)
            value = op(value, other);
        later &= warp_ballot(rank % 2 == 0, mask); /* odd ranks have been taken up by the rank before */
        rank /= 2;
    }
    return shfl_idx(value, lowest_bit(lanes), warp_threads, mask);
}

} // namespace onepass

#endif
