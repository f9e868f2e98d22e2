/* SPDX-License-Identifier: MIT */
/*
 * A context among threads and processes: several contexts side by side, one handed from thread to thread, fork, and no
 * output. CMocka's asserts jump, so that other threads only leave a flag.
 */
#define _POSIX_C_SOURCE 200809L
#include "backends.h"
#include "inputs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { num_items = 300007 };

/* An exclusive scan, on buffers of its own. The CUDA backend would need device memory: these tests are the host's. */
static bool scan_is(onepass_context *ctx, onepass_type type, onepass_operator op, const void *in, const void *expected)
{
    const size_t num_bytes = num_items * onepass_type_size(type);
    void *out = malloc(num_bytes);
    const bool is = out != NULL && onepass_exclusive_scan(ctx, type, op, in, out, num_items) == ONEPASS_SUCCESS &&
                    memcmp(out, expected, num_bytes) == 0;
    free(out);
    return is;
}

static onepass_context *host_context(int num_threads)
{
    onepass_options options = ONEPASS_OPTIONS_INIT;
    options.backend = ONEPASS_BACKEND_HOST;
    options.num_threads = num_threads;
    options.max_items = num_items;
    onepass_context *ctx;
    return onepass_create(&ctx, &options) == ONEPASS_SUCCESS ? ctx : NULL;
}

/* ---------------------------------------------------------------------------------------------- threads */

typedef struct user {
    pthread_t thread;
    onepass_context *ctx; /* NULL: makes one */
    onepass_type type;
    unsigned num_rounds;
    void *in, *expected;
    bool succeeds;
} user;

static void *use_a_context(void *arg)
{
    user *u = arg;
    onepass_context *own = u->ctx == NULL ? host_context(3) : NULL;
    onepass_context *ctx = u->ctx == NULL ? own : u->ctx;
    u->succeeds = ctx != NULL;
    for (unsigned i = 0; u->succeeds && i < u->num_rounds; ++i)
        u->succeeds = scan_is(ctx, u->type, ONEPASS_SUM, u->in, u->expected);
    u->succeeds = onepass_destroy(own) == ONEPASS_SUCCESS && u->succeeds;
    return NULL;
}

static user make_user(onepass_context *ctx, onepass_context *first, onepass_type type, unsigned num_rounds)
{
    const size_t num_bytes = num_items * onepass_type_size(type);
    void *in = malloc(num_bytes), *expected = malloc(num_bytes);
    assert_true(in != NULL && expected != NULL);
    input_fill(in, type, INPUT_ORDINARY, (uint64_t)type, num_items);
    assert_int_equal(onepass_exclusive_scan(first, type, ONEPASS_SUM, in, expected, num_items), ONEPASS_SUCCESS);
    return (user){ .ctx = ctx, .type = type, .num_rounds = num_rounds, .in = in, .expected = expected };
}

/* One user for each type, side by side or one after the other with the same context. No assert jumps away while a
 * thread runs: it uses what is on this stack. */
static void run_users(onepass_context *ctx, unsigned num_rounds)
{
    user users[num_item_types];
    bool started[num_item_types], succeed = true;
    onepass_context *first = host_context(1);
    for (size_t i = 0; i < num_item_types; ++i)
        users[i] = make_user(ctx, first, item_types[i], num_rounds);
    for (size_t i = 0; i < num_item_types; ++i) {
        started[i] = pthread_create(&users[i].thread, NULL, use_a_context, &users[i]) == 0;
        if (ctx != NULL && started[i])
            pthread_join(users[i].thread, NULL);
    }
    for (size_t i = 0; i < num_item_types; ++i) {
        if (ctx == NULL && started[i])
            pthread_join(users[i].thread, NULL);
        succeed = succeed && started[i] && users[i].succeeds;
        free(users[i].in);
        free(users[i].expected);
    }
    assert_int_equal(onepass_destroy(first), ONEPASS_SUCCESS);
    assert_true(succeed);
}

static void test_several_contexts_side_by_side(void **state)
{
    (void)state;
    run_users(NULL, 24 / TEST_SLOWNESS);
}

