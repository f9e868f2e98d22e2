/* SPDX-License-Identifier: MIT */
/*
 * What the GPU tests do on the device beside calling the library: keep most of its multiprocessors busy for a while,
 * and compare there what need not come back.
 */
#ifndef ONEPASS_TESTS_GPU_DEVICE_H
#define ONEPASS_TESTS_GPU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Multiprocessors that are held: each has a block with all of its shared memory, so that no other block with any fits
 * beside it, until hold_end, which fails if that took 20 s: then they were let go, so that a deadlock ends. */
struct hold {
    cudaStream_t stream;    /* waits for no other, and none for it */
    uint32_t *words;        /* mapped: whether all are held; are to be let go; have been given up */
    uint32_t *d_words;      /* the same for the device */
    uint32_t *d_num_blocks; /* that have begun */
    uint32_t shared_bytes;  /* that a block may have */
    uint32_t num_multiprocessors;
};

cudaError_t hold_create(struct hold *hold);
void hold_destroy(struct hold *hold);

/* Holds all multiprocessors but num_free. Returns when all are held, cudaErrorTimeout if that takes 10 s. The device
 * must be idle. Until hold_end nothing may be called that waits for the whole device, as cudaFree does, and no kernel
 * launched for the first time. */
cudaError_t hold_begin(struct hold *hold, uint32_t num_free);
cudaError_t hold_end(struct hold *hold);

/* Adds to *d_count how many of so many bytes differ, on the legacy default stream. */
cudaError_t count_differences(const void *d_a, const void *d_b, size_t num_bytes, uint32_t *d_count);

#ifdef __cplusplus
}
#endif

#endif
