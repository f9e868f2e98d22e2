/* SPDX-License-Identifier: MIT */
/* How a CUDA error becomes a result and a text, and whose device the calling thread has. */
#include "cuda.h"

/* After these no call on the device's context can succeed any more (CUDA: "the process must be terminated"). */
static bool is_sticky(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorCudartUnloading:
        return true;
    default:
        return false;
    }
}

onepass_result cuda_fail(onepass_context *ctx, cudaError_t error, const char *function, const char *what)
{
    onepass_result result = error == cudaErrorMemoryAllocation ? ONEPASS_OUT_OF_MEMORY : ONEPASS_CUDA_ERROR;
    result = context_fail(ctx, result, "%s: %s: CUDA says %s (%d): %s", function, what, cudaGetErrorName(error),
                          (int)error, cudaGetErrorString(error));
    ctx->error.cuda_error = (int)error;
    if (is_sticky(error))
        ctx->is_dead = true;
    (void)cudaGetLastError(); /* the caller's next call of CUDA must not find it */
    return result;
}

onepass_result cuda_enter(onepass_context *ctx, const char *function, int *previous)
{
    int device = cuda_of(ctx)->device;
    cudaError_t error = cudaGetDevice(previous);
    if (error == cudaSuccess && *previous != device)
        error = cudaSetDevice(device);
    return error == cudaSuccess ? ONEPASS_SUCCESS : cuda_fail(ctx, error, function, "choosing the device");
}

void cuda_leave(const onepass_context *ctx, int previous)
{
    if (previous != cuda_of(ctx)->device)
        (void)cudaSetDevice(previous);
}
