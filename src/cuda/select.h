/* SPDX-License-Identifier: MIT */
/* From a checked selection or partition to a kernel and its parameters. As fold.h: nothing here calls CUDA. */
#ifndef ONEPASS_SRC_CUDA_SELECT_H
#define ONEPASS_SRC_CUDA_SELECT_H

#include "../../compaction/launch.h"
#include "../backend.h"
#include "shape.h"

/* What of a compaction the kernels do not have, in words; NULL: they have all of it. */
const char *compaction_lacks(const struct compact_call *call);

/* Whether it takes a partition's kernel, not a selection's. */
bool is_partition(const struct compact_call *call);

/* The parameters of a call that they have, but for the workspace and the shape. */
struct select_params select_params_of(const struct compact_call *call);
struct partition_params partition_params_of(const struct compact_call *call);

/* The library's kernel for the call. */
const struct select_instance *select_instance_of(const struct compact_call *call);
const struct partition_instance *partition_instance_of(const struct compact_call *call);

/* The shape of a launch of either; sets the number of slots. */
struct launch_shape compaction_shape_of(const struct pipeline_needs *needs, struct device_limits limits,
                                        struct pipeline_params *params);

#endif
