/* SPDX-License-Identifier: MIT */
/*
 * Predicates and compaction, part of kernels.c. What is decided of an item is decided once and kept as a bit;
 * compaction knows only bits and item sizes.
 */

/* ------------------------------------------------------------------------------------------- predicates */

/* One bit for each of 64 bytes that are 0 or 255. */
static inline uint64_t bits_of_bytes(const uint8_t *bytes)
{
#if defined(__AVX512BW__)
    return _mm512_movepi8_mask(_mm512_loadu_si512(bytes));
#elif defined(__SSE2__)
    uint64_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        __m128i quarter = _mm_loadu_si128((const __m128i *)(bytes + 16 * i));
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(quarter) << 16 * i;
    }
    return bits;
#else
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t eight;
        memcpy(&eight, bytes + 8 * i, sizeof eight);
        /* The product moves bit 0 of byte j to bit 56 + j, and nothing else reaches the top byte. */
        bits |= (eight & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
    }
    return bits;
#endif
}

/* name: the range test of predicate.h on up to 64 items, which are whole or copied to a padded place. */
#define DEFINE_KEEP(name, type, key)                                                                     \
    static inline uint64_t name##_64(const type *restrict items, const struct range_test *test)          \
    {                                                                                                    \
        const type mask = (type)test->mask, low = (type)test->low, span = (type)test->span;              \
        uint8_t kept[64];                                                                                \
        for (int i = 0; i < 64; i++) {                                                                   \
            const type x = items[i];                                                                     \
            kept[i] = (type)(((key)&mask) - low) <= span ? 255 : 0;                                      \
        }                                                                                                \
        return bits_of_bytes(kept) ^ (test->negate ? UINT64_MAX : 0);                                    \
    }                                                                                                    \
    static void name(const void *items, size_t num_items, const struct range_test *test, uint64_t *bits) \
    {                                                                                                    \
        const type *at = items;                                                                          \
        size_t num_whole = num_items / 64;                                                               \
        for (size_t i = 0; i < num_whole; i++)                                                           \
            bits[i] = name##_64(at + 64 * i, test);                                                      \
        if (num_items % 64 != 0) {                                                                       \
            type padded[64] = { 0 };                                                                     \
            memcpy(padded, at + 64 * num_whole, num_items % 64 * sizeof(type));                          \
            bits[num_whole] = name##_64(padded, test) & (UINT64_MAX >> (64 - num_items % 64));           \
        }                                                                                                \
    }

DEFINE_KEEP(keep_8, uint8_t, x)
DEFINE_KEEP(keep_16, uint16_t, x)
DEFINE_KEEP(keep_32, uint32_t, x)
DEFINE_KEEP(keep_64, uint64_t, x)
DEFINE_KEEP(keep_float_16, uint16_t, x ^ ((x >> 15) * 0x7fff))
DEFINE_KEEP(keep_float_32, uint32_t, flip_f32(x))
DEFINE_KEEP(keep_float_64, uint64_t, flip_f64(x))

/* ------------------------------------------------------------------------------------------- compaction */

/* Payload of 16 bytes: it is moved and never looked at. */
struct item_128 {
    uint64_t low, high;
};

#if defined(__AVX512VBMI2__)

/* name: compress by the processor's own instruction, a vector of `width` items at a time. */
#define DEFINE_COMPACT_64(name, type, width, mask, compress)                         \
    static inline type *name(const type *items, uint64_t bits, type *out)            \
    {                                                                                \
        for (int i = 0; i < 64; i += width) {                                        \
            mask kept = (mask)(bits >> i);                                           \
            _mm512_storeu_si512(out, compress(kept, _mm512_loadu_si512(items + i))); \
            out += __builtin_popcountll(kept);                                       \
        }                                                                            \
        return out;                                                                  \
    }

DEFINE_COMPACT_64(compact_8_64, uint8_t, 64, __mmask64, _mm512_maskz_compress_epi8)
DEFINE_COMPACT_64(compact_16_64, uint16_t, 32, __mmask32, _mm512_maskz_compress_epi16)
DEFINE_COMPACT_64(compact_32_64, uint32_t, 16, __mmask16, _mm512_maskz_compress_epi32)
DEFINE_COMPACT_64(compact_64_64, uint64_t, 8, __mmask8, _mm512_maskz_compress_epi64)

static inline struct item_128 *compact_128_64(const struct item_128 *items, uint64_t bits, struct item_128 *out)
{
    for (int i = 0; i < 64; i += 4) {
        unsigned kept = bits >> i & 15;
        __mmask8 halves = (__mmask8)(_pdep_u32(kept, 0x55) * 3);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(halves, _mm512_loadu_si512(items + i)));
        out += __builtin_popcount(kept);
    }
    return out;
}

#elif defined(__AVX2__) && defined(__BMI2__)

