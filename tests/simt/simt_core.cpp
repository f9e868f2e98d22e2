/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: who runs next, when blocks start and end, and what is said when nobody can run.
 */
#include "simt_core.h"
#include "simt_sanitizers.h"

#include <algorithm>
#include <map>

namespace simt
{

machine m;
const thread_place *here;

namespace
{

/* What must hold where a thread ends. Errors are only noted: its fiber has been left for good. */
void end_thread(thread &t)
{
    block &b = *t.home;
    --b.num_live;
    progress();
    const auto note = [&](const std::string &what) {
        if (m.error.empty())
            m.error = describe(t) + ": " + what;
    };
    if (stack_overflowed(t))
        note("the fiber's stack overflowed");
    for (const thread &other : b.threads) {
        if (other.now == state::at_warp_op && other.warp() == t.warp() && other.request.mask >> t.lane() & 1)
            note("ended while lane " + std::to_string(other.lane()) + " waits for it in a warp operation");
        if (other.now == state::at_barrier && other.barrier_id == 0)
            note("ended while thread " + std::to_string(other.index()) + " waits for it at syncthreads");
    }
    if (b.num_live == 0 && !b.copies.empty())
        note("the block ended with a copy in flight");
    if (b.num_live == 0 && m.how.programmatic && !b.waited_for_grid)
        note("the block ended without grid_dependency_wait");
}

bool favoured(const thread &t)
{
    const uint64_t blocks = (m.switches >> 14) * 31 + t.place.block_idx.x;
    const uint64_t warps = ((m.switches >> 9) * 1031 + t.place.block_idx.x) * 67 + t.warp();
    const auto mixed = [](uint64_t x) { return ((x + m.how.seed) * 0x9e3779b97f4a7c15) >> 33; };
    return mixed(blocks) % 4 != 0 && mixed(warps) % 3 == 0;
}

thread &choose()
{
    const unsigned count = (unsigned)m.runnable.size();
    unsigned i = m.how.schedule == policy::rotating ? (unsigned)(m.switches % count) : random_below(count);
    if (m.how.schedule == policy::skewed)
        for (int tries = 0; tries < 8 && !favoured(*m.runnable[i]); ++tries)
            i = random_below(count);
    std::swap(m.runnable[i], m.runnable.back());
    thread &t = *m.runnable.back();
    m.runnable.pop_back();
    return t;
}

/* Something else than a thread may move at every step. */
void move_copies_and_stores()
{
    land_some_stores();
    for (size_t i = 0; m.num_pending != 0 && i < m.blocks.size(); ++i) {
        const auto &b = m.blocks[i];
        if (b && !b->copies.empty() && chance(10))
            land_a_copy(*b);
    }
}

bool land_any_copy()
{
    for (auto &b : m.blocks)
        if (b && land_a_copy(*b))
            return true;
    return false;
}

void check_progress()
{
    /* Between two changes that others can see, a thread computes for at most some thousand switches. */
    const uint64_t patience = 1000000 + 2000 * (uint64_t)m.runnable.size();
    if (m.switches - m.last_progress > patience)
        m.error = "livelock: threads run, and nothing changes; waiting besides:\n" + describe_waits();
    else if (m.switches > m.how.max_switches)
        m.error = "no end after " + std::to_string(m.switches) + " switches; waiting:\n" + describe_waits();
}

} // namespace

unsigned random_below(unsigned bound)
{
    uint64_t x = m.random_state += 0x9e3779b97f4a7c15; /* splitmix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (unsigned)(((x >> 32) * bound) >> 32);
}

void wake(thread &t)
{
    t.now = state::ready;
    m.runnable.push_back(&t);
}

void switch_point()
{
    if (chance(m.how.switch_percent))
        yield();
}

void trap()
{
    fail("trap");
}

void *shared(size_t num_bytes)
{
    if (num_bytes > m.current->home->of->shared_bytes)
        fail("the kernel's shared memory is larger than the launch gave");
    return m.current->home->shared;
}

void wait_for_grid()
{
    m.current->home->waited_for_grid = true;
}

report run(const options &how, const std::vector<grid> &grids)
{
    m = machine();
    m.how = how;
    m.how.weak_stores = how.weak_stores && !tsan_build; /* a store that lands later would be the scheduler's */
    m.random_state = how.seed;
    m.slowness = 64u << 4 * random_below(3);
    m.blocks.resize(how.resident_blocks);
    begin_fibers();

    std::vector<std::pair<const grid *, unsigned>> waiting; /* blocks start in any order */
    size_t most_threads = 0;
    for (const grid &g : grids) {
        most_threads = std::max<size_t>(most_threads, g.block_threads);
        for (unsigned i = 0; i < g.num_blocks; ++i)
            waiting.push_back({ &g, i });
    }
    m.runnable.reserve(most_threads * how.resident_blocks); /* never grows in a fiber */
    for (size_t i = waiting.size(); i > 1; --i)
        std::swap(waiting[i - 1], waiting[random_below((unsigned)i)]);

    while (m.error.empty()) {
        bool any = false;
        for (unsigned slot = 0; slot < how.resident_blocks; ++slot) {
            if (m.blocks[slot] && m.blocks[slot]->num_live == 0)
                free_block(m.blocks[slot]);
            if (!m.blocks[slot] && !waiting.empty()) {
                start_block(*waiting.back().first, waiting.back().second, m.blocks[slot]);
                waiting.pop_back();
            }
            any = any || m.blocks[slot];
        }
        if (!any)
            break;
        bool block_ended = false;
        while (m.error.empty() && !block_ended) {
            move_copies_and_stores();
            if (m.runnable.empty()) {
                if (land_any_copy())
                    continue;
                m.error = "deadlock: no thread can run; waiting:\n" + describe_waits();
                break;
            }
            thread &t = choose();
            resume(t);
            if (t.now == state::ended && m.error.empty()) {
                end_thread(t);
                block_ended = t.home->num_live == 0;
            }
            if (m.error.empty())
                check_progress();
        }
    }
    land_all_stores();
    for (auto &b : m.blocks)
        if (b)
            free_block(b);
    end_fibers();
    return { m.error, m.switches };
}

std::string describe(const thread &t)
{
    return "block " + std::to_string(t.place.block_idx.x) + " thread " + std::to_string(t.index());
}

std::string describe_waits()
{
    std::map<std::string, unsigned> counts; /* per block and reason */
    for (const auto &b : m.blocks)
        for (size_t i = 0; b && i < b->threads.size(); ++i) {
            const thread &t = b->threads[i];
            std::string what = "  block " + std::to_string(t.place.block_idx.x) + " warp " + std::to_string(t.warp());
            if (t.now == state::at_warp_op)
                what += ": in a warp operation";
            else if (t.now == state::at_barrier)
                what += ": at barrier " + std::to_string(t.barrier_id);
            else if (t.now == state::at_mbarrier)
                what += ": at mbarrier " + std::to_string(t.mbar) + " for parity " + std::to_string(t.parity);
            else
                continue;
            ++counts[what];
        }
    std::string text;
    unsigned lines = 0;
    for (const auto &[what, count] : counts)
        if (++lines <= 40)
            text += what + " (" + std::to_string(count) + " threads)\n";
    return text;
}

} // namespace simt
