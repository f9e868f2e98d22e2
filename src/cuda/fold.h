/* SPDX-License-Identifier: MIT */
/*
 * From a checked call to a kernel and its parameters: which kernel serves the types and the operator, and what to tell
 * it. Nothing here calls CUDA, so that the tests of the kernels go the same way.
 */
#ifndef ONEPASS_SRC_CUDA_FOLD_H
#define ONEPASS_SRC_CUDA_FOLD_H

#include "../../lookback/launch.h"
#include "../backend.h"

/* The library's kernels for an operator. */
const struct fold_table *fold_table_of(onepass_operator op);

/* The parameters of a scan or a reduction, but for the workspace: see launch_alone and workspace_use. */
struct fold_params scan_params(const struct scan_call *call);
struct fold_params reduce_params(const struct reduce_call *call);

/* The most tiles that a launch can have. At least 1. */
uint64_t fold_max_tiles(const struct fold_instance *instance, const struct fold_params *params);

/* Slots that fit into the shared memory that a block may have; at most as many as help. */
uint32_t fold_num_slots(const struct fold_instance *instance, size_t shared_bytes);

#endif
