/* SPDX-License-Identifier: MIT */
/* Selection kernels, one for each item size, by predicate and by flags. */
#include "select.cuh"

#include "launch.h"

namespace onepass
{

template <typename Item, bool flagged> constexpr select_instance select_instance_of()
{
    /* 32 KiB of items, or 16 Ki items. */
    using shape = select_shape<Item, flagged, sizeof(Item) == 1 ? 16384 : 32768 / sizeof(Item), 2, 4, 8>;
    return { select_tiles_kernel<shape>, needs_of<select_shared<shape>, shape>(shape::tile_items) };
}

template <bool flagged> constexpr void add_select_instances(select_instance (&table)[4])
{
    table[0] = select_instance_of<uint8_t, flagged>();
    table[1] = select_instance_of<uint16_t, flagged>();
    table[2] = select_instance_of<uint32_t, flagged>();
    table[3] = select_instance_of<uint64_t, flagged>();
}

constexpr select_table make_select_table()
{
    select_table table = {};
    add_select_instances<false>(table.by_predicate);
    add_select_instances<true>(table.by_flags);
    return table;
}

} // namespace onepass

const select_table compaction_select = onepass::make_select_table();
