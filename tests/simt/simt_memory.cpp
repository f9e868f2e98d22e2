/* SPDX-License-Identifier: MIT */
/*
 * Global memory as the PTX model allows it to look: a store is on its way until something orders it.
 *
 * Each store in flight carries the set of threads that must see it: the storing thread, and whoever met such a thread
 * at a barrier since. A release by a thread lands everything it must see, its own and what it learned: that is
 * causality's cumulative half. Everything else lands at random times in random order, stores to one address in theirs.
 * So a flag stored relaxed overtakes the data it announces, also when the data were another thread's.
 */
#include "simt_core.h"
#include "simt_sanitizers.h"

#include <algorithm>

#if defined(SIMT_TSAN)
#include <sanitizer/tsan_interface_atomic.h>
#endif

namespace simt
{
namespace
{

bool overlap(const store_in_flight &s, const void *address, unsigned size)
{
    const char *p = static_cast<const char *>(address);
    return s.address < p + size && p < s.address + s.size;
}

/* One 64-bit access, seen by TSan as what it is. */
uint64_t load_64(const uint64_t *p, bool acquire)
{
#if defined(SIMT_TSAN)
    return (uint64_t)__tsan_atomic64_load(reinterpret_cast<const volatile __tsan_atomic64 *>(p),
                                          acquire ? __tsan_memory_order_acquire : __tsan_memory_order_relaxed);
#else
    return acquire ? __atomic_load_n(p, __ATOMIC_ACQUIRE) : __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

void store_64(uint64_t *p, uint64_t value, bool release)
{
#if defined(SIMT_TSAN)
    __tsan_atomic64_store(reinterpret_cast<volatile __tsan_atomic64 *>(p), (__tsan_atomic64)value,
                          release ? __tsan_memory_order_release : __tsan_memory_order_relaxed);
#else
    __atomic_store_n(p, value, release ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
#endif
}

uint64_t add_64(uint64_t *p, uint64_t value, bool acq_rel)
{
#if defined(SIMT_TSAN)
    return (uint64_t)__tsan_atomic64_fetch_add(reinterpret_cast<volatile __tsan_atomic64 *>(p), (__tsan_atomic64)value,
                                               acq_rel ? __tsan_memory_order_acq_rel : __tsan_memory_order_relaxed);
#else
    return __atomic_fetch_add(p, value, acq_rel ? __ATOMIC_ACQ_REL : __ATOMIC_RELAXED);
#endif
}

/* Lands store i, and before it those that it must not overtake. */
void land(size_t i)
{
    for (size_t k = 0; k < i; ++k) {
        if (overlap(m.stores[k], m.stores[i].address, m.stores[i].size)) {
            land(k);
            --i;
            --k;
        }
    }
    memcpy(m.stores[i].address, m.stores[i].bytes, m.stores[i].size);
    m.stores.erase(m.stores.begin() + (ptrdiff_t)i);
    progress();
}

/* Lands what matches, oldest first; landing one may land others, so the search starts again. */
template <typename Match> void land_matching(const Match &match)
{
    for (;;) {
        const auto found = std::find_if(m.stores.begin(), m.stores.end(), match);
        if (found == m.stores.end())
            return;
        land((size_t)(found - m.stores.begin()));
    }
}

void land_known(const thread &t)
{
    land_matching([&](const store_in_flight &s) { return s.home == t.home && s.known[t.index()]; });
}

bool is_shared(const void *address)
{
    const block &b = *m.current->home;
    const char *p = static_cast<const char *>(address);
    return p >= b.shared && p < b.shared + b.of->shared_bytes;
}

void put_in_flight(void *address, const void *value, unsigned size)
{
    const thread &t = *m.current;
    store_in_flight s = {};
    s.address = static_cast<char *>(address);
    s.size = size;
    memcpy(s.bytes, value, size);
    s.home = t.home;
    s.known.set(t.index());
    m.stores.push_back(s);
}

/* What this thread must see: memory, and over it the stores it knows. */
void look(void *value, const void *address, unsigned size)
{
    const thread &t = *m.current;
    memcpy(value, address, size);
    for (const store_in_flight &s : m.stores)
        if (overlap(s, address, size) && s.home == t.home && s.known[t.index()])
            for (unsigned i = 0; i < s.size; ++i) {
                const ptrdiff_t to = s.address + i - static_cast<const char *>(address);
                if (to >= 0 && to < (ptrdiff_t)size)
                    static_cast<char *>(value)[to] = s.bytes[i];
            }
}

void check_alignment(const void *address, unsigned size)
{
    if ((uintptr_t)address % size != 0)
        fail("an access of %u bytes is not aligned", size);
}

} // namespace

void meet(const block &home, const thread_set &threads)
{
    for (store_in_flight &s : m.stores)
        if (s.home == &home && (s.known & threads).any())
            s.known |= threads;
}

void announce(const thread &t, unsigned mbar)
{
    for (store_in_flight &s : m.stores)
        if (s.home == t.home && s.known[t.index()])
            s.announced.set(mbar);
}

void hear(const thread &t, unsigned mbar)
{
    for (store_in_flight &s : m.stores)
        if (s.home == t.home && s.announced[mbar])
            s.known.set(t.index());
}

void land_some_stores()
{
    /* Now and then, and the more so the more are on their way; how often differs between launches, for some bugs need a
     * store that is late by a whole barrier. */
    const size_t size = m.stores.size();
    while (!m.stores.empty() && random_below(m.slowness) < 16 + size * size / 64)
        land(random_below((unsigned)m.stores.size()));
}

void land_all_stores()
{
    while (!m.stores.empty())
        land(0);
}

void load(void *value, const void *address, unsigned size, order how)
{
    switch_point();
    check_alignment(address, size);
    thread &t = *m.current;
    if (m.how.weak_stores) {
        look(value, address, size);
        return;
    }
    for (unsigned i = 0; i < size; i += 8) {
        const uint64_t *word = reinterpret_cast<const uint64_t *>(static_cast<const char *>(address) + i);
        const uint64_t bits = load_64(word, how == order::acquire);
        memcpy(static_cast<char *>(value) + i, &bits, 8);
        if (tsan_build && t.relaxed_loads.size() < 64) {
            unwatched guard;
            t.relaxed_loads.push_back(word);
        }
    }
}

void store(void *address, const void *value, unsigned size, order how)
{
    switch_point();
    check_alignment(address, size);
    const thread &t = *m.current;
    if (how == order::release)
        land_known(t);
    if (m.how.weak_stores) {
        put_in_flight(address, value, size);
    } else {
        for (unsigned i = 0; i < size; i += 8) {
            uint64_t bits;
            memcpy(&bits, static_cast<const char *>(value) + i, 8);
            store_64(reinterpret_cast<uint64_t *>(static_cast<char *>(address) + i), bits,
                     how == order::release || t.fenced);
        }
        progress();
    }
}

uint64_t add(uint64_t *address, uint64_t value, order how)
{
    switch_point();
    check_alignment(address, 8);
    const thread &t = *m.current;
    if (m.how.programmatic && !t.home->waited_for_grid)
        fail("an atomic before grid_dependency_wait");
    if (how != order::relaxed)
        land_known(t);
    land_matching([&](const store_in_flight &s) { return overlap(s, address, 8); });
    progress();
    return add_64(address, value, how != order::relaxed || t.fenced);
}

void fence()
{
    switch_point();
    thread &t = *m.current;
    land_known(t);
    if (tsan_build) { /* TSan knows no fences: relaxed loads before it acquire, relaxed stores after it release */
        for (const void *word : t.relaxed_loads)
            sync_acquire(word);
        t.relaxed_loads.clear();
        t.fenced = true;
    }
}

bool load_ordinary(void *value, const void *address, unsigned size)
{
    check_alignment(address, size);
    if (!m.how.weak_stores || is_shared(address) || m.stores.empty())
        return false;
    look(value, address, size);
    return true;
}

bool store_ordinary(void *address, const void *value, unsigned size)
{
    check_alignment(address, size);
    if (!m.how.weak_stores || is_shared(address))
        return false;
    put_in_flight(address, value, size);
    return true;
}

} // namespace simt
