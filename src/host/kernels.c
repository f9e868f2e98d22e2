/* SPDX-License-Identifier: MIT */
/*
 * Compiled once for each instruction set, with HOST_ISA as its name (generic, avx2, avx512) and with the compiler flags
 * that allow its instructions; everything here but the table is static. See kernels.h.
 */
#include "kernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef uint8_t byte_vector __attribute__((vector_size(vector_bytes)));

/* SHIFT_IN(distance, earlier, later): the vector that ends `distance` bytes (1, 2, 4, 8) before the end of `later`,
 * where `earlier` stands before it. */
#if defined(__SSSE3__)
#define SHIFT_IN(distance, earlier, later) \
    (byte_vector) _mm_alignr_epi8((__m128i)(later), (__m128i)(earlier), vector_bytes - (distance))
#elif defined(__SSE2__)
#define SHIFT_IN(distance, earlier, later)                                                    \
    (byte_vector) _mm_or_si128(_mm_srli_si128((__m128i)(earlier), vector_bytes - (distance)), \
                               _mm_slli_si128((__m128i)(later), (distance)))
#else
static inline byte_vector SHIFT_IN(int distance, byte_vector earlier, byte_vector later)
{
    byte_vector both[2] = { earlier, later }, shifted;
    memcpy(&shifted, (unsigned char *)both + vector_bytes - distance, sizeof shifted);
    return shifted;
}
#endif

#include "kernels_convert.h"
#include "kernels_min_max.h"
#include "kernels_select.h"
#include "kernels_heads.h"
#include "kernels_vectors.h"

#define ACC uint8_t
#define SUFFIX u8
#define PRODUCT unsigned
#define IS_SIGNED_KEY 0
#define LOWEST 0
#define HIGHEST UINT8_MAX
#include "kernels_operators.h"

#define ACC uint16_t
#define SUFFIX u16
#define PRODUCT unsigned
#define IS_SIGNED_KEY 0
#define LOWEST 0
#define HIGHEST UINT16_MAX
#include "kernels_operators.h"

#define ACC uint32_t
#define SUFFIX u32
#define PRODUCT uint32_t
#define IS_SIGNED_KEY 0
#define LOWEST 0
#define HIGHEST UINT32_MAX
#include "kernels_operators.h"

#define ACC uint64_t
#define SUFFIX u64
#define PRODUCT uint64_t
#define IS_SIGNED_KEY 0
#define LOWEST 0
#define HIGHEST UINT64_MAX
#include "kernels_operators.h"

#define ACC int8_t
#define SUFFIX i8
#define IS_SIGNED_KEY 1
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#include "kernels_operators.h"

#define ACC int16_t
#define SUFFIX i16
#define IS_SIGNED_KEY 1
#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#include "kernels_operators.h"

#define ACC int32_t
#define SUFFIX i32
#define IS_SIGNED_KEY 1
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#include "kernels_operators.h"

#define ACC int64_t
#define SUFFIX i64
#define IS_SIGNED_KEY 1
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#include "kernels_operators.h"

/* Floating SUM and PROD: accumulator type, items in a lane. */
#define ROW_SUM(x, y) ((x) + (y))
#define ROW_PROD(x, y) ((x) * (y))

#define ACC float
#define BITS uint32_t
#define VECTOR f32_vector
#define WIDTH F32_WIDTH
#define WITH_ONE_NAN WITH_ONE_NAN_F32
#define LANE_ITEMS 4
#define COMBINE ROW_SUM
#define NOTHING -0.0f
#define NAME(x) x##_sum_f32_4
#include "kernels_row_order.h"
#undef COMBINE
#undef NOTHING
#undef NAME
#define COMBINE ROW_PROD
#define NOTHING 1.0f
#define NAME(x) x##_prod_f32_4
#include "kernels_row_order.h"
#undef LANE_ITEMS
#undef NAME
#define LANE_ITEMS 8
#define NAME(x) x##_prod_f32_8
#include "kernels_row_order.h"
#undef COMBINE
#undef NOTHING
#undef NAME
#define COMBINE ROW_SUM
#define NOTHING -0.0f
#define NAME(x) x##_sum_f32_8
#include "kernels_row_order.h"
#undef ACC
#undef BITS
#undef VECTOR
#undef WIDTH
#undef WITH_ONE_NAN
#undef LANE_ITEMS
#undef NOTHING
#undef NAME

