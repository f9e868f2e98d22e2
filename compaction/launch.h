/* SPDX-License-Identifier: MIT */
/* The seam between the selection kernels and plain C: a kernel for each item size, by predicate or by flags. */
#ifndef ONEPASS_COMPACTION_LAUNCH_H
#define ONEPASS_COMPACTION_LAUNCH_H

#include "../lookback/launch.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*select_kernel)(struct select_params params);

struct select_instance {
    select_kernel kernel;
    struct pipeline_needs needs;
};

/* By the base-2 logarithm of the item's size. */
struct select_table {
    struct select_instance by_predicate[4];
    struct select_instance by_flags[4];
};

/* Likewise: the first item of each run of equal neighbours. */
struct unique_table {
    struct select_instance by_size[4];
};

typedef void (*partition_kernel)(struct partition_params params);

struct partition_instance {
    partition_kernel kernel;
    struct pipeline_needs needs;
};

/* Likewise: two parts by predicate or by flags, three by two predicates. */
struct partition_table {
    struct partition_instance by_predicate[4];
    struct partition_instance by_flags[4];
};

struct three_way_table {
    struct partition_instance by_size[4];
};

extern const struct select_table compaction_select;
extern const struct unique_table compaction_unique;
extern const struct partition_table compaction_partition;
extern const struct three_way_table compaction_three_way;

#ifdef __cplusplus
}
#endif

#endif
