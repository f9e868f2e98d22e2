/* SPDX-License-Identifier: MIT */
/* Kernels for PROD. */
#include "instances.cuh"

const fold_table lookback_prod = onepass::make_table<onepass::op_PROD>();
