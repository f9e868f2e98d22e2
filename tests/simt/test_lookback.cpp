/* SPDX-License-Identifier: MIT */
/*
 * The scan and reduction kernels in narrow shapes: small tiles, few warps and slots, so that many tiles, blocks and
 * windows fit into a test. Also what only a test has: windows of 64 rows, for exact operators; an operator that does
 * not commute; epochs that begin again.
 */
#include "fold_kernels.h"

#include "descriptor.h"
#include "lookback/instances.cuh"
#include "oracle.h"

using namespace fold_kernels;
using namespace onepass;

namespace
{

template <unsigned rows, unsigned walkers, unsigned window_rows> struct narrow_shapes {
    template <typename Fold> using scan = pipeline_shape<rows, walkers, 1, 2, window_rows>;
    template <typename Fold> using reduce = pipeline_shape<rows, walkers, 2, 0, window_rows>;
    template <typename Fold> static constexpr int group = rows / 4;
};
using narrow = narrow_shapes<8, 2, 8192>;
using tiny_windows = narrow_shapes<4, 3, 128>;
using whole_windows = narrow_shapes<32, 1, 8192>;

template <template <typename> class Operator, typename Shapes, typename In, typename Out>
void add(fold_table &table, onepass_type in, onepass_type out)
{
    add_pair<Operator, false, Shapes, In, Out>(table, in, out);
}

} // namespace

/* Order is what matters for floats, over tiles and blocks. */
TEST(floats_over_many_tiles)
{
    fold_table sums = {}, products = {};
    add<op_SUM, narrow, float, float>(sums, ONEPASS_F32, ONEPASS_F32);
    add<op_SUM, narrow, f16, f16>(sums, ONEPASS_F16, ONEPASS_F16);
    add<op_PROD, narrow, double, double>(products, ONEPASS_F64, ONEPASS_F64);
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 3; ++i) {
        const onepass_type type = i == 0 ? ONEPASS_F32 : i == 1 ? ONEPASS_F16 : ONEPASS_F64;
        run_case c = any_case(i == 2 ? ONEPASS_PROD : ONEPASS_SUM, type, type, random);
        c.num_slots = 2 + (unsigned)(random.next() % 3);
        c.num_items = 100 * 1024 / onepass_type_size(type) - random.next() % 700;
        run_and_compare(c, i == 2 ? products : sums, 1 + (unsigned)(random.next() % 45));
    }
}

/* Several windows of ORDER.md; more than 32 blocks at times. */
TEST(floats_over_three_windows)
{
    if (harness::how.seed % 6 != 1 && harness::how.seed % 6 != 4)
        return;
    fold_table sums = {};
    add<op_SUM, whole_windows, double, double>(sums, ONEPASS_F64, ONEPASS_F64);
    harness::random_bits random = { harness::how.seed };
    run_case c = any_case(ONEPASS_SUM, ONEPASS_F64, ONEPASS_F64, random);
    c.count = 0;
    c.num_slots = 3;
    c.num_items = 3 * (4 << 20) / 8 + random.next() % 5000;
    run_and_compare(c, sums, harness::how.seed % 6 == 1 ? 40 : 3);
}

/* Windows of 32 tiles: the walk leaves them all the time, and looks for starts more than 32 windows away. */
TEST(many_windows)
{
    fold_table sums = {}, least = {};
    add<op_SUM, tiny_windows, uint32_t, uint32_t>(sums, ONEPASS_U32, ONEPASS_U32);
    add<op_SUM, tiny_windows, uint8_t, uint64_t>(sums, ONEPASS_U8, ONEPASS_U64);
    add<op_SUM, tiny_windows, uint8_t, uint64_t>(sums, ONEPASS_I8, ONEPASS_I64);
    add<op_SUM, tiny_windows, uint8_t, uint32_t>(sums, ONEPASS_U8, ONEPASS_U32);
    add<op_MIN, tiny_windows, int16_t, int16_t>(least, ONEPASS_I16, ONEPASS_I16);
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 5; ++i) {
        const onepass_type types[][2] = { { ONEPASS_U32, ONEPASS_U32 },
                                          { ONEPASS_U8, ONEPASS_U64 },
                                          { ONEPASS_I16, ONEPASS_I16 },
                                          { ONEPASS_I8, ONEPASS_I64 },
                                          { ONEPASS_U8, ONEPASS_U32 } };
        const onepass_type in = types[i][0], out = types[i][1];
        run_case c = any_case(i == 2 ? ONEPASS_MAX : ONEPASS_SUM, in, out, random);
        c.num_slots = 3 + (unsigned)(random.next() % 2);
        const unsigned windows = i == 0 && harness::how.seed % 6 == 2 ? 70 : 3; /* many take long */
        c.num_items = (uint64_t)windows * 128 * 512 / onepass_type_size(in) + random.next() % 3 - 1;
        run_and_compare(c, i == 2 ? least : sums, 1 + (unsigned)(random.next() % 50));
    }
}

