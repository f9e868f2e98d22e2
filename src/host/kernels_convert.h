/* SPDX-License-Identifier: MIT */
/*
 * Conversions between items and accumulators, part of kernels.c. Each is a loop without branches, so that compilers
 * turn it into vector code. The 16-bit ones use a floating operation where denormals come in, and so need the default
 * floating-point environment, which the backend sets.
 */

static inline uint32_t bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double f64_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define F32_INFINITY UINT32_C(0x7f800000)
#define F32_NAN UINT32_C(0x7fc00000)
#define F64_INFINITY UINT64_C(0x7ff0000000000000)
#define F64_NAN UINT64_C(0x7ff8000000000000)

static inline float f32_from_f32(float x)
{
    return x;
}

static inline double f64_from_f32(float x)
{
    return (double)x;
}

static inline double f64_from_f64(double x)
{
    return x;
}

/* Moved up to its place, an F16 is an F32 whose exponent is 112 too small; scaling by 2^112 is exact and makes its
 * denormals normal. Exponent 31 means infinity or NaN, and has to become 255. */
static inline float f32_from_f16(uint16_t half)
{
    uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
    uint32_t finite = bits_of_f32(f32_of_bits(magnitude) * 0x1p112f);
    uint32_t special = magnitude | F32_INFINITY;
    uint32_t bits = magnitude >= UINT32_C(0x0f800000) ? special : finite;
    return f32_of_bits(bits | (uint32_t)(half & 0x8000) << 16);
}

static inline float f32_from_bf16(uint16_t bfloat)
{
    return f32_of_bits((uint32_t)bfloat << 16);
}

static inline float f32_to_f32(float x)
{
    uint32_t bits = bits_of_f32(x);
    return f32_of_bits((bits & 0x7fffffff) > F32_INFINITY ? F32_NAN : bits);
}

static inline double f64_to_f64(double x)
{
    uint64_t bits = bits_of_f64(x);
    return f64_of_bits((bits & (UINT64_MAX >> 1)) > F64_INFINITY ? F64_NAN : bits);
}

/* To nearest even. Normal results: subtracting the bias difference and adding half a unit, less one for an even
 * quotient, lets the carry run into the exponent. Denormal results, below 2^-14: adding 0.5 makes the F32 addition
 * round at 2^-24, the unit of F16's denormals. From 65520 up: infinity. */
static inline uint16_t f16_from_f32(float x)
{
    uint32_t bits = bits_of_f32(x);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    uint32_t odd = magnitude >> 13 & 1;
    uint32_t normal = (magnitude - (UINT32_C(112) << 23) + 0xfff + odd) >> 13;
    uint32_t denormal = bits_of_f32(f32_of_bits(magnitude) + 0.5f) - UINT32_C(0x3f000000);
    uint32_t finite = magnitude < UINT32_C(0x38800000) ? denormal : normal;
    uint32_t half = magnitude >= UINT32_C(0x477ff000) ? 0x7c00 : finite;
    uint32_t signed_half = half | sign;
    return (uint16_t)(magnitude > F32_INFINITY ? 0x7e00 : signed_half);
}

static inline uint16_t bf16_from_f32(float x)
{
    uint32_t bits = bits_of_f32(x);
    uint32_t odd = bits >> 16 & 1;
    uint32_t rounded = (bits + 0x7fff + odd) >> 16; /* from the largest exponent the carry runs on to infinity */
    return (uint16_t)((bits & 0x7fffffff) > F32_INFINITY ? 0x7fc0 : rounded);
}

/* Keys: signed integers in the order of the floating values, NaN below (MIN) or above (MAX) all of them. Flipping the
 * magnitude of negative values is its own inverse. */
static inline uint32_t flip_f32(uint32_t bits)
{
    return bits ^ (0 - (bits >> 31)) >> 1;
}

static inline uint64_t flip_f64(uint64_t bits)
{
    return bits ^ (0 - (bits >> 63)) >> 1;
}

static inline uint32_t min_key_of_f32(float x)
{
    uint32_t bits = bits_of_f32(x);
    return (bits & 0x7fffffff) > F32_INFINITY ? UINT32_C(0x80000000) : flip_f32(bits);
}

static inline uint32_t max_key_of_f32(float x)
{
    uint32_t bits = bits_of_f32(x);
    return (bits & 0x7fffffff) > F32_INFINITY ? UINT32_C(0x7fffffff) : flip_f32(bits);
}

static inline uint64_t min_key_of_f64(double x)
{
    uint64_t bits = bits_of_f64(x);
    return (bits & (UINT64_MAX >> 1)) > F64_INFINITY ? UINT64_C(1) << 63 : flip_f64(bits);
}

static inline uint64_t max_key_of_f64(double x)
{
    uint64_t bits = bits_of_f64(x);
    return (bits & (UINT64_MAX >> 1)) > F64_INFINITY ? UINT64_MAX >> 1 : flip_f64(bits);
}

static inline float f32_of_key(uint32_t key)
{
    return f32_to_f32(f32_of_bits(flip_f32(key)));
}

static inline double f64_of_key(uint64_t key)
{
    return f64_to_f64(f64_of_bits(flip_f64(key)));
}

/* name: for each item of type `from`, dst = expression of x. */
#define DEFINE_CONVERSION(name, from, to, expression)              \
    static void name(const void *src, void *dst, size_t num_items) \
    {                                                              \
        const from *restrict items = src;                          \
        to *restrict converted = dst;                              \
        for (size_t i = 0; i < num_items; i++) {                   \
            const from x = items[i];                               \
            converted[i] = (to)(expression);                       \
        }                                                          \
    }

