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
        for (int is_reduction = 0; is_reduction < 2; ++is_reduction) {
            run_case c = any_case(op, in, out, random);
            c.is_reduction = is_reduction;
            c.reverse &= !is_reduction;
            c.in_place &= !is_reduction;
            const fold_instance &instance = (is_reduction ? table.reduce : table.scan)[in][out];
            CHECK(instance.kernel != nullptr, "no kernel for %s of %s into %s", onepass_operator_name(op),
                  onepass_type_name(in), onepass_type_name(out));
            if (!instance.kernel || (!seen.insert(instance.kernel).second && random.next() % 8 != 0))
                continue;
            const bool alone = random.next() % 3 == 0;
            const uint64_t most = alone ? instance.tile_items - 1 : instance.tile_items * 5 / 2;
            c.num_items = most - random.next() % 4 % most * (random.next() % (most / 4));
            run_and_compare(c, table, alone ? 0 : 1 + (unsigned)(random.next() % 3));
        }
    });
}
