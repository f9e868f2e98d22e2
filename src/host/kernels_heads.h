/* SPDX-License-Identifier: MIT */
/*
 * Heads of runs, part of kernels.c: the items that differ from the one before them. Each is compared with its neighbour
 * in memory, by integer arithmetic, so that no floating mode and no NaN payload matters.
 */

/* x and y differ as floating items: not the same bits, not both zeros, not both NaNs. Without their signs items compare
 * as signed numbers, for which there are vector instructions everywhere. */
#define DIFFER_FLOATING(type, signed_type)             \
    ((x != y) & (((x | y) & (type)(magnitude)) != 0) & \
     (((signed_type)(x & magnitude) <= infinity) | ((signed_type)(y & magnitude) <= infinity)))

/* name: the heads among 64 items, of which the one before the first is there. */
#define DEFINE_HEADS(name, type, signed_type, differ)                                                         \
    static inline uint64_t name##_64(const type *items, uint64_t infinity_bits)                               \
    {                                                                                                         \
        const type magnitude = (type)((type)-1 >> 1);                                                         \
        const signed_type infinity = (signed_type)infinity_bits;                                              \
        uint8_t is_head[64];                                                                                  \
        for (int i = 0; i < 64; i++) {                                                                        \
            const type x = items[i], y = items[i - 1];                                                        \
            is_head[i] = (differ) ? 255 : 0;                                                                  \
        }                                                                                                     \
        (void)magnitude, (void)infinity;                                                                      \
        return bits_of_bytes(is_head);                                                                        \
    }                                                                                                         \
    static void name(const void *items, size_t num_items, bool has_before, uint64_t infinity, uint64_t *bits) \
    {                                                                                                         \
        const type *at = items;                                                                               \
        for (size_t i = 0; i < num_items; i += 64) {                                                          \
            const size_t num = num_items - i < 64 ? num_items - i : 64;                                       \
            const bool has_one = i > 0 || has_before;                                                         \
            if (num == 64 && has_one) {                                                                       \
                bits[i / 64] = name##_64(at + i, infinity);                                                   \
                continue;                                                                                     \
            }                                                                                                 \
            type padded[65] = { 0 };                                                                          \
            memcpy(padded + !has_one, at + i - has_one, (num + has_one) * sizeof(type));                      \
            bits[i / 64] = (name##_64(padded + 1, infinity) | !has_one) & UINT64_MAX >> (64 - num);           \
        }                                                                                                     \
    }

DEFINE_HEADS(heads_8, uint8_t, int8_t, x != y)
DEFINE_HEADS(heads_16, uint16_t, int16_t, x != y)
DEFINE_HEADS(heads_32, uint32_t, int32_t, x != y)
DEFINE_HEADS(heads_64, uint64_t, int64_t, x != y)
DEFINE_HEADS(heads_float_16, uint16_t, int16_t, DIFFER_FLOATING(uint16_t, int16_t))
DEFINE_HEADS(heads_float_32, uint32_t, int32_t, DIFFER_FLOATING(uint32_t, int32_t))
DEFINE_HEADS(heads_float_64, uint64_t, int64_t, DIFFER_FLOATING(uint64_t, int64_t))
