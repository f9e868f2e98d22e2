/* SPDX-License-Identifier: MIT */
/* The seam between the selection kernels and plain C: a kernel for each item size and each way to decide. */
#ifndef ONEPASS_COMPACTION_LAUNCH_H
#define ONEPASS_COMPACTION_LAUNCH_H

#include "../lookback/launch.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*select_kernel)(struct select_params params);

struct select_instance {
    select_kernel kernel;
    struct pipeline_needs needs;
};

/* By enum select_decider, and the base-2 logarithm of the item's size. */
struct select_table {
    struct select_instance instances[num_select_deciders][4];
};

extern const struct select_table compaction_select;

#ifdef __cplusplus
}
#endif

#endif
