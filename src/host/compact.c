/* SPDX-License-Identifier: MIT */
/*
 * Select, unique and partition on the host. A thread reads its tile once: it decides, and compacts what it keeps into
 * memory of its own. Then it publishes the counts, walks back for its place, and writes. A published tile has been read
 * to its end, so writing over tiles that come before, as working in place does, is safe: the walk has seen all of them.
 */
#include "compact.h"

static uint64_t add(uint64_t left, uint64_t right)
{
    return left + right;
}

static size_t items_of_tile(const struct compact_job *job, uint64_t tile_idx)
{
    uint64_t rest = job->num_items - tile_idx * job->tile_items;
    return (size_t)(rest < job->tile_items ? rest : job->tile_items);
}

static void compact_tiles(void *argument, int thread_idx)
{
    struct compact_job *job = argument;
    struct worker *worker = &job->host->workers[thread_idx];
    struct walker walker = walker_start(&job->host->lookback, add, window_rows / tile_rows, 0);
    uint64_t tile_idx;
    while (walker_draw(&walker, job->num_tiles, &tile_idx)) {
        uint64_t first = tile_idx * job->tile_items;
        size_t num_items = items_of_tile(job, tile_idx);
        uint64_t counts = compact_tile(job, worker, first, num_items);
        uint64_t before = walker_publish_and_walk(&walker, tile_idx, counts);
        compact_write_tile(job, worker, first, num_items, counts, before);
        if (tile_idx == job->num_tiles - 1)
            job->counts = before + counts;
    }
    host_end_writes();
}

static void compact_alone(void *argument, int thread_idx)
{
    struct compact_job *job = argument;
    struct worker *worker = &job->host->workers[thread_idx];
    uint64_t before = 0;
    for (uint64_t tile_idx = 0; tile_idx < job->num_tiles; tile_idx++) {
        uint64_t first = tile_idx * job->tile_items;
        size_t num_items = items_of_tile(job, tile_idx);
        uint64_t counts = compact_tile(job, worker, first, num_items);
        compact_write_tile(job, worker, first, num_items, counts, before);
        before += counts;
    }
    job->counts = before;
    host_end_writes();
}

/* Runs the job over all items, as many launches as keep their counts within 32 bits each, and moves places on: by what
 * each part has got. */
static void run_job(struct compact_job *job, uint64_t num_items)
{
    const uint64_t most_items = UINT64_C(1) << 31; /* a multiple of every tile */
    for (job->first_item = 0; job->first_item < num_items; job->first_item += job->num_items) {
        uint64_t rest = num_items - job->first_item;
        job->num_items = rest < most_items ? rest : most_items;
        job->num_tiles = (job->num_items + job->tile_items - 1) / job->tile_items;
        if (job->num_threads == 1) {
            pool_run(job->host->pool, 1, compact_alone, job);
        } else {
            pool_run(job->host->pool, job->num_threads, compact_tiles, job);
            lookback_finish(&job->host->lookback);
        }
        uint64_t num_selected = counts_selected(job->counts), num_second = counts_second(job->counts);
        job->places[PART_SELECTED] += num_selected;
        job->places[PART_SECOND] += num_second;
        job->places[PART_REJECTED] += job->num_items - num_selected - num_second;
    }
}

onepass_result host_compact(onepass_context *ctx, const struct compact_call *call)
{
    const struct compact_outputs *outputs = &call->outputs;
    struct host *host = host_of(ctx);
    uint64_t num_items = host_num_items(host, call->count);
    struct compact_job job = { .host = host, .call = call };
    uint64_t starts[num_output_parts] = { 0 };
    if (outputs->is_joined) { /* a first pass, which only counts, tells where the later parts begin */
        compact_plan(&job, num_items, false);
        run_job(&job, num_items);
        starts[PART_SECOND] = job.places[PART_SELECTED];
        starts[PART_REJECTED] = job.places[PART_SELECTED] + job.places[PART_SECOND];
        job = (struct compact_job){ .host = host, .call = call };
    }
    for (int part = 0; part < num_output_parts; part++)
        job.places[part] = starts[part];
    compact_plan(&job, num_items, true);
    run_job(&job, num_items);
    if (outputs->d_num_selected != NULL)
        *outputs->d_num_selected = job.places[PART_SELECTED];
    if (outputs->d_num_second != NULL)
        *outputs->d_num_second = job.places[PART_SECOND] - starts[PART_SECOND];
    return ONEPASS_SUCCESS;
}
