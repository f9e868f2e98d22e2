/* SPDX-License-Identifier: MIT */
/*
 * Every machine instruction that C++ has no word for, one small wrapper each.
 *
 * The one idea: kernels say what they need here and nowhere else, so that one #if swaps the machine. With ONEPASS_SIMT
 * the same names come from the emulator in tests/simt/, which runs the kernels on fibers without a GPU; all other
 * device code compiles unchanged for both and knows of neither PTX nor emulator. Each comment says what is ordered:
 * "orders nothing" means that other memory accesses of the thread may move across it.
 *
 * Blocks are one-dimensional. Only <stdint.h> is included: NVRTC compiles this with a stand-in for it.
 */
#ifndef ONEPASS_PRIMITIVES_PTX_CUH
#define ONEPASS_PRIMITIVES_PTX_CUH

#include <stdint.h>

namespace onepass
{

constexpr unsigned warp_threads = 32;
constexpr unsigned full_mask = 0xffffffffu;

/* 16 bytes in one access. */
struct alignas(16) vec16 {
    uint32_t word[4];
};

/* Two 64-bit words that one 128-bit access moves together. */
struct alignas(16) u64x2 {
    uint64_t x, y;
};

/* A barrier in shared memory that counts arrivals and bytes (PTX: mbarrier). */
struct alignas(8) mbarrier {
    uint64_t opaque;
};

} // namespace onepass

#if defined(ONEPASS_SIMT)
#include "simt_ptx.h"
#else

#define ONEPASS_DEVICE __device__ __forceinline__

namespace onepass
{

/* Whether the machine that is compiled for has bulk copies and expect_tx, and 128-bit relaxed accesses. A plain `if` on
 * them is enough: the wrappers compile everywhere and trap where the machine lacks them. Device code only: host code,
 * and with it launch sizes and workspace layouts, must not depend on them. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr bool has_bulk_copy = false;
constexpr bool has_relaxed_128 = false;
#define ONEPASS_SM90(...) __trap()
#else
constexpr bool has_bulk_copy = true;
constexpr bool has_relaxed_128 = true;
#define ONEPASS_SM90(...) __VA_ARGS__
#endif

/* ------------------------------------------------------------------------------------------- where am I */

ONEPASS_DEVICE unsigned lane_idx()
{
    return threadIdx.x % warp_threads;
}
ONEPASS_DEVICE unsigned warp_idx()
{
    return threadIdx.x / warp_threads;
}

/* The kernel's dynamic shared memory, seen as its one struct. Not initialised. The launch gives sizeof(T) bytes. */
template <typename T> ONEPASS_DEVICE T &shared_memory()
{
    extern __shared__ __align__(128) unsigned char onepass_shared[];
    static_assert(alignof(T) <= 128, "dynamic shared memory is aligned to 128 bytes");
    return *reinterpret_cast<T *>(onepass_shared);
}

/* Ends the launch with an error: for what cannot happen. */
ONEPASS_DEVICE void trap()
{
    __trap();
}

/* ------------------------------------------------------------------------------- between the lanes of a warp
 * All lanes of `mask` must call together, and no others. These order nothing, syncwarp excepted. */

/* Bytes of any trivially copyable T as 32-bit words; the upper bytes of the last word are zero. */
template <typename T> struct shfl_words {
    static constexpr int count = (int)(sizeof(T) + 3) / 4;
    uint32_t word[count];
};

template <typename T> ONEPASS_DEVICE shfl_words<T> to_words(const T &value)
{
    shfl_words<T> words = {};
    memcpy(&words, &value, sizeof(T));
    return words;
}

template <typename T> ONEPASS_DEVICE T from_words(const shfl_words<T> &words)
{
    T value;
    memcpy(&value, &words, sizeof(T));
    return value;
}

/* The value of the lane `delta` below, inside segments of `width` lanes (a power of two); in_range says whether there
 * is one, and where there is none the value is the caller's own. The predicate is the instruction's: no compare. */
template <typename T>
ONEPASS_DEVICE T shfl_up(const T &value, unsigned delta, bool &in_range, unsigned width = 32, unsigned mask = full_mask)
{
    shfl_words<T> words = to_words(value);
    uint32_t is_in = 0;
#pragma unroll
    for (int i = 0; i < shfl_words<T>::count; ++i) {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "shfl.sync.up.b32 %0|p, %2, %3, %4, %5;\n\t"
                     "selp.u32 %1, 1, 0, p;\n\t}"
                     : "=r"(words.word[i]), "=r"(is_in)
                     : "r"(words.word[i]), "r"(delta), "r"((warp_threads - width) << 8), "r"(mask));
    }
    in_range = is_in != 0;
    return from_words<T>(words);
}

