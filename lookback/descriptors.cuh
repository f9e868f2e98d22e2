/* SPDX-License-Identifier: MIT */
/*
 * Status descriptors in global memory: one value with its status and epoch, published once a launch.
 *
 * Values of up to 32 bits take one 64-bit word, as src/descriptor.h packs it. Values of 64 bits take 16 bytes: where
 * the machine moves them in one access, the value and a tag (a word whose value is 0); elsewhere two words that each
 * carry half of the value and their own status and epoch, read until both are of this epoch. A descriptor is written at
 * most once in an epoch, so two such words belong together.
 *
 * Relaxed accesses are enough: a value needs no other memory to make sense, and a tile reads no item of another tile.
 *
 * Values of any other size lie apart: the word, whose own value is 0, says whether the value is there. The value is
 * stored first, then the word with release; the word is read with acquire, and the value only if it is of this epoch.
 * Values have no epoch and are never cleared, so no word of one may ever be taken for a descriptor: they lie before the
 * descriptors, that of descriptor i at place i downwards, where one pointer finds both, however many there are.
 */
#ifndef ONEPASS_LOOKBACK_DESCRIPTORS_CUH
#define ONEPASS_LOOKBACK_DESCRIPTORS_CUH

#include "descriptor.h"
#include "primitives/warp.cuh"

namespace onepass
{

/* A pair of 64-bit values has two descriptors, one behind the other. */
template <typename T> constexpr bool is_pair = false;
template <> inline constexpr bool is_pair<u64x2> = true;

/* Whether a descriptor's value lies apart. */
template <typename T> constexpr bool is_value_apart = sizeof(T) != 4 && sizeof(T) != 8 && !is_pair<T>;

/* 64-bit words that a value's descriptor takes, or one of a pair's: the layout. */
template <typename T> constexpr unsigned descriptor_words = sizeof(T) == 8 || is_pair<T> ? 2 : 1;

/* A descriptor as it was read. value() is for who found it valid. */
template <typename T, bool apart = is_value_apart<T>> struct descriptor_image {
    uint64_t x, y; /* y: 64-bit values only */

    /* Whether it was published in this epoch. */
    ONEPASS_DEVICE bool is_valid(uint32_t epoch) const
    {
        if constexpr (descriptor_words<T> == 1)
            return descriptor_status(x, epoch) != STATUS_X;
        else if (has_relaxed_128)
            return descriptor_status(y, epoch) != STATUS_X;
        else
            return descriptor_status(x, epoch) != STATUS_X && descriptor_status(y, epoch) != STATUS_X;
    }

    ONEPASS_DEVICE T value() const
    {
        if constexpr (descriptor_words<T> == 1)
            return bits_as<T>(descriptor_value(x));
        else if (has_relaxed_128)
            return bits_as<T>(x);
        else
            return bits_as<T>((uint64_t)descriptor_value(y) << 32 | descriptor_value(x));
    }
};

template <typename T> struct descriptor_image<T, true> {
    uint64_t word;
    const T *place;

    ONEPASS_DEVICE bool is_valid(uint32_t epoch) const
    {
        return descriptor_status(word, epoch) != STATUS_X;
    }

    ONEPASS_DEVICE T value() const
    {
        return *place;
    }
};

template <> struct descriptor_image<u64x2, false> {
    descriptor_image<uint64_t> first, second;

    ONEPASS_DEVICE bool is_valid(uint32_t epoch) const
    {
        return first.is_valid(epoch) && second.is_valid(epoch);
    }
    ONEPASS_DEVICE u64x2 value() const
    {
        return { first.value(), second.value() };
    }
};

/* In every lane, the value of the first of `lanes`: those that found theirs valid. Nobody else's may be read, since it
 * may not be there yet. */
template <typename T> ONEPASS_DEVICE T value_of_first(const descriptor_image<T> &image, unsigned lanes)
{
    if constexpr (is_value_apart<T>) {
        T value = {};
        if (lane_idx() == lowest_bit(lanes))
            value = image.value();
        return shfl_idx(value, lowest_bit(lanes));
    } else {
        return shfl_idx(image.value(), lowest_bit(lanes));
    }
}

/* Where the value of a descriptor lies, if it lies apart. */
template <typename T> ONEPASS_DEVICE T *value_place(uint64_t *descriptors, uint64_t idx)
{
    return reinterpret_cast<T *>(descriptors) - 1 - idx;
}
template <typename T> ONEPASS_DEVICE const T *value_place(const uint64_t *descriptors, uint64_t idx)
{
    return reinterpret_cast<const T *>(descriptors) - 1 - idx;
}

/* A descriptor of two words. */
template <typename T> ONEPASS_DEVICE descriptor_image<T> read_two_words(const uint64_t *words)
{
    if (has_relaxed_128) {
        const u64x2 both = load_relaxed_128(reinterpret_cast<const u64x2 *>(words));
        return { both.x, both.y };
    }
    return { load_relaxed(words), load_relaxed(words + 1) };
}

template <typename T> ONEPASS_DEVICE descriptor_image<T> read_descriptor(const uint64_t *descriptors, uint64_t idx)
{
    [[maybe_unused]] const uint64_t *words = descriptors + idx * descriptor_words<T>;
    if constexpr (is_pair<T>)
        return { read_descriptor<uint64_t>(descriptors, 2 * idx), read_descriptor<uint64_t>(descriptors, 2 * idx + 1) };
    else if constexpr (is_value_apart<T>)
        return { load_acquire(words), value_place<T>(descriptors, idx) }; /* pairs with the release in publish */
    else if constexpr (descriptor_words<T> == 1)
        return { load_relaxed(words), 0 };
    else
        return read_two_words<T>(words);
}

template <typename T>
ONEPASS_DEVICE void publish(uint64_t *descriptors, uint64_t idx, T value, uint32_t epoch, unsigned status)
{
    [[maybe_unused]] uint64_t *words = descriptors + idx * descriptor_words<T>;
    if constexpr (is_pair<T>) {
        publish(descriptors, 2 * idx, value.x, epoch, status);
        publish(descriptors, 2 * idx + 1, value.y, epoch, status);
    } else if constexpr (is_value_apart<T>) {
        *value_place<T>(descriptors, idx) = value;
        store_release(words, descriptor_pack(0, epoch, status));
    } else if constexpr (descriptor_words<T> == 1) {
        store_relaxed(words, descriptor_pack(bits_as<uint32_t>(value), epoch, status));
    } else {
        const uint64_t bits = bits_as<uint64_t>(value);
        if (has_relaxed_128) {
            const u64x2 both = { bits, descriptor_pack(0, epoch, status) };
            store_relaxed_128(reinterpret_cast<u64x2 *>(words), both);
        } else {
            store_relaxed(words, descriptor_pack((uint32_t)bits, epoch, status));
            store_relaxed(words + 1, descriptor_pack((uint32_t)(bits >> 32), epoch, status));
        }
    }
}

/* One thread polls until the descriptor is there. */
template <typename T> ONEPASS_DEVICE T wait_for_descriptor(const uint64_t *descriptors, uint64_t idx, uint32_t epoch)
{
    for (;;) {
        const descriptor_image<T> image = read_descriptor<T>(descriptors, idx);
        if (image.is_valid(epoch))
            return image.value();
    }
}

} // namespace onepass

#endif
