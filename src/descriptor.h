/* SPDX-License-Identifier: MIT */
/*
 * Status descriptors and the ticket word: how a value, its status and its epoch share one 64-bit word.
 *
 * A word is written by one atomic store and read by one atomic load, so a value is never seen without the status
 * and the epoch that belong to it; relaxed accesses are enough. Words are never cleared between launches: a word whose
 * epoch is not the launch's own reads as X.
 *
 * Plain C, so that the host backend, the kernels and the model checkers use these very lines.
 * Source of X, A, P: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
 */
#ifndef ONEPASS_SRC_DESCRIPTOR_H
#define ONEPASS_SRC_DESCRIPTOR_H

#include <stdint.h>

#ifdef __CUDACC__
#define DESCRIPTOR_FN static __host__ __device__ __forceinline__
#else
#define DESCRIPTOR_FN static inline
#endif

enum descriptor_status {
    STATUS_X = 0, /* invalid: nothing published yet */
    STATUS_A = 1, /* the tile's aggregate */
    STATUS_P = 2  /* an inclusive prefix */
};

/* Bits of a word, from the lowest: status 2, epoch 30, value 32. Epochs run from 1 to EPOCH_LAST; a zeroed word
 * has epoch 0 and so reads as X in every launch. */
#define EPOCH_LAST UINT32_C(0x3fffffff)

DESCRIPTOR_FN uint64_t descriptor_pack(uint32_t value, uint32_t epoch, unsigned status)
{
    return (uint64_t)value << 32 | (uint64_t)epoch << 2 | status;
}

DESCRIPTOR_FN uint32_t descriptor_value(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

/* The status, or STATUS_X for a word of another epoch. */
DESCRIPTOR_FN unsigned descriptor_status(uint64_t word, uint32_t epoch)
{
    return ((uint32_t)word >> 2) == epoch ? (unsigned)word & 3u : (unsigned)STATUS_X;
}

/* The ticket word: epoch above, next tile below, so that one atomic add of 1 returns both. */
#define TICKET_BITS 34

DESCRIPTOR_FN uint64_t ticket_pack(uint32_t epoch, uint64_t tile_idx)
{
    return (uint64_t)epoch << TICKET_BITS | tile_idx;
}

DESCRIPTOR_FN uint32_t ticket_epoch(uint64_t word)
{
    return (uint32_t)(word >> TICKET_BITS);
}

DESCRIPTOR_FN uint64_t ticket_tile_idx(uint64_t word)
{
    return word & ((UINT64_C(1) << TICKET_BITS) - 1);
}

/* The epoch after this one. After EPOCH_LAST they begin again, and every word must be cleared before that. */
DESCRIPTOR_FN uint32_t epoch_next(uint32_t epoch)
{
    return epoch == EPOCH_LAST ? 1 : epoch + 1;
}

#endif