/* The value of lane `source` of the caller's segment of `width` lanes. */
template <typename T>
ONEPASS_DEVICE T shfl_idx(const T &value, unsigned source, unsigned width = 32, unsigned mask = full_mask)
{
    shfl_words<T> words = to_words(value);
#pragma unroll
    for (int i = 0; i < shfl_words<T>::count; ++i)
        words.word[i] = __shfl_sync(mask, words.word[i], (int)source, (int)width);
    return from_words<T>(words);
}

/* The value of the lane whose index differs by the bits of lane_mask; own value if that is outside the segment. */
template <typename T>
ONEPASS_DEVICE T shfl_xor(const T &value, unsigned lane_mask, unsigned width = 32, unsigned mask = full_mask)
{
    shfl_words<T> words = to_words(value);
#pragma unroll
    for (int i = 0; i < shfl_words<T>::count; ++i)
        words.word[i] = __shfl_xor_sync(mask, words.word[i], (int)lane_mask, (int)width);
    return from_words<T>(words);
}

/* Bit l: the predicate of lane l; 0 for lanes outside the mask. */
ONEPASS_DEVICE unsigned warp_ballot(bool predicate, unsigned mask = full_mask)
{
    return __ballot_sync(mask, predicate);
}
ONEPASS_DEVICE bool warp_all(bool predicate, unsigned mask = full_mask)
{
    return __all_sync(mask, predicate) != 0;
}
ONEPASS_DEVICE bool warp_any(bool predicate, unsigned mask = full_mask)
{
    return __any_sync(mask, predicate) != 0;
}

/* The lanes of the mask whose value has the caller's bits. T has 4 or 8 bytes. */
ONEPASS_DEVICE unsigned match_any(uint32_t value, unsigned mask = full_mask)
{
    return __match_any_sync(mask, value);
}
ONEPASS_DEVICE unsigned match_any(uint64_t value, unsigned mask = full_mask)
{
    return __match_any_sync(mask, (unsigned long long)value);
}

/* One instruction for a whole reduction of 32-bit integers; every lane of the mask gets the result. */
ONEPASS_DEVICE uint32_t redux_add(uint32_t value, unsigned mask = full_mask)
{
    return __reduce_add_sync(mask, value);
}
ONEPASS_DEVICE uint32_t redux_min(uint32_t value, unsigned mask = full_mask)
{
    return __reduce_min_sync(mask, value);
}
ONEPASS_DEVICE uint32_t redux_max(uint32_t value, unsigned mask = full_mask)
{
    return __reduce_max_sync(mask, value);
}
ONEPASS_DEVICE int32_t redux_min(int32_t value, unsigned mask = full_mask)
{
    return __reduce_min_sync(mask, value);
}
ONEPASS_DEVICE int32_t redux_max(int32_t value, unsigned mask = full_mask)
{
    return __reduce_max_sync(mask, value);
}
ONEPASS_DEVICE uint32_t redux_and(uint32_t value, unsigned mask = full_mask)
{
    return __reduce_and_sync(mask, value);
}
ONEPASS_DEVICE uint32_t redux_or(uint32_t value, unsigned mask = full_mask)
{
    return __reduce_or_sync(mask, value);
}
ONEPASS_DEVICE uint32_t redux_xor(uint32_t value, unsigned mask = full_mask)
{
    return __reduce_xor_sync(mask, value);
}

