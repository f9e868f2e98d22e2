/* SPDX-License-Identifier: MIT */
/*
 * <stdatomic.h> on relacy's atomics, so that the host backend's own lookback.c runs under it. C++23 defines _Atomic(T)
 * in the same way.
 *
 * Orders are variables: a test may weaken those that the source asks for, to see that they are needed. Memory from
 * calloc holds atomics, which must be constructed; relacy reports what is not freed.
 */
#ifndef ONEPASS_TESTS_MODEL_STDATOMIC_H
#define ONEPASS_TESTS_MODEL_STDATOMIC_H

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

#include <relacy/relacy.hpp>

namespace model
{

template <typename T> struct atomic_zero : rl::atomic<T> {
    atomic_zero() : rl::atomic<T>(0)
    {
    }
};

struct zeroed_items {
    size_t num_items;

    template <typename T> operator T *() const
    {
        return rl::new_arr_impl<T>(num_items, RL_INFO);
    }
};

inline zeroed_items zeroed(size_t num_items, size_t /* item_bytes: of plain items */)
{
    return { num_items };
}

template <typename T> void free_items(T *items)
{
    rl::delete_arr_impl(items, RL_INFO);
}

inline rl::memory_order acquire = rl::mo_acquire, release = rl::mo_release;

} // namespace model

#undef memory_order_relaxed
#undef memory_order_acquire
#undef memory_order_release
#define memory_order_relaxed rl::mo_relaxed
#define memory_order_acquire model::acquire
#define memory_order_release model::release

#define _Atomic(T) model::atomic_zero<T>
#define _Alignas alignas

/* Relacy reports an access under the line that made it. */
#define atomic_init(object, value) (object)->store((value), rl::mo_relaxed, RL_INFO)
#define atomic_load_explicit(object, order) (object)->load((order), RL_INFO)
#define atomic_store_explicit(object, value, order) (object)->store((value), (order), RL_INFO)
#define atomic_fetch_add_explicit(object, value, order) (object)->fetch_add((value), (order), RL_INFO)

#undef calloc
#undef free
#define calloc model::zeroed
#define free model::free_items

#endif
