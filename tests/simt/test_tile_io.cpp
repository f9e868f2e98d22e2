/* SPDX-License-Identifier: MIT */
/*
 * Rows in and out at every alignment and length. What surrounds a row must neither be read (ASan sees it) nor written
 * (canaries on both sides).
 */
#include "oracle.h"

using namespace onepass;

template <typename In, typename Out>
__global__ void copy_row_kernel(const In *in, Out *out, unsigned num_in, unsigned num_out, In nothing)
{
    In items[line_items<In>];
    Out wide[line_items<In>];
    load_row(in, num_in, nothing, items);
#pragma unroll
    for (int i = 0; i < line_items<In>; ++i)
        wide[i] = (Out)items[i];
    store_row(out, num_out, wide);
}

/* One row, in_offset and out_offset items past a 16-byte boundary. Shorter input than output shows the padding. */
template <typename In, typename Out>
static void check_row(unsigned in_offset, unsigned out_offset, unsigned num_in, unsigned num_out)
{
    const In nothing = (In)77;
    const Out canary = (Out)0x5c5c5c5c5c5c5c5c;
    const unsigned row_items = 32 * line_items<In>;
    std::vector<In> in = oracle::any_values<In>(in_offset + num_in, in_offset * 1000 + num_in);
    harness::device_array<In> d_in(in);
    d_in.hide_front(in_offset);
    harness::device_array<Out> d_out(std::vector<Out>(out_offset + row_items + 16, canary));
    harness::launch(copy_row_kernel<In, Out>, 1, 32, 0, (const In *)d_in.data() + in_offset, d_out.data() + out_offset,
                    num_in, num_out, nothing);
    const std::vector<Out> out = d_out.host();
    for (unsigned i = 0; i < out.size(); ++i) {
        const unsigned k = i - out_offset;
        Out expected = canary;
        if (i >= out_offset && k < num_out)
            expected = k < num_in ? (Out)in[in_offset + k] : (Out)nothing;
        CHECK(out[i] == expected, "%zu to %zu bytes, %u items from +%u, %u to +%u: item %u is %llx, not %llx",
              sizeof(In), sizeof(Out), num_in, in_offset, num_out, out_offset, i, (unsigned long long)out[i],
              (unsigned long long)expected);
    }
}

template <typename In, typename Out> static void check_rows()
{
    const unsigned k = line_items<In>, m = line_items<Out>, full = 32 * k;
    for (unsigned in_offset = 0; in_offset < k; ++in_offset)
        for (unsigned num_in : { 0u, 1u, k - 1, k, k + 1, full / 2 + 1, full - 1, full })
            check_row<In, Out>(in_offset, in_offset % m, num_in, full);
    for (unsigned out_offset = 0; out_offset < m; ++out_offset)
        for (unsigned num_out : { 0u, 1u, k - 1, k, k + 1, full / 2 + 1, full - 1, full })
            check_row<In, Out>(out_offset % k, out_offset, full, num_out);
    harness::random_bits random = { sizeof(In) };
    for (int i = 0; i < 30; ++i)
        check_row<In, Out>((unsigned)(random.next() % k), (unsigned)(random.next() % m),
                           (unsigned)(random.next() % (full + 1)), (unsigned)(random.next() % (full + 1)));
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
    const vec16 line = funnel_lines(load_vec(in), load_vec(in + 16), shift);
    memcpy(out + threadIdx.x * 16, &line, 16);
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
