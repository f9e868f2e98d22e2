/* SPDX-License-Identifier: MIT */
/* Selection kernels, one for each item size, by predicate and by flags. */
#include "select.cuh"

#include "launch.h"

namespace onepass
{

template <typename Item, decision by> constexpr select_instance select_instance_of()
{
    /* 32 KiB of items. One walker polls least: at half kept int32 has 0.87 of a copy with one, 0.77 with two. Where
     * aggregates have 64 bits it is slow: with nothing kept int64 has 0.69 with one, 0.85 with two. Small items are
     * many, and want more writers (H200, 2026-11-30). */
    using shape =
        select_shape<Item, by, 32768 / sizeof(Item), sizeof(Item) == 8 ? 2 : 1, 8, sizeof(Item) <= 2 ? 16 : 8>;
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
