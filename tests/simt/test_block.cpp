/* SPDX-License-Identifier: MIT */
/*
 * Block primitives: reduction in a loop for any block size and for roles side by side, and the Brent-Kung scan of rows
 * against ORDER.md.
 */
#include "each_instance.h"

using namespace onepass;

template <typename T> struct reduce_shared {
    reduce_storage<T> storage[3];
};

/* Each round reduces other values, with the same storage. */
template <typename T, typename Op> __global__ void reduce_kernel(const T *in, T *out, unsigned rounds)
{
    reduce_storage<T> &storage = shared_memory<reduce_shared<T>>().storage[0];
    for (unsigned round = 0; round < rounds; ++round)
        out[round * blockDim.x + threadIdx.x] =
            block_reduce(block_group(), in[round * blockDim.x + threadIdx.x], storage, Op());
}

/* A balanced tree over the lanes of each warp, then over the warps. */
template <typename T, typename Combine> static T two_level_sum(const T *values, size_t count, Combine combine)
{
    std::vector<T> totals;
    for (size_t i = 0; i < count; i += 32) {
        const std::vector<T> warp(values + i, values + (i + 32 < count ? i + 32 : count));
        totals.push_back(oracle::block_sum(warp, 0, 32, combine));
    }
    return oracle::block_sum(totals, 0, 32, combine);
}

template <typename T>
static void check_reduce(const char *name, unsigned block_threads, void (*kernel)(const T *, T *, unsigned),
                         const oracle::combiner<T> &combine)
{
    constexpr unsigned rounds = 3;
    const std::vector<T> in = oracle::any_values<T>(rounds * block_threads, block_threads);
    harness::device_array<T> d_in(in), d_out(in);
    harness::launch(kernel, 1, block_threads, sizeof(reduce_shared<T>), (const T *)d_in.data(), d_out.data(),
                    (unsigned)rounds);
    const std::vector<T> out = d_out.host();
    for (unsigned round = 0; round < rounds; ++round) {
        const T expected = two_level_sum(&in[round * block_threads], block_threads, combine);
        for (unsigned i = 0; i < block_threads; ++i)
            CHECK(harness::same_bits(out[round * block_threads + i], expected), "%s, %u threads: round %u, thread %u",
                  name, block_threads, round, i);
    }
}

template <typename Instance> static void check_size(Instance, const char *name, unsigned block_threads)
{
    using T = typename Instance::type;
    check_reduce<T>(name, block_threads, reduce_kernel<T, typename Instance::device_op>, typename Instance::host_op());
}

TEST(block_reduce_in_a_loop)
{
    for_each_instance([](auto i, const char *name) { check_size(i, name, 96); });
}

TEST(block_reduce_of_any_size)
{
    const instance<oracle::affine, op_compose, oracle::compose> composition;
    const instance<float, op_SUM<float>, oracle::operator_of<ONEPASS_SUM>> sum;
    for (unsigned block_threads : { 1u, 2u, 31u, 32u, 33u, 48u, 64u, 100u, 255u, 256u, 993u, 1024u }) {
        check_size(composition, "composition", block_threads);
        check_size(sum, "SUM", block_threads);
    }
}

/* Three roles of one block reduce at their own pace: the named barriers must not mix them up. */
template <typename Group, typename T>
ONEPASS_DEVICE void reduce_role(Group group, const T *in, T *out, unsigned rounds, reduce_storage<T> &storage)
{
    for (unsigned round = 0; round < rounds; ++round) {
        const T sum = block_reduce(group, in[round * blockDim.x + threadIdx.x], storage, op_SUM<T>());
        out[round * blockDim.x + threadIdx.x] = sum;
    }
}

__global__ void roles_kernel(const uint64_t *in, uint64_t *out)
{
    reduce_shared<uint64_t> &shared = shared_memory<reduce_shared<uint64_t>>();
    if (warp_idx() < 1)
        reduce_role(role_group<0, 1, 1>(), in, out, 7, shared.storage[0]);
    else if (warp_idx() < 3)
        reduce_role(role_group<1, 2, 2>(), in, out, 5, shared.storage[1]);
    else
        reduce_role(role_group<3, 3, 3>(), in, out, 3, shared.storage[2]);
}

