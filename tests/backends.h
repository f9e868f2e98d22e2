/* SPDX-License-Identifier: MIT */
/*
 * The backends that tests run on. ON_EACH_BACKEND(test) lists a CMocka test once for each; the test asks for its
 * contexts with backend_context, which skips the test where the backend is not there: what did not run shows as
 * skipped, not as passed.
 *
 * Contexts are made once for each number of threads and then used by every test of the program, so that each operation
 * finds the leftovers of other operations, types and widths in the workspace.
 */
#ifndef ONEPASS_TESTS_BACKENDS_H
#define ONEPASS_TESTS_BACKENDS_H

#include "onepass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* One thread has nobody to wait for, 7 are more than the machine's cores, most of the time. */
static const int thread_counts[] = { 1, 2, 4, 7 };
enum { num_thread_counts = sizeof thread_counts / sizeof thread_counts[0] };

typedef struct test_backend {
    const char *name;
    onepass_backend id;
    unsigned num_contexts;
    onepass_context *contexts[num_thread_counts];
} test_backend;

static test_backend test_backends[] = {
    { .name = "host", .id = ONEPASS_BACKEND_HOST, .num_contexts = num_thread_counts },
    { .name = "cuda", .id = ONEPASS_BACKEND_CUDA, .num_contexts = 1 },
};

#define ON_HOST(test)                                                                   \
    {                                                                                   \
        .name = #test " on host", .test_func = test, .initial_state = &test_backends[0] \
    }
#define ON_CUDA(test)                                                                   \
    {                                                                                   \
        .name = #test " on cuda", .test_func = test, .initial_state = &test_backends[1] \
    }
#define ON_EACH_BACKEND(test) ON_HOST(test), ON_CUDA(test)

/* A context of the backend, the caller's to destroy; skips the test where there is no such backend. */
static inline onepass_context *backend_context_of(void **state, int num_threads, uint64_t max_items)
{
    const test_backend *backend = *state;
    onepass_options options = ONEPASS_OPTIONS_INIT;
    options.backend = backend->id;
    options.num_threads = num_threads;
    options.max_items = max_items;
    onepass_context *ctx = NULL;
    const onepass_result result = onepass_create(&ctx, &options);
    if (result == ONEPASS_NO_DEVICE && backend->id == ONEPASS_BACKEND_CUDA)
        skip();
    if (result != ONEPASS_SUCCESS)
        fail_msg("no context on %s: %s", backend->name, onepass_last_error(NULL));
    return ctx;
}

/* The backend's context number `idx`: thread_counts[idx] threads on the host. For the main thread only. */
static inline onepass_context *backend_context(void **state, unsigned idx)
{
    test_backend *backend = *state;
    onepass_context **ctx = &backend->contexts[idx % backend->num_contexts];
    if (*ctx == NULL)
        *ctx = backend_context_of(state, thread_counts[idx % backend->num_contexts], UINT64_C(1) << 31);
    return *ctx;
}

/* The same for partitions, which the CUDA backend does not have yet. */
static inline onepass_context *compaction_context(void **state, unsigned idx)
{
    onepass_context *ctx = backend_context(state, idx);
    if (onepass_context_backend(ctx) == ONEPASS_BACKEND_CUDA) {
        print_message("SKIPPED: the CUDA backend answers ONEPASS_UNSUPPORTED so far\n");
        skip();
    }
    return ctx;
}

/* For run_on_backends: destroys the contexts. */
static inline int close_backends(void **state)
{
    (void)state;
    int num_failed = 0;
    for (size_t i = 0; i < sizeof test_backends / sizeof test_backends[0]; ++i)
        for (unsigned j = 0; j < test_backends[i].num_contexts; ++j)
            num_failed += onepass_destroy(test_backends[i].contexts[j]) != ONEPASS_SUCCESS;
    return num_failed;
}

/* Runs an array of them, or those whose names match $ONEPASS_TEST_FILTER ('* on cuda'); for main to return. */
#define run_on_backends(tests)                              \
    (cmocka_set_test_filter(getenv("ONEPASS_TEST_FILTER")), \
     cmocka_run_group_tests((tests), NULL, close_backends)) /* no filter: all */

#endif
