/* SPDX-License-Identifier: MIT */
/* Kernels for SUM. */
#include "instances.cuh"

const fold_table lookback_sum = onepass::make_table<onepass::op_SUM>();
