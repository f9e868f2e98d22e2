/* SPDX-License-Identifier: MIT */
/* The heads of runs of equal neighbours, one kernel for each item size. */
#include "launch.h"
#include "select.cuh"

namespace onepass
{

template <typename Item> constexpr select_instance unique_instance_of()
{
    using shape = library_shape<Item, BY_HEADS>;
    return { select_tiles_kernel<shape>, needs_of<select_shared<shape>, shape>(shape::tile_items) };
}

} // namespace onepass

const unique_table compaction_unique = {
    { onepass::unique_instance_of<uint8_t>(), onepass::unique_instance_of<uint16_t>(),
      onepass::unique_instance_of<uint32_t>(), onepass::unique_instance_of<uint64_t>() }
};
