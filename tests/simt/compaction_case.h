/* SPDX-License-Identifier: MIT */
/* What the tests of unique and partition kernels share: launching one on the common workspace, and what each launch
 * must leave behind. */
#ifndef ONEPASS_TESTS_SIMT_COMPACTION_CASE_H
#define ONEPASS_TESTS_SIMT_COMPACTION_CASE_H

#include "workspace.h"

/* Launches the instance's kernel with so many blocks and slots. params.pipeline has the number of items. */
template <typename Instance, typename Params>
void launch_compaction(const Instance &instance, Params &params, unsigned num_blocks, unsigned num_slots)
{
    const device_limits limits = { num_blocks,
                                   instance.needs.shared_bytes + (size_t)num_slots * instance.needs.slot_bytes };
    const launch_shape shape = shape_of_pipeline(&instance.needs, limits, max_tiles, &params.pipeline);
    workspace &space = shared_workspace();
    space.use(params.pipeline, shape);
    space.clamped[0] = space.clamped[1] = 0;
    const uint32_t epoch = ticket_epoch(space.control[CONTROL_TICKET]);
    const auto kernel = instance.kernel;
    harness::launch_grid({ num_blocks, shape.block_threads, shape.shared_bytes, [=] { kernel(params); } });
    CHECK(space.control[CONTROL_TICKET] == ticket_pack(epoch_next(epoch), 0) &&
              space.control[CONTROL_NUM_FINISHED] == 0,
          "the workspace is not ready for the next launch");
    const bool is_above = params.pipeline.d_num_items && *params.pipeline.d_num_items > params.pipeline.max_items;
    CHECK(space.clamped[0] == (is_above ? *params.pipeline.d_num_items : 0), "a count above max_items is not reported");
}

/* A number of items on the device: none, below the bound, or above it. The result is how many items there are then. */
inline uint64_t any_count(pipeline_params &params, uint64_t max_items, uint64_t &count, harness::random_bits &random)
{
    params.max_items = max_items;
    const unsigned kind = (unsigned)(random.next() % 5);
    count = kind == 0 ? max_items + 5 : random.next() % (max_items + 1);
    params.d_num_items = kind <= 1 ? &count : nullptr;
    return kind == 1 ? count : max_items;
}

inline unsigned any_shift(harness::random_bits &random)
{
    return random.next() % 2 ? 0 : (unsigned)(random.next() % 16);
}

#endif
