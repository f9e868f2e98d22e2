/* SPDX-License-Identifier: MIT */
/* The CUDA backend: its device, streams and memory. Calls of CUDA here are for one device, which is the calling
 * thread's only while a function runs. */
#include "cuda.h"

#include <stdlib.h>

static onepass_result no_device(onepass_context *ctx, cudaError_t error, const char *what)
{
    (void)context_fail(ctx, ONEPASS_NO_DEVICE, "onepass_create: %s: CUDA says %s (%d): %s", what,
                       cudaGetErrorName(error), (int)error, cudaGetErrorString(error));
    ctx->error.cuda_error = (int)error;
    (void)cudaGetLastError();
    return ONEPASS_NO_DEVICE;
}

/* Reads what the shapes of launches depend on. */
static onepass_result read_device(onepass_context *ctx, struct cuda *cuda)
{
    int major = 0, minor = 0, shared_bytes = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cuda->device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, cuda->device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&cuda->num_multiprocessors, cudaDevAttrMultiProcessorCount, cuda->device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device);
    if (error != cudaSuccess)
        return no_device(ctx, error, "asking what the device is");
    if (major < 8)
        return context_fail(ctx, ONEPASS_NO_DEVICE,
                            "onepass_create: device %d has compute capability %d.%d; it must be 8.0 or later",
                            cuda->device, major, minor);
    cuda->shared_bytes = (size_t)shared_bytes;
    return ONEPASS_SUCCESS;
}

static void free_cuda(struct cuda *cuda)
{
    cuda_free_workspaces(cuda);
    if (cuda->order != NULL)
        (void)cudaEventDestroy(cuda->order);
    if (cuda->clamped != NULL)
        (void)cudaFreeHost(cuda->clamped);
    free(cuda);
}

static onepass_result create_on_device(onepass_context *ctx, struct cuda *cuda)
{
    onepass_result result = read_device(ctx, cuda);
    if (result != ONEPASS_SUCCESS)
        return result;
    void *clamped = NULL, *d_clamped = NULL;
    cudaError_t error = cudaHostAlloc(&clamped, 2 * sizeof *cuda->clamped, cudaHostAllocMapped | cudaHostAllocPortable);
    cuda->clamped = clamped;
    if (error == cudaSuccess)
        error = cudaHostGetDevicePointer(&d_clamped, clamped, 0);
    cuda->d_clamped = d_clamped;
    if (error == cudaSuccess) {
        cuda->clamped[0] = cuda->clamped[1] = 0;
        error = cudaEventCreateWithFlags(&cuda->order, cudaEventDisableTiming);
    }
    return error == cudaSuccess ? ONEPASS_SUCCESS : cuda_fail(ctx, error, "onepass_create", "first memory and event");
}

static onepass_result create(onepass_context *ctx, const onepass_options *options)
{
    int num_devices = 0, previous = 0;
    cudaError_t error = cudaGetDeviceCount(&num_devices);
    if (error != cudaSuccess)
        return no_device(ctx, error, "looking for devices");
    if (options->device >= num_devices)
        return context_fail(ctx, ONEPASS_NO_DEVICE, "onepass_create: options->device is %d; there are %d devices",
                            options->device, num_devices);
    struct cuda *cuda = calloc(1, sizeof *cuda);
    if (cuda == NULL)
        return context_fail(ctx, ONEPASS_OUT_OF_MEMORY, "onepass_create: no memory for a CUDA backend");
    cuda->device = options->device;
    error = cudaGetDevice(&previous);
    if (error == cudaSuccess)
        error = cudaSetDevice(cuda->device);
    if (error != cudaSuccess) {
        free(cuda);
        return no_device(ctx, error, "choosing the device");
    }
    onepass_result result = create_on_device(ctx, cuda);
    ctx->state = cuda;
    if (result == ONEPASS_SUCCESS)
        result = cuda_reserve(ctx, 0); /* a call needs a workspace, even for no items */
    if (result != ONEPASS_SUCCESS)
        free_cuda(cuda);
    (void)cudaSetDevice(previous);
    return result;
}

static void destroy(onepass_context *ctx)
{
    int previous;
    struct cuda *cuda = cuda_of(ctx);
    if (cuda_enter(ctx, "onepass_destroy", &previous) == ONEPASS_SUCCESS) {
        (void)cudaStreamSynchronize(cuda->stream);
        int device = cuda->device;
        free_cuda(cuda);
        if (previous != device)
            (void)cudaSetDevice(previous);
    } else {
        free_cuda(cuda);
    }
    (void)cudaGetLastError();
}