/* -------------------------------------------------------------------------------------- barriers of a block */

/* Waits for the lanes of the mask; what any of them wrote before, all of them see after. */
ONEPASS_DEVICE void syncwarp(unsigned mask = full_mask)
{
    __syncwarp(mask);
}

/* Waits for all threads of the block; what any of them wrote before, all of them see after. Barrier 0. */
ONEPASS_DEVICE void syncthreads()
{
    __syncthreads();
}

/* The same for num_threads threads (whole warps) that name barrier id, 1 to 15. */
ONEPASS_DEVICE void barrier_sync(unsigned id, unsigned num_threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(num_threads) : "memory");
}

/* Gives way for about this long. Orders nothing. */
ONEPASS_DEVICE void sleep_ns(unsigned nanoseconds)
{
    __nanosleep(nanoseconds);
}

/* ---------------------------------------------------------------------------- global memory, between blocks
 * Scope is the GPU throughout. The words must be read and written by these wrappers only. */

/* Never torn, never cached in a register. Orders nothing; with fence_acq_rel() after it, an acquire. */
ONEPASS_DEVICE uint64_t load_relaxed(const uint64_t *p)
{
    uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}

/* Later accesses of this thread see all that preceded the release whose value this reads. */
ONEPASS_DEVICE uint64_t load_acquire(const uint64_t *p)
{
    uint64_t value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}

/* Never torn. Orders nothing: earlier stores may be seen after it. */
ONEPASS_DEVICE void store_relaxed(uint64_t *p, uint64_t value)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}

/* Whoever acquires this value sees all that this thread did before, and all it knew through barriers. */
ONEPASS_DEVICE void store_release(uint64_t *p, uint64_t value)
{
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}

/* Both words as one access, aligned to 16 bytes, never torn (has_relaxed_128). Orders nothing. */
ONEPASS_DEVICE u64x2 load_relaxed_128(const u64x2 *p)
{
    u64x2 value = {};
    ONEPASS_SM90(asm volatile("{\n\t.reg .b128 q;\n\tld.relaxed.gpu.global.b128 q, [%2];\n\tmov.b128 {%0, %1}, q;\n\t}"
                              : "=l"(value.x), "=l"(value.y)
                              : "l"(p)
                              : "memory"));
    return value;
}

ONEPASS_DEVICE void store_relaxed_128(u64x2 *p, u64x2 value)
{
    ONEPASS_SM90(asm volatile("{\n\t.reg .b128 q;\n\tmov.b128 q, {%1, %2};\n\tst.relaxed.gpu.global.b128 [%0], q;\n\t}"
                              :
                              : "l"(p), "l"(value.x), "l"(value.y)
                              : "memory"));
}

/* As store_relaxed_128, but whoever reads it and fences sees all that preceded it. */
ONEPASS_DEVICE void store_release_128(u64x2 *p, u64x2 value)
{
    ONEPASS_SM90(asm volatile("{\n\t.reg .b128 q;\n\tmov.b128 q, {%1, %2};\n\tst.release.gpu.global.b128 [%0], q;\n\t}"
                              :
                              : "l"(p), "l"(value.x), "l"(value.y)
                              : "memory"));
}

/* Adds and returns the value before. Orders nothing. */
ONEPASS_DEVICE uint64_t atomic_add_relaxed(uint64_t *p, uint64_t value)
{
    uint64_t before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(p), "l"(value) : "memory");
    return before;
}

/* Adds and returns the value before: a release of what this thread did, an acquire of what earlier adders released. */
ONEPASS_DEVICE uint64_t atomic_add_acq_rel(uint64_t *p, uint64_t value)
{
    uint64_t before;
    asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(p), "l"(value) : "memory");
    return before;
}

