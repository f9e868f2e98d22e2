/* SPDX-License-Identifier: MIT */
/*
 * What we compare with, behind plain C: a device copy and CUB. Used by benchmarks and tests only. Every call enqueues
 * in the stream and returns a CUDA error number, 0 for success.
 */
#ifndef ONEPASS_BASELINES_BASELINES_H
#define ONEPASS_BASELINES_BASELINES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum baseline_type { BASELINE_I8, BASELINE_I16, BASELINE_I32, BASELINE_I64, BASELINE_F32, BASELINE_F64 };

/* CUB, exclusive sum, sum, and selection of the items below a bound or of those with a flag, with temporary storage of
 * the caller's: with d_storage NULL only *storage_bytes is set.
 */
int baseline_cub_exclusive_sum(enum baseline_type type, void *d_storage, size_t *storage_bytes, const void *d_in,
                               void *d_out, uint64_t num_items, void *stream);
int baseline_cub_sum(enum baseline_type type, void *d_storage, size_t *storage_bytes, const void *d_in, void *d_out,
                     uint64_t num_items, void *stream);

int baseline_cub_select_below(enum baseline_type type, int bound, void *d_storage, size_t *storage_bytes,
                              const void *d_in, void *d_out, uint64_t *d_num_selected, uint64_t num_items,
                              void *stream);
int baseline_cub_select_flagged(enum baseline_type type, void *d_storage, size_t *storage_bytes, const void *d_in,
                                const uint8_t *d_flags, void *d_out, uint64_t *d_num_selected, uint64_t num_items,
                                void *stream);

#ifdef __cplusplus
}
#endif

#endif
