/* SPDX-License-Identifier: MIT */
/*
 * How the sanitizers are told of fibers. Without a sanitizer all of this is nothing.
 *
 * SIMT_ASAN, SIMT_TSAN: set by the build with -fsanitize=address, thread. The machine itself is not compiled for TSan.
 */
#ifndef ONEPASS_TESTS_SIMT_SIMT_SANITIZERS_H
#define ONEPASS_TESTS_SIMT_SIMT_SANITIZERS_H

#include <pthread.h>
#include <stddef.h>

#if defined(SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(SIMT_TSAN)
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
}
#endif

namespace simt
{

/* The host thread's own stack, where the scheduler runs. */
struct host_stack {
    const void *bottom = nullptr;
    size_t size = 0;
    void *fake_stack = nullptr;
    void *tsan = nullptr;
};

#if defined(SIMT_TSAN)
constexpr bool tsan_build = true;
inline void *make_tsan_fiber()
{
    return __tsan_create_fiber(0);
}
inline void drop_tsan_fiber(void *fiber)
{
    __tsan_destroy_fiber(fiber);
}
inline void *this_tsan_fiber()
{
    return __tsan_get_current_fiber();
}
/* 1: the switch itself orders nothing. */
inline void switch_tsan(void *fiber)
{
    __tsan_switch_to_fiber(fiber, 1);
}
inline void sync_acquire(const void *p)
{
    __tsan_acquire(const_cast<void *>(p));
}
inline void sync_release(const void *p)
{
    __tsan_release(const_cast<void *>(p));
}

/* While it lives, what the machine does to its own memory in a fiber is not watched. */
struct unwatched {
    unwatched()
    {
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
    ~unwatched()
    {
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    }
};
#else
constexpr bool tsan_build = false;
inline void *make_tsan_fiber()
{
    return nullptr;
}
inline void drop_tsan_fiber(void *)
{
}
inline void *this_tsan_fiber()
{
    return nullptr;
}
inline void switch_tsan(void *)
{
}
inline void sync_acquire(const void *)
{
}
inline void sync_release(const void *)
{
}
struct unwatched {
    unwatched()
    {
    }
    ~unwatched()
    {
    }
};
#endif

/* Just before and just after a jump. fake_stack: where ASan keeps the fiber's own; NULL: it will not be resumed. */
inline void leave_fiber(void **fake_stack, const void *bottom, size_t size, void *tsan)
{
    switch_tsan(tsan);
#if defined(SIMT_ASAN)
    __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#endif
    (void)fake_stack, (void)bottom, (void)size, (void)tsan;
}

inline void enter_fiber(void *fake_stack, host_stack *from)
{
#if defined(SIMT_ASAN)
    __sanitizer_finish_switch_fiber(fake_stack, from ? &from->bottom : nullptr, from ? &from->size : nullptr);
#endif
    (void)fake_stack, (void)from;
}

/* A stack that a fiber has left for good holds no redzones any more. */
inline void forget_stack(char *stack, size_t size)
{
#if defined(SIMT_ASAN)
    ASAN_UNPOISON_MEMORY_REGION(stack, size);
#endif
    (void)stack, (void)size;
}

inline void find_host_stack(host_stack &stack)
{
    stack.tsan = this_tsan_fiber();
}

} // namespace simt

#endif
