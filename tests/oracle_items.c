/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the oracle: every item type read into one onepass_value and written back, and items compared.
 *
 * The one idea: int64_t, uint64_t and double hold every item exactly, so that only writing ever rounds or wraps. F16
 * and BF16 are taken apart and put together by arithmetic on the value, from the two numbers that define a format.
 */
#include "oracle.h"

#include <math.h>
#include <string.h>

/* A binary format of IEEE 754: 1 + fraction / 2^fraction_bits, times 2^(field - bias); field 2 bias + 1 is infinity and
 * NaN, field 0 is zero and the denormals. */
typedef struct float_format {
    int fraction_bits;
    int bias;
} float_format;

static const float_format f16_format = { 10, 15 };
static const float_format bf16_format = { 7, 127 };
static const float_format f32_format = { 23, 127 };

static double round_half_even(double x)
{
    double below = floor(x);
    double rest = x - below;
    int below_is_odd = fmod(below, 2.0) != 0.0;
    return rest > 0.5 || (rest == 0.5 && below_is_odd) ? below + 1.0 : below;
}

/* The value of the format nearest to x; NaN for NaN. */
static double round_to_format(const float_format *format, double x)
{
    if (isnan(x) || isinf(x) || x == 0.0) {
        return x;
    }
    int exponent; /* 2^(exponent - 1) <= |x| < 2^exponent */
    (void)frexp(x, &exponent);
    int spacing = exponent - 1 - format->fraction_bits; /* neighbours of x are 2^spacing apart ... */
    int denormal_spacing = 1 - format->bias - format->fraction_bits;
    if (spacing < denormal_spacing) { /* ... but denormals are evenly spaced */
        spacing = denormal_spacing;
    }
    double magnitude = ldexp(round_half_even(ldexp(fabs(x), -spacing)), spacing);
    if (magnitude >= ldexp(1.0, format->bias + 1)) {
        magnitude = INFINITY;
    }
    return copysign(magnitude, x);
}

static double decode(const float_format *format, uint16_t bits)
{
    int fraction = bits % (1 << format->fraction_bits);
    int field = (bits % 0x8000) >> format->fraction_bits;
    double magnitude;
    if (field == 2 * format->bias + 1) {
        magnitude = fraction != 0 ? NAN : INFINITY;
    } else if (field == 0) {
        magnitude = ldexp(fraction, 1 - format->bias - format->fraction_bits);
    } else {
        magnitude = ldexp(1.0 + ldexp(fraction, -format->fraction_bits), field - format->bias);
    }
    return bits >= 0x8000 ? -magnitude : magnitude;
}

static uint16_t encode(const float_format *format, double x)
{
    int largest_field = 2 * format->bias + 1;
    if (isnan(x)) { /* the fixed NaN: sign 0, only the highest fraction bit */
        return (uint16_t)((largest_field << format->fraction_bits) + (1 << (format->fraction_bits - 1)));
    }
    double magnitude = fabs(round_to_format(format, x));
    int field = 0;
    double fraction = 0.0;
    if (isinf(magnitude)) {
        field = largest_field;
    } else if (magnitude < ldexp(1.0, 1 - format->bias)) {
        fraction = ldexp(magnitude, format->bias - 1 + format->fraction_bits);
    } else {
        int exponent;
        double half_to_one = frexp(magnitude, &exponent);
        field = exponent - 1 + format->bias;
        fraction = ldexp(2.0 * half_to_one - 1.0, format->fraction_bits);
    }
    int bits = (field << format->fraction_bits) + (int)fraction;
    return (uint16_t)(signbit(x) ? bits + 0x8000 : bits);
}

float oracle_f16_to_f32(uint16_t bits)
{
    return (float)decode(&f16_format, bits);
}

float oracle_bf16_to_f32(uint16_t bits)
{
    return (float)decode(&bf16_format, bits);
}

uint16_t oracle_f32_to_f16(float value)
{
    return encode(&f16_format, (double)value);
}

uint16_t oracle_f32_to_bf16(float value)
{
    return encode(&bf16_format, (double)value);
}

size_t oracle_type_size(onepass_type type)
{
    switch (type) {
    case ONEPASS_I8: case ONEPASS_U8: return 1;
    case ONEPASS_I16: case ONEPASS_U16: case ONEPASS_F16: case ONEPASS_BF16: return 2;
    case ONEPASS_I32: case ONEPASS_U32: case ONEPASS_F32: return 4;
    case ONEPASS_I64: case ONEPASS_U64: case ONEPASS_F64: return 8;
    }
    return 0;
}

int oracle_is_floating(onepass_type type)
{
    return type == ONEPASS_F16 || type == ONEPASS_BF16 || type == ONEPASS_F32 || type == ONEPASS_F64;
}

int oracle_is_signed(onepass_type type)
{
    return type == ONEPASS_I8 || type == ONEPASS_I16 || type == ONEPASS_I32 || type == ONEPASS_I64;
}

