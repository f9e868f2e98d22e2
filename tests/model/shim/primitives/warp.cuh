/* SPDX-License-Identifier: MIT */
/*
 * What lookback/descriptors.cuh uses of src/primitives/, on relacy's atomics, so that the kernels' own descriptors run
 * under it. The words of global memory are addresses only; what is stored at them is in `words`, and values that lie
 * apart, before them, are in `wide_values`. Orders are variables: a test may weaken those that the source asks for.
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

constexpr size_t num_words = 8, num_wide_values = 3;
inline uint64_t memory[3 * num_wide_values + num_words];
inline uint64_t *const addresses = memory + 3 * num_wide_values;
inline rl::atomic<uint64_t> *words;
inline rl::var<uint64_t> *wide_values;
inline uint32_t launch_epoch;
inline rl::memory_order acquire = rl::mo_acquire, release = rl::mo_release;

/* A value of 24 bytes. Where it lies in memory, copying it is an access that relacy sees: one number stands for all. */
struct wide_value {
    uint64_t number, others[2];

    wide_value(uint64_t n = 0) : number(n), others()
    {
    }
    wide_value(const wide_value &from) : number(from.read()), others()
    {
    }
    wide_value &operator=(const wide_value &from)
    {
        const uint64_t read = from.read();
        if (rl::var<uint64_t> *place = in_memory())
            (*place)(RL_INFO) = read;
        else
            number = read;
        return *this;
    }

  private:
    uint64_t read() const
    {
        rl::var<uint64_t> *place = in_memory();
        return place ? (uint64_t)(*place)(RL_INFO) : number;
    }
    rl::var<uint64_t> *in_memory() const
    {
        const uint64_t *here = &number;
        const bool is_inside = here >= memory && here < addresses;
        return is_inside ? &wide_values[(here - memory) / 3] : nullptr;
    }
};

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

/* Of a warp, one lane: it is the first of any. */
inline unsigned lane_idx()
{
    return 0;
}
inline unsigned lowest_bit(unsigned)
{
    return 0;
}
template <typename T> T shfl_idx(const T &value, unsigned)
{
    return value;
}

/* Who polls in vain lets others run: without that a search of all schedules would never end. */
inline uint64_t load_relaxed(const uint64_t *address)
{
    const uint64_t word = model::word_at(address).load(rl::mo_relaxed, RL_INFO);
    if (descriptor_status(word, model::launch_epoch) == STATUS_X)
        rl::yield(1, RL_INFO);
    return word;
}

inline uint64_t load_acquire(const uint64_t *address)
{
    const uint64_t word = model::word_at(address).load(model::acquire, RL_INFO);
    if (descriptor_status(word, model::launch_epoch) == STATUS_X)
        rl::yield(1, RL_INFO);
    return word;
}

inline void store_release(uint64_t *address, uint64_t word)
{
    model::word_at(address).store(word, model::release, RL_INFO);
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
