/* SPDX-License-Identifier: MIT */
/*
 * Operators and conversions, value by value: special values against each other, identities, every 16-bit float.
 */
#include "each_instance.h"

using namespace onepass;

template <typename T, typename Op> __global__ void combine_kernel(const T *a, const T *b, T *out, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        out[3 * i] = Op()(a[i], b[i]);
        out[3 * i + 1] = Op()(Op::identity(), b[i]);
        out[3 * i + 2] = Op()(a[i], Op::identity());
    }
}

/* Ends of ranges, zeros of both signs, infinities, NaN, denormals, and some of each between. */
template <typename T> static std::vector<T> special_values()
{
    std::vector<T> values = oracle::any_values<T>(6, 7);
    if constexpr (is_floating_type<T>) {
        const T infinity = std::numeric_limits<T>::infinity();
        for (T x : { (T)0, (T)1, infinity, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                     std::numeric_limits<T>::denorm_min(), (T)1 + std::numeric_limits<T>::epsilon() }) {
            values.push_back(x);
            values.push_back(-x);
        }
        values.push_back(std::numeric_limits<T>::quiet_NaN());
        values.push_back(-std::numeric_limits<T>::quiet_NaN());
    } else if constexpr (std::is_integral<T>::value) {
        for (T x : { std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), (T)0, (T)1, (T)-1, (T)2 })
            values.push_back(x);
    }
    return values;
}

TEST(operators)
{
    for_each_instance([](auto i, const char *name) {
        using T = typename decltype(i)::type;
        const std::vector<T> values = special_values<T>();
        std::vector<T> a, b;
        for (const T &x : values)
            for (const T &y : values) {
                a.push_back(x);
                b.push_back(y);
            }
        harness::device_array<T> d_a(a), d_b(b), d_out(std::vector<T>(3 * a.size()));
        harness::launch(combine_kernel<T, typename decltype(i)::device_op>, 1, 64, 0, d_a.data(), d_b.data(),
                        d_out.data(), (unsigned)a.size());
        const std::vector<T> out = d_out.host();
        for (size_t k = 0; k < a.size(); ++k) {
            const T expected = typename decltype(i)::host_op()(a[k], b[k]);
            CHECK(harness::same_bits(out[3 * k], expected), "%s, %zu-byte: pair %zu", name, sizeof(T), k);
            CHECK(harness::same_bits(out[3 * k + 1], b[k]), "%s, %zu-byte: identity on the left of %zu", name,
                  sizeof(T), k);
            CHECK(harness::same_bits(out[3 * k + 2], a[k]), "%s, %zu-byte: identity on the right of %zu", name,
                  sizeof(T), k);
        }
    });
}

__global__ void to_float_kernel(float *out_f16, float *out_bf16)
{
    for (unsigned bits = threadIdx.x; bits < 65536; bits += blockDim.x) {
        out_f16[bits] = to_accumulator<float>(f16{ (uint16_t)bits });
        out_bf16[bits] = to_accumulator<float>(bf16{ (uint16_t)bits });
    }
}

__global__ void from_float_kernel(const float *in, f16 *out_f16, bf16 *out_bf16, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        out_f16[i] = from_accumulator<f16>(in[i]);
        out_bf16[i] = from_accumulator<bf16>(in[i]);
    }
}

/* The value of a 16-bit float, by its definition. NaN for NaN. */
static double value_of(unsigned bits, int exponent_bits)
{
    const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << fraction_bits) - 1);
    double value = exponent == 0 ? ldexp(fraction, 1 - bias - fraction_bits)
                                 : ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
    if (exponent == (1 << exponent_bits) - 1)
        value = fraction ? NAN : INFINITY;
    return bits >> 15 ? -value : value;
}

TEST(conversion_from_16_bits)
{
    harness::device_array<float> d_f16(std::vector<float>(65536)), d_bf16(std::vector<float>(65536));
    harness::launch(to_float_kernel, 1, 64, 0, d_f16.data(), d_bf16.data());
    const std::vector<float> from_f16 = d_f16.host(), from_bf16 = d_bf16.host();
    for (unsigned bits = 0; bits < 65536; ++bits) {
        CHECK(harness::same_bits(from_f16[bits], (float)value_of(bits, 5)), "F16 %04x gives %g", bits, from_f16[bits]);
        CHECK(harness::same_bits(from_bf16[bits], (float)value_of(bits, 8)), "BF16 %04x gives %g", bits,
              from_bf16[bits]);
    }
}

