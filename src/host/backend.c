/* SPDX-License-Identifier: MIT */
/* The host backend: its state, its memory, and the choice of shapes that its operations share. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "host.h"

#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static int num_cores(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        return CPU_COUNT(&cores);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* What one thread may count on. sysconf may give the sum over all of a machine's last-level caches (320 MiB where a
 * core has 32: EPYC 9004, glibc 2.36), so no more than is usual for one. */
static uint64_t last_level_cache_bytes(void)
{
    const uint64_t usual = 32u << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
    long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size > 0 && (uint64_t)size < usual)
        return (uint64_t)size;
#endif
    return usual;
}

static struct worker *create_workers(int num_threads)
{
    struct worker *workers = aligned_alloc(line_bytes, (size_t)num_threads * sizeof *workers);
    for (int thread = 0; workers != NULL && thread < num_threads; thread++) {
        memset(&workers[thread].scratch, 0, sizeof workers[thread].scratch);
        for (uint32_t i = 0; i < compact_block_items; i++)
            workers[thread].positions[i] = i;
    }
    return workers;
}

static void free_host(struct host *host)
{
    lookback_destroy(&host->lookback);
    free(host->workers);
    free(host);
}

static void destroy(onepass_context *ctx)
{
    pool_destroy(host_of(ctx)->pool);
    free_host(host_of(ctx));
}

static void abandon(onepass_context *ctx)
{
    pool_abandon(host_of(ctx)->pool);
    free_host(host_of(ctx));
}

static onepass_result create(onepass_context *ctx, const onepass_options *options)
{
    int num_threads = options->num_threads;
    if (num_threads == 0)
        num_threads = num_cores() < ONEPASS_MAX_THREADS ? num_cores() : ONEPASS_MAX_THREADS;
    struct host *host = aligned_alloc(line_bytes, sizeof *host);
    if (host == NULL)
        return context_fail(ctx, ONEPASS_OUT_OF_MEMORY, "onepass_create: no memory for a host backend");
    memset(host, 0, sizeof *host);
    host->kernels = host_kernels_best();
    host->cache_bytes = last_level_cache_bytes();
    host->workers = create_workers(num_threads);
    if (host->workers == NULL) {
        free_host(host);
        return context_fail(ctx, ONEPASS_OUT_OF_MEMORY,
                            "onepass_create: no memory for the work space of %d threads, %zu bytes each", num_threads,
                            sizeof *host->workers);
    }
    host->pool = pool_create(num_threads);
    if (host->pool == NULL) {
        int error = errno;
        free_host(host);
        return context_fail(ctx, ONEPASS_OUT_OF_MEMORY, "onepass_create: %d threads could not be started: %s",
                            num_threads, strerror(error));
    }
    ctx->state = host;
    return ONEPASS_SUCCESS;
}

static int num_threads(const onepass_context *ctx)
{
    return pool_num_threads(host_of(ctx)->pool);
}

static onepass_result reserve(onepass_context *ctx, uint64_t max_items)
{
    struct host *host = host_of(ctx);
    /* Compaction has the smallest tiles; inputs that are cut into even smaller ones come to 8 of them a thread. */
    uint64_t small_tiles = 8 * (uint64_t)pool_num_threads(host->pool);
    struct lookback grown;
    if (!lookback_create(&grown, max_items / compact_min_tile_items + small_tiles + 2))
        return context_fail(ctx, ONEPASS_OUT_OF_MEMORY,
                            "onepass_reserve: no memory for the descriptors of max_items = %" PRIu64, max_items);
    lookback_destroy(&host->lookback);
    host->lookback = grown;
    return ONEPASS_SUCCESS;
}

static onepass_result set_stream(onepass_context *ctx, onepass_stream stream)
{
    if (stream != NULL)
        return context_fail(ctx, ONEPASS_INVALID_ARGUMENT,
                            "onepass_set_stream: stream is %p; the host backend has none, so it must be NULL",
                            (void *)stream);
    return ONEPASS_SUCCESS;
}

