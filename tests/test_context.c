/* SPDX-License-Identifier: MIT */
/*
 * What a context is, on each backend: creation and its options, the text of the last error, the reserve, memory, the
 * stream. test_names.c has what needs no context, test_process.c threads, fork and the modes of the calling thread.
 */
#include "backends.h"
#include "guard.h"

#include <stdio.h>
#include <string.h>

#define ASSERT_SAYS(text, words)                                     \
    do {                                                             \
        if (strstr((text), (words)) == NULL)                         \
            fail_msg("\"%s\" does not say \"%s\"", (text), (words)); \
    } while (0)

static onepass_options options_of(void **state)
{
    const test_backend *backend = *state;
    onepass_options options = ONEPASS_OPTIONS_INIT;
    options.backend = backend->id;
    options.max_items = 1000;
    return options;
}

/* -------------------------------------------------------------------------------------------- creation */

static void expect_refused(onepass_options options, onepass_result result, const char *argument, const char *value)
{
    onepass_context *ctx = (onepass_context *)&options;
    assert_int_equal(onepass_create(&ctx, &options), result);
    assert_null(ctx);
    ASSERT_SAYS(onepass_last_error(NULL), "onepass_create");
    ASSERT_SAYS(onepass_last_error(NULL), argument);
    ASSERT_SAYS(onepass_last_error(NULL), value);
}

static void test_options_out_of_range(void **state)
{
    (void)backend_context(state, 0);
    const onepass_options valid = options_of(state);
    onepass_options options = valid;
    options.size = 0;
    expect_refused(options, ONEPASS_INVALID_ARGUMENT, "size", "0");
    options.size = sizeof options - 1;
    expect_refused(options, ONEPASS_INVALID_ARGUMENT, "size", "");
    options = valid;
    options.backend = (onepass_backend)3;
    expect_refused(options, ONEPASS_INVALID_ARGUMENT, "backend", "3");
    options.backend = (onepass_backend)-1;
    expect_refused(options, ONEPASS_INVALID_ARGUMENT, "backend", "-1");
    options = valid;
    options.num_threads = -1;
    expect_refused(options, ONEPASS_INVALID_ARGUMENT, "num_threads", "-1");
    options.num_threads = ONEPASS_MAX_THREADS + 1;
    expect_refused(options, ONEPASS_INVALID_ARGUMENT, "num_threads", "1025");
    assert_int_equal(onepass_create(NULL, &valid), ONEPASS_INVALID_ARGUMENT);
    ASSERT_SAYS(onepass_last_error(NULL), "ctx");
}

/* A longer structure from a later header is taken if what this library does not know is zero. */
static void test_options_of_another_size(void **state)
{
    (void)backend_context(state, 0);
    struct {
        onepass_options options;
        uint64_t later;
    } longer = { options_of(state), 0 };
    longer.options.size = sizeof longer;
    onepass_context *ctx;
    assert_int_equal(onepass_create(&ctx, &longer.options), ONEPASS_SUCCESS);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
    longer.later = 1;
    assert_int_equal(onepass_create(&ctx, &longer.options), ONEPASS_INVALID_ARGUMENT);
    assert_null(ctx);
    ASSERT_SAYS(onepass_last_error(NULL), "size");
}

static void test_backend_and_threads(void **state)
{
    const test_backend *backend = *state;
    assert_int_equal(onepass_context_backend(backend_context(state, 0)), backend->id);
    static const int counts[] = { 1, 2, 3, 16, 0 };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        onepass_context *ctx = backend_context_of(state, counts[i], 1000);
        const int num_threads = onepass_context_threads(ctx);
        if (backend->id == ONEPASS_BACKEND_CUDA)
            assert_int_equal(num_threads, 0);
        else if (counts[i] == 0)
            assert_in_range(num_threads, 1, ONEPASS_MAX_THREADS);
        else
            assert_int_equal(num_threads, counts[i]);
        assert_string_equal(onepass_last_error(ctx), "");
        assert_int_equal(onepass_last_cuda_error(ctx), 0);
        assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
    }
}

/* ------------------------------------------------------------------------------------- the last error */

