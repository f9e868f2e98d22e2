/* SPDX-License-Identifier: MIT */
/* See value.h. Rounding works on the integer bits of the double, so it depends on no floating-point mode. */
#include "value.h"

#include "types.h"

#include <assert.h>
#include <string.h>

enum { double_mantissa_bits = 52, double_bias = 1023 };

/* Bits of the significand that are stored, and of the exponent. */
struct format {
    int mantissa_bits;
    int exponent_bits;
};

static struct format format_of(onepass_type type)
{
    switch (type) {
    case ONEPASS_F16:
        return (struct format){ 10, 5 };
    case ONEPASS_BF16:
        return (struct format){ 7, 8 };
    case ONEPASS_F32:
        return (struct format){ 23, 8 };
    default:
        return (struct format){ double_mantissa_bits, 11 };
    }
}

uint64_t sign_bit(onepass_type type)
{
    struct format format = format_of(type);
    return UINT64_C(1) << (format.mantissa_bits + format.exponent_bits);
}

uint64_t infinity_bits(onepass_type type)
{
    struct format format = format_of(type);
    return ((UINT64_C(1) << format.exponent_bits) - 1) << format.mantissa_bits;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* value >> shift, rounded to nearest even; shift from 1 to 63. */
static uint64_t shift_right_rounded(uint64_t value, int shift)
{
    assert(shift >= 1 && shift <= 63);
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t rest = value & ((half << 1) - 1);
    uint64_t quotient = value >> shift;
    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

static uint64_t round_double(onepass_type type, double value)
{
    uint64_t bits = bits_of_double(value);
    if (type == ONEPASS_F64)
        return bits;
    struct format format = format_of(type);
    uint64_t sign = bits >> 63 ? sign_bit(type) : 0;
    uint64_t magnitude = bits & ~(UINT64_C(1) << 63);
    uint64_t infinity = infinity_bits(type);
    if (magnitude > infinity_bits(ONEPASS_F64))
        return infinity | UINT64_C(1) << (format.mantissa_bits - 1);
    int bias = (1 << (format.exponent_bits - 1)) - 1;
    int exponent = (int)(magnitude >> double_mantissa_bits) - double_bias + bias; /* in the smaller format */
    uint64_t significand = magnitude & ((UINT64_C(1) << double_mantissa_bits) - 1);
    if (exponent >= 1) {
        /* The carry of the rounding runs on into the exponent, and from the largest one to infinity. */
        if (exponent > 2 * bias)
            return sign | infinity;
        uint64_t joined = (uint64_t)exponent << double_mantissa_bits | significand;
        return sign | shift_right_rounded(joined, double_mantissa_bits - format.mantissa_bits);
    }
    /* Denormal in the smaller format, so normal as a double unless it rounds to zero anyway. */
    int shift = double_mantissa_bits - format.mantissa_bits + 1 - exponent;
    if (shift > 63)
        return sign;
    return sign | shift_right_rounded(UINT64_C(1) << double_mantissa_bits | significand, shift);
}

uint64_t value_bits(onepass_type type, onepass_value value)
{
    if (is_floating(type))
        return round_double(type, value.f);
    uint64_t bits = is_signed(type) ? (uint64_t)value.i : value.u;
    return bits & UINT64_MAX >> (64 - 8 * onepass_type_size(type));
}
