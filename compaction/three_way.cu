/* SPDX-License-Identifier: MIT */
/* Partition into three parts by two predicates, one kernel for each item size. */
#include "launch.h"
#include "partition.cuh"

namespace onepass
{

/* Windows have 2^20 items or more: see select_shape. */
template <typename Item> constexpr partition_instance three_way_instance_of()
{
    using shape = select_shape<Item, BY_TWO_PREDICATES, 32768 / sizeof(Item), 2, sizeof(Item) == 4 ? 8 : 4,
                               sizeof(Item) <= 2 ? 16 : 8, sizeof(Item) == 8 ? 256 : 128>;
    return { partition_tiles_kernel<shape>, needs_of<partition_shared<shape>, shape>(shape::tile_items) };
}

} // namespace onepass

const three_way_table compaction_three_way = {
    { onepass::three_way_instance_of<uint8_t>(), onepass::three_way_instance_of<uint16_t>(),
      onepass::three_way_instance_of<uint32_t>(), onepass::three_way_instance_of<uint64_t>() }
};