/* Every length near lanes, rows and tiles. */
TEST(boundaries)
{
    fold_table sums = {};
    add<op_SUM, narrow, uint16_t, uint32_t>(sums, ONEPASS_U16, ONEPASS_U32);
    harness::random_bits random = { harness::how.seed };
    const uint64_t tile = 8 * 256;
    for (uint64_t base : { (uint64_t)0, (uint64_t)8, (uint64_t)256, tile, 2 * tile, 9 * tile })
        for (uint64_t delta = 0; delta < 3; ++delta) {
            if (base + delta == 0)
                continue;
            run_case c = any_case(ONEPASS_SUM, ONEPASS_I16, ONEPASS_U32, random);
            c.in = ONEPASS_U16;
            c.num_items = base + delta - 1;
            c.num_slots = 2 + (unsigned)(random.next() % 2);
            const unsigned grid = (unsigned)(random.next() % 6);
            run_and_compare(c, sums, grid == 5 && base < 9 * tile ? one_tile : grid % 5);
        }
}

/* Every distance from a 16-byte boundary, in and out. */
TEST(alignments)
{
    fold_table sums = {};
    add<op_SUM, narrow, uint8_t, uint8_t>(sums, ONEPASS_U8, ONEPASS_U8);
    harness::random_bits random = { harness::how.seed };
    for (unsigned shift = 0; shift < 16; ++shift) {
        run_case c = any_case(ONEPASS_SUM, ONEPASS_U8, ONEPASS_U8, random);
        c.in_place = false;
        c.in_shift = shift;
        c.out_shift = (unsigned)(random.next() % 16);
        c.num_items = random.next() % 7000;
        c.num_slots = 3;
        run_and_compare(c, sums, shift % 3 == 2 ? one_tile : shift % 3 * 2);
    }
}

/* Up to one window without the pipeline: every number of rows in a tile and of tiles; and one tile by itself. */
TEST(small_kernels)
{
    fold_table sums = {}, products = {};
    add<op_SUM, narrow, uint16_t, uint32_t>(sums, ONEPASS_U16, ONEPASS_U32);
    add<op_SUM, narrow, double, double>(sums, ONEPASS_F64, ONEPASS_F64);
    add<op_SUM, narrow, float, float>(sums, ONEPASS_F32, ONEPASS_F32);
    add<op_PROD, narrow, float, float>(products, ONEPASS_F32, ONEPASS_F32);
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 13; ++i) {
        const onepass_type in = i % 3 == 0 ? ONEPASS_U16 : i % 3 == 1 ? ONEPASS_F64 : ONEPASS_F32;
        const onepass_type out = i % 3 == 0 ? ONEPASS_U32 : in;
        const bool multiplies = i % 3 == 2 && i < 10;
        const fold_table &table = multiplies ? products : sums;
        run_case c = any_case(multiplies ? ONEPASS_PROD : ONEPASS_SUM, in, out, random);
        const bool is_tile = i >= 8;
        const uint64_t num_rows = is_tile                                ? table.one_tile[in][out].max_warps
                                  : i == 7 && harness::how.seed % 3 == 0 ? (uint64_t)WINDOW_ROWS
                                                                         : (uint64_t)1 << random.next() % 10;
        const uint64_t most = num_rows * 512 / onepass_type_size(in);
        c.num_items = most - (c.kind == ONEPASS_OFFSETS) - random.next() % (is_tile ? most - 1 : 3) % most;
        if (i >= 10) {
            c.is_reduction = true;
            c.reverse = c.in_place = false;
            c.in_shift = c.count = 0;
        }
        run_and_compare(c, table, is_tile ? one_tile : one_window);
    }
}

/* The epoch after the last is the first: all words are cleared then, also those of the other layout. */
TEST(epochs_begin_again)
{
    fold_table sums = {};
    add<op_SUM, tiny_windows, uint32_t, uint32_t>(sums, ONEPASS_U32, ONEPASS_U32);
    add<op_SUM, tiny_windows, uint64_t, uint64_t>(sums, ONEPASS_U64, ONEPASS_U64);
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 6; ++i) {
        const onepass_type type = random.next() % 2 ? ONEPASS_U32 : ONEPASS_U64;
        run_case c = any_case(ONEPASS_SUM, type, type, random);
        c.num_items = 70000 / onepass_type_size(type);
        c.num_slots = 3;
        c.epoch = i == 0 ? 1 : i == 1 ? EPOCH_LAST - 1 : 0;
        run_and_compare(c, sums, 1 + (unsigned)(random.next() % 5));
    }
}

