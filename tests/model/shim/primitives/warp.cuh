/* SPDX-License-Identifier: MIT */
/*
 * What lookback/descriptors.cuh uses of src/primitives/, on relacy's atomics, so that the kernels' own descriptors run
 * under it. The words of global memory are addresses only; what is stored at them is in `words`.
 *
 * Relacy has no 16-byte atomics. Two accesses take their place, as they would where the machine cannot do it in one.
 */
#ifndef ONEPASS_TESTS_MODEL_WARP_CUH
#define ONEPASS_TESTS_MODEL_WARP_CUH

#include <cstring>

#include "descriptor.h"

#include <relacy/relacy.hpp>

#define ONEPASS_DEVICE inline

namespace model
{

constexpr size_t num_words = 8;
inline uint64_t addresses[num_words];
inline rl::atomic<uint64_t> *words;
inline uint32_t launch_epoch;

inline rl::atomic<uint64_t> &word_at(const uint64_t *address)
{
    return words[address - addresses];
}

} // namespace model

namespace onepass
{

inline bool has_relaxed_128 = false;

struct u64x2 {
    uint64_t x, y;
};

template <typename To, typename From> To bits_as(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

/* Who polls in vain lets others run: without that a search of all schedules would never end. */
inline uint64_t load_relaxed(const uint64_t *address)
{
    const uint64_t word = model::word_at(address).load(rl::mo_relaxed, RL_INFO);
    if (descriptor_status(word, model::launch_epoch) == STATUS_X)
        rl::yield(1, RL_INFO);
    return word;
}

inline void store_relaxed(uint64_t *address, uint64_t word)
{
    model::word_at(address).store(word, rl::mo_relaxed, RL_INFO);
}

inline u64x2 load_relaxed_128(const u64x2 *address)
{
    const uint64_t *first = reinterpret_cast<const uint64_t *>(address);
    const uint64_t x = model::word_at(first).load(rl::mo_relaxed, RL_INFO);
    return { x, load_relaxed(first + 1) };
}

inline void store_relaxed_128(u64x2 *address, u64x2 both)
{
    uint64_t *first = reinterpret_cast<uint64_t *>(address);
    store_relaxed(first, both.x);
    store_relaxed(first + 1, both.y);
}

} // namespace onepass

#endif