TEST(roles_reduce_side_by_side)
{
    constexpr unsigned threads = 192;
    const std::vector<uint64_t> in = oracle::any_values<uint64_t>(7 * threads, 1);
    harness::device_array<uint64_t> d_in(in), d_out(std::vector<uint64_t>(in.size()));
    harness::launch(roles_kernel, 1, threads, sizeof(reduce_shared<uint64_t>), d_in.data(), d_out.data());
    const std::vector<uint64_t> out = d_out.host();
    const unsigned first[4] = { 0, 32, 96, 192 }, rounds[3] = { 7, 5, 3 };
    for (unsigned role = 0; role < 3; ++role)
        for (unsigned round = 0; round < rounds[role]; ++round) {
            uint64_t sum = 0;
            for (unsigned i = first[role]; i < first[role + 1]; ++i)
                sum += in[round * threads + i];
            for (unsigned i = first[role]; i < first[role + 1]; ++i)
                CHECK(out[round * threads + i] == sum, "role %u, round %u, thread %u", role, round, i);
        }
}

template <typename T, unsigned num_rows> struct rows_shared {
    T sums[num_rows];
};

/* One thread a row; the last of them also asks for what follows the rows. */
template <unsigned num_rows, typename T, typename Op> __global__ void rows_kernel(const T *start, const T *rows, T *out)
{
    auto &sums = shared_memory<rows_shared<T, num_rows>>().sums;
    for (unsigned r = threadIdx.x; r < num_rows; r += blockDim.x)
        sums[r] = rows[r];
    block_up_sweep<num_rows>(block_group(), sums, Op());
    for (unsigned r = threadIdx.x; r <= num_rows; r += blockDim.x)
        out[r] = row_prefix<num_rows>(*start, sums, r, Op());
}

template <typename T>
static void check_prefixes(const char *name, unsigned num_rows, void (*kernel)(const T *, const T *, T *),
                           const oracle::combiner<T> &combine)
{
    const std::vector<T> rows = oracle::any_values<T>(num_rows, num_rows);
    const std::vector<T> start = oracle::any_values<T>(1, 99);
    harness::device_array<T> d_rows(rows), d_start(start), d_out(std::vector<T>(num_rows + 1));
    harness::launch(kernel, 1, 64, num_rows * sizeof(T), (const T *)d_start.data(), (const T *)d_rows.data(),
                    d_out.data());
    const std::vector<T> out = d_out.host();
    for (size_t r = 0; r <= num_rows; ++r)
        CHECK(harness::same_bits(out[r], oracle::row_prefix(rows, start[0], r, combine)), "%s, %u rows: prefix %zu",
              name, num_rows, r);
}

template <unsigned num_rows, typename Instance> static void check_rows(Instance, const char *name)
{
    using T = typename Instance::type;
    check_prefixes<T>(name, num_rows, rows_kernel<num_rows, T, typename Instance::device_op>,
                      typename Instance::host_op());
}

TEST(row_prefixes)
{
    for_each_instance([](auto i, const char *name) { check_rows<64>(i, name); });
}

TEST(row_prefixes_of_every_size)
{
    const instance<oracle::affine, op_compose, oracle::compose> composition;
    const instance<double, op_SUM<double>, oracle::operator_of<ONEPASS_SUM>> sum;
    check_rows<1>(composition, "composition");
    check_rows<2>(composition, "composition");
    check_rows<8>(composition, "composition");
    check_rows<32>(composition, "composition");
    check_rows<256>(composition, "composition");
    check_rows<2>(sum, "SUM");
    check_rows<16>(sum, "SUM");
    check_rows<128>(sum, "SUM");
}

template <typename T, typename Op> __global__ void fold_kernel(const T *in, T *out)
{
    T items[4];
    for (int i = 0; i < 4; ++i)
        items[i] = in[threadIdx.x * 4 + i];
    out[threadIdx.x] = fold_items(items, Op());
}

template <typename T> static void check_fold(void (*kernel)(const T *, T *), const oracle::combiner<T> &combine)
{
    const std::vector<T> in = oracle::any_values<T>(128, 5);
    harness::device_array<T> d_in(in), d_out(std::vector<T>(32));
    harness::launch(kernel, 1, 32, 0, (const T *)d_in.data(), d_out.data());
    const std::vector<T> out = d_out.host();
    for (size_t i = 0; i < 32; ++i) {
        const T expected = combine(combine(combine(in[4 * i], in[4 * i + 1]), in[4 * i + 2]), in[4 * i + 3]);
        CHECK(harness::same_bits(out[i], expected), "%zu-byte items: lane %zu", sizeof(T), i);
    }
}

TEST(lane_folds_left_to_right)
{
    check_fold<float>(fold_kernel<float, op_SUM<float>>, oracle::operator_of<ONEPASS_SUM>());
    check_fold<oracle::affine>(fold_kernel<oracle::affine, op_compose>, oracle::compose());
}