/* Makes relaxed loads before it acquires, and relaxed stores after it releases, for this thread. */
ONEPASS_DEVICE void fence_acq_rel()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* 16 bytes, aligned, by ordinary coherent access to global or shared memory. Orders nothing. */
ONEPASS_DEVICE vec16 load_vec(const void *p)
{
    const uint4 v = *static_cast<const uint4 *>(p);
    return { { v.x, v.y, v.z, v.w } };
}

ONEPASS_DEVICE void store_vec(void *p, const vec16 &v)
{
    *static_cast<uint4 *>(p) = make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]);
}

/* As store_vec to global memory, for lines that this launch will not read again: first to leave the caches. */
ONEPASS_DEVICE void store_vec_streaming(void *p, const vec16 &v)
{
    __stcs(static_cast<uint4 *>(p), make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]));
}

/* -------------------------------------------------------------------------- mbarriers and asynchronous copies */

ONEPASS_DEVICE uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Phase 0 begins: it ends after num_arrivals arrivals and all expected bytes, then the next phase begins with the same
 * count. One thread; then fence_mbar_init() by it and a barrier of the block, before anyone uses it. */
ONEPASS_DEVICE void mbar_init(mbarrier *bar, unsigned num_arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(num_arrivals) : "memory");
}

/* Makes mbar_init visible to the unit that copies. */
ONEPASS_DEVICE void fence_mbar_init()
{
    if (has_bulk_copy)
        ONEPASS_SM90(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"));
}

/* One arrival. Releases to the block: whoever waits for this phase sees what this thread did before. */
ONEPASS_DEVICE void mbar_arrive(mbarrier *bar)
{
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared::cta.b64 state, [%0];\n\t}" ::"r"(shared_address(bar))
                 : "memory");
}

/* One arrival, after the phase was told to wait for num_bytes more (has_bulk_copy). Releases like mbar_arrive. */
ONEPASS_DEVICE void mbar_arrive_expect_tx(mbarrier *bar, uint32_t num_bytes)
{
    ONEPASS_SM90(
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(num_bytes)
                     : "memory"));
}

/* Whether the phase of this parity has ended; waits a while for it. Acquires if so. */
ONEPASS_DEVICE bool mbar_try_wait(mbarrier *bar, unsigned parity)
{
    uint32_t ended;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(ended)
                 : "r"(shared_address(bar)), "r"(parity)
                 : "memory");
#else
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(ended)
                 : "r"(shared_address(bar)), "r"(parity)
                 : "memory");
#endif
    return ended != 0;
}

/* Waits until the phase of this parity has ended. The first phase has parity 0; a fresh barrier passes parity 1. The
 * caller may be at most one phase behind. Acquires: sees what was before the arrivals, and the copied bytes. */
ONEPASS_DEVICE void mbar_wait(mbarrier *bar, unsigned parity)
{
    while (!mbar_try_wait(bar, parity)) {
    }
}

/* Orders this thread's ordinary accesses to shared memory before later bulk copies into it: between the last look at a
 * slot and the arrival on its "empty" barrier. Nothing to do where copies are ordinary (cp.async). */
ONEPASS_DEVICE void fence_proxy_async()
{
    if (has_bulk_copy)
        ONEPASS_SM90(asm volatile("fence.proxy.async.shared::cta;" ::: "memory"));
}

/* Starts a copy from global into this block's shared memory (has_bulk_copy): both ends aligned to 16 bytes, num_bytes
 * a multiple of 16 and below 2^20. It counts num_bytes on the barrier when done; only a wait there orders it. */
ONEPASS_DEVICE void bulk_load(void *shared_dst, const void *src, uint32_t num_bytes, mbarrier *bar)
{
    ONEPASS_SM90(asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                              :
                              : "r"(shared_address(shared_dst)), "l"(src), "r"(num_bytes), "r"(shared_address(bar))
                              : "memory"));
}

/* Starts this thread's copy of 16 aligned bytes into shared memory (any sm_80). Ordered only by the next one. */
ONEPASS_DEVICE void cp_async_16(void *shared_dst, const void *src)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared_dst)), "l"(src) : "memory");
}

