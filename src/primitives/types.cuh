/* SPDX-License-Identifier: MIT */
/*
 * Items and accumulators: what the types of src/types.h are in device code, and the conversions between them.
 *
 * item_NAME is the item of type NAME, so that a list made by ONEPASS_FOR_EACH_TYPE or _OUTPUT can paste it. Arithmetic
 * is done in accumulator<item>: float for the two 16-bit floating types, the item itself for all others. The type
 * traits are written here because device code must compile without a host's <type_traits>.
 */
#ifndef ONEPASS_PRIMITIVES_TYPES_CUH
#define ONEPASS_PRIMITIVES_TYPES_CUH

#include "ptx.cuh"

namespace onepass
{

/* binary16 and bfloat16, as bits: no arithmetic, and not to be mixed up with each other or with uint16_t. */
struct f16 {
    uint16_t bits;
};
struct bf16 {
    uint16_t bits;
};

using item_I8 = int8_t;
using item_U8 = uint8_t;
using item_I16 = int16_t;
using item_U16 = uint16_t;
using item_I32 = int32_t;
using item_U32 = uint32_t;
using item_I64 = int64_t;
using item_U64 = uint64_t;
using item_F16 = f16;
using item_BF16 = bf16;
using item_F32 = float;
using item_F64 = double;

template <typename A, typename B> constexpr bool is_same = false;
template <typename A> constexpr bool is_same<A, A> = true;

/* Whether T has floating arithmetic. */
template <typename T> constexpr bool is_floating_type = is_same<T, float> || is_same<T, double>;

/* Whether an integer T has negative values. */
template <typename T> constexpr bool is_signed_type = (T)-1 < (T)0;

template <bool condition, typename A, typename B> struct choose {
    using type = A;
};
template <typename A, typename B> struct choose<false, A, B> {
    using type = B;
};

template <typename Item>
using accumulator = typename choose<is_same<Item, f16> || is_same<Item, bf16>, float, Item>::type;

/* The bits of a value as another type of the same size. */
template <typename To, typename From> ONEPASS_DEVICE To bits_as(const From &from)
{
    static_assert(sizeof(To) == sizeof(From), "bits_as keeps the size");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

/* An item in the accumulator type Acc: exact for floating types, modulo 2^bits for integers. */
template <typename Acc, typename Item> ONEPASS_DEVICE Acc to_accumulator(Item item)
{
    if constexpr (is_same<Item, f16>)
        return f16_to_f32(item.bits);
    else if constexpr (is_same<Item, bf16>)
        return bits_as<float>((uint32_t)item.bits << 16);
    else
        return (Acc)item;
}

/* An accumulator as an output item: rounded for F16 and BF16, and every NaN becomes the type's one NaN. */
template <typename Item, typename Acc> ONEPASS_DEVICE Item from_accumulator(Acc value)
{
    static_assert(is_same<Acc, accumulator<Item>>, "an output has its own accumulator");
    if constexpr (is_same<Item, f16>)
        return { value != value ? (uint16_t)0x7e00 : f32_to_f16(value) };
    else if constexpr (is_same<Item, bf16>)
        return { value != value ? (uint16_t)0x7fc0 : f32_to_bf16(value) };
    else if constexpr (is_same<Item, float>)
        return value != value ? bits_as<float>(0x7fc00000u) : value;
    else if constexpr (is_same<Item, double>)
        return value != value ? bits_as<double>((uint64_t)0x7ff8000000000000u) : value;
    else
        return value;
}

} // namespace onepass

#endif
