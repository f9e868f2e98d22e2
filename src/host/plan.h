/* SPDX-License-Identifier: MIT */
/* What a scan or a reduction of given types and operator consists of: accumulator type, kernels, and start value. */
#ifndef ONEPASS_SRC_HOST_PLAN_H
#define ONEPASS_SRC_HOST_PLAN_H

#include "../backend.h"
#include "kernels.h"

struct plan {
    size_t in_size, acc_size, out_size;
    size_t row_items;   /* in a row of ORDER.md */
    size_t block_items; /* whole rows that fit a block */
    size_t scan_items;  /* whole rows that are scanned, and then written, at once */
    bool loads_copy;    /* loading changes nothing, so items can be reduced where they lie */
    convert_fn load;
    convert_fn store;      /* NULL if accumulators are outputs already */
    bool scans_to_outputs; /* results of scan are outputs already */
    convert_fn reverse_in, reverse_out;
    combine_fn combine;
    scan_fn scan;
    reduce_fn reduce;
    bool is_ordered;
    uint64_t nothing; /* the exact identity, as an accumulator */
    uint64_t start;   /* of the first window */
};

/* starts_empty: without an initial value the start is nothing (inclusive scan, reduction), and not the identity that an
 * exclusive scan writes (+0.0 for floating SUM). */
struct plan plan_of(const struct host_kernels *kernels, const struct reduce_call *call, bool starts_empty);

/* One accumulator as an item of the output type. */
void plan_store_one(const struct plan *plan, uint64_t accumulator, void *out);

/* num_items items from src as accumulators, the last of them first if reverse, padded with nothing to the whole rows
 * that num_positions positions take: in scratch->items, or where they lie if nothing needs to be done. */
const void *plan_load(const struct plan *plan, struct scratch *scratch, const void *src, size_t num_items,
                      size_t num_positions, bool reverse);

/* The sum of num_items items at src, a tile or the end of the input, but at least one. */
uint64_t plan_reduce(const struct plan *plan, struct scratch *scratch, const unsigned char *src, uint64_t num_items,
                     bool reverse);

#endif
