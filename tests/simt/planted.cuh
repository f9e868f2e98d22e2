/* SPDX-License-Identifier: MIT */
/*
 * A small single-pass scan with one bug of choice: what the emulator is for, in the size of a page.
 *
 * It has what the real pipeline has: tickets, asynchronous copies with barriers, descriptors, a look-back that walks
 * several windows, ragged ends. test_planted.cpp demands that each bug is found and that `none` is not. The operator
 * composes affine functions and does not commute, so a value needs a word of its own beside the status.
 */
#ifndef ONEPASS_TESTS_SIMT_PLANTED_CUH
#define ONEPASS_TESTS_SIMT_PLANTED_CUH

#include "oracle.h"

namespace planted
{

using namespace onepass;
using item = oracle::affine;

enum bug {
    none,
    block_idx_for_ticket, /* blocks may start in an order in which they wait for one that cannot start */
    no_barrier_after_ticket,
    no_barrier_before_total,
    no_tail_guard,
    relaxed_flag,           /* value and flag are two words, and nothing orders them */
    plain_value,            /* the same with an ordinary store: only TSan finds it, as a race */
    plain_value_no_acquire, /* released, and read after a relaxed poll */
    release_by_other,       /* the value is stored by another thread than the one that releases */
    no_wait_for_copy,
    wrong_parity,
    swapped_operands,
    one_window_only,     /* takes the farthest word of the first window for a prefix */
    skips_a_predecessor, /* when the window has not been published in full */
    wrong_mask,
    num_bugs
};

constexpr unsigned tile_items = 64; /* and threads */

struct descriptor {
    uint64_t aggregate, prefix, status; /* status: 0, 1 aggregate, 2 prefix */
};

struct shared_data {
    alignas(16) item slot[tile_items];
    mbarrier full;
    item warp_sum[2];
    item before;
    uint64_t ticket;
};

template <bug which> constexpr bool has_plain_value = which == plain_value || which == plain_value_no_acquire;

template <bug which> ONEPASS_DEVICE void publish(descriptor *d, uint64_t *word, const item &value, uint64_t status)
{
    if (has_plain_value<which>)
        *word = bits_as<uint64_t>(value);
    else
        store_relaxed(word, bits_as<uint64_t>(value));
    if (which == relaxed_flag || which == plain_value)
        store_relaxed(&d->status, status);
    else
        store_release(&d->status, status); /* pairs with the load_acquire in look_back */
}

/* All lanes of one warp: the sum of the tiles before `tile`, from windows of 32 descriptors, nearest first. */
template <bug which> ONEPASS_DEVICE item look_back(const descriptor *descriptors, uint64_t tile)
{
    const op_compose op;
    item sum = op.identity();
    for (uint64_t end = tile; end > 0;) {
        /* Lane l looks at tile end - 32 + l; there is none before tile 0. */
        const bool exists = end + lane_idx() >= 32;
        const descriptor *d = descriptors + (exists ? end - 32 + lane_idx() : 0);
        uint64_t status = 2;
        do {
            if (exists)
                status = which == plain_value_no_acquire ? load_relaxed(&d->status) : load_acquire(&d->status);
        } while (which == skips_a_predecessor ? !warp_any(status != 0) : warp_any(status == 0));
        const unsigned prefixes = warp_ballot(exists && status == 2);
        const unsigned first = prefixes ? highest_bit(prefixes) : 0;
        item value = op.identity();
        if (exists && lane_idx() >= first) {
            const uint64_t *word = status == 2 ? &d->prefix : &d->aggregate;
            value = bits_as<item>(has_plain_value<which> ? *word : load_relaxed(word));
        }
        value = warp_reduce(value, op);
        sum = which == swapped_operands ? op(sum, value) : op(value, sum);
        if (prefixes || which == one_window_only)
            break;
        end -= end < 32 ? end : 32;
    }
    return sum;
}

template <bug which>
__global__ void scan_kernel(const item *in, item *out, uint64_t num_items, descriptor *descriptors, uint64_t *ticket)
{
    shared_data &shared = shared_memory<shared_data>();
    const op_compose op;
    const unsigned t = threadIdx.x;
    if (t == 0) {
        shared.ticket = which == block_idx_for_ticket ? blockIdx.x : atomic_add_relaxed(ticket, 1);
        mbar_init(&shared.full, tile_items);
        fence_mbar_init();
    }
    if (which != no_barrier_after_ticket)
        syncthreads(); /* publishes the ticket and the barrier */
    const uint64_t tile = shared.ticket, first = tile * tile_items;
    const uint64_t left = num_items - first;
    const unsigned count = left < tile_items ? (unsigned)left : tile_items;

    /* Two items are 16 bytes; an odd last one comes by an ordinary load. */
    if (t % 2 == 0 && t + 1 < count)
        cp_async_16(&shared.slot[t], in + first + t);
    else if (t % 2 == 0 && t < count)
        shared.slot[t] = in[first + t];
    cp_async_mbar_arrive(&shared.full);
    if (which != no_wait_for_copy)
        mbar_wait(&shared.full, which == wrong_parity);
    syncthreads(); /* publishes what came by ordinary loads */
    const item own = t < count ? shared.slot[t] : op.identity();
    const item sum = warp_inclusive_scan(own, op);
    if (lane_idx() == 31)
        shared.warp_sum[warp_idx()] = sum;
    if (which != no_barrier_before_total)
        syncthreads(); /* publishes the warps' sums */

    if (warp_idx() == 0) {
        descriptor *d = descriptors + tile;
        const item total = op(shared.warp_sum[0], shared.warp_sum[1]);
        if (which == release_by_other && tile > 0) {
            if (lane_idx() == 1)
                store_relaxed(&d->aggregate, bits_as<uint64_t>(total));
            if (lane_idx() == 0) /* no barrier in between */
                store_release(&d->status, 1);
        } else if (lane_idx() == 0 && tile > 0) {
            publish<which>(d, &d->aggregate, total, 1);
        }
        const item before = look_back<which>(descriptors, tile);
        if (lane_idx() == 0) {
            publish<which>(d, &d->prefix, op(before, total), 2);
            shared.before = before;
        }
        if (which == wrong_mask && lane_idx() < 16)
            syncwarp();
    }
    syncthreads(); /* publishes the tile's prefix */
    item prefix = shared.before;
    if (warp_idx() == 1)
        prefix = op(prefix, shared.warp_sum[0]);
    if (t < count || which == no_tail_guard)
        out[first + t] = op(prefix, sum);
}

} // namespace planted

#endif
