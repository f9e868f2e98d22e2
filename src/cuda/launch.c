/* SPDX-License-Identifier: MIT */
/* Launches: one kernel a call, as fold.c and select.c shape it. */
#include "cuda.h"

#include <string.h>

static struct device_limits limits_of(const struct cuda *cuda)
{
    return (struct device_limits){ (uint32_t)cuda->num_multiprocessors, cuda->shared_bytes };
}

/* params: of the kernel, with *pipeline inside. kernel: where its address is, since ISO C has no cast from a function
 * to an object. */
static onepass_result launch(onepass_context *ctx, const char *function, const void *kernel_address,
                             struct launch_shape shape, struct pipeline_params *pipeline, void *params)
{
    struct cuda *cuda = cuda_of(ctx);
    if (shape.num_blocks == 0)
        return context_fail(ctx, ONEPASS_CUDA_ERROR, "%s: the device has %zu bytes of shared memory a block, too few",
                            function, cuda->shared_bytes);
    const struct workspace *workspace = cuda->workspace;
    uint32_t aggregates = shape.aggregate_words - 1, starts = shape.start_words - 1; /* layouts */
    pipeline->control = workspace->control;
    pipeline->aggregates = workspace->words[aggregates];
    pipeline->starts = workspace->words[starts] + workspace->max_tiles[starts] * shape.start_words;
    pipeline->descriptors = workspace->descriptors;
    pipeline->num_descriptor_words = workspace->num_descriptor_words;
    pipeline->clamped = cuda->d_clamped;

    const void *kernel;
    memcpy(&kernel, kernel_address, sizeof kernel);
    void *arguments[] = { params };
    int previous;
    onepass_result result = cuda_enter(ctx, function, &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    cudaError_t error = cudaSuccess;
    const size_t every_kernel_bytes = 49152; /* of shared memory, without asking */
    if (shape.shared_bytes > every_kernel_bytes)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)cuda->shared_bytes);
    if (error == cudaSuccess)
        error = cudaLaunchKernel(kernel, (dim3){ shape.num_blocks, 1, 1 }, (dim3){ shape.block_threads, 1, 1 },
                                 arguments, shape.shared_bytes, cuda->stream);
    cuda_leave(ctx, previous);
    return error == cudaSuccess ? ONEPASS_SUCCESS : cuda_fail(ctx, error, function, "launching the kernel");
}

static onepass_result launch_fold(onepass_context *ctx, const char *function, const struct reduce_call *call,
                                  struct fold_params *params)
{
    struct fold_launch chosen =
        fold_launch_of(fold_table_of(call->op), call->in_type, call->out_type, limits_of(cuda_of(ctx)), params);
    return launch(ctx, function, &chosen.kernel, chosen.shape, &params->pipeline, params);
}

onepass_result cuda_scan(onepass_context *ctx, const struct scan_call *call)
{
    struct fold_params params = scan_params(call);
    return launch_fold(ctx, "onepass_scan", &call->of, &params);
}

onepass_result cuda_reduce(onepass_context *ctx, const struct reduce_call *call)
{
    struct fold_params params = reduce_params(call);
    return launch_fold(ctx, "onepass_reduce", call, &params);
}

onepass_result cuda_compact(onepass_context *ctx, const struct compact_call *call)
{
    const char *lacking = compaction_lacks(call);
    if (lacking != NULL)
        return context_fail(ctx, ONEPASS_UNSUPPORTED,
                            "the CUDA backend does not have %s yet; the host backend does (ONEPASS_BACKEND_HOST)",
                            lacking);
    struct device_limits limits = limits_of(cuda_of(ctx));
    if (is_partition(call)) {
        struct partition_params params = partition_params_of(call);
        const struct partition_instance *instance = partition_instance_of(call);
        struct launch_shape shape = compaction_shape_of(&instance->needs, limits, &params.pipeline);
        return launch(ctx, "onepass_partition", &instance->kernel, shape, &params.pipeline, &params);
    }
    struct select_params params = select_params_of(call);
    const struct select_instance *instance = select_instance_of(call);
    struct launch_shape shape = compaction_shape_of(&instance->needs, limits, &params.pipeline);
    return launch(ctx, "onepass_select", &instance->kernel, shape, &params.pipeline, &params);
}
