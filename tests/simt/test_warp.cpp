/* SPDX-License-Identifier: MIT */
/*
 * Warp primitives against the loops of ORDER.md, for every type and operator and every width.
 */
#include "each_instance.h"

using namespace onepass;

/* Outputs of one lane, for one width. */
template <typename T> struct lane_results {
    T scan, scan_of_two[2], before, last, reduce;
};

template <unsigned width, typename T, typename Op> __global__ void scan_kernel(const T *in, lane_results<T> *out)
{
    const Op op;
    lane_results<T> r;
    const T value = in[threadIdx.x];
    r.scan_of_two[0] = value;
    r.scan_of_two[1] = in[threadIdx.x ^ 1];
    warp_inclusive_scan<width>(r.scan_of_two, op);
    r.scan = warp_inclusive_scan<width>(value, op);
    r.before = warp_before<width>(r.scan, Op::identity());
    r.last = warp_last<width>(r.scan);
    r.reduce = warp_reduce<width>(value, op);
    out[threadIdx.x] = r;
}

template <typename T>
static void check_scan(const char *name, unsigned width, void (*kernel)(const T *, lane_results<T> *),
                       const oracle::combiner<T> &combine)
{
    const std::vector<T> in = oracle::any_values<T>(64, width);
    std::vector<T> swapped = in;
    for (size_t i = 0; i < swapped.size(); ++i)
        swapped[i] = in[i ^ 1];
    harness::device_array<T> d_in(in);
    harness::device_array<lane_results<T>> d_out((std::vector<lane_results<T>>(64)));
    harness::launch(kernel, 1, 64, 0, (const T *)d_in.data(), d_out.data());
    const std::vector<lane_results<T>> out = d_out.host();
    const std::vector<T> scan = oracle::kogge_stone(in, width, combine);
    const std::vector<T> swapped_scan = oracle::kogge_stone(swapped, width, combine);
    for (size_t i = 0; i < 64; ++i) {
        const T last = scan[i / width * width + width - 1];
        CHECK(harness::same_bits(out[i].scan, scan[i]), "%s, width %u: scan %zu", name, width, i);
        CHECK(harness::same_bits(out[i].scan_of_two[0], scan[i]), "%s, width %u: first scan %zu", name, width, i);
        CHECK(harness::same_bits(out[i].scan_of_two[1], swapped_scan[i]), "%s, width %u: second %zu", name, width, i);
        CHECK(harness::same_bits(out[i].last, last), "%s, width %u: last %zu", name, width, i);
        CHECK(harness::same_bits(out[i].reduce, last), "%s, width %u: reduce %zu", name, width, i);
        /* Before the first lane there is nothing: what leaves any value as it is. */
        const bool right = i % width != 0 ? harness::same_bits(out[i].before, scan[i - 1])
                                          : harness::same_bits(combine(out[i].before, in[i]), in[i]);
        CHECK(right, "%s, width %u: before %zu", name, width, i);
    }
}

template <unsigned width, typename Instance> static void check_width(Instance, const char *name)
{
    using T = typename Instance::type;
    check_scan<T>(name, width, scan_kernel<width, T, typename Instance::device_op>, typename Instance::host_op());
}

TEST(warp_scan_and_reduce)
{
    for_each_instance([](auto i, const char *name) {
        check_width<32>(i, name);
        check_width<4>(i, name);
    });
}

TEST(warp_scan_and_reduce_of_every_width)
{
    const instance<oracle::affine, op_compose, oracle::compose> composition;
    const instance<float, op_SUM<float>, oracle::operator_of<ONEPASS_SUM>> sum;
    check_width<2>(composition, "composition");
    check_width<8>(composition, "composition");
    check_width<16>(composition, "composition");
    check_width<2>(sum, "SUM");
    check_width<8>(sum, "SUM");
    check_width<16>(sum, "SUM");
}

template <typename T, typename Op> __global__ void first_kernel(const T *in, T *out)
{
    for (unsigned count = 1; count <= 32; ++count)
        if (lane_idx() < count)
            out[count * 32 + lane_idx()] = warp_reduce_first(in[lane_idx()], count, Op());
}

