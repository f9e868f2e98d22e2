/* SPDX-License-Identifier: MIT */
/* Kernels for XOR. */
#include "instances.cuh"

const fold_table lookback_xor = onepass::make_table<onepass::op_XOR, true>();
