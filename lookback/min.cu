/* SPDX-License-Identifier: MIT */
/* Kernels for MIN, and with another key for MAX. */
#include "instances.cuh"

const fold_table lookback_min = onepass::make_table<onepass::op_MIN>();
