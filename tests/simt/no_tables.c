/* SPDX-License-Identifier: MIT */
/*
 * Empty tables in place of the library's own, which src/cuda/fold.c and select.c name: the tests of narrow shapes bring
 * tables of their own, and the library's would take minutes to compile for each mutant.
 */
#include "compaction/launch.h"

const struct fold_table lookback_sum, lookback_prod, lookback_min, lookback_or, lookback_xor;
const struct select_table compaction_select;
const struct unique_table compaction_unique;
const struct partition_table compaction_partition;
const struct three_way_table compaction_three_way;