#define ACC double
#define BITS uint64_t
#define VECTOR f64_vector
#define WIDTH F64_WIDTH
#define WITH_ONE_NAN WITH_ONE_NAN_F64
#define LANE_ITEMS 4
#define NOTHING -0.0
#define NAME(x) x##_sum_f64_4
#include "kernels_row_order.h"
#undef COMBINE
#undef NOTHING
#undef NAME
#define COMBINE ROW_PROD
#define NOTHING 1.0
#define NAME(x) x##_prod_f64_4
#include "kernels_row_order.h"
#undef LANE_ITEMS
#undef NAME
#define LANE_ITEMS 2
#define NAME(x) x##_prod_f64_2
#include "kernels_row_order.h"
#undef COMBINE
#undef NOTHING
#undef NAME
#define COMBINE ROW_SUM
#define NOTHING -0.0
#define NAME(x) x##_sum_f64_2
#include "kernels_row_order.h"

/* Operators that do not tell signed from unsigned, and those that do. */
#define EITHER_SIGN(member, op)                                                                                        \
    {                                                                                                                  \
        [ONEPASS_I8] = member##_##op##_u8, [ONEPASS_U8] = member##_##op##_u8, [ONEPASS_I16] = member##_##op##_u16,     \
        [ONEPASS_U16] = member##_##op##_u16, [ONEPASS_I32] = member##_##op##_u32, [ONEPASS_U32] = member##_##op##_u32, \
        [ONEPASS_I64] = member##_##op##_u64, [ONEPASS_U64] = member##_##op##_u64,                                      \
    }
#define BY_SIGN(member, op)                                                                                            \
    {                                                                                                                  \
        [ONEPASS_I8] = member##_##op##_i8, [ONEPASS_U8] = member##_##op##_u8, [ONEPASS_I16] = member##_##op##_i16,     \
        [ONEPASS_U16] = member##_##op##_u16, [ONEPASS_I32] = member##_##op##_i32, [ONEPASS_U32] = member##_##op##_u32, \
        [ONEPASS_I64] = member##_##op##_i64, [ONEPASS_U64] = member##_##op##_u64,                                      \
    }
#define ALL_OPERATORS(member)                                                                 \
    {                                                                                         \
        [ONEPASS_SUM] = EITHER_SIGN(member, sum), [ONEPASS_PROD] = EITHER_SIGN(member, prod), \
        [ONEPASS_MIN] = BY_SIGN(member, min), [ONEPASS_MAX] = BY_SIGN(member, max),           \
        [ONEPASS_AND] = EITHER_SIGN(member, and), [ONEPASS_OR] = EITHER_SIGN(member, or),     \
        [ONEPASS_XOR] = EITHER_SIGN(member, xor),                                             \
    }
