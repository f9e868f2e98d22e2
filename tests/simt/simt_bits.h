/* SPDX-License-Identifier: MIT */
/*
 * The wrappers of ptx.cuh that compute and touch no memory, in plain C++: bits, bytes, IEEE operations, 16-bit floats.
 *
 * Part of simt_ptx.h. What they must give is told in ptx.cuh; test_memory.cpp and test_operators.cpp compare both this
 * and the machine's own instructions with definitions by value.
 */
#ifndef ONEPASS_TESTS_SIMT_SIMT_BITS_H
#define ONEPASS_TESTS_SIMT_SIMT_BITS_H

#include <stdint.h>
#include <string.h>

namespace onepass
{

inline unsigned popc(uint32_t x)
{
    return (unsigned)__builtin_popcount(x);
}
inline unsigned popc(uint64_t x)
{
    return (unsigned)__builtin_popcountll(x);
}
inline unsigned lowest_bit(uint32_t x)
{
    return (unsigned)__builtin_ctz(x);
}
inline unsigned highest_bit(uint32_t x)
{
    return 31u - (unsigned)__builtin_clz(x);
}

inline uint32_t byte_perm(uint32_t x, uint32_t y, uint32_t selector)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned nibble = selector >> 4 * i;
        const uint32_t byte = (uint32_t)(((uint64_t)y << 32 | x) >> 8 * (nibble & 7)) & 0xff;
        result |= byte << 8 * i;
    }
    return result;
}

inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t sum)
{
    for (unsigned i = 0; i < 32; i += 8)
        sum += (a >> i & 0xff) * (b >> i & 0xff);
    return sum;
}
inline int32_t dp4a(int32_t a, int32_t b, int32_t sum)
{
    uint32_t total = (uint32_t)sum;
    for (unsigned i = 0; i < 32; i += 8)
        total += (uint32_t)((int8_t)((uint32_t)a >> i) * (int8_t)((uint32_t)b >> i));
    return (int32_t)total;
}

inline uint32_t funnel_right(uint32_t low, uint32_t high, unsigned shift)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> shift % 32);
}
inline uint32_t funnel_left(uint32_t low, uint32_t high, unsigned shift)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << shift % 32 >> 32);
}

/* Compiled with -ffp-contract=off, and for SSE, where one operation is one rounding. */
inline float add_rn(float a, float b)
{
    return a + b;
}
inline float mul_rn(float a, float b)
{
    return a * b;
}
inline double add_rn(double a, double b)
{
    return a + b;
}
inline double mul_rn(double a, double b)
{
    return a * b;
}

inline bool sign_bit(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits >> 31;
}
inline float min_nan(float a, float b)
{
    return a != a ? a : b != b ? b : a < b || (a == b && sign_bit(a)) ? a : b;
}
inline float max_nan(float a, float b)
{
    return a != a ? a : b != b ? b : a > b || (a == b && sign_bit(b)) ? a : b;
}

inline float f16_to_f32(uint16_t bits)
{
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 0)
        return sign * (float)fraction * 0x1p-24f;
    if (exponent == 31)
        return fraction ? __builtin_nanf("") : sign * __builtin_inff();
    return sign * __builtin_ldexpf((float)(1024 + fraction), (int)exponent - 25);
}

inline uint16_t f32_to_f16(float value)
{
    const uint16_t sign = sign_bit(value) ? 0x8000 : 0;
    const float size = __builtin_fabsf(value);
    if (value != value)
        return 0x7fff;
    if (size >= 65520.0f) /* half way from the largest value to the next power */
        return sign | 0x7c00;
    /* The unit of the last place, then rintf rounds to nearest even; a carry runs into the exponent by itself. */
    const int exponent = size < 0x1p-14f ? -14 : __builtin_ilogbf(size);
    const unsigned units = (unsigned)__builtin_rintf(__builtin_ldexpf(size, 10 - exponent));
    return sign | (uint16_t)(exponent == -14 ? units : ((unsigned)(exponent + 14) << 10) + units);
}

inline uint16_t f32_to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return value != value ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace onepass

#endif
