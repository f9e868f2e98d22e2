/* SPDX-License-Identifier: MIT */
/*
 * The only list of types and operators. Tables of names and rules, kernel instances and test runs are made from these
 * three macros; the host's table of vector code (host/kernels.c) is held against them by test_kernels.
 *
 * TYPE(name, storage, size, class): class is INT (two's complement), UINT, or FLOAT.
 * OPERATOR(name, classes): classes is ANY, or INTEGER for the operators that floating types do not have.
 * OUTPUT(in, out): a pair of types that a scan or a reduction may have.
 */
#ifndef ONEPASS_SRC_TYPES_H
#define ONEPASS_SRC_TYPES_H

#include "onepass.h"

#include <stdbool.h>

#define ONEPASS_FOR_EACH_TYPE(TYPE) \
    TYPE(I8, int8_t, 1, INT)        \
    TYPE(U8, uint8_t, 1, UINT)      \
    TYPE(I16, int16_t, 2, INT)      \
    TYPE(U16, uint16_t, 2, UINT)    \
    TYPE(I32, int32_t, 4, INT)      \
    TYPE(U32, uint32_t, 4, UINT)    \
    TYPE(I64, int64_t, 8, INT)      \
    TYPE(U64, uint64_t, 8, UINT)    \
    TYPE(F16, uint16_t, 2, FLOAT)   \
    TYPE(BF16, uint16_t, 2, FLOAT)  \
    TYPE(F32, float, 4, FLOAT)      \
    TYPE(F64, double, 8, FLOAT)

#define ONEPASS_FOR_EACH_OPERATOR(OPERATOR) \
    OPERATOR(SUM, ANY)                      \
    OPERATOR(PROD, ANY)                     \
    OPERATOR(MIN, ANY)                      \
    OPERATOR(MAX, ANY)                      \
    OPERATOR(AND, INTEGER)                  \
    OPERATOR(OR, INTEGER)                   \
    OPERATOR(XOR, INTEGER)

#define ONEPASS_FOR_EACH_OUTPUT(OUTPUT)                                                                               \
    OUTPUT(I8, I8)                                                                                                    \
    OUTPUT(I8, I16)                                                                                                   \
    OUTPUT(I8, U16) OUTPUT(I8, I32) OUTPUT(I8, U32) OUTPUT(I8, I64) OUTPUT(I8, U64) OUTPUT(U8, U8) OUTPUT(U8, I16)    \
        OUTPUT(U8, U16) OUTPUT(U8, I32) OUTPUT(U8, U32) OUTPUT(U8, I64) OUTPUT(U8, U64) OUTPUT(I16, I16)              \
            OUTPUT(I16, I32) OUTPUT(I16, U32) OUTPUT(I16, I64) OUTPUT(I16, U64) OUTPUT(U16, U16) OUTPUT(U16, I32)     \
                OUTPUT(U16, U32) OUTPUT(U16, I64) OUTPUT(U16, U64) OUTPUT(I32, I32) OUTPUT(I32, I64) OUTPUT(I32, U64) \
                    OUTPUT(U32, U32) OUTPUT(U32, I64) OUTPUT(U32, U64) OUTPUT(I64, I64) OUTPUT(U64, U64)              \
                        OUTPUT(F16, F16) OUTPUT(F16, F32) OUTPUT(BF16, BF16) OUTPUT(BF16, F32) OUTPUT(F32, F32)       \
                            OUTPUT(F32, F64) OUTPUT(F64, F64)

/* One past the highest enumerator: the length of a table indexed by the enum. */
enum { num_types = ONEPASS_F64 + 1, num_operators = ONEPASS_XOR + 1 };

/* Whether the number is an enumerator. */
bool is_type(int type);
bool is_operator(int op);

/* The rest is for enumerators only. */
bool is_floating(onepass_type type);
bool is_signed(onepass_type type); /* I8 to I64 */
bool is_output(onepass_type in_type, onepass_type out_type);
bool is_defined(onepass_operator op, onepass_type type);

#endif