namespace
{

/* Composition of affine functions: associative, exact, and the order of operands matters. */
struct compose_fold {
    using in = oracle::affine;
    using out = oracle::affine;
    using acc = oracle::affine;
    using op = op_compose;
    static constexpr int k = 2;

    explicit compose_fold(const fold_params &)
    {
    }
    out store(const acc &value) const
    {
        return value;
    }
    acc load_output(const out &item) const
    {
        return item;
    }
    void load_line(const vec16 &line, acc (&items)[k]) const
    {
        unpack(line, items);
    }
    acc fold_line(const vec16 &line) const
    {
        acc items[k];
        load_line(line, items);
        return fold_items(items, op());
    }
};

} // namespace

TEST(an_operator_that_does_not_commute)
{
    using shape = pipeline_shape<4, 2, 2, 2, 128>;
    using reduce_shape = pipeline_shape<4, 2, 2, 0, 128>;
    using shared = fold_shared<compose_fold, shape>;
    harness::random_bits random = { harness::how.seed };
    const uint64_t num_items = 10000 + random.next() % 1000;
    const std::vector<oracle::affine> in = oracle::any_values<oracle::affine>(num_items, harness::how.seed);
    std::vector<oracle::affine> out(num_items), expected(num_items);
    std::vector<uint64_t> words(4096), control(CONTROL_NUM_WORDS);
    uint64_t clamped[2];
    fold_params params = {};
    params.in = in.data();
    params.out = out.data();
    params.pipeline.max_items = num_items;
    params.pipeline.num_slots = 3;
    params.reverse = random.next() % 2;
    params.pipeline.control = control.data();
    params.pipeline.aggregates = words.data() + (uintptr_t)words.data() % 16 / 8;
    params.pipeline.starts = params.pipeline.aggregates + 2048;
    params.pipeline.clamped = clamped;
    control[CONTROL_TICKET] = ticket_pack(1, 0);
    const unsigned num_blocks = 1 + (unsigned)(random.next() % 40);
    const size_t shared_bytes = sizeof(shared) + 3 * sizeof(shared::slot);
    harness::launch(scan_kernel<compose_fold, shape, 1>, num_blocks, shape::block_threads, shared_bytes, params);
    oracle::affine sum = { 1, 0 };
    for (uint64_t i = 0; i < num_items; ++i) {
        const uint64_t at = params.reverse ? num_items - 1 - i : i;
        sum = oracle::compose()(sum, in[at]);
        CHECK(harness::same_bits(out[at], sum), "output %llu of %llu", (unsigned long long)at,
              (unsigned long long)num_items);
    }

    params.reverse = 0;
    oracle::affine total;
    params.out = &total;
    harness::launch(reduce_kernel<compose_fold, reduce_shape>, num_blocks, reduce_shape::block_threads, shared_bytes,
                    params);
    sum = { 1, 0 };
    for (const oracle::affine &item : in)
        sum = oracle::compose()(sum, item);
    CHECK(harness::same_bits(total, sum), "the reduction of %llu items", (unsigned long long)num_items);

    /* In one window: a block for each four rows of 64 items; and in one tile; from an initial value. */
    for (unsigned i = 0; i < 4; ++i) {
        const bool is_tile = i < 2;
        const unsigned num_tiles = is_tile ? 1 : 1 + (unsigned)(random.next() % 39);
        const oracle::affine initial = { 5, 7 };
        params.start = START_BITS;
        params.initial = bits_as<uint64_t>(initial);
        params.tile_rows = 4;
        params.pipeline.max_items = num_tiles * 256 - random.next() % 256;
        params.is_reduction = i % 2;
        params.reverse = !params.is_reduction && random.next() % 2;
        params.out = params.is_reduction ? &total : out.data();
        harness::launch(is_tile ? one_tile_kernel<compose_fold> : one_window_kernel<compose_fold>, num_tiles,
                        4 * warp_threads, sizeof(one_window_shared<oracle::affine>), params);
        sum = initial;
        for (uint64_t j = 0; j < params.pipeline.max_items; ++j) {
            const uint64_t at = params.reverse ? params.pipeline.max_items - 1 - j : j;
            sum = oracle::compose()(sum, in[at]);
            CHECK(params.is_reduction || harness::same_bits(out[at], sum), "output %llu of %llu in a small kernel",
                  (unsigned long long)at, (unsigned long long)params.pipeline.max_items);
        }
        CHECK(!params.is_reduction || harness::same_bits(total, sum), "the reduction of %llu items in a small kernel",
              (unsigned long long)params.pipeline.max_items);
    }
}
