/* SPDX-License-Identifier: MIT */
/*
 * Ends of the scan and reduction kernels' ranges, in narrow shapes: a ring with fewer slots than a block has walkers,
 * no items at all, and the clearing of the workspace while other blocks are still at work.
 */
#include "fold_kernels.h"

#include "descriptor.h"
#include "lookback/instances.cuh"

using namespace fold_kernels;
using namespace onepass;

namespace
{

/* Tiles of 4 rows, windows of 32 tiles, 3 walkers. */
struct tiny_windows {
    template <typename Fold> using scan = pipeline_shape<4, 3, 1, 2, 128>;
    template <typename Fold> using reduce = pipeline_shape<4, 3, 2, 0, 128>;
    template <typename Fold> static constexpr int group = 1;
};

template <typename T> fold_table sums_of(onepass_type type)
{
    fold_table sums = {};
    add_pair<op_SUM, false, tiny_windows, T, T>(sums, type, type);
    return sums;
}

} // namespace

/* Two slots are the least that the library gives; then the third walker has nothing to do. */
TEST(more_walkers_than_slots)
{
    const fold_table sums = sums_of<uint32_t>(ONEPASS_U32);
    harness::random_bits random = { harness::how.seed };
    for (int is_reduction = 0; is_reduction < 2; ++is_reduction) {
        run_case c = any_case(ONEPASS_SUM, ONEPASS_U32, ONEPASS_U32, random);
        c.is_reduction = is_reduction;
        c.reverse &= !is_reduction;
        c.in_place &= !is_reduction;
        c.num_slots = 2;
        c.num_items = 20000 + random.next() % 1000;
        run_and_compare(c, sums, 1 + (unsigned)(random.next() % 5));
    }
}

/* The sum of nothing is +0.0, not the -0.0 that missing items are padded with. */
TEST(reductions_of_nothing)
{
    const fold_table sums = sums_of<float>(ONEPASS_F32);
    harness::random_bits random = { harness::how.seed };
    for (unsigned initial = 0; initial < 3; ++initial)
        for (unsigned num_blocks : { one_tile, one_window, 1u, 2u }) {
            run_case c = any_case(ONEPASS_SUM, ONEPASS_F32, ONEPASS_F32, random);
            c.is_reduction = true;
            c.reverse = c.in_place = false;
            c.initial = initial;
            c.count = 0;
            c.num_items = 0;
            c.num_slots = 2;
            run_and_compare(c, sums, num_blocks);
        }
}

/* A block that has drawn its last ticket still reads descriptors; the last block clears them when all have finished.
 * Slots for all tiles: the loaders are done long before the walkers. */
TEST(clearing_waits_for_all_warps)
{
    const fold_table sums = sums_of<uint32_t>(ONEPASS_U32);
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 12; ++i) {
        run_case c = any_case(ONEPASS_SUM, ONEPASS_U32, ONEPASS_U32, random);
        c.count = 0;
        c.num_items = 512 * (2 + random.next() % 14);
        c.num_slots = 14;
        c.epoch = EPOCH_LAST;
        run_and_compare(c, sums, 2 + (unsigned)(random.next() % 4));
    }
}

/* The same in one window, where a block's walk is over before it writes. */
TEST(clearing_waits_for_all_walks)
{
    const fold_table sums = sums_of<uint32_t>(ONEPASS_U32);
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 12; ++i) {
        run_case c = any_case(ONEPASS_SUM, ONEPASS_U32, ONEPASS_U32, random);
        c.count = 0;
        c.num_items = 128 * (65 + random.next() % 40);
        c.epoch = EPOCH_LAST;
        run_and_compare(c, sums, one_window);
    }
}
