/* SPDX-License-Identifier: MIT */
/*
 * What the primitives must compute, in plain host code: the operators by value, and the groupings of ORDER.md as loops
 * over arrays. Nothing here is shared with the device code, except the names of types and operators.
 */
#ifndef ONEPASS_TESTS_SIMT_ORACLE_H
#define ONEPASS_TESTS_SIMT_ORACLE_H

#include "harness.h"

#include <math.h>

#include <functional>
#include <limits>
#include <type_traits>

namespace oracle
{

/* Integers are combined in 128 bits and cut down, so no overflow rule is relied on. */
template <typename T> T combine(onepass_operator op, T a, T b)
{
    if constexpr (std::is_floating_point<T>::value) {
        const bool nan = std::isnan(a) || std::isnan(b);
        const bool a_is_less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
        switch (op) {
        case ONEPASS_SUM:
            return a + b;
        case ONEPASS_PROD:
            return a * b;
        case ONEPASS_MIN:
            return nan ? std::numeric_limits<T>::quiet_NaN() : a_is_less ? a : b;
        default:
            return nan ? std::numeric_limits<T>::quiet_NaN() : a_is_less ? b : a;
        }
    } else {
        switch (op) {
        case ONEPASS_SUM:
            return (T)((unsigned __int128)a + (unsigned __int128)b);
        case ONEPASS_PROD:
            return (T)((unsigned __int128)a * (unsigned __int128)b);
        case ONEPASS_MIN:
            return a < b ? a : b;
        case ONEPASS_MAX:
            return a < b ? b : a;
        case ONEPASS_AND:
            return (T)(a & b);
        case ONEPASS_OR:
            return (T)(a | b);
        default:
            return (T)(a ^ b);
        }
    }
}

/* An operator as a function of two values, for the loops below. */
template <onepass_operator op> struct operator_of {
    template <typename T> T operator()(const T &a, const T &b) const
    {
        return combine(op, a, b);
    }
};

/* The same behind one type, so that the loops of a test are compiled once for a type, not once for each operator. */
template <typename T> using combiner = std::function<T(const T &, const T &)>;

/* x -> a x + b modulo 2^32, composed: associative, exact, not commutative. */
struct affine {
    uint32_t a, b;
};
/* The same modulo 2^64, with the number of functions: a value that no descriptor holds. */
struct wide_affine {
    uint64_t a, b, count;
};
struct compose {
    affine operator()(const affine &first, const affine &second) const
    {
        return { first.a * second.a, first.b * second.a + second.b };
    }
    wide_affine operator()(const wide_affine &first, const wide_affine &second) const
    {
        return { first.a * second.a, first.b * second.a + second.b, first.count + second.count };
    }
};

/* "Lanes of a row": the inclusive sums of segments of width values. */
template <typename T, typename Combine> std::vector<T> kogge_stone(std::vector<T> v, size_t width, Combine combine)
{
    for (size_t d = 1; d < width; d *= 2) {
        std::vector<T> next = v;
        for (size_t l = 0; l < v.size(); ++l)
            if (l % width >= d)
                next[l] = combine(v[l - d], v[l]);
        v = next;
    }
    return v;
}

/* B(r, m) of "Blocks of rows"; missing rows are left out. */
template <typename T, typename Combine> T block_sum(const std::vector<T> &rows, size_t r, size_t m, Combine combine)
{
    if (m == 1)
        return rows[r];
    if (r + m / 2 >= rows.size())
        return block_sum(rows, r, m / 2, combine);
    return combine(block_sum(rows, r, m / 2, combine), block_sum(rows, r + m / 2, m / 2, combine));
}

/* prefix(r) of "Row prefix", from the start h. */
template <typename T, typename Combine> T row_prefix(const std::vector<T> &rows, T h, size_t r, Combine combine)
{
    size_t begin = 0;
    for (size_t m = (size_t)1 << 40; m != 0; m /= 2) {
        if (r & m) {
            h = combine(h, block_sum(rows, begin, m, combine));
            begin += m;
        }
    }
    return h;
}

/* Values that are likely to show a fault: any bits for integers; for floating types numbers of very different size, so
 * that another grouping gives other bits. */
template <typename T> T any_value(harness::random_bits &random)
{
    if constexpr (std::is_same<T, affine>::value) {
        const uint64_t bits = random.next();
        return { (uint32_t)bits | 1, (uint32_t)(bits >> 32) };
    } else if constexpr (std::is_same<T, wide_affine>::value) {
        const uint64_t a = random.next();
        return { a | 1, random.next(), 1 };
    } else if constexpr (std::is_floating_point<T>::value) {
        const uint64_t bits = random.next();
        return std::ldexp((T)((int64_t)bits >> 30) * (T)0x1p-33, (int)(bits % 21) - 10);
    } else {
        return (T)random.next();
    }
}

template <typename T> std::vector<T> any_values(size_t count, uint64_t seed)
{
    harness::random_bits random = { seed };
    std::vector<T> values(count);
    for (T &value : values)
        value = any_value<T>(random);
    return values;
}

} // namespace oracle

namespace onepass
{

/* The device's half of the test-only operators. */
struct op_compose {
    static constexpr bool any_order = false;
    static constexpr bool commutes = false;
    ONEPASS_DEVICE static oracle::affine identity()
    {
        return { 1, 0 };
    }
    ONEPASS_DEVICE static oracle::affine start()
    {
        return identity();
    }
    ONEPASS_DEVICE oracle::affine operator()(const oracle::affine &earlier, const oracle::affine &later) const
    {
        return { earlier.a * later.a, earlier.b * later.a + later.b };
    }
};
struct op_compose_wide {
    static constexpr bool any_order = false;
    static constexpr bool commutes = false;
    ONEPASS_DEVICE static oracle::wide_affine identity()
    {
        return { 1, 0, 0 };
    }
    ONEPASS_DEVICE static oracle::wide_affine start()
    {
        return identity();
    }
    ONEPASS_DEVICE oracle::wide_affine operator()(const oracle::wide_affine &earlier,
                                                  const oracle::wide_affine &later) const
    {
        return { earlier.a * later.a, earlier.b * later.a + later.b, earlier.count + later.count };
    }
};

} // namespace onepass

#endif
