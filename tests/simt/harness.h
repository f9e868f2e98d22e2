/* SPDX-License-Identifier: MIT */
/*
 * One test source, two builds: under the emulator with g++ or clang++, and on a GPU with nvcc.
 *
 * A test is TEST(name) { ... }: it launches kernels on arrays and compares. Under the emulator each test runs once for
 * each schedule; a failure prints its seed, and `--seed` replays it. The program's exit status is 1 if anything failed.
 * Expected values come from plain host code in the tests, which shares nothing with the primitives.
 */
#ifndef ONEPASS_TESTS_SIMT_HARNESS_H
#define ONEPASS_TESTS_SIMT_HARNESS_H

#include "primitives/block.cuh"
#include "primitives/tile_io.cuh"
#include "types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#if defined(SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace harness
{

struct test {
    const char *name;
    void (*body)();
    test *next;
    test(const char *test_name, void (*test_body)());
};

/* Whether the kernels run as on sm_90 and later. ONEPASS_TEST_COMPUTE_80: a GPU program with code for 8.0 only. */
#if defined(ONEPASS_SIMT)
constexpr bool plays_sm90 = ONEPASS_SIMT_ARCH >= 900;
#elif defined(ONEPASS_TEST_COMPUTE_80)
constexpr bool plays_sm90 = false;
#else
constexpr bool plays_sm90 = true;
#endif

/* Notes a failure of the running test; prints the first few of each. */
void failed(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

#if defined(ONEPASS_SIMT)

/* How the running test's launches are scheduled. */
extern simt::options how;

inline void launch_grid(const simt::grid &grid)
{
    const simt::report report = simt::run(how, { grid });
    if (!report.error.empty())
        failed(__FILE__, __LINE__, "the emulator says: %s", report.error.c_str());
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), unsigned num_blocks, unsigned block_threads, size_t shared_bytes,
            Arguments... arguments)
{
    launch_grid({ num_blocks, block_threads, shared_bytes, [=] { kernel(arguments...); } });
}

/* Memory that kernels work on. Exactly so long: ASan sees an access beyond it. */
template <typename T> class device_array
{
  public:
    explicit device_array(const std::vector<T> &values) : values_(values)
    {
    }
    device_array(const device_array &) = delete;
    ~device_array()
    {
        show();
    }
    /* Lets ASan see accesses to the first num_items items too: to whole 8 bytes of them. Until host(). */
    void hide_front(size_t num_items)
    {
        hidden_bytes_ = num_items * sizeof(T) / 8 * 8;
#if defined(SIMT_ASAN)
        ASAN_POISON_MEMORY_REGION(values_.data(), hidden_bytes_);
#endif
    }
    T *data()
    {
        return values_.data();
    }
    std::vector<T> host()
    {
        show();
        return values_;
    }

  private:
    std::vector<T> values_;
    size_t hidden_bytes_ = 0;

    void show()
    {
#if defined(SIMT_ASAN)
        ASAN_UNPOISON_MEMORY_REGION(values_.data(), hidden_bytes_);
#endif
    }
};

#else

void check_cuda(cudaError_t error, const char *what);

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), unsigned num_blocks, unsigned block_threads, size_t shared_bytes,
            Arguments... arguments)
{
    kernel<<<num_blocks, block_threads, shared_bytes>>>(arguments...);
    check_cuda(cudaGetLastError(), "launch");
    check_cuda(cudaDeviceSynchronize(), "kernel");
}

template <typename T> class device_array
{
  public:
    explicit device_array(const std::vector<T> &values) : size_(values.size())
    {
        check_cuda(cudaMalloc(&data_, size_ * sizeof(T) + 1), "cudaMalloc");
        check_cuda(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    device_array(const device_array &) = delete;
    ~device_array()
    {
        cudaFree(data_);
    }
    void hide_front(size_t)
    {
    }
    T *data()
    {
        return data_;
    }
    std::vector<T> host() const
    {
        std::vector<T> values(size_);
        check_cuda(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
        return values;
    }

  private:
    T *data_ = nullptr;
    size_t size_;
};

#endif

/* Runs every test of the program; the value is for main to return. */
int run_all(int argc, char **argv);

/* A repeatable stream of bits. */
struct random_bits {
    uint64_t state;
    uint64_t next()
    {
        uint64_t x = state += 0x9e3779b97f4a7c15; /* splitmix64 */
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        return x ^ x >> 31;
    }
};

/* Whether two values have the same bits; for floating types any NaN equals any NaN. */
template <typename T> bool same_bits(const T &a, const T &b)
{
    if constexpr (onepass::is_floating_type<T>)
        if (a != a || b != b)
            return a != a && b != b;
    return memcmp(&a, &b, sizeof(T)) == 0;
}

} // namespace harness

#define TEST(name)                                            \
    static void test_##name();                                \
    static harness::test register_##name(#name, test_##name); \
    static void test_##name()

#define CHECK(condition, ...)                                 \
    do {                                                      \
        if (!(condition))                                     \
            harness::failed(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)

#endif
