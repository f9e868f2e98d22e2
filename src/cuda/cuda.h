/* SPDX-License-Identifier: MIT */
/* What the files of the CUDA backend share: its state, and how a CUDA error becomes a result. */
#ifndef ONEPASS_SRC_CUDA_CUDA_H
#define ONEPASS_SRC_CUDA_CUDA_H

#include "../context.h"
#include "../descriptor.h"
#include "fold.h"
#include "select.h"

#include <cuda_runtime_api.h>

/* Descriptors for so many items, on the device (lookback/params.h). */
struct workspace {
    struct workspace *older; /* a captured graph may still use it */
    uint64_t *control;
    uint64_t *words[2];      /* aggregates for descriptors of one and of two words, */
    uint64_t max_tiles[2];   /* of so many tiles, */
    uint64_t max_windows[2]; /* and behind them so many starts */
    uint64_t *descriptors;
    uint64_t num_descriptor_words;
};

struct cuda {
    int device;
    int num_multiprocessors; /* the pipeline has no more blocks; tests make it fewer */
    size_t shared_bytes;     /* that a block may have */
    cudaStream_t stream;
    cudaEvent_t order; /* makes one stream wait for another */
    struct workspace *workspace;
    uint64_t *clamped;   /* two words of host memory that kernels write: see fold_params.clamped */
    uint64_t *d_clamped; /* the same for the device */
};

static inline struct cuda *cuda_of(const onepass_context *ctx)
{
    return ctx->state;
}

/* Describes a failed CUDA call, with CUDA's name and number for the error, and returns the result that goes with it.
 * What the call was for is told by `function` and `what`. */
onepass_result cuda_fail(onepass_context *ctx, cudaError_t error, const char *function, const char *what);

/* Makes the context's device the thread's; *previous is what to give to cuda_leave. */
onepass_result cuda_enter(onepass_context *ctx, const char *function, int *previous);
void cuda_leave(const onepass_context *ctx, int previous);

/* Makes room; the old workspace stays. */
onepass_result cuda_reserve(onepass_context *ctx, uint64_t max_items);
void cuda_free_workspaces(struct cuda *cuda);

onepass_result cuda_scan(onepass_context *ctx, const struct scan_call *call);
onepass_result cuda_reduce(onepass_context *ctx, const struct reduce_call *call);
onepass_result cuda_compact(onepass_context *ctx, const struct compact_call *call);

#endif
