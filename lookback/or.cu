/* SPDX-License-Identifier: MIT */
/* Kernels for OR, and with another key for AND. */
#include "instances.cuh"

const fold_table lookback_or = onepass::make_table<onepass::op_OR, true>();
