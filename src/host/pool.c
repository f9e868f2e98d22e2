/* SPDX-License-Identifier: MIT */
/* See pool.h. One mutex guards everything; it is taken a few times a call by each thread and never while work runs. */
#include "pool.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct member {
    struct pool *pool;
    pthread_t thread;
    int idx;
    uint64_t last_call; /* the call that it has seen */
};

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake; /* a new call, or the end */
    pthread_cond_t idle; /* num_working has become 0 */
    void (*work)(void *job, int thread_idx);
    void *job;
    uint64_t call;   /* counts calls */
    int num_invited; /* members that may still join this call have a lower idx; 0 between calls */
    int num_working; /* members at work */
    bool is_ending;
    int num_threads;
    struct member members[]; /* [1, num_threads) are threads; 0 is the caller */
};

static void *member_main(void *argument)
{
    struct member *member = argument;
    struct pool *pool = member->pool;
    (void)fesetenv(FE_DFL_ENV); /* a thread inherits its creator's */
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->is_ending && (pool->call == member->last_call || member->idx >= pool->num_invited))
            pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->is_ending)
            break;
        member->last_call = pool->call;
        pool->num_working++;
        pthread_mutex_unlock(&pool->mutex);
        pool->work(pool->job, member->idx);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->num_working == 0)
            pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void end_threads(struct pool *pool, int num_started)
{
    pthread_mutex_lock(&pool->mutex);
    pool->is_ending = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < num_started; i++)
        pthread_join(pool->members[i].thread, NULL);
}

static void free_pool(struct pool *pool)
{
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

/* Starts the threads with signals blocked, so that the program's handlers do not run on them; but not those that a
 * thread's own access to memory raises, which a program may handle to bring the memory in. */
static int start_threads(struct pool *pool)
{
    sigset_t blocked, before;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int num_started = 1;
    int error = 0;
    while (error == 0 && num_started < pool->num_threads) {
        struct member *member = &pool->members[num_started];
        *member = (struct member){ .pool = pool, .idx = num_started };
        error = pthread_create(&member->thread, NULL, member_main, member);
        num_started += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        end_threads(pool, num_started);
    return error;
}

/* Threads work on what lies on the caller's stack, so the caller must not be cancelled while they do. */
static int disable_cancellation(void)
{
    int before;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static void restore_cancellation(int before)
{
    (void)pthread_setcancelstate(before, &before);
}

struct pool *pool_create(int num_threads)
{
    struct pool *pool = calloc(1, sizeof *pool + (size_t)num_threads * sizeof pool->members[0]);
    if (pool == NULL)
        return NULL;
    pool->num_threads = num_threads;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    int cancellation = disable_cancellation();
    int error = start_threads(pool);
    restore_cancellation(cancellation);
    if (error != 0) {
        free_pool(pool);
        errno = error;
        return NULL;
    }
    return pool;
}

void pool_destroy(struct pool *pool)
{
    int cancellation = disable_cancellation();
    end_threads(pool, pool->num_threads);
    free_pool(pool);
    restore_cancellation(cancellation);
}

void pool_abandon(struct pool *pool)
{
    free(pool);
}

int pool_num_threads(const struct pool *pool)
{
    return pool->num_threads;
}

static void invite(struct pool *pool, int num_threads, void (*work)(void *job, int thread_idx), void *job)
{
    pthread_mutex_lock(&pool->mutex);
    pool->work = work;
    pool->job = job;
    pool->call++;
    pool->num_invited = num_threads;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void close_and_wait(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->num_invited = 0;
    while (pool->num_working > 0)
        pthread_cond_wait(&pool->idle, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

void pool_run(struct pool *pool, int num_threads, void (*work)(void *job, int thread_idx), void *job)
{
    int cancellation = disable_cancellation();
    if (num_threads > 1)
        invite(pool, num_threads, work, job);
    work(job, 0);
    if (num_threads > 1)
        close_and_wait(pool);
    restore_cancellation(cancellation);
}
