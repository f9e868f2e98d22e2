/* SPDX-License-Identifier: MIT */
/*
 * What a program may do around the host backend's threads: cancel a thread that is inside a call, and handle the faults
 * that reading its own memory raises, whichever thread reads.
 */
#include "backends.h"
#include "prop.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { num_items = 1 << 20, num_threads = 4 };

struct caller {
    onepass_context *ctx;
    uint32_t *items;
};

static void *call_until_cancelled(void *argument)
{
    struct caller *caller = argument;
    for (;;) {
        onepass_inclusive_scan(caller->ctx, ONEPASS_U32, ONEPASS_XOR, caller->items, caller->items, num_items);
        pthread_testcancel(); /* a call is no place to be cancelled in */
    }
    return NULL;
}

/* The cancelled thread's call ends first: its context can be used, and destroyed, by another. */
static void test_a_cancelled_thread_ends_its_call(void **state)
{
    struct caller caller = { backend_context_of(state, num_threads, num_items), calloc(num_items, sizeof(uint32_t)) };
    assert_non_null(caller.items);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *ended;
        assert_int_equal(pthread_create(&thread, NULL, call_until_cancelled, &caller), 0);
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 + 100000 * i }, NULL);
        pthread_cancel(thread);
        pthread_join(thread, &ended);
        assert_ptr_equal(ended, PTHREAD_CANCELED);
        uint32_t total = 1;
        assert_int_equal(onepass_reduce(caller.ctx, ONEPASS_U32, ONEPASS_SUM, caller.items, &total, num_items),
                         ONEPASS_SUCCESS);
        assert_int_equal(total, 0);
    }
    assert_int_equal(onepass_destroy(caller.ctx), ONEPASS_SUCCESS);
    free(caller.items);
}

static unsigned char *faulting;
static size_t faulting_bytes, page_bytes;

/* Brings a page in, as a program does that keeps its arrays elsewhere. */
static void bring_page_in(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    unsigned char *address = info->si_addr;
    if (address < faulting || address >= faulting + faulting_bytes)
        _exit(128 + number);
    mprotect(faulting + (size_t)(address - faulting) / page_bytes * page_bytes, page_bytes, PROT_READ | PROT_WRITE);
}

static void test_faults_are_the_program_s_to_handle(void **state)
{
    if (TEST_SLOWNESS > 1)
        skip(); /* sanitizers have handlers of their own */
    onepass_context *ctx = backend_context_of(state, num_threads, num_items);
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    faulting_bytes = num_items * sizeof(uint32_t);
    faulting = mmap(NULL, faulting_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(faulting != MAP_FAILED);
    struct sigaction handle, before;
    memset(&handle, 0, sizeof handle);
    handle.sa_sigaction = bring_page_in;
    handle.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &handle, &before);
    uint32_t total = 1;
    onepass_result result = onepass_reduce(ctx, ONEPASS_U32, ONEPASS_SUM, faulting, &total, num_items);
    sigaction(SIGSEGV, &before, NULL);
    assert_int_equal(result, ONEPASS_SUCCESS);
    assert_int_equal(total, 0);
    munmap(faulting, faulting_bytes);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
}

/* What a failed allocation leaves is not an address, also where there was no context to ask. */
static void test_a_failed_allocation_gives_null(void **unused)
{
    (void)unused;
    int something;
    void *d_ptr = &something;
    assert_int_equal(onepass_allocate(NULL, &d_ptr, 8), ONEPASS_INVALID_ARGUMENT);
    assert_null(d_ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOST(test_a_cancelled_thread_ends_its_call),
        ON_HOST(test_faults_are_the_program_s_to_handle),
        ON_HOST(test_a_failed_allocation_gives_null),
    };
    return run_on_backends(tests);
}
