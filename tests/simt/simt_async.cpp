/* SPDX-License-Identifier: MIT */
/*
 * mbarriers and asynchronous copies.
 *
 * A copy poisons its destination when it is started and lands at a random later time, so whoever looks without waiting
 * finds neither the old bytes nor the new. It is read from memory as it is when it lands: the source must stay.
 * TSan sees the landing as done by a context of the copier's own, ordered only after the start and before the arrival.
 */
#include "simt_core.h"
#include "simt_sanitizers.h"

#include <algorithm>

namespace simt
{
namespace
{

constexpr uint64_t mbar_magic = 0x6d626172; /* upper half of the word; below it the index */
constexpr unsigned max_tx = (1u << 20) - 1; /* PTX: range of an mbarrier's tx-count */

mbarrier_state &find(const void *bar, uint64_t word)
{
    std::vector<mbarrier_state> &all = m.current->home->mbarriers;
    const uint64_t index = word & 0xffffffff;
    if (word >> 32 != mbar_magic || index >= all.size() || all[index].address != bar)
        fail("uses an mbarrier that was not initialised, or was overwritten");
    return all[index];
}

unsigned index_of(const block &b, const mbarrier_state &bar)
{
    return (unsigned)(&bar - b.mbarriers.data());
}

/* Ends the phase if nothing is missing, and wakes who waits for it. */
void end_phase_if_complete(block &b, mbarrier_state &bar)
{
    if (bar.pending != 0 || bar.bytes != 0)
        return;
    bar.pending = bar.num_arrivals;
    bar.phase ^= 1;
    progress();
    for (thread &t : b.threads)
        if (t.now == state::at_mbarrier && t.mbar == index_of(b, bar) && t.parity != bar.phase)
            wake(t);
}

constexpr char too_many_arrivals[] = "more arrivals at an mbarrier than its phase takes";
constexpr char too_many_bytes[] = "more bytes than expected have landed on an mbarrier";

/* Returns what is wrong, or NULL. */
const char *arrive_once(block &b, mbarrier_state &bar)
{
    if (bar.pending == 0)
        return too_many_arrivals;
    --bar.pending;
    end_phase_if_complete(b, bar);
    return bar.pending == 0 && bar.bytes < 0 ? too_many_bytes : nullptr;
}

bool has_ended(const mbarrier_state &bar, unsigned parity)
{
    return bar.phase != parity;
}

bool in_shared(const block &b, const void *p, size_t num_bytes)
{
    const char *begin = static_cast<const char *>(p);
    return begin >= b.shared && begin + num_bytes <= b.shared + b.of->shared_bytes;
}

void start_copy(void *dst, const void *src, uint32_t num_bytes, bool bulk, unsigned mbar)
{
    thread &t = *m.current;
    if ((uintptr_t)dst % 16 != 0 || (uintptr_t)src % 16 != 0 || num_bytes % 16 != 0 || num_bytes == 0 ||
        num_bytes > max_tx)
        fail("an asynchronous copy is not aligned to 16 bytes, or of a bad size: %u", num_bytes);
    if (!in_shared(*t.home, dst, num_bytes))
        fail("an asynchronous copy goes outside the block's shared memory");
    memset(dst, 0xee, num_bytes);
    unwatched guard;
    auto sync = std::make_unique<char>();
    sync_release(sync.get());
    ++m.num_pending;
    t.home->copies.push_back({ dst, src, num_bytes, bulk, mbar, &t, std::move(sync) });
    progress();
}

} // namespace

uint64_t mbar_init(const void *bar, unsigned num_arrivals)
{
    block &b = *m.current->home;
    if (!in_shared(b, bar, 8) || (uintptr_t)bar % 8 != 0 || num_arrivals == 0 || num_arrivals > max_tx)
        fail("mbar_init: 8 aligned bytes of shared memory, and at least one arrival");
    for (const mbarrier_state &other : b.mbarriers)
        if (other.address == bar)
            fail("an mbarrier is initialised twice");
    if (b.mbarriers.size() == max_mbarriers)
        fail("more mbarriers than the emulator has");
    unwatched guard;
    b.mbarriers.push_back({ bar, num_arrivals, num_arrivals, 0, 0 });
    return mbar_magic << 32 | (b.mbarriers.size() - 1);
}

void mbar_arrive(const void *address, uint64_t word, uint32_t expected_bytes)
{
    switch_point();
    thread &t = *m.current;
    mbarrier_state &bar = find(address, word);
    bar.bytes += expected_bytes;
    if (bar.bytes > (int64_t)max_tx)
        fail("an mbarrier expects more bytes than it can count");
    announce(t, index_of(*t.home, bar));
    sync_release(address);
    progress();
    if (const char *wrong = arrive_once(*t.home, bar))
        fail("%s", wrong);
}

bool mbar_try_wait(const void *address, uint64_t word, unsigned parity)
{
    switch_point();
    thread &t = *m.current;
    const mbarrier_state &bar = find(address, word);
    if (!has_ended(bar, parity)) {
        yield();
        if (!has_ended(find(address, word), parity))
            return false;
    }
    hear(t, (unsigned)(word & 0xffffffff));
    sync_acquire(address);
    return true;
}

void mbar_wait(const void *address, uint64_t word, unsigned parity)
{
    switch_point();
    thread &t = *m.current;
    if (parity > 1)
        fail("the parity of a phase is 0 or 1");
    /* A phase that ends twice before the thread looks is missed, as on the machine. */
    while (!has_ended(find(address, word), parity)) {
        t.mbar = (unsigned)(word & 0xffffffff);
        t.parity = parity;
        sleep_in(state::at_mbarrier);
    }
    hear(t, (unsigned)(word & 0xffffffff));
    sync_acquire(address);
}

void copy_bulk(void *dst, const void *src, uint32_t num_bytes, const void *bar, uint64_t word)
{
    switch_point();
    const mbarrier_state &state = find(bar, word);
    start_copy(dst, src, num_bytes, true, index_of(*m.current->home, state));
}

void copy_16(void *dst, const void *src)
{
    switch_point();
    start_copy(dst, src, 16, false, 0);
}

void arrive_after_copies(const void *bar, uint64_t word)
{
    switch_point();
    thread &t = *m.current;
    const unsigned mbar = index_of(*t.home, find(bar, word));
    unwatched guard;
    auto sync = std::make_unique<char>();
    sync_release(sync.get());
    ++m.num_pending;
    t.home->copies.push_back({ nullptr, nullptr, 0, false, mbar, &t, std::move(sync) });
}

/* Lands one copy of the block, at random, or makes one arrival whose copies have landed. */
bool land_a_copy(block &b)
{
    if (b.copies.empty())
        return false;
    auto chosen = b.copies.begin() + random_below((unsigned)b.copies.size());
    if (chosen->num_bytes == 0) { /* an arrival: the first of the thread's own, which may be this one */
        const thread *owner = chosen->owner;
        chosen = std::find_if(b.copies.begin(), b.copies.end(),
                              [&](const pending_copy &c) { return c.owner == owner && !c.bulk; });
    }
    const pending_copy copy = std::move(*chosen);
    b.copies.erase(chosen);
    --m.num_pending;
    progress();

    void *const self = this_tsan_fiber();
    switch_tsan(b.copier);
    sync_acquire(copy.sync.get());
    if (copy.num_bytes)
        memcpy(copy.dst, copy.src, copy.num_bytes);
    const bool counts = copy.bulk || copy.num_bytes == 0;
    if (counts)
        sync_release(b.mbarriers[copy.mbar].address);
    switch_tsan(self);

    if (counts) {
        mbarrier_state &bar = b.mbarriers[copy.mbar];
        const char *wrong = nullptr;
        if (copy.num_bytes == 0) {
            wrong = arrive_once(b, bar);
        } else {
            bar.bytes -= copy.num_bytes;
            if (bar.pending == 0 && bar.bytes < 0)
                wrong = too_many_bytes;
            end_phase_if_complete(b, bar);
        }
        if (wrong)
            m.error = describe(*copy.owner) + ": " + wrong;
    }
    return true;
}

} // namespace simt
