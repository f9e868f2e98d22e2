/* SPDX-License-Identifier: MIT */
/*
 * Select on the host. A thread reads its tile once: it decides, and compacts what it keeps into memory of its own. Then
 * it publishes the count, walks back for its place, and writes. A published tile has been read to its end, so writing
 * over tiles that come before, as selecting in place does, is safe: the walk has seen all of them.
 */
#include "host.h"

struct select_job {
    struct host *host;
    const struct select_call *call;
    keep_fn keep;
    struct range_test test;
    const unsigned char *decides; /* what keep looks at: items of decides_size bytes */
    size_t decides_size;
    compact_fn compact_items;
    size_t item_size;
    uint64_t num_items;
    uint64_t tile_items;
    uint64_t num_tiles;
    write_fn write;
    uint64_t num_selected; /* set by the thread that has the last tile */
};

static uint64_t add(uint64_t left, uint64_t right)
{
    return left + right;
}

static size_t count_bits(const uint64_t *bits, size_t num_items)
{
    size_t count = 0;
    for (size_t word = 0; word < (num_items + 63) / 64; word++)
        count += (size_t)__builtin_popcountll(bits[word]);
    return count;
}

/* Decides and compacts a tile into the worker's own memory; returns how many items it keeps. */
static size_t keep_tile(const struct select_job *job, struct worker *worker, uint64_t first, size_t num_items)
{
    const struct select_call *call = job->call;
    size_t num_kept = 0;
    for (size_t i = 0; i < num_items; i += select_block_items) {
        size_t block = num_items - i < select_block_items ? num_items - i : select_block_items;
        job->keep(job->decides + (first + i) * job->decides_size, block, &job->test, worker->bits);
        if (call->d_out != NULL)
            job->compact_items((const unsigned char *)call->d_in + (first + i) * job->item_size, block, worker->bits,
                               worker->kept_items + num_kept * job->item_size);
        size_t block_kept = count_bits(worker->bits, block);
        if (call->d_out_indices != NULL) {
            uint32_t *indices = worker->kept_indices + num_kept;
            job->host->kernels->compact[2](worker->positions, block, worker->bits, indices);
            for (size_t j = 0; j < block_kept; j++)
                indices[j] += (uint32_t)i;
        }
        num_kept += block_kept;
    }
    return num_kept;
}

/* Writes indices, given from the start of the tile, as positions in the whole input. */
static void write_indices(const struct select_job *job, struct worker *worker, uint64_t first, uint64_t place,
                          size_t num_indices)
{
    size_t size = job->call->index_size;
    unsigned char *out = (unsigned char *)job->call->d_out_indices + place * size;
    unsigned char *buffer = worker->scratch.results.items;
    size_t buffer_indices = block_bytes / sizeof(uint64_t);
    for (size_t i = 0; i < num_indices; i += buffer_indices) {
        size_t num = num_indices - i < buffer_indices ? num_indices - i : buffer_indices;
        const uint32_t *indices = worker->kept_indices + i;
        if (size == sizeof(uint32_t)) {
            for (size_t j = 0; j < num; j++)
                ((uint32_t *)buffer)[j] = (uint32_t)first + indices[j];
        } else {
            for (size_t j = 0; j < num; j++)
                ((uint64_t *)buffer)[j] = first + indices[j];
        }
        job->write(out + i * size, buffer, num * size);
    }
}

static void write_tile(const struct select_job *job, struct worker *worker, uint64_t first, uint64_t place,
                       size_t num_kept)
{
    const struct select_call *call = job->call;
    if (place >= call->capacity)
        return;
    uint64_t room = call->capacity - place;
    size_t num_written = num_kept < room ? num_kept : (size_t)room;
    if (call->d_out != NULL)
        job->write((unsigned char *)call->d_out + place * job->item_size, worker->kept_items,
                   num_written * job->item_size);
    if (call->d_out_indices != NULL)
        write_indices(job, worker, first, place, num_written);
}

static size_t items_of_tile(const struct select_job *job, uint64_t tile_idx)
{
    uint64_t rest = job->num_items - tile_idx * job->tile_items;
    return (size_t)(rest < job->tile_items ? rest : job->tile_items);
}

static void select_tiles(void *argument, int thread_idx)
{
    struct select_job *job = argument;
    struct worker *worker = &job->host->workers[thread_idx];
    struct walker walker = walker_start(&job->host->lookback, add, window_rows / tile_rows, 0);
    uint64_t tile_idx;
    while (walker_draw(&walker, job->num_tiles, &tile_idx)) {
        uint64_t first = tile_idx * job->tile_items;
        size_t num_kept = keep_tile(job, worker, first, items_of_tile(job, tile_idx));
        uint64_t place = walker_publish_and_walk(&walker, tile_idx, num_kept);
        write_tile(job, worker, first, place, num_kept);
        if (tile_idx == job->num_tiles - 1)
            job->num_selected = place + num_kept;
    }
    host_end_writes();
}

static void select_alone(void *argument, int thread_idx)
{
    struct select_job *job = argument;
    struct worker *worker = &job->host->workers[thread_idx];
    uint64_t place = 0;
    for (uint64_t tile_idx = 0; tile_idx < job->num_tiles; tile_idx++) {
        uint64_t first = tile_idx * job->tile_items;
        size_t num_kept = keep_tile(job, worker, first, items_of_tile(job, tile_idx));
        write_tile(job, worker, first, place, num_kept);
        place += num_kept;
    }
    job->num_selected = place;
    host_end_writes();
}

static int size_index(size_t item_size)
{
    return item_size == 1 ? 0 : item_size == 2 ? 1 : item_size == 4 ? 2 : 3;
}

onepass_result host_select(onepass_context *ctx, const struct select_call *call)
{
    static const struct range_test is_not_zero = { .mask = 255, .negate = true };
    struct host *host = host_of(ctx);
    size_t item_size = onepass_type_size(call->type);
    struct select_job job = {
        .host = host,
        .call = call,
        .keep = host->kernels->keep[call->keep.floating][size_index(item_size)],
        .test = call->keep,
        .decides = call->d_in,
        .decides_size = item_size,
        .compact_items = host->kernels->compact[size_index(item_size)],
        .item_size = item_size,
        .num_items = host_num_items(host, call->count),
    };
    if (call->d_flags != NULL) {
        job.keep = host->kernels->keep[false][0];
        job.test = is_not_zero;
        job.decides = call->d_flags;
        job.decides_size = 1;
    }
    uint64_t num_bytes = job.num_items * (job.decides_size + item_size);
    job.write = host_writer(host, num_bytes);
    int num_threads = host_num_threads(host, num_bytes);
    uint64_t most = tile_bytes / item_size < select_tile_items ? tile_bytes / item_size : select_tile_items;
    job.tile_items = host_tile_units(job.num_items, select_block_items, most, num_threads);
    job.num_tiles = (job.num_items + job.tile_items - 1) / job.tile_items;
    if (num_threads == 1) {
        pool_run(host->pool, 1, select_alone, &job);
    } else {
        pool_run(host->pool, num_threads, select_tiles, &job);
        lookback_finish(&host->lookback);
    }
    *call->d_num_selected = job.num_selected;
    return ONEPASS_SUCCESS;
}