static void test_a_context_handed_from_thread_to_thread(void **state)
{
    (void)state;
    onepass_context *ctx = host_context(4);
    run_users(ctx, 2);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

static void *fail_to_create(void *arg)
{
    onepass_options options = ONEPASS_OPTIONS_INIT;
    onepass_context *ctx;
    char *text = arg;
    snprintf(text, 100, "%s", onepass_last_error(NULL));
    options.num_threads = -17;
    if (text[0] == '\0' && onepass_create(&ctx, &options) == ONEPASS_INVALID_ARGUMENT)
        snprintf(text, 100, "%.99s", onepass_last_error(NULL));
    return NULL;
}

static void test_each_thread_has_its_own_last_error(void **state)
{
    (void)state;
    char text[100];
    pthread_t thread;
    assert_int_equal(onepass_synchronize(NULL), ONEPASS_INVALID_ARGUMENT);
    assert_int_equal(pthread_create(&thread, NULL, fail_to_create, text), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_non_null(strstr(text, "-17"));
    assert_non_null(strstr(onepass_last_error(NULL), "onepass_synchronize"));
}

/* ------------------------------------------------------------------------------------------------- fork */

/* In the child, which must not reach CMocka: the number of the first call that answers wrongly, or 0. */
static int use_dead_context(onepass_context *ctx)
{
    unsigned char bytes[16] = { 0 };
    uint64_t count = 99;
    void *pointer = NULL;
    const onepass_predicate keep = { .kind = ONEPASS_ZERO };
    onepass_scan_spec scan = ONEPASS_SCAN_SPEC_INIT;
    onepass_reduce_spec reduce = ONEPASS_REDUCE_SPEC_INIT;
    onepass_select_spec select = ONEPASS_SELECT_SPEC_INIT;
    onepass_partition_spec partition = ONEPASS_PARTITION_SPEC_INIT;
    const onepass_result results[] = {
        onepass_synchronize(ctx),
        onepass_reserve(ctx, 1),
        onepass_set_stream(ctx, NULL),
        onepass_allocate(ctx, &pointer, 1),
        onepass_free(ctx, NULL),
        onepass_copy(ctx, bytes, bytes + 8, 8),
        onepass_inclusive_scan(ctx, ONEPASS_U8, ONEPASS_SUM, bytes, bytes, 8),
        onepass_exclusive_scan(ctx, ONEPASS_U8, ONEPASS_SUM, bytes, bytes, 8),
        onepass_scan(ctx, &scan),
        onepass_reduce(ctx, ONEPASS_U8, ONEPASS_SUM, bytes, bytes + 8, 8),
        onepass_reduce_with(ctx, &reduce),
        onepass_select_if(ctx, ONEPASS_U8, &keep, bytes, bytes, &count, 8),
        onepass_select_flagged(ctx, ONEPASS_U8, bytes, bytes + 8, bytes, &count, 8),
        onepass_select(ctx, &select),
        onepass_unique(ctx, ONEPASS_U8, bytes, bytes, &count, 8),
        onepass_partition_if(ctx, ONEPASS_U8, &keep, bytes, bytes, bytes, &count, 8),
        onepass_partition_flagged(ctx, ONEPASS_U8, bytes, bytes, bytes, bytes, &count, 8),
        onepass_partition_three_way(ctx, ONEPASS_U8, &keep, &keep, bytes, bytes, bytes, bytes, &count, &count, 8),
        onepass_partition(ctx, &partition),
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i)
        if (results[i] != ONEPASS_CONTEXT_DEAD)
            return 1 + (int)i;
    if (count != 99 || strstr(onepass_last_error(ctx), "fork") == NULL)
        return 101;
    if (onepass_destroy(ctx) != ONEPASS_SUCCESS)
        return 102;
    /* A new context is as good as any. One thread: ThreadSanitizer starts none in a child. */
    onepass_context *own = host_context(1);
    uint8_t total = 0;
    const uint8_t items[3] = { 1, 2, 4 };
    if (own == NULL || onepass_reduce(own, ONEPASS_U8, ONEPASS_SUM, items, &total, 3) != ONEPASS_SUCCESS || total != 7)
        return 103;
    return onepass_destroy(own) == ONEPASS_SUCCESS ? 0 : 104;
}

static void test_a_context_does_not_survive_fork(void **state)
{
    (void)state;
    onepass_context *ctx = host_context(4);
    const pid_t child = fork();
    if (child == 0)
        _exit(use_dead_context(ctx));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(onepass_synchronize(ctx), ONEPASS_SUCCESS);
    run_users(ctx, 1);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

/* ----------------------------------------------------------------------------------------------- output */

static void make_all_sorts_of_calls(void)
{
    onepass_options options = ONEPASS_OPTIONS_INIT;
    options.backend = ONEPASS_BACKEND_CUDA;
    onepass_context *ctx;
    onepass_destroy(onepass_create(&ctx, &options) == ONEPASS_SUCCESS ? ctx : NULL);
    ctx = host_context(4);
    int32_t item = 1, out = 0;
    onepass_inclusive_scan(ctx, ONEPASS_I32, ONEPASS_SUM, &item, &out, 1);
    onepass_inclusive_scan(ctx, ONEPASS_I32, ONEPASS_SUM, &item, NULL, 1);
    onepass_inclusive_scan(ctx, (onepass_type)0, ONEPASS_SUM, &item, &out, 1);
    if (TEST_SLOWNESS == 1)
        onepass_reserve(ctx, UINT64_MAX); /* sanitizers remark on it */
    onepass_synchronize(NULL);
    onepass_destroy(ctx);
}

static void test_the_library_prints_nothing(void **state)
{
    (void)state;
    fflush(NULL);
    FILE *file = tmpfile();
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    assert_true(file != NULL && out >= 0 && err >= 0);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    make_all_sorts_of_calls();
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
    close(out);
    close(err);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_contexts_side_by_side),
        cmocka_unit_test(test_a_context_handed_from_thread_to_thread),
        cmocka_unit_test(test_each_thread_has_its_own_last_error),
        cmocka_unit_test(test_a_context_does_not_survive_fork),
        cmocka_unit_test(test_the_library_prints_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
