/* SPDX-License-Identifier: MIT */
/* Partition kernels, one for each item size, by predicate and by flags. */
#include "partition.cuh"

#include "launch.h"

namespace onepass
{

template <typename Item, decision by> constexpr partition_instance partition_instance_of()
{
    using shape = library_shape<Item, by>;
    return { partition_tiles_kernel<shape>, needs_of<partition_shared<shape>, shape>(shape::tile_items) };
}

template <decision by> constexpr void add_partition_instances(partition_instance (&table)[4])
{
    table[0] = partition_instance_of<uint8_t, by>();
    table[1] = partition_instance_of<uint16_t, by>();
    table[2] = partition_instance_of<uint32_t, by>();
    table[3] = partition_instance_of<uint64_t, by>();
}

constexpr partition_table make_partition_table()
{
    partition_table table = {};
    add_partition_instances<BY_PREDICATE>(table.by_predicate);
    add_partition_instances<BY_FLAGS>(table.by_flags);
    return table;
}

} // namespace onepass

const partition_table compaction_partition = onepass::make_partition_table();
