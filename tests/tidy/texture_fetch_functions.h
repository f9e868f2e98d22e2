/* SPDX-License-Identifier: MIT */
/*
 * What clang-19 lacks to read the project's .cu files against CUDA 13.0, for clang-tidy (tests/check_tidy.sh). Its own
 * headers include this file, which CUDA no longer has, and never declare the cache hints. Nothing is linked: declared is
 * enough.
 */
__device__ void __stcs(uint4 *at, uint4 value);