static void test_the_last_error_stays(void **state)
{
    onepass_context *ctx = backend_context_of(state, 1, 1000), *other = backend_context_of(state, 1, 1000);
    assert_string_equal(onepass_last_error(ctx), "");
    assert_int_equal(onepass_synchronize(NULL), ONEPASS_INVALID_ARGUMENT);
    assert_string_equal(onepass_last_error(ctx), "");
    assert_int_equal(onepass_copy(ctx, NULL, NULL, 1), ONEPASS_INVALID_ARGUMENT);
    char first[500];
    snprintf(first, sizeof first, "%s", onepass_last_error(ctx));
    ASSERT_SAYS(first, "onepass_copy");
    assert_string_equal(onepass_last_error(other), "");
    ASSERT_SAYS(onepass_last_error(NULL), "onepass_synchronize");
    /* A call that succeeds leaves it; the next one that fails replaces it. */
    assert_int_equal(onepass_synchronize(ctx), ONEPASS_SUCCESS);
    assert_int_equal(onepass_copy(ctx, NULL, NULL, 0), ONEPASS_SUCCESS);
    assert_string_equal(onepass_last_error(ctx), first);
    assert_int_equal(onepass_reduce(ctx, ONEPASS_I8, ONEPASS_SUM, NULL, NULL, 1001), ONEPASS_NOT_RESERVED);
    ASSERT_SAYS(onepass_last_error(ctx), "onepass_reduce");
    assert_int_equal(onepass_last_cuda_error(ctx), 0);
    assert_int_equal(onepass_destroy(other), ONEPASS_SUCCESS);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

/* ------------------------------------------------------------------------------------------- reserve */

static onepass_result try_num_items(onepass_context *ctx, uint64_t num_items)
{
    return onepass_reduce(ctx, ONEPASS_F64, ONEPASS_SUM, NULL, NULL, num_items);
}

static void test_the_reserve_grows_and_never_shrinks(void **state)
{
    onepass_context *ctx = backend_context_of(state, 2, 0);
    assert_int_equal(try_num_items(ctx, 0), ONEPASS_SUCCESS);
    assert_int_equal(try_num_items(ctx, 1), ONEPASS_NOT_RESERVED);
    static const uint64_t reserves[] = { 1, 4096, 4096, 100, 1 << 20, UINT64_C(1) << 32, 0 };
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof reserves / sizeof reserves[0]; ++i) {
        assert_int_equal(onepass_reserve(ctx, reserves[i]), ONEPASS_SUCCESS);
        most = reserves[i] > most ? reserves[i] : most;
        assert_int_equal(try_num_items(ctx, most), ONEPASS_INVALID_ARGUMENT); /* d_in is NULL */
        assert_int_equal(try_num_items(ctx, most + 1), ONEPASS_NOT_RESERVED);
    }
    /* More than there can be: refused, and the earlier reserve stays. */
    static const uint64_t absurd[] = { UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, UINT64_C(1) << 62 };
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; ++i) {
        assert_int_equal(onepass_reserve(ctx, absurd[i]), ONEPASS_OUT_OF_MEMORY);
        ASSERT_SAYS(onepass_last_error(ctx), "onepass_reserve");
        assert_int_equal(try_num_items(ctx, most), ONEPASS_INVALID_ARGUMENT);
        assert_int_equal(try_num_items(ctx, most + 1), ONEPASS_NOT_RESERVED);
    }
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
    onepass_options options = options_of(state);
    options.max_items = UINT64_MAX;
    assert_int_equal(onepass_create(&ctx, &options), ONEPASS_OUT_OF_MEMORY);
    assert_null(ctx);
    ASSERT_SAYS(onepass_last_error(NULL), "max_items");
    ASSERT_SAYS(onepass_last_error(NULL), "18446744073709551615");
}

/* ------------------------------------------------------------------------------------ memory and stream */

