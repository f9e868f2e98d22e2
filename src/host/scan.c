/* SPDX-License-Identifier: MIT */
/*
 * Scan on the host. A thread takes a tile, reduces it, publishes the aggregate, walks back for the prefix, and then
 * scans the tile, which its second-level cache still holds. Alone, a thread goes through everything once.
 *
 * Work is counted in positions: those of the items, and with OFFSETS one more, behind them. Position p is item p, or
 * from the end in a reverse scan.
 */
#include "host.h"
#include "plan.h"

struct scan_job {
    struct host *host;
    struct plan plan;
    const unsigned char *in;
    unsigned char *out;
    uint64_t num_items;
    uint64_t num_positions;
    uint64_t tile_positions;
    uint64_t num_tiles;
    uint64_t tiles_per_window;
    bool is_exclusive;
    bool reverse;
    write_fn write;
    bool writes_rows; /* scans of rows write their results themselves */
};

/* The items at positions [first, first + num_items): where they begin in memory. Of no items, anywhere. */
static const unsigned char *items_at(const struct scan_job *job, uint64_t first, uint64_t num_items)
{
    if (num_items == 0)
        return job->in;
    uint64_t lowest = job->reverse ? job->num_items - first - num_items : first;
    return job->in + lowest * job->plan.in_size;
}

static uint64_t items_in(const struct scan_job *job, uint64_t first, uint64_t end)
{
    uint64_t last = end < job->num_items ? end : job->num_items;
    return last > first ? last - first : 0;
}

static void write_results(const struct scan_job *job, struct scratch *scratch, uint64_t first, size_t num_results)
{
    const struct plan *plan = &job->plan;
    const void *results = scratch->results.items;
    if (!plan->scans_to_outputs) {
        plan->store(results, scratch->stored.items, num_results);
        results = scratch->stored.items;
    }
    if (job->reverse) {
        plan->reverse_out(results, scratch->reversed.items, num_results);
        results = scratch->reversed.items;
    }
    uint64_t lowest = job->reverse ? job->num_positions - first - num_results : first;
    job->write(job->out + lowest * plan->out_size, results, num_results * plan->out_size);
}

/* Names the block at `first` as the one to ask for while another is scanned. */
static void set_next_input(const struct scan_job *job, struct scratch *scratch, uint64_t first)
{
    uint64_t num_items = items_in(job, first, first + job->plan.scan_items);
    scratch->next_input = items_at(job, first, num_items);
    scratch->next_bytes = (size_t)num_items * job->plan.in_size;
}

/* Scans positions [first, end) from sum on; asks for the input that is `ahead` positions further on. */
static void scan_positions(const struct scan_job *job, struct scratch *scratch, uint64_t first, uint64_t end,
                           uint64_t ahead, struct running_sum *sum)
{
    const struct plan *plan = &job->plan;
    while (first < end) {
        size_t block = end - first < plan->scan_items ? (size_t)(end - first) : plan->scan_items;
        size_t num_items = (size_t)items_in(job, first, first + block);
        const void *items = items_at(job, first, num_items);
        items = plan_load(plan, scratch, items, num_items, block, job->reverse);
        set_next_input(job, scratch, first + ahead);
        bool writes_rows = job->writes_rows && block % plan->row_items == 0;
        scratch->past_cache = writes_rows ? job->out + first * plan->out_size : NULL;
        plan->scan(scratch, items, block, job->is_exclusive, sum);
        if (!writes_rows)
            write_results(job, scratch, first, block);
        first += block;
    }
}

static uint64_t reduce_tile(const struct scan_job *job, struct scratch *scratch, uint64_t first, uint64_t end)
{
    uint64_t num_items = items_in(job, first, end);
    return plan_reduce(&job->plan, scratch, items_at(job, first, num_items), num_items, job->reverse);
}

static void scan_tiles(void *argument, int thread_idx)
{
    const struct scan_job *job = argument;
    struct scratch *scratch = &job->host->workers[thread_idx].scratch;
    struct walker walker =
        walker_start(&job->host->lookback, job->plan.combine, job->tiles_per_window, job->plan.start);
    /* This tile is in the second-level cache already, so what is asked for is the one that will probably be this
     * thread's next. */
    uint64_t ahead = (uint64_t)pool_num_threads(job->host->pool) * job->tile_positions;
    uint64_t tile_idx;
    while (walker_draw(&walker, job->num_tiles, &tile_idx)) {
        uint64_t first = tile_idx * job->tile_positions;
        bool is_last = tile_idx == job->num_tiles - 1;
        uint64_t end = is_last ? job->num_positions : first + job->tile_positions;
        /* Nobody comes after the last tile to ask for its aggregate. */
        uint64_t aggregate = is_last ? job->plan.nothing : reduce_tile(job, scratch, first, end);
        struct running_sum sum;
        sum_start(&sum, walker_publish_and_walk(&walker, tile_idx, aggregate));
        scan_positions(job, scratch, first, end, ahead, &sum);
    }
    host_end_writes();
}

static void scan_alone(void *argument, int thread_idx)
{
    const struct scan_job *job = argument;
    struct running_sum sum;
    sum_start(&sum, job->plan.start);
    scan_positions(job, &job->host->workers[thread_idx].scratch, 0, job->num_positions, job->plan.block_items, &sum);
    host_end_writes();
}

onepass_result host_scan(onepass_context *ctx, const struct scan_call *call)
{
    struct host *host = host_of(ctx);
    struct scan_job job = {
        .host = host,
        .plan = plan_of(host->kernels, &call->of, call->kind == ONEPASS_INCLUSIVE),
        .in = call->of.d_in,
        .out = call->of.d_out,
        .num_items = host_num_items(host, call->of.count),
        .is_exclusive = call->kind != ONEPASS_INCLUSIVE,
        .reverse = call->reverse,
    };
    job.num_positions = job.num_items + (call->kind == ONEPASS_OFFSETS);
    uint64_t num_bytes = job.num_items * job.plan.in_size + job.num_positions * job.plan.out_size;
    job.write = host_writer(host, num_bytes);
    job.writes_rows = job.write == host->kernels->write_past_cache && job.plan.is_ordered &&
                      job.plan.scans_to_outputs && !job.reverse && (uintptr_t)job.out % line_bytes == 0;
    int num_threads = host_num_threads(host, num_bytes);
    if (num_threads == 1) {
        pool_run(host->pool, 1, scan_alone, &job);
        return ONEPASS_SUCCESS;
    }
    uint64_t num_rows = job.num_positions / job.plan.row_items + 1;
    uint64_t rows = host_tile_units(num_rows, 16, tile_rows, num_threads);
    job.tile_positions = rows * job.plan.row_items;
    job.tiles_per_window = window_rows / rows;
    job.num_tiles = (job.num_positions + job.tile_positions - 1) / job.tile_positions;
    pool_run(host->pool, num_threads, scan_tiles, &job);
    lookback_finish(&host->lookback);
    return ONEPASS_SUCCESS;
}
