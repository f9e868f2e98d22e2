/* SPDX-License-Identifier: MIT */
/*
 * Template, included once for each integer accumulator type: all operators whose order does not matter.
 * Parameters: ACC; SUFFIX, its name; IS_SIGNED_KEY, 1 for the signed types, which only MIN and MAX tell from unsigned
 * ones; LOWEST and HIGHEST, its range. Products are formed in a type that no promotion makes signed.
 */
#define NAME(x) JOIN(x, OPERATOR_SUFFIX)
#define JOIN(x, y) JOIN_EXPANDED(x, y)
#define JOIN_EXPANDED(x, y) x##_##y

#if !IS_SIGNED_KEY

#define OPERATOR_SUFFIX JOIN(sum, SUFFIX)
#define COMBINE(x, y) ((ACC)((x) + (y)))
#define COMBINE_VECTORS(x, y) ((x) + (y))
#define IDENTITY ((ACC)0)
#include "kernels_any_order.h"
#undef OPERATOR_SUFFIX
#undef COMBINE
#undef COMBINE_VECTORS
#undef IDENTITY

#define OPERATOR_SUFFIX JOIN(prod, SUFFIX)
#define COMBINE(x, y) ((ACC)((PRODUCT)(x) * (y)))
#define COMBINE_VECTORS(x, y) ((x) * (y))
#define IDENTITY ((ACC)1)
#include "kernels_any_order.h"
#undef OPERATOR_SUFFIX
#undef COMBINE
#undef COMBINE_VECTORS
#undef IDENTITY

#define OPERATOR_SUFFIX JOIN(and, SUFFIX)
#define COMBINE(x, y) ((ACC)((x) & (y)))
#define COMBINE_VECTORS(x, y) ((x) & (y))
#define IDENTITY ((ACC) ~(ACC)0)
#include "kernels_any_order.h"
#undef OPERATOR_SUFFIX
#undef COMBINE
#undef COMBINE_VECTORS
#undef IDENTITY

#define OPERATOR_SUFFIX JOIN(or, SUFFIX)
#define COMBINE(x, y) ((ACC)((x) | (y)))
#define COMBINE_VECTORS(x, y) ((x) | (y))
#define IDENTITY ((ACC)0)
#include "kernels_any_order.h"
#undef OPERATOR_SUFFIX
#undef COMBINE
#undef COMBINE_VECTORS
#undef IDENTITY

#define OPERATOR_SUFFIX JOIN(xor, SUFFIX)
#define COMBINE(x, y) ((ACC)((x) ^ (y)))
#define COMBINE_VECTORS(x, y) ((x) ^ (y))
#define IDENTITY ((ACC)0)
#include "kernels_any_order.h"
#undef OPERATOR_SUFFIX
#undef COMBINE
#undef COMBINE_VECTORS
#undef IDENTITY

#endif

#define OPERATOR_SUFFIX JOIN(min, SUFFIX)
#define COMBINE(x, y) ((x) < (y) ? (x) : (y))
#define COMBINE_VECTORS(x, y) JOIN(VECTOR_MIN, SUFFIX)(NAME(vector), (x), (y))
#define IDENTITY HIGHEST
#include "kernels_any_order.h"
#undef OPERATOR_SUFFIX
#undef COMBINE
#undef COMBINE_VECTORS
#undef IDENTITY

#define OPERATOR_SUFFIX JOIN(max, SUFFIX)
#define COMBINE(x, y) ((x) > (y) ? (x) : (y))
#define COMBINE_VECTORS(x, y) JOIN(VECTOR_MAX, SUFFIX)(NAME(vector), (x), (y))
#define IDENTITY LOWEST
#include "kernels_any_order.h"
#undef OPERATOR_SUFFIX
#undef COMBINE
#undef COMBINE_VECTORS
#undef IDENTITY

#undef NAME
#undef JOIN
#undef JOIN_EXPANDED
#undef ACC
#undef SUFFIX
#undef PRODUCT
#undef IS_SIGNED_KEY
#undef LOWEST
#undef HIGHEST