#define ROWS(member, op)                                                              \
    {                                                                                 \
        [ONEPASS_F32] = { [2] = member##_##op##_f32_4, [3] = member##_##op##_f32_8 }, \
        [ONEPASS_F64] = { [1] = member##_##op##_f64_2, [2] = member##_##op##_f64_4 }, \
    }
/* Integers to integers of 16, 32, 64 bits. */
#define TO_16(from) [ONEPASS_I16] = from##_to_16, [ONEPASS_U16] = from##_to_16
#define TO_32(from) [ONEPASS_I32] = from##_to_32, [ONEPASS_U32] = from##_to_32
#define TO_64(from) [ONEPASS_I64] = from##_to_64, [ONEPASS_U64] = from##_to_64

#define TABLE_OF(isa) TABLE_OF_EXPANDED(isa)
#define TABLE_OF_EXPANDED(isa) host_kernels_##isa

const struct host_kernels TABLE_OF(HOST_ISA) = {
    .load =
        {
            [ONEPASS_I8] = {[ONEPASS_I8] = copy_8, TO_16(i8), TO_32(i8), TO_64(i8)},
            [ONEPASS_U8] = {[ONEPASS_U8] = copy_8, TO_16(u8), TO_32(u8), TO_64(u8)},
            [ONEPASS_I16] = {[ONEPASS_I16] = copy_16, TO_32(i16), TO_64(i16)},
            [ONEPASS_U16] = {[ONEPASS_U16] = copy_16, TO_32(u16), TO_64(u16)},
            [ONEPASS_I32] = {[ONEPASS_I32] = copy_32, TO_64(i32)},
            [ONEPASS_U32] = {[ONEPASS_U32] = copy_32, TO_64(u32)},
            [ONEPASS_I64] = {[ONEPASS_I64] = copy_64},
            [ONEPASS_U64] = {[ONEPASS_U64] = copy_64},
            [ONEPASS_F16] = {[ONEPASS_F32] = load_f16},
            [ONEPASS_BF16] = {[ONEPASS_F32] = load_bf16},
            [ONEPASS_F32] = {[ONEPASS_F32] = load_f32, [ONEPASS_F64] = load_f32_wide},
            [ONEPASS_F64] = {[ONEPASS_F64] = load_f64},
        },
    .load_key =
        {
            {
                [ONEPASS_F16] = {[ONEPASS_I32] = load_min_f16},
                [ONEPASS_BF16] = {[ONEPASS_I32] = load_min_bf16},
                [ONEPASS_F32] = {[ONEPASS_I32] = load_min_f32, [ONEPASS_I64] = load_min_f32_wide},
                [ONEPASS_F64] = {[ONEPASS_I64] = load_min_f64},
            },
            {
                [ONEPASS_F16] = {[ONEPASS_I32] = load_max_f16},
                [ONEPASS_BF16] = {[ONEPASS_I32] = load_max_bf16},
                [ONEPASS_F32] = {[ONEPASS_I32] = load_max_f32, [ONEPASS_I64] = load_max_f32_wide},
                [ONEPASS_F64] = {[ONEPASS_I64] = load_max_f64},
            },
        },
    .store =
        {
            [ONEPASS_F32] = {[ONEPASS_F16] = store_f16, [ONEPASS_BF16] = store_bf16, [ONEPASS_F32] = store_f32},
            [ONEPASS_F64] = {[ONEPASS_F64] = store_f64},
        },
    .store_key =
        {
            [ONEPASS_I32] = {[ONEPASS_F16] = store_key_f16,
                             [ONEPASS_BF16] = store_key_bf16,
                             [ONEPASS_F32] = store_key_f32},
            [ONEPASS_I64] = {[ONEPASS_F64] = store_key_f64},
        },
    .reverse = {reverse_8, reverse_16, reverse_32, reverse_64},
    .combine = ALL_OPERATORS(combine),
    .scan = ALL_OPERATORS(scan),
    .reduce = ALL_OPERATORS(reduce),
    .combine_rows = {[ONEPASS_SUM] = ROWS(combine, sum), [ONEPASS_PROD] = ROWS(combine, prod)},
    .scan_rows = {[ONEPASS_SUM] = ROWS(scan, sum), [ONEPASS_PROD] = ROWS(scan, prod)},
    .reduce_rows = {[ONEPASS_SUM] = ROWS(reduce, sum), [ONEPASS_PROD] = ROWS(reduce, prod)},
    .keep = {{keep_8, keep_16, keep_32, keep_64}, {NULL, keep_float_16, keep_float_32, keep_float_64}},
    .heads = {{heads_8, heads_16, heads_32, heads_64}, {NULL, heads_float_16, heads_float_32, heads_float_64}},
    .compact = {compact_8, compact_16, compact_32, compact_64, compact_128},
    .write_past_cache = write_past_cache,
};