/* CUDA does not survive fork: not one call of it, only the memory of the process. */
static void abandon(onepass_context *ctx)
{
    struct cuda *cuda = cuda_of(ctx);
    while (cuda->workspace != NULL) {
        struct workspace *older = cuda->workspace->older;
        free(cuda->workspace);
        cuda->workspace = older;
    }
    free(cuda);
}

static int num_threads(const onepass_context *ctx)
{
    (void)ctx;
    return 0;
}

static onepass_result reserve(onepass_context *ctx, uint64_t max_items)
{
    int previous;
    onepass_result result = cuda_enter(ctx, "onepass_reserve", &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    result = cuda_reserve(ctx, max_items);
    cuda_leave(ctx, previous);
    return result;
}

static onepass_result set_stream(onepass_context *ctx, onepass_stream stream)
{
    struct cuda *cuda = cuda_of(ctx);
    if (stream == cuda->stream)
        return ONEPASS_SUCCESS;
    int previous;
    onepass_result result = cuda_enter(ctx, "onepass_set_stream", &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    cudaError_t error = cudaEventRecord(cuda->order, cuda->stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(stream, cuda->order, 0);
    cuda_leave(ctx, previous);
    if (error != cudaSuccess)
        return cuda_fail(ctx, error, "onepass_set_stream", "making the new stream wait for the old one");
    cuda->stream = stream;
    return ONEPASS_SUCCESS;
}

static onepass_result synchronize(onepass_context *ctx)
{
    struct cuda *cuda = cuda_of(ctx);
    int previous;
    onepass_result result = cuda_enter(ctx, "onepass_synchronize", &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    cudaError_t error = cudaStreamSynchronize(cuda->stream);
    cuda_leave(ctx, previous);
    if (error != cudaSuccess)
        return cuda_fail(ctx, error, "onepass_synchronize", "waiting for the stream");
    uint64_t num_items = cuda->clamped[0], max_items = cuda->clamped[1];
    cuda->clamped[0] = cuda->clamped[1] = 0;
    return num_items == 0 ? ONEPASS_SUCCESS : context_fail_clamped(ctx, num_items, max_items);
}

static onepass_result allocate(onepass_context *ctx, void **d_ptr, size_t num_bytes)
{
    int previous;
    onepass_result result = cuda_enter(ctx, "onepass_allocate", &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    cudaError_t error = cudaMalloc(d_ptr, num_bytes);
    cuda_leave(ctx, previous);
    if (error == cudaSuccess)
        return ONEPASS_SUCCESS;
    *d_ptr = NULL;
    return cuda_fail(ctx, error, "onepass_allocate", "device memory");
}

static onepass_result free_memory(onepass_context *ctx, void *d_ptr)
{
    int previous;
    onepass_result result = cuda_enter(ctx, "onepass_free", &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    cudaError_t error = cudaFree(d_ptr);
    cuda_leave(ctx, previous);
    return error == cudaSuccess ? ONEPASS_SUCCESS : cuda_fail(ctx, error, "onepass_free", "device memory");
}

static onepass_result copy(onepass_context *ctx, void *dst, const void *src, size_t num_bytes)
{
    int previous;
    onepass_result result = cuda_enter(ctx, "onepass_copy", &previous);
    if (result != ONEPASS_SUCCESS)
        return result;
    cudaError_t error = cudaMemcpyAsync(dst, src, num_bytes, cudaMemcpyDefault, cuda_of(ctx)->stream);
    cuda_leave(ctx, previous);
    return error == cudaSuccess ? ONEPASS_SUCCESS : cuda_fail(ctx, error, "onepass_copy", "copying");
}

const struct backend cuda_backend = {
    .id = ONEPASS_BACKEND_CUDA,
    .create = create,
    .destroy = destroy,
    .abandon = abandon,
    .num_threads = num_threads,
    .reserve = reserve,
    .set_stream = set_stream,
    .synchronize = synchronize,
    .allocate = allocate,
    .free = free_memory,
    .copy = copy,
    .scan = cuda_scan,
    .reduce = cuda_reduce,
    .compact = cuda_compact,
};
