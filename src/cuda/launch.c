/* SPDX-License-Identifier: MIT */
/* Launches: one kernel a call, as fold.c shapes it. */
#include "cuda.h"

#include <string.h>

static onepass_result launch(onepass_context *ctx, const struct reduce_call *call, struct fold_params *params,
                             const char *function)
{
    struct cuda *cuda = cuda_of(ctx);
    struct fold_launch shape = fold_launch_of(fold_table_of(call->op), call->in_type, call->out_type,
                                              (uint32_t)cuda->num_multiprocessors, cuda->shared_bytes, params);
    if (shape.kernel == NULL)
        return context_fail(ctx, ONEPASS_CUDA_ERROR, "%s: the device has %zu bytes of shared memory a block, too few",
                            function, cuda->shared_bytes);
    int layout = (int)shape.descriptor_words - 1;
    params->pipeline.control = cuda->workspace->control;
    params->pipeline.aggregates = cuda->workspace->words[layout];
    params->pipeline.starts = params->pipeline.aggregates + cuda->workspace->max_tiles[layout] * shape.descriptor_words;
    params->pipeline.descriptors = cuda->workspace->descriptors;
    params->pipeline.num_descriptor_words = cuda->workspace->num_descriptor_words;
    params->pipeline.clamped = cuda->d_clamped;

    const void *kernel;
    memcpy(&kernel, &shape.kernel, sizeof kernel); /* ISO C has no cast from a function to an object */
    void *arguments[] = { params };
    int previous;
    onepass_result result = cuda_enter(ctx, function, &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    cudaError_t error = cudaSuccess;
    if (shape.shared_bytes > 48 * 1024) /* what every kernel may have */
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)cuda->shared_bytes);
    if (error == cudaSuccess)
        error = cudaLaunchKernel(kernel, (dim3){ shape.num_blocks, 1, 1 }, (dim3){ shape.block_threads, 1, 1 },
                                 arguments, shape.shared_bytes, cuda->stream);
    cuda_leave(ctx, previous);
    return error == cudaSuccess ? ONEPASS_SUCCESS : cuda_fail(ctx, error, function, "launching the kernel");
}

onepass_result cuda_scan(onepass_context *ctx, const struct scan_call *call)
{
    struct fold_params params = scan_params(call);
    return launch(ctx, &call->of, &params, "onepass_scan");
}

onepass_result cuda_reduce(onepass_context *ctx, const struct reduce_call *call)
{
    struct fold_params params = reduce_params(call);
    return launch(ctx, call, &params, "onepass_reduce");
}
