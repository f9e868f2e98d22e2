/* SPDX-License-Identifier: MIT */
/*
 * Fibers: a stack for each thread, the jumps between them and the scheduler, and the memory of a block.
 *
 * For TSan the host orders nothing between the threads of one launch: each begins after what the host did before the
 * launch, and what threads leave behind, stacks and shared memory, is not used again before the launch has ended.
 */
#include "simt_core.h"
#include "simt_sanitizers.h"

#include <boost/context/detail/fcontext.hpp>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

namespace simt
{

namespace ctx = boost::context::detail;

namespace
{

constexpr size_t stack_bytes = 128 * 1024; /* a kernel under ASan at -O0 needs about a third */
constexpr uint64_t stack_guard = 0x5354414b454e4421;

std::vector<char *> free_stacks, left_stacks;
std::vector<std::unique_ptr<block>> left_blocks;
ctx::fcontext_t scheduler; /* where the running fiber left it */
host_stack scheduler_stack;
char end_sync; /* TSan: threads to host */

char *take_stack()
{
    if (free_stacks.empty()) {
        constexpr unsigned at_once = 64;
        void *stacks = mmap(nullptr, stack_bytes * at_once, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stacks == MAP_FAILED)
            abort();
        for (unsigned i = 0; i < at_once; ++i)
            free_stacks.push_back(static_cast<char *>(stacks) + i * stack_bytes);
    }
    char *stack = free_stacks.back();
    free_stacks.pop_back();
    forget_stack(stack, stack_bytes);
    *reinterpret_cast<uint64_t *>(stack) = stack_guard;
    return stack;
}

/* Leaves the running fiber; for the last time if it has ended or the launch has failed. */
void to_scheduler(bool last)
{
    thread &t = *m.current;
    leave_fiber(last ? nullptr : &t.fake_stack, scheduler_stack.bottom, scheduler_stack.size, scheduler_stack.tsan);
    scheduler = ctx::jump_fcontext(scheduler, nullptr).fctx;
    enter_fiber(t.fake_stack, nullptr);
}

void fiber_main(ctx::transfer_t from)
{
    enter_fiber(nullptr, &scheduler_stack);
    scheduler = from.fctx;
    thread &t = *m.current;
    t.home->of->body();
    t.now = state::ended;
    sync_release(&end_sync);
    to_scheduler(true);
}

} // namespace

void begin_fibers()
{
    find_host_stack(scheduler_stack);
}

void end_fibers()
{
    sync_acquire(&end_sync);
    free_stacks.insert(free_stacks.end(), left_stacks.begin(), left_stacks.end());
    left_stacks.clear();
    unwatched guard; /* after a failure some threads have not come to their end */
    left_blocks.clear();
}

void resume(thread &t)
{
    m.current = &t;
    here = &t.place;
    ++m.switches;
    leave_fiber(&scheduler_stack.fake_stack, t.stack, stack_bytes, t.tsan);
    t.context = ctx::jump_fcontext(t.context, nullptr).fctx;
    enter_fiber(scheduler_stack.fake_stack, nullptr);
}

bool stack_overflowed(const thread &t)
{
    return *reinterpret_cast<const uint64_t *>(t.stack) != stack_guard;
}

void start_block(const grid &of, unsigned block_idx, std::unique_ptr<block> &slot)
{
    slot = std::make_unique<block>();
    block &b = *slot;
    b.of = &of;
    b.num_live = of.block_threads;
    b.threads.resize(of.block_threads);
    b.warp_sync.resize(max_block_threads / 32);
    b.copier = make_tsan_fiber();
    if (of.shared_bytes) { /* exactly so many bytes: ASan sees one too far */
        void *shared = nullptr;
        if (posix_memalign(&shared, 128, of.shared_bytes))
            abort();
        b.shared = static_cast<char *>(shared);
        memset(b.shared, 0xa5, of.shared_bytes);
    }
    for (unsigned i = 0; i < of.block_threads; ++i) {
        thread &t = b.threads[i];
        t.place = { { i }, { block_idx }, { of.block_threads }, { of.num_blocks } };
        t.home = &b;
        t.stack = take_stack();
        t.tsan = make_tsan_fiber(); /* it begins after what the host has done */
        t.context = ctx::make_fcontext(t.stack + stack_bytes, stack_bytes, fiber_main);
        m.runnable.push_back(&t);
    }
}

void free_block(std::unique_ptr<block> &b)
{
    for (thread &t : b->threads) {
        (tsan_build ? left_stacks : free_stacks).push_back(t.stack);
        drop_tsan_fiber(t.tsan);
    }
    drop_tsan_fiber(b->copier);
    for (store_in_flight &s : m.stores) /* they stay on their way; who knew them is gone */
        if (s.home == b.get())
            s.home = nullptr;
    if (tsan_build)
        left_blocks.push_back(std::move(b));
    b.reset();
}

block::~block()
{
    free(shared);
}

void fail(const char *format, ...)
{
    {
        unwatched guard;
        char what[200];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(what, sizeof(what), format, arguments);
        va_end(arguments);
        m.error = describe(*m.current) + ": " + what;
    }
    to_scheduler(true);
    abort(); /* the scheduler does not come back */
}

void sleep_in(state why)
{
    m.current->now = why;
    to_scheduler(false);
}

void yield()
{
    wake(*m.current);
    to_scheduler(false);
}

} // namespace simt