template <typename T>
static void check_first(const char *name, void (*kernel)(const T *, T *), const oracle::combiner<T> &combine)
{
    const std::vector<T> in = oracle::any_values<T>(32, 3);
    harness::device_array<T> d_in(in), d_out(std::vector<T>(33 * 32));
    harness::launch(kernel, 1, 32, 0, (const T *)d_in.data(), d_out.data());
    const std::vector<T> out = d_out.host();
    for (size_t count = 1; count <= 32; ++count) {
        const std::vector<T> there(in.begin(), in.begin() + (ptrdiff_t)count);
        const T expected = oracle::block_sum(there, 0, 32, combine);
        for (size_t lane = 0; lane < count; ++lane)
            CHECK(harness::same_bits(out[count * 32 + lane], expected), "%s: first %zu, lane %zu", name, count, lane);
    }
}

TEST(warp_reduce_first_lanes)
{
    for_each_instance([](auto i, const char *name) {
        using T = typename decltype(i)::type;
        check_first<T>(name, first_kernel<T, typename decltype(i)::device_op>, typename decltype(i)::host_op());
    });
}

template <typename Key, typename T, typename Op>
__global__ void group_kernel(const Key *keys, const T *in, unsigned *lanes, unsigned *ranks, T *out)
{
    const unsigned group = lanes_with_same(keys[threadIdx.x]);
    lanes[threadIdx.x] = group;
    ranks[threadIdx.x] = rank_in(group) | (unsigned)is_first_of(group) << 8;
    out[threadIdx.x] = group_reduce(in[threadIdx.x], group, Op());
}

template <typename Key> static void check_groups(unsigned num_keys)
{
    const oracle::compose combine;
    harness::random_bits random = { num_keys };
    std::vector<Key> keys(32);
    for (Key &key : keys)
        key = (Key)((Key)(random.next() % num_keys) << (8 * sizeof(Key) - 7)); /* the upper bits count */
    const std::vector<oracle::affine> in = oracle::any_values<oracle::affine>(32, num_keys);
    harness::device_array<Key> d_keys(keys);
    harness::device_array<oracle::affine> d_in(in), d_out(in);
    harness::device_array<unsigned> d_lanes(std::vector<unsigned>(32)), d_ranks(std::vector<unsigned>(32));
    harness::launch(group_kernel<Key, oracle::affine, op_compose>, 1, 32, 0, d_keys.data(), d_in.data(), d_lanes.data(),
                    d_ranks.data(), d_out.data());
    for (size_t i = 0; i < 32; ++i) {
        unsigned lanes = 0, rank = 0;
        oracle::affine sum = { 1, 0 };
        for (size_t k = 0; k < 32; ++k)
            if (keys[k] == keys[i]) {
                lanes |= 1u << k;
                rank += k < i;
                sum = combine(sum, in[k]);
            }
        const unsigned got_rank = d_ranks.host()[i];
        CHECK(d_lanes.host()[i] == lanes, "%zu-byte keys: lanes of %zu", sizeof(Key), i);
        CHECK((got_rank & 0xff) == rank && got_rank >> 8 == (rank == 0), "%zu-byte keys: rank of %zu", sizeof(Key), i);
        CHECK(harness::same_bits(d_out.host()[i], sum), "%zu-byte keys, %u of them: sum %zu", sizeof(Key), num_keys, i);
    }
}

/* Only the lanes of the mask call: the first `count`, in two groups. */
__global__ void masked_group_kernel(const oracle::affine *in, oracle::affine *out, unsigned count)
{
    const unsigned mask = first_lanes(count);
    if (lane_idx() < count)
        out[lane_idx()] = group_reduce(in[lane_idx()], lanes_with_same(lane_idx() % 2, mask), op_compose(), mask);
}

TEST(groups_of_some_lanes)
{
    for (unsigned count : { 1u, 2u, 19u, 31u }) {
        const std::vector<oracle::affine> in = oracle::any_values<oracle::affine>(count, count);
        harness::device_array<oracle::affine> d_in(in), d_out(in);
        harness::launch(masked_group_kernel, 1, 32, 0, (const oracle::affine *)d_in.data(), d_out.data(), count);
        const std::vector<oracle::affine> out = d_out.host();
        for (size_t i = 0; i < count; ++i) {
            oracle::affine sum = { 1, 0 };
            for (size_t k = i % 2; k < count; k += 2)
                sum = oracle::compose()(sum, in[k]);
            CHECK(harness::same_bits(out[i], sum), "%u lanes: lane %zu", count, i);
        }
    }
}