static onepass_result synchronize(onepass_context *ctx)
{
    struct host *host = host_of(ctx);
    if (!host->has_clamped)
        return ONEPASS_SUCCESS;
    host->has_clamped = false;
    return context_fail_clamped(ctx, host->clamped_items, host->clamped_max);
}

static onepass_result allocate(onepass_context *ctx, void **d_ptr, size_t num_bytes)
{
    const size_t alignment = 256;
    if (num_bytes <= SIZE_MAX - alignment)
        *d_ptr = aligned_alloc(alignment, (num_bytes + alignment - 1) / alignment * alignment);
    if (*d_ptr == NULL)
        return context_fail(ctx, ONEPASS_OUT_OF_MEMORY, "onepass_allocate: no memory for num_bytes = %zu", num_bytes);
    return ONEPASS_SUCCESS;
}

static onepass_result free_memory(onepass_context *ctx, void *d_ptr)
{
    (void)ctx;
    free(d_ptr);
    return ONEPASS_SUCCESS;
}

static onepass_result copy(onepass_context *ctx, void *dst, const void *src, size_t num_bytes)
{
    (void)ctx;
    memcpy(dst, src, num_bytes);
    return ONEPASS_SUCCESS;
}

/* The caller may have set a rounding mode, or flushing of denormals; results must not depend on it. */
#define DEFINE_IN_DEFAULT_ENVIRONMENT(name)                                                \
    static onepass_result run_##name(onepass_context *ctx, const struct name##_call *call) \
    {                                                                                      \
        fenv_t callers;                                                                    \
        (void)fegetenv(&callers);                                                          \
        (void)fesetenv(FE_DFL_ENV);                                                        \
        onepass_result result = host_##name(ctx, call);                                    \
        (void)fesetenv(&callers);                                                          \
        return result;                                                                     \
    }

DEFINE_IN_DEFAULT_ENVIRONMENT(scan)
DEFINE_IN_DEFAULT_ENVIRONMENT(reduce)
DEFINE_IN_DEFAULT_ENVIRONMENT(compact)

const struct backend host_backend = {
    .id = ONEPASS_BACKEND_HOST,
    .create = create,
    .destroy = destroy,
    .abandon = abandon,
    .num_threads = num_threads,
    .reserve = reserve,
    .set_stream = set_stream,
    .synchronize = synchronize,
    .allocate = allocate,
    .free = free_memory,
    .copy = copy,
    .scan = run_scan,
    .reduce = run_reduce,
    .compact = run_compact,
};

uint64_t host_num_items(struct host *host, struct item_count count)
{
    uint64_t num_items = count.d_num_items != NULL ? *count.d_num_items : count.max_items;
    if (num_items <= count.max_items)
        return num_items;
    host->has_clamped = true;
    host->clamped_items = num_items;
    host->clamped_max = count.max_items;
    return count.max_items;
}

int host_num_threads(const struct host *host, uint64_t num_bytes)
{
    /* Waking a thread takes some 10 us, in which one thread goes through this many bytes (2 cores of an EPYC 9004,
     * 2026-11-30; bench/host_bench.c). */
    const uint64_t bytes_while_waking = UINT64_C(256) << 10;
    uint64_t worth = num_bytes / bytes_while_waking;
    uint64_t available = (uint64_t)pool_num_threads(host->pool);
    return worth <= 1 ? 1 : worth < available ? (int)worth : (int)available;
}

uint64_t host_tile_units(uint64_t num_units, uint64_t min_units, uint64_t max_units, int num_threads)
{
    uint64_t units = max_units;
    while (units > min_units && num_units / units < 4 * (uint64_t)num_threads)
        units /= 2;
    return units;
}

static void write_to_cache(void *dst, const void *src, size_t num_bytes)
{
    memcpy(dst, src, num_bytes);
}

write_fn host_writer(const struct host *host, uint64_t num_bytes)
{
    return num_bytes > host->cache_bytes ? host->kernels->write_past_cache : write_to_cache;
}

void host_end_writes(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
