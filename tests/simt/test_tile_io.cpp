/* SPDX-License-Identifier: MIT */
/*
 * Rows in and out at every alignment and length, forwards and backwards. What surrounds a row must neither be read
 * (ASan sees it) nor written (canaries on both sides).
 */
#include "oracle.h"

using namespace onepass;

constexpr unsigned num_rows = 3;

/* first_in and first_out: where position 0 is. */
template <typename In, typename Out>
__global__ void copy_rows_kernel(const In *first_in, Out *first_out, unsigned num_in, unsigned num_out, In nothing,
                                 bool reverse_in, bool reverse_out)
{
    const item_run<In> from((uintptr_t)first_in, num_in, reverse_in);
    output_run<Out> to((uintptr_t)first_out, num_out, reverse_out);
    for (unsigned row = 0; row < num_rows; ++row) {
        In items[line_items<In>];
        Out wide[line_items<In>];
        unpack(from.load_row(row, nothing), items);
#pragma unroll
        for (int i = 0; i < line_items<In>; ++i)
            wide[i] = (Out)items[i];
        vec16 lines[1][sizeof(Out) / sizeof(In)];
        pack_lines(wide, lines[0]);
        to.store_rows(lines);
    }
    to.finish();
}

/* Three rows, in_offset and out_offset items past a 16-byte boundary. Shorter input than output shows the padding. */
template <typename In, typename Out>
static void check_run(unsigned in_offset, unsigned out_offset, unsigned num_in, unsigned num_out, unsigned directions)
{
    const In nothing = (In)77;
    const Out canary = (Out)0x5c5c5c5c5c5c5c5c;
    const unsigned run_items = num_rows * 32 * line_items<In>;
    const bool reverse_in = directions & 1, reverse_out = directions & 2;
    std::vector<In> in = oracle::any_values<In>(in_offset + num_in, in_offset * 1000 + num_in);
    harness::device_array<In> d_in(in);
    d_in.hide_front(in_offset);
    harness::device_array<Out> d_out(std::vector<Out>(out_offset + run_items + 16, canary));
    harness::launch(copy_rows_kernel<In, Out>, 1, 32, 0,
                    (const In *)d_in.data() + in_offset + (reverse_in && num_in ? num_in - 1 : 0),
                    d_out.data() + out_offset + (reverse_out && num_out ? num_out - 1 : 0), num_in, num_out, nothing,
                    reverse_in, reverse_out);
    const std::vector<Out> out = d_out.host();
    for (unsigned i = 0; i < out.size(); ++i) {
        Out expected = canary;
        if (i >= out_offset && i - out_offset < num_out) {
            const unsigned position = reverse_out ? num_out - 1 - (i - out_offset) : i - out_offset;
            expected = position >= num_in ? (Out)nothing
                                          : (Out)in[in_offset + (reverse_in ? num_in - 1 - position : position)];
        }
        CHECK(out[i] == expected,
              "%zu to %zu bytes, directions %u, %u items from +%u, %u to +%u: item %u is %llx, not %llx", sizeof(In),
              sizeof(Out), directions, num_in, in_offset, num_out, out_offset, i, (unsigned long long)out[i],
              (unsigned long long)expected);
    }
}

template <typename In, typename Out> static void check_rows()
{
    const unsigned k = line_items<In>, m = line_items<Out>, row = 32 * k, full = num_rows * row;
    for (unsigned directions = 0; directions < 4; ++directions) {
        for (unsigned in_offset = 0; in_offset < k; ++in_offset)
            for (unsigned num_in : { 0u, 1u, k, row - 1, full - k - 1, full })
                check_run<In, Out>(in_offset, in_offset % m, num_in, full, directions);
        for (unsigned out_offset = 0; out_offset < m; ++out_offset)
            for (unsigned num_out : { 0u, 1u, k + 1, row, full - k + 1, full })
                check_run<In, Out>(out_offset % k, out_offset, full, num_out, directions);
    }
    harness::random_bits random = { sizeof(In) };
    for (int i = 0; i < 30; ++i)
        check_run<In, Out>((unsigned)(random.next() % k), (unsigned)(random.next() % m),
                           (unsigned)(random.next() % (full + 1)), (unsigned)(random.next() % (full + 1)),
                           (unsigned)(random.next() % 4));
}

TEST(rows_at_every_alignment)
{
    check_rows<uint8_t, uint8_t>();
    check_rows<uint16_t, uint16_t>();
    check_rows<uint32_t, uint32_t>();
    check_rows<uint64_t, uint64_t>();
}

TEST(rows_that_widen)
{
    check_rows<uint8_t, uint16_t>();
    check_rows<uint8_t, uint32_t>();
    check_rows<uint8_t, uint64_t>();
    check_rows<uint16_t, uint32_t>();
    check_rows<uint16_t, uint64_t>();
    check_rows<uint32_t, uint64_t>();
}

__global__ void funnel_kernel(const unsigned char *in, unsigned char *out)
{
    const unsigned shift = threadIdx.x % 16;
    vec16 low[1] = { load_vec(in) };
    const vec16 high[1] = { load_vec(in + 16) };
    funnel_pairs<uint8_t>(low, high, shift);
    memcpy(out + threadIdx.x * 16, low, 16);
}

TEST(lines_from_two_lines)
{
    std::vector<unsigned char> in(32);
    for (unsigned i = 0; i < 32; ++i)
        in[i] = (unsigned char)(i * 7 + 1);
    harness::device_array<unsigned char> d_in(in), d_out(std::vector<unsigned char>(512));
    harness::launch(funnel_kernel, 1, 32, 0, d_in.data(), d_out.data());
    const std::vector<unsigned char> out = d_out.host();
    for (unsigned i = 0; i < 512; ++i)
        CHECK(out[i] == in[i / 16 % 16 + i % 16], "shift %u, byte %u", i / 16 % 16, i % 16);
}
