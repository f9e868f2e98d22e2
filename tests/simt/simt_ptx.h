/* SPDX-License-Identifier: MIT */
/*
 * The wrappers of src/primitives/ptx.cuh, once more, on the emulator: same names, same contracts, which are told there.
 *
 * Included by ptx.cuh when ONEPASS_SIMT is defined. ONEPASS_SIMT_ARCH (900 or 800) says which machine it plays.
 */
#ifndef ONEPASS_TESTS_SIMT_SIMT_PTX_H
#define ONEPASS_TESTS_SIMT_SIMT_PTX_H

#include "simt.h"
#include "simt_ops.h"

#ifndef ONEPASS_SIMT_ARCH
#define ONEPASS_SIMT_ARCH 900
#endif

#define ONEPASS_DEVICE inline

namespace onepass
{

constexpr bool has_bulk_copy = ONEPASS_SIMT_ARCH >= 900;
constexpr bool has_relaxed_128 = ONEPASS_SIMT_ARCH >= 900;

inline unsigned lane_idx()
{
    return threadIdx.x % warp_threads;
}
inline unsigned warp_idx()
{
    return threadIdx.x / warp_threads;
}
inline void trap()
{
    simt::trap();
}

inline void require_sm90()
{
    if (ONEPASS_SIMT_ARCH < 900)
        simt::trap();
}

template <typename T> T &shared_memory()
{
    static_assert(alignof(T) <= 128, "dynamic shared memory is aligned to 128 bytes");
    return *static_cast<T *>(simt::shared(sizeof(T)));
}

/* ---------------------------------------------------------------------------------------------------- warps */

template <typename T> T meet_warp(simt::warp_op op, const T &value, unsigned source, unsigned mask)
{
    constexpr unsigned at_once = sizeof(simt::warp_request::value);
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &value, sizeof(T));
    for (unsigned done = 0; done < sizeof(T); done += at_once) { /* the machine takes 4 at once */
        const unsigned size = sizeof(T) - done < at_once ? (unsigned)sizeof(T) - done : at_once;
        simt::warp_request request = { op, size, mask, source, {} };
        memcpy(request.value, bytes + done, size);
        simt::meet_warp(request);
        memcpy(bytes + done, request.value, size);
    }
    T result;
    memcpy(&result, bytes, sizeof(T));
    return result;
}

template <typename T>
T shfl_up(const T &value, unsigned delta, bool &in_range, unsigned width = 32, unsigned mask = full_mask)
{
    in_range = lane_idx() % width >= delta;
    return meet_warp(simt::warp_op::shuffle, value, in_range ? lane_idx() - delta : lane_idx(), mask);
}

template <typename T> T shfl_idx(const T &value, unsigned source, unsigned width = 32, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::shuffle, value, lane_idx() / width * width + source % width, mask);
}

template <typename T> T shfl_xor(const T &value, unsigned lane_mask, unsigned width = 32, unsigned mask = full_mask)
{
    const unsigned source = lane_idx() ^ lane_mask;
    const bool inside = source / width <= lane_idx() / width; /* PTX: beyond the segment's last lane is out of range */
    return meet_warp(simt::warp_op::shuffle, value, inside ? source : lane_idx(), mask);
}

inline unsigned warp_ballot(bool predicate, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::ballot, (uint32_t)predicate, 0, mask);
}
inline bool warp_all(bool predicate, unsigned mask = full_mask)
{
    return warp_ballot(predicate, mask) == mask;
}
inline bool warp_any(bool predicate, unsigned mask = full_mask)
{
    return warp_ballot(predicate, mask) != 0;
}

inline unsigned match_any(uint32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::match, value, 0, mask);
}
inline unsigned match_any(uint64_t value, unsigned mask = full_mask)
{
    return (unsigned)meet_warp(simt::warp_op::match, value, 0, mask);
}

inline uint32_t redux_add(uint32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::add, value, 0, mask);
}
inline uint32_t redux_min(uint32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::min_unsigned, value, 0, mask);
}
inline uint32_t redux_max(uint32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::max_unsigned, value, 0, mask);
}
inline int32_t redux_min(int32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::min_signed, value, 0, mask);
}
inline int32_t redux_max(int32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::max_signed, value, 0, mask);
}
inline uint32_t redux_and(uint32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::bit_and, value, 0, mask);
}
inline uint32_t redux_or(uint32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::bit_or, value, 0, mask);
}
inline uint32_t redux_xor(uint32_t value, unsigned mask = full_mask)
{
    return meet_warp(simt::warp_op::bit_xor, value, 0, mask);
}

