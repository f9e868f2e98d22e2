/* SPDX-License-Identifier: MIT */
/*
 * Vectors of the widest registers that the instruction set has, part of kernels.c: their sizes, and what C has no
 * operators for.
 */

/* F32_WIDTH, F64_WIDTH: accumulators in a vector.
 * WITH_ONE_NAN_F32(x), WITH_ONE_NAN_F64(x): x with the one NaN of outputs for each NaN. Compilers take 5 instructions
 * for it if it is written with operators, which halves the speed of a scan. STREAM_VECTOR(to, x): writes x past the
 * caches to a multiple of wide_bytes. */
#if defined(__AVX512F__)
enum { wide_bytes = 64 };
#define F32_WIDTH 16
#define F64_WIDTH 8
#define WITH_ONE_NAN_F32(x) \
    _mm512_mask_mov_ps(_mm512_set1_ps(f32_of_bits(F32_NAN)), _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x)
#define WITH_ONE_NAN_F64(x) \
    _mm512_mask_mov_pd(_mm512_set1_pd(f64_of_bits(F64_NAN)), _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x)
#define STREAM_VECTOR(to, x) _mm512_stream_si512((void *)(to), (__m512i)(x))
#elif defined(__AVX2__)
enum { wide_bytes = 32 };
#define F32_WIDTH 8
#define F64_WIDTH 4
#define WITH_ONE_NAN_F32(x) _mm256_blendv_ps(_mm256_set1_ps(f32_of_bits(F32_NAN)), x, _mm256_cmp_ps(x, x, _CMP_ORD_Q))
#define WITH_ONE_NAN_F64(x) _mm256_blendv_pd(_mm256_set1_pd(f64_of_bits(F64_NAN)), x, _mm256_cmp_pd(x, x, _CMP_ORD_Q))
#define STREAM_VECTOR(to, x) _mm256_stream_si256((__m256i *)(to), (__m256i)(x))
#else
enum { wide_bytes = 16 };
#define F32_WIDTH 4
#define F64_WIDTH 2
#define PICK_NUMBERS(vector, bits, x, nan) ((vector)PICK(bits, (bits)(x), (bits){ 0 } + (nan), (x) == (x)))
#define WITH_ONE_NAN_F32(x) PICK_NUMBERS(f32_vector, u32_vector, x, F32_NAN)
#define WITH_ONE_NAN_F64(x) PICK_NUMBERS(f64_vector, u64_vector, x, F64_NAN)
#if defined(__SSE2__)
#define STREAM_VECTOR(to, x) _mm_stream_si128((__m128i *)(to), (__m128i)(x))
#else
#define STREAM_VECTOR(to, x) memcpy(to, &(x), wide_bytes)
#endif
#endif

typedef float f32_vector __attribute__((vector_size(wide_bytes)));
typedef double f64_vector __attribute__((vector_size(wide_bytes)));
typedef uint32_t u32_vector __attribute__((vector_size(wide_bytes)));
typedef uint64_t u64_vector __attribute__((vector_size(wide_bytes)));

/* SHUFFLE(width, x, y, place, n): the vector whose accumulator i is the one at place(i, n) of x and y, one behind the
 * other. */
#if defined(__clang__)
#define SHUFFLE_OF(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else /* gcc has that one too, but not before its version 12 */
#define SHUFFLE_OF(x, y, ...) __builtin_shuffle(x, y, (NAME(places)){ __VA_ARGS__ })
#endif
#define SHUFFLE_2(x, y, p, n) SHUFFLE_OF(x, y, p(0, n), p(1, n))
#define SHUFFLE_4(x, y, p, n) SHUFFLE_OF(x, y, p(0, n), p(1, n), p(2, n), p(3, n))
#define SHUFFLE_8(x, y, p, n) SHUFFLE_OF(x, y, p(0, n), p(1, n), p(2, n), p(3, n), p(4, n), p(5, n), p(6, n), p(7, n))
#define SHUFFLE_16(x, y, p, n)                                                                                 \
    SHUFFLE_OF(x, y, p(0, n), p(1, n), p(2, n), p(3, n), p(4, n), p(5, n), p(6, n), p(7, n), p(8, n), p(9, n), \
               p(10, n), p(11, n), p(12, n), p(13, n), p(14, n), p(15, n))
#define SHUFFLE_EXPANDED(width, x, y, place, n) SHUFFLE_##width(x, y, place, n)
#define SHUFFLE(width, x, y, place, n) SHUFFLE_EXPANDED(width, x, y, place, n)

#define FROM(i, n) ((n) + (i))                           /* those from n on */
#define EVERY_SECOND(i, n) ((n) + 2 * (i))               /* n is 0 or 1 */
#define BY_TURNS(i, n) ((n) + (i) / 2 + (i) % 2 * WIDTH) /* x's from n on, after each of them y's */

/* memcpy past the caches, vector by vector (int64 with two threads: 34 ms with vectors of 16 bytes, 28 ms with 64,
 * which need not be put together to cache lines first; EPYC 9004, 2026-11-30). */
static void write_past_cache(void *dst, const void *src, size_t num_bytes)
{
    enum { small_bytes = 16 }; /* at the ends, so that two calls may share a line without a write that reads it */
    unsigned char *to = dst;
    const unsigned char *from = src;
    size_t done = 0;
#if defined(__SSE2__)
    size_t head = (size_t)(-(uintptr_t)to % small_bytes);
    done = head < num_bytes ? head : num_bytes;
    memcpy(to, from, done);
    for (size_t bytes; num_bytes - done >= small_bytes; done += bytes) {
        bool is_wide = (uintptr_t)(to + done) % wide_bytes == 0 && num_bytes - done >= wide_bytes;
        bytes = is_wide ? wide_bytes : small_bytes;
        if (is_wide) {
            u64_vector vector;
            memcpy(&vector, from + done, sizeof vector);
            STREAM_VECTOR(to + done, vector);
        } else {
            _mm_stream_si128((__m128i *)(to + done), _mm_loadu_si128((const __m128i *)(from + done)));
        }
    }
#endif
    memcpy(to + done, from + done, num_bytes - done);
}
