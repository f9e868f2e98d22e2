/* SPDX-License-Identifier: MIT */
/* From a checked selection to a kernel and its parameters. As fold.h: nothing here calls CUDA. */
#ifndef ONEPASS_SRC_CUDA_SELECT_H
#define ONEPASS_SRC_CUDA_SELECT_H

#include "../../compaction/launch.h"
#include "../backend.h"
#include "shape.h"

/* A selection of items, of their indices or of both. */
struct select_call {
    onepass_type type;
    struct range_test keep; /* if d_flags is NULL */
    const uint8_t *d_flags;
    const void *d_in;
    void *d_out;         /* or NULL */
    size_t index_size;   /* 4 or 8, if d_out_indices is not NULL */
    void *d_out_indices; /* or NULL */
    uint64_t capacity;   /* at most max_items */
    uint64_t *d_num_selected;
    struct item_count count;
};

/* The selection that a compaction is, if it is one that the kernels have; else false. */
bool select_call_of(const struct compact_call *compaction, struct select_call *call);

/* The parameters, but for the workspace and the shape. */
struct select_params select_params_of(const struct select_call *call);

/* The library's kernel for the call. */
const struct select_instance *select_instance_of(const struct select_call *call);

/* The shape of its launch; sets the number of slots. */
struct launch_shape select_shape_of(const struct select_instance *instance, struct device_limits limits,
                                    struct select_params *params);

#endif