inline void syncwarp(unsigned mask = full_mask)
{
    meet_warp(simt::warp_op::sync, (uint32_t)0, 0, mask);
}
inline void syncthreads()
{
    simt::meet_all_threads();
}
inline void barrier_sync(unsigned id, unsigned num_threads)
{
    simt::meet_block(id, num_threads);
}
inline void sleep_ns(unsigned)
{
    simt::yield();
}

/* -------------------------------------------------------------------------------------------- global memory */

template <typename T> T load_word(const T *p, simt::order how)
{
    T value;
    simt::load(&value, p, sizeof(T), how);
    return value;
}

inline uint64_t load_relaxed(const uint64_t *p)
{
    return load_word(p, simt::order::relaxed);
}
inline uint64_t load_acquire(const uint64_t *p)
{
    return load_word(p, simt::order::acquire);
}
inline void store_relaxed(uint64_t *p, uint64_t value)
{
    simt::store(p, &value, 8, simt::order::relaxed);
}
inline void store_release(uint64_t *p, uint64_t value)
{
    simt::store(p, &value, 8, simt::order::release);
}

inline u64x2 load_relaxed_128(const u64x2 *p)
{
    require_sm90();
    return load_word(p, simt::order::relaxed);
}
inline void store_relaxed_128(u64x2 *p, u64x2 value)
{
    require_sm90();
    simt::store(p, &value, 16, simt::order::relaxed);
}
inline void store_release_128(u64x2 *p, u64x2 value)
{
    require_sm90();
    simt::store(p, &value, 16, simt::order::release);
}

inline uint64_t atomic_add_relaxed(uint64_t *p, uint64_t value)
{
    return simt::add(p, value, simt::order::relaxed);
}
inline uint64_t atomic_add_acq_rel(uint64_t *p, uint64_t value)
{
    return simt::add(p, value, simt::order::acq_rel);
}
inline void fence_acq_rel()
{
    simt::fence();
}

inline vec16 load_vec(const void *p)
{
    vec16 v;
    if (!simt::load_ordinary(&v, p, sizeof(v)))
        memcpy(&v, p, sizeof(v)); /* items of any type lie there */
    return v;
}
inline void store_vec(void *p, const vec16 &v)
{
    if (!simt::store_ordinary(p, &v, sizeof(v)))
        memcpy(p, &v, sizeof(v));
}
inline void store_vec_streaming(void *p, const vec16 &v)
{
    store_vec(p, v);
}

/* -------------------------------------------------------------------------- mbarriers and asynchronous copies
 * The word is read and written here, where the sanitizers watch, so that a use not ordered after the init is found. */

inline void mbar_init(mbarrier *bar, unsigned num_arrivals)
{
    bar->opaque = simt::mbar_init(bar, num_arrivals);
}
inline void fence_mbar_init()
{
}
inline void mbar_arrive(mbarrier *bar)
{
    simt::mbar_arrive(bar, bar->opaque, 0);
}
inline void mbar_arrive_expect_tx(mbarrier *bar, uint32_t num_bytes)
{
    require_sm90();
    simt::mbar_arrive(bar, bar->opaque, num_bytes);
}
inline bool mbar_try_wait(mbarrier *bar, unsigned parity)
{
    return simt::mbar_try_wait(bar, bar->opaque, parity);
}
inline void mbar_wait(mbarrier *bar, unsigned parity)
{
    simt::mbar_wait(bar, bar->opaque, parity);
}
inline void fence_proxy_async()
{
}

inline void bulk_load(void *shared_dst, const void *src, uint32_t num_bytes, mbarrier *bar)
{
    require_sm90();
    simt::copy_bulk(shared_dst, src, num_bytes, bar, bar->opaque);
}
inline void cp_async_16(void *shared_dst, const void *src)
{
    simt::copy_16(shared_dst, src);
}
inline void cp_async_mbar_arrive(mbarrier *bar)
{
    simt::arrive_after_copies(bar, bar->opaque);
}

inline void grid_dependency_wait()
{
    simt::wait_for_grid();
}
inline void grid_dependency_launch()
{
}

} // namespace onepass

#include "simt_bits.h"

#endif
