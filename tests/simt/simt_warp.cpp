/* SPDX-License-Identifier: MIT */
/*
 * Where threads meet: warp operations and the barriers of a block.
 *
 * Each lane lays down operation, mask and operand and sleeps; the last one of the mask computes everyone's result.
 * Misuse is found as soon as two lanes disagree, not when a result is wrong.
 */
#include "simt_core.h"
#include "simt_sanitizers.h"

namespace simt
{
namespace
{

thread *lane_of_warp(const thread &t, unsigned lane)
{
    const unsigned index = t.warp() * 32 + lane;
    return index < t.home->threads.size() ? &t.home->threads[index] : nullptr;
}

/* Whether every lane of the mask is there. */
bool check_lanes(const thread &t)
{
    const warp_request &mine = t.request;
    bool complete = true;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const thread *other = lane_of_warp(t, lane);
        const bool named = mine.mask >> lane & 1;
        if (named && (!other || other->now == state::ended))
            fail("the mask of a warp operation names lane %u, which has ended or never was", lane);
        if (!other || other == &t)
            continue;
        const warp_request &theirs = other->request;
        const bool waits = other->now == state::at_warp_op;
        const bool differs = theirs.op != mine.op || theirs.size != mine.size || theirs.mask != mine.mask;
        /* A lane that waits for others only will come here later. Two that wait for each other must agree. */
        if (named && waits && differs && theirs.mask >> t.lane() & 1)
            fail("meets lane %u in another warp operation, or with another mask", lane);
        complete = complete && (!named || (waits && !differs));
    }
    return complete;
}

uint32_t word_of(const warp_request &r)
{
    uint32_t word;
    memcpy(&word, r.value, sizeof(word));
    return word;
}

uint32_t combine(warp_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case warp_op::add:
        return a + b;
    case warp_op::min_unsigned:
        return a < b ? a : b;
    case warp_op::max_unsigned:
        return a > b ? a : b;
    case warp_op::min_signed:
        return (int32_t)a < (int32_t)b ? a : b;
    case warp_op::max_signed:
        return (int32_t)a > (int32_t)b ? a : b;
    case warp_op::bit_and:
        return a & b;
    case warp_op::bit_or:
        return a | b;
    default:
        return a ^ b;
    }
}

/* The result of one lane, from what all lanes of the mask brought. */
void result_of(const thread &t, const warp_request brought[32], unsigned char result[16])
{
    const warp_request &mine = brought[t.lane()];
    if (mine.op == warp_op::shuffle) {
        memcpy(result, brought[mine.source].value, 16);
        return;
    }
    uint32_t word = 0;
    bool first = true;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(mine.mask >> lane & 1))
            continue;
        if (mine.op == warp_op::ballot)
            word |= (uint32_t)(word_of(brought[lane]) != 0) << lane;
        else if (mine.op == warp_op::match)
            word |= (uint32_t)(memcmp(brought[lane].value, mine.value, mine.size) == 0) << lane;
        else
            word = first ? word_of(brought[lane]) : combine(mine.op, word, word_of(brought[lane]));
        first = false;
    }
    memset(result, 0, 16);
    memcpy(result, &word, sizeof(word));
}

void finish_warp_op(thread &last)
{
    const warp_request mine = last.request;
    warp_request brought[32] = {};
    thread_set met;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (mine.mask >> lane & 1)
            brought[lane] = lane_of_warp(last, lane)->request;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(mine.mask >> lane & 1))
            continue;
        thread &t = *lane_of_warp(last, lane);
        result_of(t, brought, t.request.value);
        met.set(t.index());
        if (&t != &last)
            wake(t);
    }
    if (mine.op == warp_op::sync)
        meet(*last.home, met);
}

/* All threads of each warp must come to a named barrier: the machine counts warps, not threads. */
void check_whole_warps(const block &b, const named_barrier &barrier)
{
    for (size_t i = 0; i < b.threads.size(); ++i)
        if (barrier.arrived[i] != barrier.arrived[i / 32 * 32])
            fail("a barrier was completed by a part of warp %zu", i / 32);
}

} // namespace

void meet_warp(warp_request &request)
{
    thread &t = *m.current;
    if (!(request.mask >> t.lane() & 1))
        fail("calls a warp operation whose mask does not name it");
    if (request.op == warp_op::shuffle && !(request.mask >> request.source & 1))
        fail("shuffles from lane %u, which is not in the mask", request.source);
    char *sync = &t.home->warp_sync[t.warp()];
    if (request.op == warp_op::sync)
        sync_release(sync);
    t.request = request;
    t.now = state::at_warp_op;
    if (check_lanes(t)) {
        t.now = state::ready;
        finish_warp_op(t);
        switch_point();
    } else {
        sleep_in(state::at_warp_op);
    }
    if (request.op == warp_op::sync)
        sync_acquire(sync);
    memcpy(request.value, t.request.value, sizeof(request.value));
}

namespace
{

void meet_at(unsigned barrier_id, unsigned num_threads)
{
    thread &t = *m.current;
    block &b = *t.home;
    named_barrier &barrier = b.barriers[barrier_id];
    if (barrier.num_threads != 0 && barrier.num_threads != num_threads)
        fail("threads meet at barrier %u with different counts", barrier_id);
    if (barrier.arrived[t.index()])
        fail("arrives twice at barrier %u", barrier_id);
    barrier.num_threads = num_threads;
    barrier.arrived.set(t.index());
    char *sync = &barrier.sync[barrier.generation % 2];
    sync_release(sync);
    if (barrier.arrived.count() == num_threads) {
        if (barrier_id != 0) /* barrier 0 has them all */
            check_whole_warps(b, barrier);
        for (thread &other : b.threads)
            if (barrier.arrived[other.index()] && &other != &t)
                wake(other);
        meet(b, barrier.arrived);
        barrier.num_threads = 0;
        barrier.arrived.reset();
        ++barrier.generation;
        switch_point();
    } else {
        t.barrier_id = barrier_id;
        sleep_in(state::at_barrier);
    }
    sync_acquire(sync);
}

} // namespace

void meet_block(unsigned barrier_id, unsigned num_threads)
{
    if (barrier_id < 1 || barrier_id > 15 || num_threads == 0 || num_threads % 32 != 0 ||
        num_threads > m.current->home->threads.size())
        fail("barrier_sync takes a barrier from 1 to 15 and whole warps of the block");
    meet_at(barrier_id, num_threads);
}

void meet_all_threads()
{
    const block &b = *m.current->home;
    if (b.num_live != b.threads.size())
        fail("syncthreads after a thread of the block has ended");
    meet_at(0, (unsigned)b.threads.size());
}

} // namespace simt