/* Every value, the middle to its neighbour above, and the floats just beside the middle, for one format. */
static void check_rounding(int exponent_bits, uint16_t nan_bits)
{
    const unsigned infinity = ((1u << exponent_bits) - 1) << (15 - exponent_bits);
    std::vector<float> in = { NAN, -NAN };
    std::vector<uint16_t> expected = { nan_bits, nan_bits };
    for (unsigned bits = 0; bits < infinity; ++bits) {
        /* Above the largest value rounding goes as if the next power of two were there. */
        const double below = value_of(bits, exponent_bits);
        const double above =
            bits + 1 < infinity ? value_of(bits + 1, exponent_bits) : 2 * below - value_of(bits - 1, exponent_bits);
        const float middle = (float)((below + above) / 2); /* exact: a binary32 has more bits */
        const struct {
            float value;
            unsigned rounded;
        } cases[] = { { (float)below, bits },
                      { middle, bits % 2 ? bits + 1 : bits },
                      { nextafterf(middle, 0), bits },
                      { nextafterf(middle, INFINITY), bits + 1 } };
        for (const auto &c : cases)
            for (unsigned sign = 0; sign < 2; ++sign) {
                in.push_back(sign ? -c.value : c.value);
                expected.push_back((uint16_t)(c.rounded | sign << 15));
            }
    }
    in.push_back(INFINITY);
    expected.push_back((uint16_t)infinity);
    in.push_back(std::numeric_limits<float>::max());
    expected.push_back((uint16_t)infinity);

    harness::device_array<float> d_in(in);
    harness::device_array<f16> d_f16((std::vector<f16>(in.size())));
    harness::device_array<bf16> d_bf16((std::vector<bf16>(in.size())));
    harness::launch(from_float_kernel, 1, 64, 0, d_in.data(), d_f16.data(), d_bf16.data(), (unsigned)in.size());
    const std::vector<f16> out_f16 = d_f16.host();
    const std::vector<bf16> out_bf16 = d_bf16.host();
    for (size_t i = 0; i < in.size(); ++i) {
        const uint16_t got = exponent_bits == 5 ? out_f16[i].bits : out_bf16[i].bits;
        CHECK(got == expected[i], "%a rounds to %04x, not %04x", in[i], got, expected[i]);
    }
}

TEST(conversion_to_f16)
{
    check_rounding(5, 0x7e00);
}

TEST(conversion_to_bf16)
{
    check_rounding(8, 0x7fc0);
}

__global__ void one_nan_kernel(const float *in, float *out, const double *in_wide, double *out_wide)
{
    out[threadIdx.x] = from_accumulator<float>(in[threadIdx.x]);
    out_wide[threadIdx.x] = from_accumulator<double>(in_wide[threadIdx.x]);
}

TEST(outputs_have_one_nan)
{
    const uint32_t nans[4] = { 0x7fffffff, 0xffc00001, 0x7f800001, 0x80000000 /* -0.0 stays */ };
    const uint64_t wide_nans[4] = { 0x7fffffffffffffff, 0xfff8000000000001, 0x7ff0000000000001, 0x8000000000000000 };
    std::vector<float> in(4);
    std::vector<double> in_wide(4);
    memcpy(in.data(), nans, sizeof(nans));
    memcpy(in_wide.data(), wide_nans, sizeof(wide_nans));
    harness::device_array<float> d_in(in), d_out(in);
    harness::device_array<double> d_in_wide(in_wide), d_out_wide(in_wide);
    harness::launch(one_nan_kernel, 1, 4, 0, d_in.data(), d_out.data(), d_in_wide.data(), d_out_wide.data());
    for (unsigned i = 0; i < 4; ++i) {
        uint32_t bits;
        uint64_t wide_bits;
        memcpy(&bits, &d_out.host()[i], 4);
        memcpy(&wide_bits, &d_out_wide.host()[i], 8);
        CHECK(bits == (i < 3 ? 0x7fc00000 : nans[3]), "NaN %u became %08x", i, bits);
        CHECK(wide_bits == (i < 3 ? 0x7ff8000000000000 : wide_nans[3]), "NaN %u became %016llx", i,
              (unsigned long long)wide_bits);
    }
}