static void test_allocate_and_free(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    void *pointer = ctx;
    assert_int_equal(onepass_allocate(ctx, &pointer, 0), ONEPASS_SUCCESS);
    assert_null(pointer);
    for (size_t num_bytes = 1; num_bytes < 1 << 20; num_bytes = 3 * num_bytes + 1) {
        assert_int_equal(onepass_allocate(ctx, &pointer, num_bytes), ONEPASS_SUCCESS);
        assert_non_null(pointer);
        assert_int_equal((uintptr_t)pointer % 256, 0);
        assert_int_equal(onepass_free(backend_context(state, 1), pointer), ONEPASS_SUCCESS);
    }
    assert_int_equal(onepass_free(ctx, NULL), ONEPASS_SUCCESS);
    assert_int_equal(onepass_allocate(ctx, NULL, 1), ONEPASS_INVALID_ARGUMENT);
    ASSERT_SAYS(onepass_last_error(ctx), "d_ptr");
    for (size_t num_bytes = SIZE_MAX; num_bytes > SIZE_MAX / 8; num_bytes -= SIZE_MAX / 4) {
        pointer = ctx;
        assert_int_equal(onepass_allocate(ctx, &pointer, num_bytes), ONEPASS_OUT_OF_MEMORY);
        assert_null(pointer);
        ASSERT_SAYS(onepass_last_error(ctx), "onepass_allocate");
    }
}

static void test_copy(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    unsigned char from[300], to[300] = { 0 };
    for (size_t i = 0; i < sizeof from; ++i)
        from[i] = (unsigned char)(i * 7);
    guard buffer = guard_new(ctx, GUARD_CANARIES, sizeof from, 3);
    guard_send(&buffer); /* the canaries, for guard_fetch to bring back */
    assert_int_equal(onepass_copy(ctx, buffer.d_items, from, sizeof from), ONEPASS_SUCCESS);
    assert_int_equal(onepass_copy(ctx, to, buffer.d_items, sizeof to), ONEPASS_SUCCESS);
    assert_int_equal(onepass_synchronize(ctx), ONEPASS_SUCCESS);
    assert_memory_equal(from, to, sizeof to);
    guard_fetch(&buffer);
    assert_true(guard_intact(&buffer));
    guard_drop(&buffer);

    assert_int_equal(onepass_copy(ctx, to, to, sizeof to), ONEPASS_SUCCESS);
    assert_int_equal(onepass_copy(ctx, to + 150, to, 150), ONEPASS_SUCCESS);
    assert_int_equal(onepass_copy(ctx, to + 149, to, 150), ONEPASS_OVERLAP);
    assert_int_equal(onepass_copy(ctx, to, to + 1, 2), ONEPASS_OVERLAP);
    ASSERT_SAYS(onepass_last_error(ctx), "src");
    ASSERT_SAYS(onepass_last_error(ctx), "dst");
    assert_int_equal(onepass_copy(ctx, NULL, NULL, 0), ONEPASS_SUCCESS);
    assert_int_equal(onepass_copy(ctx, NULL, from, 1), ONEPASS_INVALID_ARGUMENT);
    ASSERT_SAYS(onepass_last_error(ctx), "dst is NULL");
    assert_int_equal(onepass_copy(ctx, to, NULL, 1), ONEPASS_INVALID_ARGUMENT);
    ASSERT_SAYS(onepass_last_error(ctx), "src is NULL");
    assert_int_equal(onepass_copy(ctx, to, from, SIZE_MAX), ONEPASS_INVALID_ARGUMENT);
}

static void test_the_host_has_no_streams(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    assert_int_equal(onepass_set_stream(ctx, NULL), ONEPASS_SUCCESS);
    if (onepass_context_backend(ctx) != ONEPASS_BACKEND_HOST)
        return;
    assert_int_equal(onepass_set_stream(ctx, (onepass_stream)(void *)&ctx), ONEPASS_INVALID_ARGUMENT);
    ASSERT_SAYS(onepass_last_error(ctx), "stream");
    assert_int_equal(onepass_synchronize(ctx), ONEPASS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_options_out_of_range),
        ON_EACH_BACKEND(test_options_of_another_size),
        ON_EACH_BACKEND(test_backend_and_threads),
        ON_EACH_BACKEND(test_the_last_error_stays),
        ON_EACH_BACKEND(test_the_reserve_grows_and_never_shrinks),
        ON_EACH_BACKEND(test_allocate_and_free),
        ON_EACH_BACKEND(test_copy),
        ON_EACH_BACKEND(test_the_host_has_no_streams),
    };
    return run_on_backends(tests);
}
