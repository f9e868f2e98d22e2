/* SPDX-License-Identifier: MIT */
/*
 * The library's own kernels, in their own shapes, in the emulator: every kernel that the tables hold is run, for every
 * pair of types and operator that types.h lists. Each combination takes part with one case of everything drawn at
 * random.
 */
#include "fold_kernels.h"

#include <set>

using namespace fold_kernels;

/* A kernel that serves several combinations runs for at least one of them with each schedule, and for all over some. */
TEST(every_kernel_of_the_library)
{
    harness::random_bits random = { harness::how.seed };
    std::set<fold_kernel> seen;
    for_each_combination([&](onepass_operator op, onepass_type in, onepass_type out) {
        const fold_table &table = *fold_table_of(op);
        enum { SCAN, REDUCTION, ONE_WINDOW, ONE_TILE, num_kinds };
        for (int kind = 0; kind < num_kinds; ++kind) {
            run_case c = any_case(op, in, out, random);
            if (kind <= REDUCTION)
                c.is_reduction = kind == REDUCTION;
            c.reverse &= !c.is_reduction;
            c.in_place &= !c.is_reduction;
            const fold_instance &instance = (c.is_reduction ? table.reduce : table.scan)[in][out];
            const one_tile_instance &tile = table.one_tile[in][out];
            const fold_kernel kernel = kind == ONE_WINDOW ? table.one_window[in][out].kernel
                                       : kind == ONE_TILE ? tile.kernel
                                                          : instance.kernel;
            CHECK(kernel != nullptr, "no kernel for %s of %s into %s", onepass_operator_name(op), onepass_type_name(in),
                  onepass_type_name(out));
            if (!kernel || (!seen.insert(kernel).second && random.next() % 8 != 0))
                continue;
            const uint64_t most = kind == ONE_TILE     ? tile.warp_items * tile.max_warps - 1
                                  : kind == ONE_WINDOW ? instance.needs.tile_items * 2
                                                       : instance.needs.tile_items * 5 / 2;
            c.num_items = most - random.next() % 4 % most * (random.next() % (most / 4));
            run_and_compare(c, table,
                            kind == ONE_TILE     ? one_tile
                            : kind == ONE_WINDOW ? one_window
                                                 : 1 + (unsigned)(random.next() % 3));
        }
    });
}
