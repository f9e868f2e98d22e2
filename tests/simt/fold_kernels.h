/* SPDX-License-Identifier: MIT */
/*
 * Runs scan and reduction kernels in the emulator and compares with the oracle of tests/oracle.h.
 *
 * A case says what to compute; a table says with which kernels: the library's own, or the same kernels in other shapes.
 * The way from a case to a kernel's parameters is the library's (src/cuda/fold.c). The workspace outlives cases, so
 * that each finds the leftovers of others, of other types and layouts. Outputs have canaries on both sides; ASan
 * also sees what is read around inputs and outputs.
 */
#ifndef ONEPASS_TESTS_SIMT_FOLD_KERNELS_H
#define ONEPASS_TESTS_SIMT_FOLD_KERNELS_H

extern "C" { /* first of all, so that what it declares has the linkage of C */
#include "../oracle.h"
#include "cuda/fold.h"
#include "types.h"
#include "value.h"
}

#include "harness.h"

namespace fold_kernels
{

struct run_case {
    onepass_operator op;
    onepass_type in, out;
    bool is_reduction, reverse, in_place;
    onepass_scan_kind kind;
    unsigned initial;             /* 0 none, 1 given, 2 in memory */
    int count;                    /* d_num_items: 0 none, 1 below max_items, 2 above */
    uint64_t num_items;           /* max_items */
    unsigned in_shift, out_shift; /* items past a 16-byte boundary */
    uint64_t seed;
    unsigned num_slots; /* pipeline: 0: as the shared memory of an H200 allows */
    uint32_t epoch;     /* 0: whatever comes; else the workspace's epoch before the launch */
};

/* A case with all the rest at random. */
run_case any_case(onepass_operator op, onepass_type in, onepass_type out, harness::random_bits &random);

/* In place of a number of blocks. */
constexpr unsigned one_window = 0, one_tile = ~0u;

/* Runs a case with the pipeline on a grid of num_blocks blocks, or with the kernel for one window or for one tile, on
 * the grid that the library would choose. A difference or an error fails the running test. */
void run_and_compare(const run_case &c, const fold_table &table, unsigned num_blocks);

/* Calls visit(op, in, out) for everything that types.h lists. */
template <typename Visit> void for_each_combination(Visit visit)
{
    for (int op = 1; op < num_operators; ++op)
        for (int in = 1; in < num_types; ++in)
            for (int out = 1; out < num_types; ++out)
                if (is_output((onepass_type)in, (onepass_type)out) &&
                    is_defined((onepass_operator)op, (onepass_type)in))
                    visit((onepass_operator)op, (onepass_type)in, (onepass_type)out);
}

} // namespace fold_kernels

#endif
