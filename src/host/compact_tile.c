/* SPDX-License-Identifier: MIT */
/* See compact.h. */
#include "compact.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------- deciding */

static size_t count_bits(const uint64_t *bits, size_t num_items)
{
    size_t count = 0;
    for (size_t word = 0; word < (num_items + 63) / 64; word++)
        count += (size_t)__builtin_popcountll(bits[word]);
    return count;
}

/* first_item is a multiple of 8. No byte is read but those with flags of these items. */
static void load_flag_bits(const uint8_t *flags, uint64_t first_item, size_t num_items, uint64_t *bits)
{
    if (num_items % 64 != 0)
        bits[num_items / 64] = 0;
    memcpy(bits, flags + first_item / 8, (num_items + 7) / 8);
    if (num_items % 64 != 0)
        bits[num_items / 64] &= UINT64_MAX >> (64 - num_items % 64);
}

/* The selected items of a block, a bit each. */
static void decide(const struct compact_job *job, uint64_t first_item, size_t num_items, uint64_t *bits)
{
    const struct decision *decision = &job->call->decision;
    const unsigned char *items = decision->d_in;
    switch (decision->kind) {
    case DECIDE_BY_ITEM:
        job->keep(items + first_item * job->item_size, num_items, &decision->keep, bits);
        break;
    case DECIDE_BY_FLAG:
        job->keep(decision->d_flags + first_item, num_items, &decision->keep, bits);
        break;
    case DECIDE_BY_FLAG_BIT:
        load_flag_bits(decision->d_flags, first_item, num_items, bits);
        break;
    default: /* DECIDE_BY_HEAD */
        job->heads(items + first_item * job->item_size, num_items, first_item > 0, job->infinity, bits);
        break;
    }
}

/* The other parts of a block: what is left, of which the second predicate takes its own. */
static void decide_others(const struct compact_job *job, struct worker *worker, uint64_t first_item, size_t num_items)
{
    const struct decision *decision = &job->call->decision;
    const uint64_t *selected = worker->bits[PART_SELECTED];
    uint64_t *second = worker->bits[PART_SECOND], *rejected = worker->bits[PART_REJECTED];
    size_t num_words = (num_items + 63) / 64;
    if (decision->has_second)
        job->keep_second((const unsigned char *)decision->d_in + first_item * job->item_size, num_items,
                         &decision->keep_second, second);
    else
        memset(second, 0, num_words * sizeof *second);
    for (size_t i = 0; i < num_words; i++) {
        second[i] &= ~selected[i];
        rejected[i] = ~(selected[i] | second[i]);
    }
    if (num_items % 64 != 0)
        rejected[num_words - 1] &= UINT64_MAX >> (64 - num_items % 64);
}

/* ------------------------------------------------------------------------------------------------ compacting */

/* Adds the kept items of a block to what is there of the tile. */
static void gather_block(const struct gather *gather, struct worker *worker, int part, size_t num_before,
                         uint64_t first_item, size_t first_of_tile, size_t num_items, size_t num_kept)
{
    unsigned char *kept = worker->kept + gather->kept_at[part] + num_before * gather->item_size;
    if (gather->in != NULL) {
        gather->compact(gather->in + first_item * gather->item_size, num_items, worker->bits[part], kept);
        return;
    }
    uint32_t *indices = (uint32_t *)kept;
    gather->compact(worker->positions, num_items, worker->bits[part], indices);
    for (size_t i = 0; i < num_kept; i++)
        indices[i] += (uint32_t)first_of_tile;
}

uint64_t compact_tile(const struct compact_job *job, struct worker *worker, uint64_t first_item, size_t num_items)
{
    bool has_others = job->call->decision.has_second || job->is_wanted[PART_SECOND] || job->is_wanted[PART_REJECTED];
    size_t counts[num_output_parts] = { 0 };
    for (size_t i = 0; i < num_items; i += compact_block_items) {
        size_t block = num_items - i < compact_block_items ? num_items - i : compact_block_items;
        uint64_t first = job->first_item + first_item + i;
        decide(job, first, block, worker->bits[PART_SELECTED]);
        if (has_others)
            decide_others(job, worker, first, block);
        for (int part = 0; part < (has_others ? num_output_parts : 1); part++) {
            size_t num_kept = count_bits(worker->bits[part], block);
            for (int j = 0; j < job->num_gathers && num_kept > 0; j++) /* what nothing is kept of is not read */
                if (job->gathers[j].out[part] != NULL)
                    gather_block(&job->gathers[j], worker, part, counts[part], first, i, block, num_kept);
            counts[part] += num_kept;
        }
    }
    return counts_pack(counts[PART_SELECTED], counts[PART_SECOND]);
}

/* ------------------------------------------------------------------------------------------------- writing */

/* Writes indices, given from the start of the tile, as positions in the whole input. */
static void write_indices(const struct compact_job *job, struct worker *worker, const uint32_t *indices,
                          unsigned char *out, uint64_t first_item, size_t num_indices)
{
    size_t size = job->call->outputs.index_size;
    unsigned char *buffer = worker->scratch.results.items;
    size_t buffer_indices = block_bytes / sizeof(uint64_t);
    for (size_t i = 0; i < num_indices; i += buffer_indices) {
        size_t num = num_indices - i < buffer_indices ? num_indices - i : buffer_indices;
        if (size == sizeof(uint32_t)) {
            for (size_t j = 0; j < num; j++)
                ((uint32_t *)buffer)[j] = (uint32_t)first_item + indices[i + j];
        } else {
            for (size_t j = 0; j < num; j++)
                ((uint64_t *)buffer)[j] = first_item + indices[i + j];
        }
        job->write(out + i * size, buffer, num * size);
    }
}

static void write_part(const struct compact_job *job, struct worker *worker, int part, uint64_t first_item,
                       size_t num_items, uint64_t place, size_t num_kept)
{
    uint64_t capacity = job->call->outputs.capacity[part];
    if (num_kept == 0 || place >= capacity)
        return;
    size_t num_written = num_kept < capacity - place ? num_kept : (size_t)(capacity - place);
    for (int i = 0; i < job->num_gathers; i++) {
        const struct gather *gather = &job->gathers[i];
        const unsigned char *kept = worker->kept + gather->kept_at[part];
        unsigned char *out = gather->out[part];
        /* In place, where all is kept as far as here, it is where it should be. It must not be written again: the
         * thread that has the next tile may be comparing its first item with the last one of this. */
        bool is_there = out == gather->in && place == first_item && num_kept == num_items;
        if (out == NULL || is_there)
            continue;
        if (gather->in != NULL)
            job->write(out + place * gather->item_size, kept, num_written * gather->item_size);
        else
            write_indices(job, worker, (const uint32_t *)kept, out + place * job->call->outputs.index_size, first_item,
                          num_written);
    }
}

void compact_write_tile(const struct compact_job *job, struct worker *worker, uint64_t first_item, size_t num_items,
                        uint64_t counts, uint64_t counts_before)
{
    uint64_t first = job->first_item + first_item;
    uint64_t num_kept[num_output_parts] = { counts_selected(counts), counts_second(counts), 0 };
    uint64_t before[num_output_parts] = { counts_selected(counts_before), counts_second(counts_before), 0 };
    num_kept[PART_REJECTED] = num_items - num_kept[PART_SELECTED] - num_kept[PART_SECOND];
    before[PART_REJECTED] = first_item - before[PART_SELECTED] - before[PART_SECOND];
    for (int part = 0; part < num_output_parts; part++)
        if (job->is_wanted[part])
            write_part(job, worker, part, first, num_items, job->places[part] + before[part], (size_t)num_kept[part]);
}
