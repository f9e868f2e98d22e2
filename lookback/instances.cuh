/* SPDX-License-Identifier: MIT */
/*
 * Which kernels there are: for one operator, a scan, a reduction, and for both one in one window and one in one tile,
 * for every pair of types in src/types.h. Pairs that differ in signs only come to the same instance. A file of a few
 * lines for each operator fills its table from here.
 */
#ifndef ONEPASS_LOOKBACK_INSTANCES_CUH
#define ONEPASS_LOOKBACK_INSTANCES_CUH

#include "launch.h"
#include "one_tile.cuh"
#include "one_window.cuh"
#include "reduce.cuh"

namespace onepass
{

/*
 * The library's shapes: tiles of 32 KiB of input, or 16 KiB where outputs are 4 or 8 times as wide, so that a tile
 * writes no more than 128 KiB. One walker polls the second-level cache least, and is enough where its sums are quick:
 * in any order, of 32 bits; or tiles take long: int32 0.965 of a copy with one, 0.934 with two; int64 0.907 and 0.957;
 * float 0.947 with either; uint8 to uint32 0.930 and 0.891. Items of 1 or 2 bytes keep more writers busy where
 * lines and lanes are out of step: one item past a line, uint16 has 0.641 with 8 and 0.822 with 16, BF16 to float 0.691
 * and 0.839. Wide outputs need more registers, so there are fewer warps (H200, 2026-12-01).
 */
struct library_shapes {
    template <typename Fold>
    static constexpr unsigned widening = sizeof(typename Fold::out) / sizeof(typename Fold::in);
    template <typename Fold>
    static constexpr unsigned
        walkers = (Fold::op::any_order && sizeof(typename Fold::acc) == 4) || Fold::k >= 8 || widening<Fold> > 2 ? 1
                                                                                                                 : 2;
    template <typename Fold>
    static constexpr unsigned
        writers = Fold::k >= 8 && (widening<Fold> == 1 || (Fold::k == 8 && widening<Fold> == 2 && Fold::floating)) ? 16
                                                                                                                   : 8;
    template <typename Fold>
    using scan = typename choose<(widening<Fold> <= 2), pipeline_shape<64, walkers<Fold>, 4, writers<Fold>>,
                                 pipeline_shape<32, walkers<Fold>, 4, 8>>::type;
    template <typename Fold> using reduce = pipeline_shape<64, 2, 8, 0>;
    /* Rows that a writer has in flight, as registers allow; bytes that are not added are taken one by one, which takes
     * many. */
    template <typename Fold>
    static constexpr bool is_bytewise = !is_same<typename Fold::op, op_SUM<typename Fold::acc>>;
    template <typename Fold>
    static constexpr int group = Fold::k == 16  ? (widening<Fold> == 1   ? (is_bytewise<Fold> ? 2 : 4)
                                                   : widening<Fold> == 2 ? 2
                                                                         : 1)
                                 : Fold::k == 8 ? (widening<Fold> <= 2 ? 4 : 2)
                                                : (widening<Fold> == 1 ? 8 : 4);
};

template <typename Fold, typename Shape> constexpr fold_instance instance_of(fold_kernel kernel)
{
    return { kernel, needs_of<fold_shared<Fold, Shape>, Shape>(launch_view<Fold, Shape>::tile_items) };
}

template <typename Fold, typename Shapes> constexpr void add_instances(fold_table &table, int in_type, int out_type)
{
    using scan_shape = typename Shapes::template scan<Fold>;
    using reduce_shape = typename Shapes::template reduce<Fold>;
    table.scan[in_type][out_type] =
        instance_of<Fold, scan_shape>(scan_kernel<Fold, scan_shape, Shapes::template group<Fold>>);
    table.reduce[in_type][out_type] = instance_of<Fold, reduce_shape>(reduce_kernel<Fold, reduce_shape>);
    table.any_order[in_type][out_type] = Fold::op::any_order;
    using one_tile = one_tile_shape<Fold>;
    table.one_tile[in_type][out_type] = { one_tile_kernel<Fold>, one_tile::warp_rows * warp_threads * Fold::k,
                                          one_tile::max_warps, warp_threads * (uint32_t)sizeof(typename Fold::acc) };
    table.one_window[in_type][out_type] = { one_window_kernel<Fold>, row_bytes / sizeof(typename Fold::in),
                                            descriptor_words<typename Fold::acc>,
                                            (uint32_t)sizeof(one_window_shared<typename Fold::acc>) };
}

/* integers_only: the operator is not there for floating types. */
template <template <typename> class Operator, bool integers_only, typename Shapes, typename In, typename Out>
constexpr void add_pair(fold_table &table, int in_type, int out_type)
{
    if constexpr (!(integers_only && is_item_floating<In>))
        add_instances<fold_of<kernel_item<In>, kernel_item<Out>, Operator>, Shapes>(table, in_type, out_type);
}

template <template <typename> class Operator, bool integers_only = false, typename Shapes = library_shapes>
constexpr fold_table make_table()
{
    fold_table table = {};
#define ADD_PAIR(in, out) \
    add_pair<Operator, integers_only, Shapes, item_##in, item_##out>(table, ONEPASS_##in, ONEPASS_##out);
    ONEPASS_FOR_EACH_OUTPUT(ADD_PAIR)
#undef ADD_PAIR
    return table;
}

} // namespace onepass

#endif