TEST(lanes_by_value)
{
    for (unsigned num_keys : { 1u, 2u, 3u, 9u, 32u, 64u }) {
        check_groups<uint8_t>(num_keys);
        check_groups<int16_t>(num_keys);
        check_groups<uint32_t>(num_keys);
        check_groups<uint64_t>(num_keys);
    }
}

/* Values of every size that a shuffle moves, among them sizes that are no multiple of a word. */
template <unsigned bytes> struct blob {
    unsigned char byte[bytes];
};

template <unsigned bytes>
__global__ void shuffle_kernel(blob<bytes> *values, unsigned *up_in_range, blob<bytes> *up, blob<bytes> *idx,
                               blob<bytes> *exchanged)
{
    const unsigned t = threadIdx.x;
    bool in_range;
    up[t] = shfl_up(values[t], 3, in_range, 16);
    up_in_range[t] = in_range;
    idx[t] = shfl_idx(values[t], t * 7 + 3, 8);
    exchanged[t] = shfl_xor(values[t], 5, 16);
}

template <unsigned bytes> static void check_shuffles()
{
    using value = blob<bytes>;
    std::vector<value> in(32);
    for (unsigned i = 0; i < 32; ++i)
        for (unsigned b = 0; b < bytes; ++b)
            in[i].byte[b] = (unsigned char)(i * 16 + b);
    harness::device_array<value> d_in(in), d_up(in), d_idx(in), d_xor(in);
    harness::device_array<unsigned> d_range(std::vector<unsigned>(32));
    harness::launch(shuffle_kernel<bytes>, 1, 32, 0, d_in.data(), d_range.data(), d_up.data(), d_idx.data(),
                    d_xor.data());
    for (unsigned i = 0; i < 32; ++i) {
        const bool in_range = i % 16 >= 3;
        CHECK(d_range.host()[i] == in_range, "%u bytes: range of %u", bytes, i);
        CHECK(harness::same_bits(d_up.host()[i], in[in_range ? i - 3 : i]), "%u bytes: up %u", bytes, i);
        CHECK(harness::same_bits(d_idx.host()[i], in[i / 8 * 8 + (i * 7 + 3) % 8]), "%u bytes: idx %u", bytes, i);
        CHECK(harness::same_bits(d_xor.host()[i], in[i ^ 5]), "%u bytes: xor %u", bytes, i);
    }
}

TEST(shuffles_of_every_size)
{
    check_shuffles<1>();
    check_shuffles<2>();
    check_shuffles<3>();
    check_shuffles<4>();
    check_shuffles<8>();
    check_shuffles<12>();
    check_shuffles<16>();
}

__global__ void masks_kernel(unsigned *out)
{
    for (unsigned count = 0; count <= 32; ++count)
        out[count * 32 + threadIdx.x] = first_lanes(count) ^ warp_ballot(lane_idx() < count) ^ lanes_before();
    for (unsigned num_items = 0; num_items <= 128; ++num_items)
        out[(33 + num_items) * 32 + threadIdx.x] = lane_items_below<4>(num_items);
    const bool some = warp_any(lane_idx() == 7), none = warp_any(lane_idx() == 32);
    const bool all = warp_all(lane_idx() < 32), not_all = warp_all(lane_idx() != 7);
    out[(33 + 129) * 32 + threadIdx.x] = some && !none && all && !not_all;
}

TEST(masks_for_ragged_ends)
{
    harness::device_array<unsigned> d_out(std::vector<unsigned>(163 * 32));
    harness::launch(masks_kernel, 1, 32, 0, d_out.data());
    const std::vector<unsigned> out = d_out.host();
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned count = 0; count <= 32; ++count)
            CHECK(out[count * 32 + lane] == (1u << lane) - 1, "masks of %u lanes differ", count);
        for (unsigned n = 0; n <= 128; ++n) {
            const unsigned expected = n < 4 * lane ? 0 : n - 4 * lane > 4 ? 4 : n - 4 * lane;
            CHECK(out[(33 + n) * 32 + lane] == expected, "%u items: lane %u has %u", n, lane,
                  out[(33 + n) * 32 + lane]);
        }
        CHECK(out[162 * 32 + lane] == 1, "votes, lane %u", lane);
    }
}
