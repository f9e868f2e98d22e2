/* SPDX-License-Identifier: MIT */
/*
 * The threads of a host context. They sleep between calls; the calling thread always works too, as thread 0.
 *
 * Work is handed out by tickets (lookback.h), so it does not matter how many threads turn up for a call: pool_run does
 * not wait for a thread that is still asleep when the work is done. The threads run in the default floating-point
 * environment; the calling thread's is the caller's to set.
 */
#ifndef ONEPASS_SRC_HOST_POOL_H
#define ONEPASS_SRC_HOST_POOL_H

struct pool;

/* num_threads in all, from 1. NULL with errno set if memory or threads could not be had. */
struct pool *pool_create(int num_threads);

void pool_destroy(struct pool *pool);

/* Gives the memory back in a child after fork, where the threads are not. */
void pool_abandon(struct pool *pool);

int pool_num_threads(const struct pool *pool);

/* Runs work(job, thread_idx) once on this thread, as 0, and at most once on each of the first num_threads - 1 others.
 * Returns when every one that has begun has ended. */
void pool_run(struct pool *pool, int num_threads, void (*work)(void *job, int thread_idx), void *job);

#endif