DEFINE_CONVERSION(copy_8, uint8_t, uint8_t, x)
DEFINE_CONVERSION(copy_16, uint16_t, uint16_t, x)
DEFINE_CONVERSION(copy_32, uint32_t, uint32_t, x)
DEFINE_CONVERSION(copy_64, uint64_t, uint64_t, x)
DEFINE_CONVERSION(i8_to_16, int8_t, uint16_t, x)
DEFINE_CONVERSION(i8_to_32, int8_t, uint32_t, x)
DEFINE_CONVERSION(i8_to_64, int8_t, uint64_t, x)
DEFINE_CONVERSION(u8_to_16, uint8_t, uint16_t, x)
DEFINE_CONVERSION(u8_to_32, uint8_t, uint32_t, x)
DEFINE_CONVERSION(u8_to_64, uint8_t, uint64_t, x)
DEFINE_CONVERSION(i16_to_32, int16_t, uint32_t, x)
DEFINE_CONVERSION(i16_to_64, int16_t, uint64_t, x)
DEFINE_CONVERSION(u16_to_32, uint16_t, uint32_t, x)
DEFINE_CONVERSION(u16_to_64, uint16_t, uint64_t, x)
DEFINE_CONVERSION(i32_to_64, int32_t, uint64_t, x)
DEFINE_CONVERSION(u32_to_64, uint32_t, uint64_t, x)

#if defined(__F16C__)

/* By the processor's instructions, which keep denormals whatever the mode; to nearest even is in the instruction. */
static void load_f16(const void *src, void *dst, size_t num_items)
{
    const uint16_t *items = src;
    float *converted = dst;
    size_t i = 0;
    for (; i + 8 <= num_items; i += 8)
        _mm256_storeu_ps(converted + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(items + i))));
    for (; i < num_items; i++)
        converted[i] = f32_from_f16(items[i]);
}

static void store_f16(const void *src, void *dst, size_t num_items)
{
    const float *items = src;
    uint16_t *converted = dst;
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32((int)F32_NAN));
    size_t i = 0;
    for (; i + 8 <= num_items; i += 8) {
        __m256 x = _mm256_loadu_ps(items + i);
        x = _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q)); /* the one NaN, which becomes F16's */
        _mm_storeu_si128((__m128i *)(converted + i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
    for (; i < num_items; i++)
        converted[i] = f16_from_f32(items[i]);
}

#else
DEFINE_CONVERSION(load_f16, uint16_t, float, f32_from_f16(x))
DEFINE_CONVERSION(store_f16, float, uint16_t, f16_from_f32(x))
#endif

DEFINE_CONVERSION(load_bf16, uint16_t, float, f32_from_bf16(x))
DEFINE_CONVERSION(load_f32, float, float, f32_from_f32(x))
DEFINE_CONVERSION(load_f32_wide, float, double, f64_from_f32(x))
DEFINE_CONVERSION(load_f64, double, double, f64_from_f64(x))
DEFINE_CONVERSION(store_bf16, float, uint16_t, bf16_from_f32(x))
DEFINE_CONVERSION(store_f32, float, float, f32_to_f32(x))
DEFINE_CONVERSION(store_f64, double, double, f64_to_f64(x))

DEFINE_CONVERSION(load_min_f16, uint16_t, uint32_t, min_key_of_f32(f32_from_f16(x)))
DEFINE_CONVERSION(load_min_bf16, uint16_t, uint32_t, min_key_of_f32(f32_from_bf16(x)))
DEFINE_CONVERSION(load_min_f32, float, uint32_t, min_key_of_f32(x))
DEFINE_CONVERSION(load_min_f32_wide, float, uint64_t, min_key_of_f64(f64_from_f32(x)))
DEFINE_CONVERSION(load_min_f64, double, uint64_t, min_key_of_f64(x))
DEFINE_CONVERSION(load_max_f16, uint16_t, uint32_t, max_key_of_f32(f32_from_f16(x)))
DEFINE_CONVERSION(load_max_bf16, uint16_t, uint32_t, max_key_of_f32(f32_from_bf16(x)))
DEFINE_CONVERSION(load_max_f32, float, uint32_t, max_key_of_f32(x))
DEFINE_CONVERSION(load_max_f32_wide, float, uint64_t, max_key_of_f64(f64_from_f32(x)))
DEFINE_CONVERSION(load_max_f64, double, uint64_t, max_key_of_f64(x))
DEFINE_CONVERSION(store_key_f16, uint32_t, uint16_t, f16_from_f32(f32_of_key(x)))
DEFINE_CONVERSION(store_key_bf16, uint32_t, uint16_t, bf16_from_f32(f32_of_key(x)))
DEFINE_CONVERSION(store_key_f32, uint32_t, float, f32_of_key(x))
DEFINE_CONVERSION(store_key_f64, uint64_t, double, f64_of_key(x))

/* name: dst = src from the last item to the first. */
#define DEFINE_REVERSAL(name, type)                                \
    static void name(const void *src, void *dst, size_t num_items) \
    {                                                              \
        const type *restrict items = src;                          \
        type *restrict reversed = dst;                             \
        for (size_t i = 0; i < num_items; i++)                     \
            reversed[i] = items[num_items - 1 - i];                \
    }

DEFINE_REVERSAL(reverse_8, uint8_t)
DEFINE_REVERSAL(reverse_16, uint16_t)
DEFINE_REVERSAL(reverse_32, uint32_t)
DEFINE_REVERSAL(reverse_64, uint64_t)
