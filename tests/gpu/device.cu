/* SPDX-License-Identifier: MIT */
/* See device.h. */
#include "device.h"

#include <time.h>

namespace
{

enum { ALL_HELD = 0, LET_GO = 1, GAVE_UP = 2, NUM_WORDS = 3 };
constexpr uint64_t most_ns = 20000000000, wait_ns = 10000000000;

__device__ uint64_t global_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

/* One thread a block. words: mapped memory of the host. */
__global__ void hold_kernel(volatile uint32_t *words, uint32_t *num_blocks)
{
    const uint64_t began = global_ns();
    if (atomicAdd(num_blocks, 1) == gridDim.x - 1) {
        *num_blocks = 0;
        words[ALL_HELD] = 1;
    }
    while (words[LET_GO] == 0) {
        if (global_ns() - began > most_ns) {
            words[GAVE_UP] = 1;
            return;
        }
        __nanosleep(1000);
    }
}

__global__ void count_kernel(const unsigned char *a, const unsigned char *b, size_t num_bytes, uint32_t *count)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    uint32_t different = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < num_bytes; i += stride)
        different += a[i] != b[i];
    if (different != 0)
        atomicAdd(count, different);
}

uint64_t host_ns()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

} // namespace

cudaError_t hold_create(struct hold *hold)
{
    *hold = {};
    int device = 0, num_multiprocessors = 0, shared_bytes = 0;
    void *words = nullptr, *d_words = nullptr, *d_num_blocks = nullptr;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&num_multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error =
            cudaFuncSetAttribute((const void *)hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&hold->stream, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaHostAlloc(&words, NUM_WORDS * sizeof(uint32_t), cudaHostAllocMapped);
    hold->words = static_cast<uint32_t *>(words);
    if (error == cudaSuccess)
        error = cudaHostGetDevicePointer(&d_words, words, 0);
    hold->d_words = static_cast<uint32_t *>(d_words);
    if (error == cudaSuccess)
        error = cudaMalloc(&d_num_blocks, sizeof(uint32_t));
    hold->d_num_blocks = static_cast<uint32_t *>(d_num_blocks);
    if (error == cudaSuccess)
        error = cudaMemset(d_num_blocks, 0, sizeof(uint32_t));
    hold->num_multiprocessors = (uint32_t)num_multiprocessors;
    hold->shared_bytes = (uint32_t)shared_bytes;
    return error;
}

void hold_destroy(struct hold *hold)
{
    (void)cudaFree(hold->d_num_blocks);
    (void)cudaFreeHost(hold->words);
    if (hold->stream != nullptr)
        (void)cudaStreamDestroy(hold->stream);
}

cudaError_t hold_begin(struct hold *hold, uint32_t num_free)
{
    volatile uint32_t *words = hold->words;
    words[ALL_HELD] = words[LET_GO] = words[GAVE_UP] = 0;
    void *arguments[] = { &hold->d_words, &hold->d_num_blocks };
    const cudaError_t error = cudaLaunchKernel((const void *)hold_kernel, dim3(hold->num_multiprocessors - num_free),
                                               dim3(1), arguments, hold->shared_bytes, hold->stream);
    if (error != cudaSuccess)
        return error;
    const uint64_t began = host_ns();
    while (words[ALL_HELD] == 0) {
        if (host_ns() - began > wait_ns) {
            (void)hold_end(hold);
            return cudaErrorTimeout;
        }
    }
    return cudaSuccess;
}

cudaError_t hold_end(struct hold *hold)
{
    volatile uint32_t *words = hold->words;
    words[LET_GO] = 1;
    const cudaError_t error = cudaStreamSynchronize(hold->stream);
    return error == cudaSuccess && words[GAVE_UP] != 0 ? cudaErrorTimeout : error;
}

cudaError_t count_differences(const void *d_a, const void *d_b, size_t num_bytes, uint32_t *d_count)
{
    void *arguments[] = { &d_a, &d_b, &num_bytes, &d_count };
    return cudaLaunchKernel((const void *)count_kernel, dim3(256), dim3(256), arguments, 0, nullptr);
}
