/* SPDX-License-Identifier: MIT */
/*
 * Whole kernels with accumulators of 24 bytes, whose descriptors have their values apart: scan, reduction, one window.
 * No type of the library is so wide. The operator does not commute, and one workspace serves all launches of a test, so
 * that each finds the words and the values of the one before.
 */
#include "descriptor_memory.h"
#include "oracle.h"

#include "lookback/instances.cuh"

using namespace onepass;
using oracle::wide_affine;

namespace
{

/* An item is a function, an output a mixture of all that its accumulator holds. */
struct wide_fold {
    using in = uint64_t;
    using out = uint64_t;
    using acc = wide_affine;
    using op = op_compose_wide;
    static constexpr int k = 2;

    wide_fold() = default;
    explicit wide_fold(const fold_params &)
    {
    }
    acc load_output(out item) const
    {
        return { item | 1, item * 0x9e3779b97f4a7c15, 1 };
    }
    out store(const acc &value) const
    {
        return (value.a * 0xbf58476d1ce4e5b9 + value.b) * 0x94d049bb133111eb + value.count;
    }
    void load_line(const vec16 &line, acc (&items)[k]) const
    {
        in raw[k];
        unpack(line, raw);
        for (int i = 0; i < k; ++i)
            items[i] = load_output(raw[i]);
    }
    acc fold_line(const vec16 &line) const
    {
        acc items[k];
        load_line(line, items);
        return fold_items(items, op());
    }
};

/* Tiles of 256 items, windows of 32 tiles. */
using scan_shape = pipeline_shape<4, 2, 2, 2, 128>;
using reduce_shape = pipeline_shape<4, 2, 2, 0, 128>;
using shared = fold_shared<wide_fold, scan_shape>;
constexpr uint64_t tile_items = launch_view<wide_fold, scan_shape>::tile_items;

constexpr uint64_t most_tiles = 160, most_windows = 5;

/* The workspace and the items of one test. */
class wide_case
{
  public:
    explicit wide_case(uint64_t num_items)
        : random_({ harness::how.seed }), aggregates_(most_tiles, random_.next()),
          starts_(most_windows, random_.next()), control_(CONTROL_NUM_WORDS),
          in_(oracle::any_values<uint64_t>(num_items, harness::how.seed)), params_()
    {
        for (uint64_t i = 0; i < most_tiles; ++i) /* zeroed when made; values are whatever they are */
            aggregates_.descriptors()[i] = 0;
        for (uint64_t i = 0; i < most_windows; ++i)
            starts_.descriptors()[i] = 0;
        params_.pipeline.control = control_.data();
        params_.pipeline.aggregates = aggregates_.descriptors();
        params_.pipeline.starts = starts_.descriptors();
        params_.pipeline.clamped = clamped_;
        control_[CONTROL_TICKET] = ticket_pack(1 + (uint32_t)(random_.next() % 1000), 0);
    }

    /* A launch of `kernel` with everything that does not matter to it at random; compares. */
    void run(fold_kernel kernel, bool is_reduction, uint64_t num_items, unsigned num_blocks, unsigned block_threads,
             size_t shared_bytes, unsigned num_slots)
    {
        const bool reverse = !is_reduction && random_.next() % 2, exclusive = !is_reduction && random_.next() % 2;
        const bool in_place = !is_reduction && random_.next() % 3 == 0;
        std::vector<uint64_t> out = in_place ? in_ : std::vector<uint64_t>(num_items);
        params_.in = in_place ? out.data() : in_.data();
        params_.out = out.data();
        params_.start = exclusive ? START_IDENTITY : random_.next() % 2 ? START_BITS : START_NOTHING;
        params_.initial = random_.next();
        params_.reverse = reverse;
        params_.exclusive = exclusive;
        params_.is_reduction = is_reduction;
        params_.pipeline.max_items = num_items;
        params_.pipeline.num_slots = num_slots;
        harness::launch(kernel, num_blocks, block_threads, shared_bytes, params_);

        const wide_fold fold;
        wide_affine sum = params_.start == START_BITS ? fold.load_output(params_.initial) : wide_affine{ 1, 0, 0 };
        for (uint64_t i = 0; i < num_items; ++i) {
            const uint64_t at = reverse ? num_items - 1 - i : i;
            const wide_affine next = oracle::compose()(sum, fold.load_output(in_[at]));
            CHECK(is_reduction || out[at] == fold.store(exclusive ? sum : next),
                  "output %llu of %llu, %u blocks, %u slots%s%s%s", (unsigned long long)at,
                  (unsigned long long)num_items, num_blocks, num_slots, reverse ? ", reverse" : "",
                  exclusive ? ", exclusive" : "", in_place ? ", in place" : "");
            sum = next;
        }
        CHECK(!is_reduction || out[0] == fold.store(sum), "the reduction of %llu items, %u blocks, %u slots",
              (unsigned long long)num_items, num_blocks, num_slots);
    }

    harness::random_bits &random()
    {
        return random_;
    }
    void set_tile_rows(uint32_t tile_rows)
    {
        params_.tile_rows = tile_rows;
    }

  private:
    harness::random_bits random_;
    descriptor_memory<wide_affine> aggregates_, starts_;
    std::vector<uint64_t> control_, in_;
    uint64_t clamped_[2];
    fold_params params_;
};

} // namespace

/* Several windows, on few blocks and on more than 32. */
TEST(values_of_24_bytes)
{
    const uint64_t num_items = 4 * 32 * tile_items;
    wide_case test(num_items);
    for (int i = 0; i < 4; ++i) {
        const bool is_reduction = i % 2;
        const uint64_t here = num_items - test.random().next() % (num_items / 2);
        const unsigned num_slots = 2 + (unsigned)(test.random().next() % 3);
        const unsigned num_blocks =
            i < 2 ? 1 + (unsigned)(test.random().next() % 4) : 30 + (unsigned)(test.random().next() % 12);
        const size_t shared_bytes = sizeof(shared) + num_slots * sizeof(shared::slot);
        test.run(is_reduction ? reduce_kernel<wide_fold, reduce_shape> : scan_kernel<wide_fold, scan_shape, 1>,
                 is_reduction, here, num_blocks,
                 (is_reduction ? reduce_shape::block_threads : scan_shape::block_threads), shared_bytes, num_slots);
    }
}

TEST(values_of_24_bytes_in_one_window)
{
    const unsigned most_blocks = 40, tile_rows = 4;
    wide_case test(most_blocks * tile_items);
    test.set_tile_rows(tile_rows);
    for (int i = 0; i < 6; ++i) {
        const unsigned num_blocks = i < 2 ? 1 : 2 + (unsigned)(test.random().next() % (most_blocks - 1));
        const uint64_t here = num_blocks * tile_items - test.random().next() % tile_items;
        test.run(one_window_kernel<wide_fold>, i % 2, here, num_blocks, tile_rows * warp_threads,
                 sizeof(one_window_shared<wide_affine>), 0);
    }
}
