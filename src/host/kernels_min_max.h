/* SPDX-License-Identifier: MIT */
/*
 * Minimum and maximum of two vectors, item by item, part of kernels.c: VECTOR_MIN_u8(vector type, x, y) and so on. C
 * has no operator for them and compilers do not find the instructions by themselves, which makes a factor of 3.
 */

/* Without an instruction: x where a comparison holds, whose mask is all ones there, else y. */
#define PICK(vector, x, y, mask) (((x) & (vector)(mask)) | ((y) & ~(vector)(mask)))
#define PICK_LESS(vector, x, y) PICK(vector, x, y, (x) < (y))
#define PICK_GREATER(vector, x, y) PICK(vector, x, y, (x) > (y))

#define BY_INSTRUCTION(name, vector, x, y) ((vector)name((__m128i)(x), (__m128i)(y)))

#if defined(__SSE4_1__)
#define VECTOR_MIN_u8(vector, x, y) BY_INSTRUCTION(_mm_min_epu8, vector, x, y)
#define VECTOR_MIN_u16(vector, x, y) BY_INSTRUCTION(_mm_min_epu16, vector, x, y)
#define VECTOR_MIN_u32(vector, x, y) BY_INSTRUCTION(_mm_min_epu32, vector, x, y)
#define VECTOR_MIN_i8(vector, x, y) BY_INSTRUCTION(_mm_min_epi8, vector, x, y)
#define VECTOR_MIN_i16(vector, x, y) BY_INSTRUCTION(_mm_min_epi16, vector, x, y)
#define VECTOR_MIN_i32(vector, x, y) BY_INSTRUCTION(_mm_min_epi32, vector, x, y)
#define VECTOR_MAX_u8(vector, x, y) BY_INSTRUCTION(_mm_max_epu8, vector, x, y)
#define VECTOR_MAX_u16(vector, x, y) BY_INSTRUCTION(_mm_max_epu16, vector, x, y)
#define VECTOR_MAX_u32(vector, x, y) BY_INSTRUCTION(_mm_max_epu32, vector, x, y)
#define VECTOR_MAX_i8(vector, x, y) BY_INSTRUCTION(_mm_max_epi8, vector, x, y)
#define VECTOR_MAX_i16(vector, x, y) BY_INSTRUCTION(_mm_max_epi16, vector, x, y)
#define VECTOR_MAX_i32(vector, x, y) BY_INSTRUCTION(_mm_max_epi32, vector, x, y)
#else
#define VECTOR_MIN_u8 PICK_LESS
#define VECTOR_MIN_u16 PICK_LESS
#define VECTOR_MIN_u32 PICK_LESS
#define VECTOR_MIN_i8 PICK_LESS
#define VECTOR_MIN_i16 PICK_LESS
#define VECTOR_MIN_i32 PICK_LESS
#define VECTOR_MAX_u8 PICK_GREATER
#define VECTOR_MAX_u16 PICK_GREATER
#define VECTOR_MAX_u32 PICK_GREATER
#define VECTOR_MAX_i8 PICK_GREATER
#define VECTOR_MAX_i16 PICK_GREATER
#define VECTOR_MAX_i32 PICK_GREATER
#endif

#if defined(__AVX512VL__)
#define VECTOR_MIN_u64(vector, x, y) BY_INSTRUCTION(_mm_min_epu64, vector, x, y)
#define VECTOR_MIN_i64(vector, x, y) BY_INSTRUCTION(_mm_min_epi64, vector, x, y)
#define VECTOR_MAX_u64(vector, x, y) BY_INSTRUCTION(_mm_max_epu64, vector, x, y)
#define VECTOR_MAX_i64(vector, x, y) BY_INSTRUCTION(_mm_max_epi64, vector, x, y)
#else
#define VECTOR_MIN_u64 PICK_LESS
#define VECTOR_MIN_i64 PICK_LESS
#define VECTOR_MAX_u64 PICK_GREATER
#define VECTOR_MAX_i64 PICK_GREATER
#endif
