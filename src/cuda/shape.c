/* SPDX-License-Identifier: MIT */
/* See shape.h. */
#include "shape.h"

struct launch_shape shape_of_pipeline(const struct pipeline_needs *needs, struct device_limits limits,
                                      uint64_t num_tiles, struct pipeline_params *params)
{
    const size_t max_slots = 16; /* more do not help */
    size_t num_slots =
        limits.shared_bytes < needs->shared_bytes ? 0 : (limits.shared_bytes - needs->shared_bytes) / needs->slot_bytes;
    params->num_slots = (uint32_t)(num_slots < max_slots ? num_slots : max_slots);
    if (params->num_slots < 2)
        return (struct launch_shape){ .num_blocks = 0 };
    return (struct launch_shape){
        .num_blocks = num_tiles < limits.num_multiprocessors ? (uint32_t)num_tiles : limits.num_multiprocessors,
        .block_threads = needs->block_threads,
        .shared_bytes = needs->shared_bytes + (size_t)params->num_slots * needs->slot_bytes,
        .aggregate_words = needs->aggregate_words,
        .start_words = needs->start_words,
    };
}