onepass_value oracle_load(onepass_type type, const void *items, uint64_t idx)
{
    const unsigned char *item = (const unsigned char *)items + idx * oracle_type_size(type);
    onepass_value value = { 0 };
    int8_t i8;
    int16_t i16;
    int32_t i32;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    float f32;
    switch (type) {
    case ONEPASS_I8: memcpy(&i8, item, 1); value.i = i8; break;
    case ONEPASS_U8: memcpy(&u8, item, 1); value.u = u8; break;
    case ONEPASS_I16: memcpy(&i16, item, 2); value.i = i16; break;
    case ONEPASS_U16: memcpy(&u16, item, 2); value.u = u16; break;
    case ONEPASS_I32: memcpy(&i32, item, 4); value.i = i32; break;
    case ONEPASS_U32: memcpy(&u32, item, 4); value.u = u32; break;
    case ONEPASS_I64: memcpy(&value.i, item, 8); break;
    case ONEPASS_U64: memcpy(&value.u, item, 8); break;
    case ONEPASS_F16: memcpy(&u16, item, 2); value.f = decode(&f16_format, u16); break;
    case ONEPASS_BF16: memcpy(&u16, item, 2); value.f = decode(&bf16_format, u16); break;
    case ONEPASS_F32: memcpy(&f32, item, 4); value.f = (double)f32; break;
    case ONEPASS_F64: memcpy(&value.f, item, 8); break;
    }
    return value;
}

onepass_value oracle_convert(onepass_type type, onepass_value value)
{
    switch (type) {
    case ONEPASS_I8: value.i = (int8_t)(uint8_t)value.u; break;
    case ONEPASS_U8: value.u = (uint8_t)value.u; break;
    case ONEPASS_I16: value.i = (int16_t)(uint16_t)value.u; break;
    case ONEPASS_U16: value.u = (uint16_t)value.u; break;
    case ONEPASS_I32: value.i = (int32_t)(uint32_t)value.u; break;
    case ONEPASS_U32: value.u = (uint32_t)value.u; break;
    case ONEPASS_I64: case ONEPASS_U64: case ONEPASS_F64: break;
    case ONEPASS_F16: value.f = round_to_format(&f16_format, value.f); break;
    case ONEPASS_BF16: value.f = round_to_format(&bf16_format, value.f); break;
    case ONEPASS_F32: value.f = round_to_format(&f32_format, value.f); break;
    }
    return value;
}

void oracle_store(onepass_type type, onepass_value value, void *items, uint64_t idx)
{
    unsigned char *item = (unsigned char *)items + idx * oracle_type_size(type);
    onepass_value converted = oracle_convert(type, value);
    uint8_t u8 = (uint8_t)converted.u; /* the low bits of a signed number are its bits */
    uint16_t u16 = (uint16_t)converted.u;
    uint32_t u32 = (uint32_t)converted.u;
    uint64_t u64 = converted.u;
    float f32;
    switch (type) {
    case ONEPASS_I8: case ONEPASS_U8: memcpy(item, &u8, 1); return;
    case ONEPASS_I16: case ONEPASS_U16: memcpy(item, &u16, 2); return;
    case ONEPASS_I32: case ONEPASS_U32: memcpy(item, &u32, 4); return;
    case ONEPASS_I64: case ONEPASS_U64: memcpy(item, &u64, 8); return;
    case ONEPASS_F16: u16 = encode(&f16_format, converted.f); memcpy(item, &u16, 2); return;
    case ONEPASS_BF16: u16 = encode(&bf16_format, converted.f); memcpy(item, &u16, 2); return;
    case ONEPASS_F32:
        f32 = (float)converted.f;
        u32 = UINT32_C(0x7fc00000);
        memcpy(item, isnan(f32) ? (const void *)&u32 : (const void *)&f32, 4);
        return;
    case ONEPASS_F64:
        u64 = UINT64_C(0x7ff8000000000000);
        memcpy(item, isnan(converted.f) ? (const void *)&u64 : (const void *)&converted.f, 8);
        return;
    }
}

int oracle_is_nan(onepass_type type, const void *item)
{
    return oracle_is_floating(type) && isnan(oracle_load(type, item, 0).f);
}

int oracle_is_fixed_nan(onepass_type type, const void *item)
{
    static const uint16_t f16_nan = 0x7e00;
    static const uint16_t bf16_nan = 0x7fc0;
    static const uint32_t f32_nan = UINT32_C(0x7fc00000);
    static const uint64_t f64_nan = UINT64_C(0x7ff8000000000000);
    switch ((int)type) {
    case ONEPASS_F16: return memcmp(item, &f16_nan, 2) == 0;
    case ONEPASS_BF16: return memcmp(item, &bf16_nan, 2) == 0;
    case ONEPASS_F32: return memcmp(item, &f32_nan, 4) == 0;
    case ONEPASS_F64: return memcmp(item, &f64_nan, 8) == 0;
    default: return 0;
    }
}

static int first_fault(uint64_t idx, uint64_t *first_difference)
{
    if (first_difference != NULL) {
        *first_difference = idx;
    }
    return 0;
}

int oracle_equal(onepass_type type, const void *a, const void *b, uint64_t num_items, uint64_t *first_difference)
{
    size_t size = oracle_type_size(type);
    for (uint64_t idx = 0; idx < num_items; ++idx) {
        const unsigned char *item_a = (const unsigned char *)a + idx * size;
        const unsigned char *item_b = (const unsigned char *)b + idx * size;
        int both_nan = oracle_is_nan(type, item_a) && oracle_is_nan(type, item_b);
        if (memcmp(item_a, item_b, size) != 0 && !both_nan) {
            return first_fault(idx, first_difference);
        }
    }
    return 1;
}

int oracle_nans_are_fixed(onepass_type type, const void *items, uint64_t num_items, uint64_t *first_difference)
{
    for (uint64_t idx = 0; idx < num_items; ++idx) {
        const unsigned char *item = (const unsigned char *)items + idx * oracle_type_size(type);
        if (oracle_is_nan(type, item) && !oracle_is_fixed_nan(type, item)) {
            return first_fault(idx, first_difference);
        }
    }
    return 1;
}
