/* SPDX-License-Identifier: MIT */
/* Launches: one kernel a call, never more blocks than tiles or multiprocessors. */
#include "cuda.h"

#include <string.h>

static onepass_result launch(onepass_context *ctx, const struct fold_instance *instance, struct fold_params *params,
                             const char *function)
{
    struct cuda *cuda = cuda_of(ctx);
    uint64_t max_tiles = fold_max_tiles(instance, params);
    uint32_t num_slots = fold_num_slots(instance, cuda->shared_bytes);
    params->num_slots = max_tiles + 1 < num_slots ? (uint32_t)max_tiles + 1 : num_slots; /* one says: the end */
    if (params->num_slots < 2)
        return context_fail(ctx, ONEPASS_CUDA_ERROR, "%s: the device has %zu bytes of shared memory a block, too few",
                            function, cuda->shared_bytes);
    int layout = (int)instance->descriptor_words - 1;
    params->control = cuda->workspace->control;
    params->aggregates = cuda->workspace->words[layout];
    params->starts = params->aggregates + cuda->workspace->max_tiles[layout] * instance->descriptor_words;
    params->descriptors = cuda->workspace->descriptors;
    params->num_descriptor_words = cuda->workspace->num_descriptor_words;
    params->clamped = cuda->d_clamped;
    params->alone = max_tiles == 1;

    uint64_t num_blocks =
        max_tiles < (uint64_t)cuda->num_multiprocessors ? max_tiles : (uint64_t)cuda->num_multiprocessors;
    size_t shared_bytes = instance->shared_bytes + (size_t)params->num_slots * instance->slot_bytes;
    const void *kernel;
    memcpy(&kernel, &instance->kernel, sizeof kernel); /* ISO C has no cast from a function to an object */
    void *arguments[] = { params };
    int previous;
    onepass_result result = cuda_enter(ctx, function, &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)cuda->shared_bytes);
    if (error == cudaSuccess)
        error = cudaLaunchKernel(kernel, (dim3){ (unsigned)num_blocks, 1, 1 }, (dim3){ instance->block_threads, 1, 1 },
                                 arguments, shared_bytes, cuda->stream);
    cuda_leave(ctx, previous);
    return error == cudaSuccess ? ONEPASS_SUCCESS : cuda_fail(ctx, error, function, "launching the kernel");
}

onepass_result cuda_scan(onepass_context *ctx, const struct scan_call *call)
{
    struct fold_params params = scan_params(call);
    return launch(ctx, &fold_table_of(call->of.op)->scan[call->of.in_type][call->of.out_type], &params, "onepass_scan");
}

onepass_result cuda_reduce(onepass_context *ctx, const struct reduce_call *call)
{
    struct fold_params params = reduce_params(call);
    return launch(ctx, &fold_table_of(call->op)->reduce[call->in_type][call->out_type], &params, "onepass_reduce");
}
