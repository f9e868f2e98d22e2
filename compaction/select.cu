/* SPDX-License-Identifier: MIT */
/* Selection kernels, one for each item size, by predicate and by flags. */
#include "select.cuh"

#include "launch.h"

namespace onepass
{

template <typename Item, decision by> constexpr select_instance select_instance_of()
{
    using shape = library_shape<Item, by>;
    return { select_tiles_kernel<shape>, needs_of<select_shared<shape>, shape>(shape::tile_items) };
}

template <decision by> constexpr void add_select_instances(select_instance (&table)[4])
{
    table[0] = select_instance_of<uint8_t, by>();
    table[1] = select_instance_of<uint16_t, by>();
    table[2] = select_instance_of<uint32_t, by>();
    table[3] = select_instance_of<uint64_t, by>();
}

constexpr select_table make_select_table()
{
    select_table table = {};
    add_select_instances<BY_PREDICATE>(table.by_predicate);
    add_select_instances<BY_FLAGS>(table.by_flags);
    return table;
}

} // namespace onepass

const select_table compaction_select = onepass::make_select_table();
