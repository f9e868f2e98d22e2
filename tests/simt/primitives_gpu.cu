/* SPDX-License-Identifier: MIT */
/*
 * The primitive tests on a GPU: the sources that the emulator runs, compiled by nvcc into one program, which exits with
 * 1 if anything fails. Host code needs -Xcompiler -ffp-contract=off, since the oracles must not fuse either.
 */
#include "harness.cpp"

#include "test_block.cpp"
#include "test_memory.cpp"
#include "test_operators.cpp"
#include "test_tile_io.cpp"
#include "test_warp.cpp"
