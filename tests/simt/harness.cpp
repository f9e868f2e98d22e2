/* SPDX-License-Identifier: MIT */
/*
 * The main program of the primitive tests, for both builds: `program [--seed N] [--schedules N] [test...]`.
 */
#include "harness.h"

#include <stdarg.h>

namespace harness
{
namespace
{

test *first_test;
unsigned num_failures; /* of the running test */
const char *running = "";

bool chosen(const test &t, int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] == '-') {
            ++i; /* options have a value each */
            continue;
        }
        any = true;
        if (strcmp(argv[i], t.name) == 0)
            return true;
    }
    return !any;
}

uint64_t option(const char *name, uint64_t otherwise, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; ++i)
        if (strcmp(argv[i], name) == 0)
            return strtoull(argv[i + 1], nullptr, 0);
    return otherwise;
}

} // namespace

test::test(const char *test_name, void (*test_body)()) : name(test_name), body(test_body), next(first_test)
{
    first_test = this;
}

void failed(const char *file, int line, const char *format, ...)
{
    if (++num_failures > 5)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, running);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

#if defined(ONEPASS_SIMT)

simt::options how;

/* A seed stands for a whole way to schedule: policy, residency, how often others come in. */
static simt::options schedule_of(uint64_t seed)
{
    simt::options options;
    options.seed = seed;
    options.schedule = (simt::policy)(seed % 3);
    options.resident_blocks = seed / 3 % 2 ? 2 : 40; /* beyond 32 the look-back leaves its first window */
    options.switch_percent = seed / 6 % 2 ? 5 : 40;
    return options;
}

static bool nothing_to_run_on()
{
    return false;
}

static bool run_test(const test &t, uint64_t first_seed, uint64_t num_schedules)
{
    for (uint64_t seed = first_seed; seed < first_seed + num_schedules; ++seed) {
        how = schedule_of(seed);
        t.body();
        if (num_failures != 0) {
            fprintf(stderr, "%s: failed; replay with --seed %llu --schedules 1\n", t.name, (unsigned long long)seed);
            return false;
        }
    }
    return true;
}

#else

void check_cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s: %s\n", running, what, cudaGetErrorString(error));
    exit(1); /* after an error of a kernel nothing can be said about the rest */
}

/* The status that ctest shows as skipped. */
static bool nothing_to_run_on()
{
    int count;
    return cudaGetDeviceCount(&count) != cudaSuccess || count == 0;
}

static bool run_test(const test &t, uint64_t, uint64_t)
{
    t.body();
    return num_failures == 0;
}

#endif

int run_all(int argc, char **argv)
{
    if (nothing_to_run_on()) {
        fprintf(stderr, "skipped: no GPU\n");
        return 77;
    }
    const uint64_t seed = option("--seed", 1, argc, argv);
    const uint64_t schedules = option("--schedules", 6, argc, argv);
    unsigned num_run = 0, num_failed = 0;
    for (const test *t = first_test; t; t = t->next) {
        if (!chosen(*t, argc, argv))
            continue;
        running = t->name;
        num_failures = 0;
        ++num_run;
        const bool ok = run_test(*t, seed, schedules);
        num_failed += !ok;
        printf("%s %s\n", ok ? "ok    " : "FAILED", t->name);
    }
    printf("%u tests, %u failed\n", num_run, num_failed);
    return num_run == 0 || num_failed != 0;
}

} // namespace harness

int main(int argc, char **argv)
{
    return harness::run_all(argc, argv);
}
