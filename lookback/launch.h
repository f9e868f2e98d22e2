/* SPDX-License-Identifier: MIT */
/*
 * The seam between the kernels and plain C: one table of kernels for each operator that has kernels of its own, by
 * input and output type. MAX is MIN with another key, AND is OR with another key (params.h).
 *
 * All kernels take one struct fold_params, and are launched by their address (cudaLaunchKernel).
 */
#ifndef ONEPASS_LOOKBACK_LAUNCH_H
#define ONEPASS_LOOKBACK_LAUNCH_H

#include "params.h"
#include "types.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*fold_kernel)(struct fold_params params);

struct fold_instance {
    fold_kernel kernel; /* NULL: there is none for these types */
    struct pipeline_needs needs;
};

/* A kernel for scans and reductions of one tile: one_tile.cuh. */
struct one_tile_instance {
    fold_kernel kernel;
    uint32_t warp_items; /* positions that a warp takes */
    uint32_t max_warps;
    uint32_t shared_bytes; /* dynamic shared memory */
};

/* Likewise of up to one window: one_window.cuh. */
struct one_window_instance {
    fold_kernel kernel;
    uint32_t row_items;
    uint32_t descriptor_words;
    uint32_t shared_bytes; /* dynamic shared memory */
};

/* By onepass_type: input, output. */
struct fold_table {
    struct fold_instance scan[num_types][num_types];
    struct fold_instance reduce[num_types][num_types];
    struct one_tile_instance one_tile[num_types][num_types];
    struct one_window_instance one_window[num_types][num_types];
    bool any_order[num_types][num_types]; /* whether items may be grouped in any way */
};

extern const struct fold_table lookback_sum, lookback_prod, lookback_min, lookback_or, lookback_xor;

#ifdef __cplusplus
}
#endif

#endif
