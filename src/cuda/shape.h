/* SPDX-License-Identifier: MIT */
/* The shape of a launch of the pipeline: blocks, and slots in their shared memory. */
#ifndef ONEPASS_SRC_CUDA_SHAPE_H
#define ONEPASS_SRC_CUDA_SHAPE_H

#include "../../lookback/params.h"

#include <stddef.h>

/* What a device offers. */
struct device_limits {
    uint32_t num_multiprocessors;
    size_t shared_bytes; /* that a block may have */
};

struct launch_shape {
    uint32_t num_blocks; /* 0: the device's shared memory is too small */
    uint32_t block_threads;
    size_t shared_bytes;
    uint32_t aggregate_words, start_words; /* of descriptors */
};

/* The shape for so many tiles; sets params->num_slots. */
struct launch_shape shape_of_pipeline(const struct pipeline_needs *needs, struct device_limits limits,
                                      uint64_t num_tiles, struct pipeline_params *params);

#endif
