/* SPDX-License-Identifier: MIT */
/* CUB behind baselines.h. */
#include "baselines.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

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

template <typename T> struct is_below {
    T bound;
    __host__ __device__ bool operator()(const T &item) const
    {
        return item < bound;
    }
};

template <typename T>
static int select_below(int bound, void *storage, size_t *bytes, const void *in, void *out, uint64_t *num_selected,
                        uint64_t num_items, void *stream)
{
    return (int)cub::DeviceSelect::If(storage, *bytes, static_cast<const T *>(in), static_cast<T *>(out), num_selected,
                                      num_items, is_below<T>{ (T)bound }, static_cast<cudaStream_t>(stream));
}

template <typename T>
static int select_flagged(void *storage, size_t *bytes, const void *in, const uint8_t *flags, void *out,
                          uint64_t *num_selected, uint64_t num_items, void *stream)
{
    return (int)cub::DeviceSelect::Flagged(storage, *bytes, static_cast<const T *>(in), flags, static_cast<T *>(out),
                                           num_selected, num_items, static_cast<cudaStream_t>(stream));
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

int baseline_cub_select_below(enum baseline_type type, int bound, void *d_storage, size_t *storage_bytes,
                              const void *d_in, void *d_out, uint64_t *d_num_selected, uint64_t num_items, void *stream)
{
    BY_TYPE(select_below, bound, d_storage, storage_bytes, d_in, d_out, d_num_selected, num_items, stream)
}

int baseline_cub_select_flagged(enum baseline_type type, void *d_storage, size_t *storage_bytes, const void *d_in,
                                const uint8_t *d_flags, void *d_out, uint64_t *d_num_selected, uint64_t num_items,
                                void *stream)
{
    BY_TYPE(select_flagged, d_storage, storage_bytes, d_in, d_flags, d_out, d_num_selected, num_items, stream)
}
