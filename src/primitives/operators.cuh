/* SPDX-License-Identifier: MIT */
/*
 * The operators, one functor template each, on accumulator types.
 *
 * op_NAME<T>()(earlier, later) combines two values; the left operand is always the earlier item. Beside it:
 *   identity()  the exact identity, "nothing" in ORDER.md: what missing items may be padded with
 *   start()     what an exclusive scan without an initial value starts from; differs from the identity in op_SUM only,
 *               whose identity is -0.0 and whose start is +0.0
 *   any_order   whether every grouping and every order of operands gives the same bits
 *   commutes    whether the two operands may change places
 * The names paste from ONEPASS_FOR_EACH_OPERATOR. Integer arithmetic is done unsigned: it wraps, and never overflows.
 */
#ifndef ONEPASS_PRIMITIVES_OPERATORS_CUH
#define ONEPASS_PRIMITIVES_OPERATORS_CUH

#include "types.cuh"

namespace onepass
{

/* At least as wide as T and as unsigned int, so that no operand is promoted to a signed type. */
template <typename T> using wrapping = typename choose<sizeof(T) == 8, uint64_t, uint32_t>::type;

/* The largest and smallest value of an integer type; infinity and its opposite of a floating one. */
template <typename T> ONEPASS_DEVICE T largest_value()
{
    if constexpr (is_same<T, float>)
        return bits_as<float>(0x7f800000u);
    else if constexpr (is_same<T, double>)
        return bits_as<double>((uint64_t)0x7ff0000000000000u);
    else
        return (T)(~(uint64_t)0 >> (64 - 8 * sizeof(T) + is_signed_type<T>));
}

template <typename T> ONEPASS_DEVICE T smallest_value()
{
    if constexpr (is_floating_type<T>)
        return -largest_value<T>();
    else
        return (T)~largest_value<T>() * (T)is_signed_type<T>;
}

/* min_nan and max_nan for doubles, from comparisons and bits. Neither below nor above each other are equal values, of
 * which only the zeros differ in bits (the sign decides), and NaNs (the union of the bits is a NaN). */
ONEPASS_DEVICE double min_nan(double a, double b)
{
    const uint64_t either = bits_as<uint64_t>(a) | bits_as<uint64_t>(b);
    return a < b ? a : b < a ? b : bits_as<double>(either);
}

ONEPASS_DEVICE double max_nan(double a, double b)
{
    const uint64_t either = bits_as<uint64_t>(a) | bits_as<uint64_t>(b);
    const uint64_t both = bits_as<uint64_t>(a) & bits_as<uint64_t>(b);
    return a > b ? a : b > a ? b : bits_as<double>(a == b ? both : either);
}

template <typename T> struct op_SUM {
    static constexpr bool any_order = !is_floating_type<T>;
    static constexpr bool commutes = true;
    ONEPASS_DEVICE static T identity()
    {
        return is_floating_type<T> ? -(T)0 : (T)0;
    }
    ONEPASS_DEVICE static T start()
    {
        return (T)0;
    }
    ONEPASS_DEVICE T operator()(T earlier, T later) const
    {
        if constexpr (is_floating_type<T>)
            return add_rn(earlier, later);
        else
            return (T)((wrapping<T>)earlier + (wrapping<T>)later);
    }
};

template <typename T> struct op_PROD {
    static constexpr bool any_order = !is_floating_type<T>;
    static constexpr bool commutes = true;
    ONEPASS_DEVICE static T identity()
    {
        return (T)1;
    }
    ONEPASS_DEVICE static T start()
    {
        return (T)1;
    }
    ONEPASS_DEVICE T operator()(T earlier, T later) const
    {
        if constexpr (is_floating_type<T>)
            return mul_rn(earlier, later);
        else
            return (T)((wrapping<T>)earlier * (wrapping<T>)later);
    }
};

template <typename T> struct op_MIN {
    static constexpr bool any_order = true; /* NaN payloads may differ; outputs have one NaN */
    static constexpr bool commutes = true;
    ONEPASS_DEVICE static T identity()
    {
        return largest_value<T>();
    }
    ONEPASS_DEVICE static T start()
    {
        return identity();
    }
    ONEPASS_DEVICE T operator()(T earlier, T later) const
    {
        if constexpr (is_floating_type<T>)
            return min_nan(earlier, later);
        else
            return later < earlier ? later : earlier;
    }
};

template <typename T> struct op_MAX {
    static constexpr bool any_order = true; /* as op_MIN */
    static constexpr bool commutes = true;
    ONEPASS_DEVICE static T identity()
    {
        return smallest_value<T>();
    }
    ONEPASS_DEVICE static T start()
    {
        return identity();
    }
    ONEPASS_DEVICE T operator()(T earlier, T later) const
    {
        if constexpr (is_floating_type<T>)
            return max_nan(earlier, later);
        else
            return later > earlier ? later : earlier;
    }
};

template <typename T> struct op_AND {
    static constexpr bool any_order = true;
    static constexpr bool commutes = true;
    ONEPASS_DEVICE static T identity()
    {
        return (T) ~(T)0;
    }
    ONEPASS_DEVICE static T start()
    {
        return identity();
    }
    ONEPASS_DEVICE T operator()(T earlier, T later) const
    {
        return (T)(earlier & later);
    }
};

template <typename T> struct op_OR {
    static constexpr bool any_order = true;
    static constexpr bool commutes = true;
    ONEPASS_DEVICE static T identity()
    {
        return (T)0;
    }
    ONEPASS_DEVICE static T start()
    {
        return identity();
    }
    ONEPASS_DEVICE T operator()(T earlier, T later) const
    {
        return (T)(earlier | later);
    }
};

template <typename T> struct op_XOR {
    static constexpr bool any_order = true;
    static constexpr bool commutes = true;
    ONEPASS_DEVICE static T identity()
    {
        return (T)0;
    }
    ONEPASS_DEVICE static T start()
    {
        return identity();
    }
    ONEPASS_DEVICE T operator()(T earlier, T later) const
    {
        return (T)(earlier ^ later);
    }
};

} // namespace onepass

#endif
