/* SPDX-License-Identifier: MIT */
/*
 * From a checked call to a kernel and its parameters: which kernel serves the types and the operator, and what to tell
 * it. Nothing here calls CUDA, so that the tests of the kernels go the same way.
 */
#ifndef ONEPASS_SRC_CUDA_FOLD_H
#define ONEPASS_SRC_CUDA_FOLD_H

#include "../../lookback/launch.h"
#include "../backend.h"
#include "shape.h"

/* The library's kernels for an operator. */
const struct fold_table *fold_table_of(onepass_operator op);

/* The parameters of a scan or a reduction, but for the workspace and the shape. */
struct fold_params scan_params(const struct scan_call *call);
struct fold_params reduce_params(const struct reduce_call *call);

struct fold_launch {
    fold_kernel kernel;
    struct launch_shape shape;
};

/* Chooses a kernel and its shape; completes the parameters but for the workspace. */
struct fold_launch fold_launch_of(const struct fold_table *table, onepass_type in, onepass_type out,
                                  struct device_limits limits, struct fold_params *params);

/* Where any order of the items will do, lets positions begin on a line of memory (fold_params.lead), if items and
 * results are then both in step with lines. Before the choice of a kernel other than that of one tile. */
void begin_on_a_line(const struct fold_table *table, onepass_type in, onepass_type out, struct fold_params *params);

/* The same for one kernel: of one tile, of one window, or of the pipeline. No blocks: that is too small for it. */
struct fold_launch one_tile_launch(const struct one_tile_instance *instance, const struct fold_params *params);
struct fold_launch one_window_launch(const struct one_window_instance *instance, struct fold_params *params);
struct fold_launch pipeline_launch(const struct fold_instance *instance, struct device_limits limits,
                                   struct fold_params *params);

#endif