/* The positions of the bits that are set, a byte each, lowest first. */
static inline uint64_t positions_of_bits(uint64_t eight_bits)
{
    uint64_t bytes = _pdep_u64(eight_bits, UINT64_C(0x0101010101010101)) * 255;
    return _pext_u64(UINT64_C(0x0706050403020100), bytes);
}

static inline uint8_t *compact_8_64(const uint8_t *items, uint64_t bits, uint8_t *out)
{
    for (int i = 0; i < 64; i += 8) {
        uint64_t kept = bits >> i & 255;
        uint64_t eight;
        memcpy(&eight, items + i, sizeof eight);
        eight = _pext_u64(eight, _pdep_u64(kept, UINT64_C(0x0101010101010101)) * 255);
        memcpy(out, &eight, sizeof eight);
        out += __builtin_popcountll(kept);
    }
    return out;
}

static inline uint16_t *compact_16_64(const uint16_t *items, uint64_t bits, uint16_t *out)
{
    for (int i = 0; i < 64; i += 8) {
        uint64_t kept = bits >> i & 255;
        __m128i positions = _mm_cvtepu8_epi16(_mm_cvtsi64_si128((long long)positions_of_bits(kept)));
        /* Item p is bytes 2p and 2p + 1. */
        __m128i bytes = _mm_add_epi16(_mm_mullo_epi16(positions, _mm_set1_epi16(0x0202)), _mm_set1_epi16(0x0100));
        __m128i eight = _mm_loadu_si128((const __m128i *)(items + i));
        _mm_storeu_si128((__m128i *)out, _mm_shuffle_epi8(eight, bytes));
        out += __builtin_popcountll(kept);
    }
    return out;
}

static inline __m256i permute_32(const void *items, uint64_t eight_bits)
{
    __m256i positions = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)positions_of_bits(eight_bits)));
    return _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)items), positions);
}

static inline uint32_t *compact_32_64(const uint32_t *items, uint64_t bits, uint32_t *out)
{
    for (int i = 0; i < 64; i += 8) {
        uint64_t kept = bits >> i & 255;
        _mm256_storeu_si256((__m256i *)out, permute_32(items + i, kept));
        out += __builtin_popcountll(kept);
    }
    return out;
}

static inline struct item_128 *compact_128_64(const struct item_128 *items, uint64_t bits, struct item_128 *out)
{
    for (int i = 0; i < 64; i += 2) {
        uint64_t kept = bits >> i & 3;
        uint64_t quarters = _pdep_u64(kept, 0x11) * 15;
        _mm256_storeu_si256((__m256i *)out, permute_32(items + i, quarters));
        out += __builtin_popcountll(kept);
    }
    return out;
}

static inline uint64_t *compact_64_64(const uint64_t *items, uint64_t bits, uint64_t *out)
{
    for (int i = 0; i < 64; i += 4) {
        uint64_t kept = bits >> i & 15;
        uint64_t halves = _pdep_u64(kept, 0x55) * 3; /* an item is two 32-bit halves */
        _mm256_storeu_si256((__m256i *)out, permute_32(items + i, halves));
        out += __builtin_popcountll(kept);
    }
    return out;
}

#else

/* name: every item is written, and the next one over it unless it is kept: no branch that depends on the data. */
#define DEFINE_COMPACT_64(name, type)                                     \
    static inline type *name(const type *items, uint64_t bits, type *out) \
    {                                                                     \
        for (int i = 0; i < 64; i++) {                                    \
            *out = items[i];                                              \
            out += bits >> i & 1;                                         \
        }                                                                 \
        return out;                                                       \
    }

DEFINE_COMPACT_64(compact_8_64, uint8_t)
DEFINE_COMPACT_64(compact_16_64, uint16_t)
DEFINE_COMPACT_64(compact_32_64, uint32_t)
DEFINE_COMPACT_64(compact_64_64, uint64_t)
DEFINE_COMPACT_64(compact_128_64, struct item_128)

#endif

/* name: groups of 64 items; the last one is copied to a place where it may be read as a whole. */
#define DEFINE_COMPACT(name, type)                                                           \
    static size_t name(const void *items, size_t num_items, const uint64_t *bits, void *out) \
    {                                                                                        \
        const type *at = items;                                                              \
        type *end = out;                                                                     \
        size_t num_whole = num_items / 64;                                                   \
        for (size_t i = 0; i < num_whole; i++)                                               \
            end = name##_64(at + 64 * i, bits[i], end);                                      \
        if (num_items % 64 != 0) {                                                           \
            type padded[64] = { 0 };                                                         \
            memcpy(padded, at + 64 * num_whole, num_items % 64 * sizeof(type));              \
            end = name##_64(padded, bits[num_whole], end);                                   \
        }                                                                                    \
        return (size_t)(end - (type *)out);                                                  \
    }

DEFINE_COMPACT(compact_8, uint8_t)
DEFINE_COMPACT(compact_16, uint16_t)
DEFINE_COMPACT(compact_32, uint32_t)
DEFINE_COMPACT(compact_64, uint64_t)
DEFINE_COMPACT(compact_128, struct item_128)
