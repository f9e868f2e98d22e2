/* SPDX-License-Identifier: MIT */
/* CUB behind baselines.h. */
#include "baselines.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

template <typename T>
static int exclusive_sum(void *storage, size_t *bytes, const void *in, void *out, uint64_t num_items, void *stream)
{
    return (int)cub::DeviceScan::ExclusiveSum(storage, *bytes, static_cast<const T *>(in), static_cast<T *>(out),
                                              num_items, static_cast<cudaStream_t>(stream));
}

template <typename T>
static int sum(void *storage, size_t *bytes, const void *in, void *out, uint64_t num_items, void *stream)
{
    return (int)cub::DeviceReduce::Sum(storage, *bytes, static_cast<const T *>(in), static_cast<T *>(out), num_items,
                                       static_cast<cudaStream_t>(stream));
}

#define BY_TYPE(function, ...)                 \
    switch (type) {                            \
    case BASELINE_I8:                          \
        return function<int8_t>(__VA_ARGS__);  \
    case BASELINE_I16:                         \
        return function<int16_t>(__VA_ARGS__); \
    case BASELINE_I32:                         \
        return function<int32_t>(__VA_ARGS__); \
    case BASELINE_I64:                         \
        return function<int64_t>(__VA_ARGS__); \
    case BASELINE_F32:                         \
        return function<float>(__VA_ARGS__);   \
    default:                                   \
        return function<double>(__VA_ARGS__);  \
    }

int baseline_cub_exclusive_sum(enum baseline_type type, void *d_storage, size_t *storage_bytes, const void *d_in,
                               void *d_out, uint64_t num_items, void *stream)
{
    BY_TYPE(exclusive_sum, d_storage, storage_bytes, d_in, d_out, num_items, stream)
}

int baseline_cub_sum(enum baseline_type type, void *d_storage, size_t *storage_bytes, const void *d_in, void *d_out,
                     uint64_t num_items, void *stream)
{
    BY_TYPE(sum, d_storage, storage_bytes, d_in, d_out, num_items, stream)
}
