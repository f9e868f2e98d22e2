/* SPDX-License-Identifier: MIT */
/* Reduction on the host: threads reduce tiles and publish their aggregates; the caller adds them up in order. */
#include "host.h"
#include "plan.h"

struct reduce_job {
    struct host *host;
    struct plan plan;
    const unsigned char *in;
    uint64_t num_items;
    uint64_t tile_items;
    uint64_t num_tiles;
    uint64_t tiles_per_window;
};

static struct walker start_walker(const struct reduce_job *job)
{
    return walker_start(&job->host->lookback, job->plan.combine, job->tiles_per_window, job->plan.start);
}

static void reduce_tiles(void *argument, int thread_idx)
{
    const struct reduce_job *job = argument;
    struct scratch *scratch = &job->host->workers[thread_idx].scratch;
    struct walker walker = start_walker(job);
    uint64_t tile_idx;
    while (walker_draw(&walker, job->num_tiles, &tile_idx)) {
        uint64_t first = tile_idx * job->tile_items;
        uint64_t rest = job->num_items - first;
        uint64_t num_items = rest < job->tile_items ? rest : job->tile_items;
        walker_publish(&walker, tile_idx,
                       plan_reduce(&job->plan, scratch, job->in + first * job->plan.in_size, num_items, false));
    }
}

onepass_result host_reduce(onepass_context *ctx, const struct reduce_call *call)
{
    struct host *host = host_of(ctx);
    struct reduce_job job = { .host = host, .in = call->d_in, .num_items = host_num_items(host, call->count) };
    job.plan = plan_of(host->kernels, call, job.num_items > 0);
    int num_threads = host_num_threads(host, job.num_items * job.plan.in_size);
    uint64_t num_rows = (job.num_items + job.plan.row_items - 1) / job.plan.row_items;
    uint64_t rows = host_tile_units(num_rows, 16, tile_rows, num_threads);
    job.tile_items = rows * job.plan.row_items;
    job.tiles_per_window = window_rows / rows;
    job.num_tiles = (num_rows + rows - 1) / rows;
    pool_run(host->pool, num_threads, reduce_tiles, &job);
    struct walker walker = start_walker(&job);
    plan_store_one(&job.plan, walker_total(&walker, job.num_tiles), call->d_out);
    lookback_finish(&host->lookback);
    return ONEPASS_SUCCESS;
}
