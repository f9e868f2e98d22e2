/* SPDX-License-Identifier: MIT */
/*
 * Property runner: a property draws all it needs from one sequence of choices, so that a failing case is nothing but a
 * list of numbers. The runner makes the list shorter and its numbers smaller for as long as the property still fails,
 * and prints what is left: the shrunk choices, the description the property gives of itself, and the seed.
 *
 *     PROP_SEED=n   runs every property once, with seed n: what a failure printed, it prints again
 *     PROP_RUNS=k   runs k times as many seeds as the test asks for
 *
 * Without either the seeds are 1, 2, 3, ...: the same on every run. A crash or a hang prints its seed, too.
 */
#ifndef ONEPASS_TESTS_PROP_H
#define ONEPASS_TESTS_PROP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How much slower than a release build this one runs, roughly: tests divide their number of cases by it. This is the
 * only place that knows what costs how much; -DTEST_SLOWNESS=8 makes a quick run of any build. */
#ifndef TEST_SLOWNESS
#if defined(__SANITIZE_THREAD__)
#define TEST_SLOWNESS 8
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_SLOWNESS 4
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_SLOWNESS 8
#elif __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define TEST_SLOWNESS 4
#endif
#endif
#endif
#ifndef TEST_SLOWNESS
#define TEST_SLOWNESS 1
#endif

typedef struct prop prop;

/* True if the property holds for what it draws. It must depend on the draws alone. */
typedef bool (*prop_fn)(prop *p, void *arg);

/* A number from 0 to max; shrinks to 0. 0, max and small numbers come more often than the rest. */
uint64_t prop_draw(prop *p, uint64_t max);

/* A number from low to high; shrinks to low. */
uint64_t prop_between(prop *p, uint64_t low, uint64_t high);

/* Describes the case, in printf's words; seen only when a failing case is shown. */
void prop_say(prop *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs the property with num_runs seeds (the environment may change that). The first failure fails the CMocka test.
 * For the main thread only. */
void prop_check(const char *name, prop_fn holds, void *arg, unsigned num_runs);

/* The same without CMocka: false if a run failed; then the report has been written to `report`. */
bool prop_run(const char *name, prop_fn holds, void *arg, unsigned num_runs, FILE *report);

/* The next number of the sequence that starts with *state: SplitMix64. For bulk data, which is not worth shrinking. */
static inline uint64_t prop_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
