/* SPDX-License-Identifier: MIT */
/*
 * A small SIMT machine: runs the library's kernels, compiled as host C++, without a GPU.
 *
 * The one idea: every CUDA thread is a fiber, and one host thread runs them all. Whatever lets another thread in (a
 * warp operation, a barrier, an atomic, a poll) is a point where the scheduler may switch, and every choice it makes
 * comes from one seed: the same seed replays the same schedule exactly. What a GPU would answer with a hang or a wrong
 * result, the machine diagnoses in words: deadlock, livelock, misused masks, barriers and copies.
 *
 * It does not show: real PTX, code generation, the fences between ordinary and asynchronous accesses, speed.
 */
#ifndef ONEPASS_TESTS_SIMT_SIMT_H
#define ONEPASS_TESTS_SIMT_SIMT_H

#include <stdint.h>
#include <string.h>

#include <functional>
#include <string>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

#define threadIdx (simt::place().thread_idx)
#define blockIdx (simt::place().block_idx)
#define blockDim (simt::place().block_dim)
#define gridDim (simt::place().grid_dim)

namespace simt
{

/* Blocks and grids are one-dimensional. */
struct dim {
    unsigned x;
};

struct thread_place {
    dim thread_idx, block_idx, block_dim, grid_dim;
};

/* Where the running thread is. */
extern const thread_place *here;
inline const thread_place &place()
{
    return *here;
}

enum class policy {
    uniform,  /* any thread that can run, at random */
    rotating, /* each in turn: closest to a GPU that is not crowded */
    skewed    /* a few warps run and the others wait, for a while; then others: tiles overtake each other by far */
};

struct options {
    uint64_t seed = 1;
    policy schedule = policy::uniform;
    unsigned resident_blocks = 4;      /* blocks that have threads at one time; the others start when one ends */
    unsigned switch_percent = 20;      /* how often an atomic, a poll or an arrival lets others in */
    bool weak_stores = true;           /* unordered stores reach memory late, and in any order */
    bool programmatic = false;         /* the launch overlaps the one before: blocks must wait for it */
    uint64_t max_switches = 400000000; /* beyond it the launch has failed */
};

/* One kernel launch; body calls the kernel. */
struct grid {
    unsigned num_blocks;
    unsigned block_threads;
    size_t shared_bytes;
    std::function<void()> body;
};

struct report {
    std::string error; /* empty: the launch ended well */
    uint64_t switches = 0;
};

/* Runs the grids side by side, as on several streams, until all end or an error is found. */
report run(const options &how, const std::vector<grid> &grids);

} // namespace simt

#endif
