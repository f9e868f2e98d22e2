/* SPDX-License-Identifier: MIT */
/* From a compaction to the kernels that it takes, the arrays that it moves, and the size of its tiles. See compact.h.
 */
#include "compact.h"

#include "../value.h"

static int size_index(size_t item_size)
{
    int log2 = 0;
    while ((size_t)1 << log2 < item_size)
        log2++;
    return log2;
}

static void plan_decision(struct compact_job *job)
{
    const struct decision *decision = &job->call->decision;
    const struct host_kernels *kernels = job->host->kernels;
    job->item_size = onepass_type_size(decision->type);
    int size = size_index(job->item_size);
    switch (decision->kind) {
    case DECIDE_BY_ITEM:
        job->keep = kernels->keep[decision->keep.floating][size];
        job->keep_second = kernels->keep[decision->keep_second.floating][size];
        break;
    case DECIDE_BY_FLAG:
        job->keep = kernels->keep[false][0];
        break;
    case DECIDE_BY_HEAD:
        job->heads = kernels->heads[is_floating(decision->type)][size];
        job->infinity = is_floating(decision->type) ? infinity_bits(decision->type) : 0;
        break;
    default: /* DECIDE_BY_FLAG_BIT: the flags are the decision */
        break;
    }
}

static void add_gather(struct compact_job *job, const void *in, size_t item_size, void *const *outs)
{
    struct gather *gather = &job->gathers[job->num_gathers];
    *gather = (struct gather){
        .in = in,
        .item_size = item_size,
        .compact = job->host->kernels->compact[size_index(item_size)],
    };
    bool is_wanted = false;
    for (int part = 0; part < num_output_parts; part++) {
        gather->out[part] = outs[part];
        job->is_wanted[part] |= outs[part] != NULL;
        is_wanted |= outs[part] != NULL;
    }
    job->num_gathers += is_wanted;
}

/* The places in a worker's memory. Each part may get all of a tile. */
static void plan_kept(struct compact_job *job)
{
    size_t at = 0;
    for (int i = 0; i < job->num_gathers; i++) {
        size_t num_bytes = (size_t)job->tile_items * job->gathers[i].item_size;
        for (int part = 0; part < num_output_parts; part++) {
            job->gathers[i].kept_at[part] = at;
            if (job->gathers[i].out[part] != NULL)
                at += (num_bytes + line_bytes - 1) / line_bytes * line_bytes + line_bytes;
        }
    }
}

void compact_plan(struct compact_job *job, uint64_t num_items, bool has_outputs)
{
    const struct compact_outputs *outputs = &job->call->outputs;
    plan_decision(job);
    for (int i = 0; has_outputs && i < outputs->num_arrays; i++)
        add_gather(job, outputs->arrays[i].d_in, outputs->arrays[i].item_size, outputs->arrays[i].d_out);
    size_t bytes_an_item = 0;
    for (int i = 0; i < job->num_gathers; i++)
        bytes_an_item += job->gathers[i].item_size;
    if (has_outputs) {
        add_gather(job, NULL, sizeof(uint32_t), outputs->d_indices);
        bytes_an_item += sizeof(uint32_t) * (job->num_gathers > 0 && job->gathers[job->num_gathers - 1].in == NULL);
    }

    bool has_flags = job->call->decision.kind == DECIDE_BY_FLAG || job->call->decision.kind == DECIDE_BY_FLAG_BIT;
    uint64_t num_bytes = num_items * (bytes_an_item + (has_flags ? 1 : job->item_size));
    job->write = host_writer(job->host, num_bytes);
    job->num_threads = host_num_threads(job->host, num_bytes);
    uint64_t most = compact_max_tile_items;
    while (most > compact_min_tile_items && most * bytes_an_item > tile_bytes)
        most /= 2;
    job->tile_items = host_tile_units(num_items, compact_block_items, most, job->num_threads);
    plan_kept(job);
}
