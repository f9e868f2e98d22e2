/* SPDX-License-Identifier: MIT */
/*
 * Inside the machine: its threads, blocks and state, shared by the parts that run warps, memory and copies.
 *
 * These files are compiled without ThreadSanitizer, which they drive by its fiber interface: only the kernels are
 * watched, and order between their threads is made only by what orders them on a GPU.
 */
#ifndef ONEPASS_TESTS_SIMT_SIMT_CORE_H
#define ONEPASS_TESTS_SIMT_SIMT_CORE_H

#include "simt.h"
#include "simt_ops.h"

#include <bitset>
#include <memory>

namespace simt
{

constexpr unsigned max_block_threads = 1024;
constexpr unsigned max_mbarriers = 256;
using thread_set = std::bitset<max_block_threads>;

enum class state { ready, at_warp_op, at_barrier, at_mbarrier, ended };

struct block;

struct thread {
    thread_place place = {};
    block *home = nullptr;
    state now = state::ready;
    void *context = nullptr; /* where it goes on */
    char *stack = nullptr;
    void *fake_stack = nullptr; /* ASan's */
    void *tsan = nullptr;

    warp_request request = {};     /* while at_warp_op */
    unsigned barrier_id = 0;       /* while at_barrier */
    unsigned mbar = 0, parity = 0; /* while at_mbarrier */

    bool fenced = false;                     /* TSan: relaxed stores release */
    std::vector<const void *> relaxed_loads; /* TSan: what a fence acquires */

    unsigned index() const
    {
        return place.thread_idx.x;
    }
    unsigned lane() const
    {
        return index() % 32;
    }
    unsigned warp() const
    {
        return index() / 32;
    }
};

/* PTX barrier 0 to 15. */
struct named_barrier {
    unsigned num_threads = 0; /* 0: nobody is there */
    thread_set arrived;
    unsigned generation = 0;
    char sync[2] = {}; /* TSan: one per generation in use */
};

struct mbarrier_state {
    const void *address = nullptr;
    unsigned num_arrivals = 0; /* of each phase */
    unsigned pending = 0;      /* arrivals that this phase still wants */
    int64_t bytes = 0;         /* bytes expected and not yet there */
    unsigned phase = 0;        /* parity of the phase that is going on */
};

/* A copy that was started and has not landed; or, without bytes, an arrival that waits for its thread's copies. */
struct pending_copy {
    void *dst;
    const void *src;
    uint32_t num_bytes;
    bool bulk;
    unsigned mbar;
    const thread *owner;
    std::unique_ptr<char> sync; /* TSan: from the start to the landing */
};

struct block {
    const grid *of = nullptr;
    std::vector<thread> threads;
    unsigned num_live = 0;
    char *shared = nullptr;
    named_barrier barriers[16];
    std::vector<mbarrier_state> mbarriers;
    std::vector<pending_copy> copies;
    std::vector<char> warp_sync; /* TSan: one per warp */
    void *copier = nullptr;      /* TSan: the context that copies */
    bool waited_for_grid = false;
    ~block();
};

/* A store on its way to memory. */
struct store_in_flight {
    char *address;
    unsigned size;
    char bytes[16];
    const block *home;
    thread_set known;                     /* threads that must see it: its own, and those that met them at a barrier */
    std::bitset<max_mbarriers> announced; /* mbarriers on which one that knew it has arrived */
};

struct machine {
    options how;
    uint64_t random_state = 0;
    std::vector<std::unique_ptr<block>> blocks; /* resident */
    std::vector<thread *> runnable;
    std::vector<store_in_flight> stores;
    unsigned slowness = 1;    /* of stores: see land_some_stores */
    unsigned num_pending = 0; /* copies, of all blocks */
    thread *current = nullptr;
    uint64_t switches = 0;
    uint64_t last_progress = 0; /* value of switches when something last changed that others could wait for */
    std::string error;
};

extern machine m;

/* A number below the bound, from the seed. */
unsigned random_below(unsigned bound);
inline bool chance(unsigned percent)
{
    return random_below(100) < percent;
}

/* Ends the launch with this error, about the running thread. Its fiber is left as it is: no destructor runs, so no
 * caller may own memory here. */
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fibers: see simt_fibers.cpp. */
void begin_fibers();
void end_fibers();
void start_block(const grid &of, unsigned block_idx, std::unique_ptr<block> &slot);
void free_block(std::unique_ptr<block> &b);
/* Runs a thread until it sleeps, gives way or ends. */
void resume(thread &t);
bool stack_overflowed(const thread &t);

inline void progress()
{
    m.last_progress = m.switches;
}
void wake(thread &t);
/* Stops the current thread until it is woken. */
void sleep_in(state why);
/* Lets others in for sure; at times. */
void yield();
void switch_point();

/* Memory: see simt_memory.cpp. */
void meet(const block &home, const thread_set &threads);
void announce(const thread &t, unsigned mbar);
void hear(const thread &t, unsigned mbar);
void land_some_stores();
void land_all_stores();

/* Copies: see simt_async.cpp. */
bool land_a_copy(block &home);

std::string describe(const thread &t);
std::string describe_waits();

} // namespace simt

#endif
