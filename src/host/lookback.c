/* SPDX-License-Identifier: MIT */
/* See lookback.h. */
#include "lookback.h"

#include "../descriptor.h"

#include <sched.h>
#include <stdlib.h>

static void clear(struct descriptor *descriptors, uint64_t num_descriptors)
{
    for (uint64_t i = 0; i < num_descriptors; i++) {
        atomic_store_explicit(&descriptors[i].low, 0, memory_order_relaxed);
        atomic_store_explicit(&descriptors[i].high, 0, memory_order_relaxed);
    }
}

bool lookback_create(struct lookback *lookback, uint64_t max_tiles)
{
    struct descriptor *both = NULL;
    if (max_tiles <= SIZE_MAX / 2 / sizeof *both)
        both = calloc((size_t)max_tiles * 2, sizeof *both); /* all zero: epoch 0, which no launch has */
    if (both == NULL)
        return false;
    lookback->aggregates = both;
    lookback->starts = both + max_tiles;
    lookback->max_tiles = max_tiles;
    atomic_init(&lookback->ticket, ticket_pack(1, 0));
    return true;
}

void lookback_destroy(struct lookback *lookback)
{
    free(lookback->aggregates);
}

void lookback_finish(struct lookback *lookback)
{
    uint32_t epoch = ticket_epoch(atomic_load_explicit(&lookback->ticket, memory_order_relaxed));
    if (epoch == EPOCH_LAST) /* the epochs begin again, so words that carry them must go */
        clear(lookback->aggregates, lookback->max_tiles * 2);
    atomic_store_explicit(&lookback->ticket, ticket_pack(epoch_next(epoch), 0), memory_order_relaxed);
}

struct walker walker_start(struct lookback *lookback, combine_fn combine, uint64_t tiles_per_window, uint64_t initial)
{
    return (struct walker){
        .lookback = lookback,
        .combine = combine,
        .tiles_per_window = tiles_per_window,
        .epoch = ticket_epoch(atomic_load_explicit(&lookback->ticket, memory_order_relaxed)),
        .window_start = initial,
    };
}

bool walker_draw(struct walker *walker, uint64_t num_tiles, uint64_t *tile_idx)
{
    uint64_t ticket = atomic_fetch_add_explicit(&walker->lookback->ticket, 1, memory_order_relaxed);
    *tile_idx = ticket_tile_idx(ticket);
    return *tile_idx < num_tiles;
}

static void publish(struct descriptor *descriptor, uint64_t value, uint32_t epoch, unsigned status)
{
    uint64_t low = descriptor_pack((uint32_t)value, epoch, status);
    uint64_t high = descriptor_pack((uint32_t)(value >> 32), epoch, status);
    atomic_store_explicit(&descriptor->low, low, memory_order_release);
    atomic_store_explicit(&descriptor->high, high, memory_order_release);
}

/* A descriptor is written once in an epoch, so two words of this epoch belong together. */
static bool try_read(struct descriptor *descriptor, uint32_t epoch, uint64_t *value)
{
    uint64_t low = atomic_load_explicit(&descriptor->low, memory_order_acquire);
    uint64_t high = atomic_load_explicit(&descriptor->high, memory_order_acquire);
    if (descriptor_status(low, epoch) == STATUS_X || descriptor_status(high, epoch) == STATUS_X)
        return false;
    *value = (uint64_t)descriptor_value(high) << 32 | descriptor_value(low);
    return true;
}

static uint64_t wait_for_aggregate(struct walker *walker, uint64_t tile_idx)
{
    enum { polls_before_yield = 64 };
    uint64_t value;
    for (unsigned num_polls = 0; !try_read(&walker->lookback->aggregates[tile_idx], walker->epoch, &value); num_polls++)
        if (num_polls >= polls_before_yield)
            sched_yield(); /* more threads than cores, perhaps: let the tile's own thread run */
    return value;
}

/* Adds the tiles from the window's first up to, not including, end_tile. */
static void sum_add_window(struct running_sum *sum, struct walker *walker, uint64_t window_idx, uint64_t end_tile)
{
    for (uint64_t tile_idx = window_idx * walker->tiles_per_window; tile_idx < end_tile; tile_idx++)
        sum_add(sum, walker->combine, wait_for_aggregate(walker, tile_idx));
}

/* Moves window_start on to window_idx: back to the nearest published start, but no further than the window it is at,
 * and then forward over the aggregates of the windows between. */
static void move_to_window(struct walker *walker, uint64_t window_idx)
{
    struct descriptor *starts = walker->lookback->starts;
    uint64_t at = window_idx;
    while (at > walker->window_idx && !try_read(&starts[at - 1], walker->epoch, &walker->window_start))
        at--;
    for (; at < window_idx; at++) {
        struct running_sum sum;
        sum_start(&sum, walker->window_start);
        sum_add_window(&sum, walker, at, (at + 1) * walker->tiles_per_window);
        walker->window_start = sum.prefix;
    }
    walker->window_idx = window_idx;
}

void walker_publish(struct walker *walker, uint64_t tile_idx, uint64_t aggregate)
{
    publish(&walker->lookback->aggregates[tile_idx], aggregate, walker->epoch, STATUS_A);
}

uint64_t walker_publish_and_walk(struct walker *walker, uint64_t tile_idx, uint64_t aggregate)
{
    walker_publish(walker, tile_idx, aggregate);
    uint64_t window_idx = tile_idx / walker->tiles_per_window;
    move_to_window(walker, window_idx);
    struct running_sum sum;
    sum_start(&sum, walker->window_start);
    sum_add_window(&sum, walker, window_idx, tile_idx);
    uint64_t prefix = sum.prefix;
    if ((tile_idx + 1) % walker->tiles_per_window == 0) {
        sum_add(&sum, walker->combine, aggregate);
        publish(&walker->lookback->starts[window_idx], sum.prefix, walker->epoch, STATUS_P);
    }
    return prefix;
}

uint64_t walker_total(struct walker *walker, uint64_t num_tiles)
{
    uint64_t window_idx = num_tiles / walker->tiles_per_window;
    move_to_window(walker, window_idx);
    struct running_sum sum;
    sum_start(&sum, walker->window_start);
    sum_add_window(&sum, walker, window_idx, num_tiles);
    if (sum.num_added == 0)
        return sum.prefix;
    return walker->combine(walker->window_start, sum_of_block(&sum, walker->combine));
}