/* One arrival of this thread, made when all its cp_async_16 so far have landed; the barrier's count must have it. What
 * the thread wrote by ordinary stores is not covered: that needs an mbar_arrive of its own. */
ONEPASS_DEVICE void cp_async_mbar_arrive(mbarrier *bar)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}

/* ---------------------------------------------------------------------------------------- between launches */

/* Waits until the launches this one depends on are complete and their memory visible. Without programmatic dependent
 * launch, and below sm_90, there is nothing to wait for. */
ONEPASS_DEVICE void grid_dependency_wait()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Lets the dependent launch start once every block has said so or ended. Orders nothing. */
ONEPASS_DEVICE void grid_dependency_launch()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* -------------------------------------------------------------------------------------------- bits and bytes */

ONEPASS_DEVICE unsigned popc(uint32_t x)
{
    return (unsigned)__popc((int)x);
}
ONEPASS_DEVICE unsigned popc(uint64_t x)
{
    return (unsigned)__popcll((long long)x);
}

/* Index of the lowest, highest set bit; x is not 0. */
ONEPASS_DEVICE unsigned lowest_bit(uint32_t x)
{
    return (unsigned)__ffs((int)x) - 1;
}
ONEPASS_DEVICE unsigned highest_bit(uint32_t x)
{
    return 31u - (unsigned)__clz((int)x);
}

/* Four bytes chosen from y:x by the low three bits of the selector's four nibbles: 0 to 3 from x, 4 to 7 from y. */
ONEPASS_DEVICE uint32_t byte_perm(uint32_t x, uint32_t y, uint32_t selector)
{
    return __byte_perm(x, y, selector);
}

/* sum + the products of the four bytes, unsigned or signed. */
ONEPASS_DEVICE uint32_t dp4a(uint32_t a, uint32_t b, uint32_t sum)
{
    return __dp4a(a, b, sum);
}
ONEPASS_DEVICE int32_t dp4a(int32_t a, int32_t b, int32_t sum)
{
    return __dp4a(a, b, sum);
}

/* The low word of (high:low) >> shift, the high word of (high:low) << shift, for shift modulo 32. */
ONEPASS_DEVICE uint32_t funnel_right(uint32_t low, uint32_t high, unsigned shift)
{
    return __funnelshift_r(low, high, shift);
}
ONEPASS_DEVICE uint32_t funnel_left(uint32_t low, uint32_t high, unsigned shift)
{
    return __funnelshift_l(low, high, shift);
}

/* One IEEE operation, rounded to nearest even, denormals kept, never contracted into an FMA, whatever the flags. */
ONEPASS_DEVICE float add_rn(float a, float b)
{
    return __fadd_rn(a, b);
}
ONEPASS_DEVICE float mul_rn(float a, float b)
{
    return __fmul_rn(a, b);
}
ONEPASS_DEVICE double add_rn(double a, double b)
{
    return __dadd_rn(a, b);
}
ONEPASS_DEVICE double mul_rn(double a, double b)
{
    return __dmul_rn(a, b);
}

/* The smaller, larger; NaN if either is NaN; -0.0 < +0.0. For doubles there is no such instruction. */
ONEPASS_DEVICE float min_nan(float a, float b)
{
    float result;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
ONEPASS_DEVICE float max_nan(float a, float b)
{
    float result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
/* binary16 to binary32, exact; and back, to nearest even, overflowing to infinity, denormals kept. */
ONEPASS_DEVICE float f16_to_f32(uint16_t bits)
{
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(bits));
    return result;
}
ONEPASS_DEVICE uint16_t f32_to_f16(float value)
{
    uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
/* To bfloat16, the upper half of a binary32, in the same way. */
ONEPASS_DEVICE uint16_t f32_to_bf16(float value)
{
    uint16_t bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

} // namespace onepass

#undef ONEPASS_SM90
#endif
#endif
