/* SPDX-License-Identifier: MIT */
/*
 * Guarded buffers: see guard.h. A block is canary, buffer, canary; with a trapping page one of the canaries has no
 * bytes, and the page takes its place. The canaries' bytes depend on the address, so that copying them shows.
 */
#define _DEFAULT_SOURCE
#include "guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, num_bytes) ((void)(start), (void)(num_bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, num_bytes) ((void)(start), (void)(num_bytes))
#endif

/* Tests ask for more memory than there is: sanitizers, which call this, must then say so as malloc does. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

enum { boundary = 256 };

static size_t round_up(size_t num_bytes, size_t multiple)
{
    return (num_bytes + multiple - 1) / multiple * multiple;
}

static unsigned char canary(const unsigned char *at)
{
    return (unsigned char)(0xc3 ^ (uintptr_t)at * 29);
}

/* Everything in the block that is not the buffer. */
typedef struct sides {
    unsigned char *left, *right;
    size_t left_bytes, right_bytes;
} sides;

static sides sides_of(const guard *buffer)
{
    unsigned char *items = buffer->items;
    sides s = { .left = buffer->block, .right = items + buffer->num_bytes };
    s.left_bytes = (size_t)(items - s.left);
    s.right_bytes = buffer->block_bytes - s.left_bytes - buffer->num_bytes;
    return s;
}

static void allow(const guard *buffer)
{
    const sides s = sides_of(buffer);
    ASAN_UNPOISON_MEMORY_REGION(s.left, s.left_bytes);
    ASAN_UNPOISON_MEMORY_REGION(s.right, s.right_bytes);
}

static void forbid(const guard *buffer)
{
    const sides s = sides_of(buffer);
    ASAN_POISON_MEMORY_REGION(s.left, s.left_bytes);
    ASAN_POISON_MEMORY_REGION(s.right, s.right_bytes);
}

/* Fills in the block for a buffer between two pages that trap. */
static void map_block(guard *buffer, guard_place place, size_t num_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t open_bytes = round_up(num_bytes + GUARD_CANARY_BYTES, page);
    buffer->mapping_bytes = open_bytes + 2 * page;
    buffer->mapping = mmap(NULL, buffer->mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(buffer->mapping != MAP_FAILED);
    unsigned char *open_start = (unsigned char *)buffer->mapping + page;
    assert_int_equal(mprotect(open_start, open_bytes, PROT_READ | PROT_WRITE), 0);
    buffer->block_bytes = num_bytes + GUARD_CANARY_BYTES;
    if (place == GUARD_PAGE_AFTER) {
        buffer->block = open_start + open_bytes - buffer->block_bytes;
        buffer->items = buffer->block + GUARD_CANARY_BYTES;
    } else {
        buffer->items = buffer->block = open_start;
    }
}

static void allocate_block(guard *buffer, size_t num_bytes, size_t shift)
{
    const size_t left_bytes = round_up(GUARD_CANARY_BYTES, boundary) + shift % boundary;
    buffer->block_bytes = left_bytes + num_bytes + GUARD_CANARY_BYTES;
    buffer->block = aligned_alloc(boundary, round_up(buffer->block_bytes, boundary));
    assert_non_null(buffer->block);
    buffer->items = buffer->block + left_bytes;
}

guard guard_new(onepass_context *ctx, guard_place place, size_t num_bytes, size_t shift)
{
    guard buffer = { .num_bytes = num_bytes, .ctx = ctx };
    const bool on_host = onepass_context_backend(ctx) == ONEPASS_BACKEND_HOST;
    if (place == GUARD_CANARIES || !on_host)
        allocate_block(&buffer, num_bytes, shift);
    else
        map_block(&buffer, place, num_bytes);
    const sides s = sides_of(&buffer);
    for (size_t i = 0; i < s.left_bytes; ++i)
        s.left[i] = canary(s.left + i);
    for (size_t i = 0; i < s.right_bytes; ++i)
        s.right[i] = canary(s.right + i);
    memset(buffer.items, GUARD_POISON, num_bytes);
    forbid(&buffer);

    buffer.d_block = buffer.block;
    if (!on_host) {
        void *d_block = NULL;
        assert_int_equal(onepass_allocate(ctx, &d_block, buffer.block_bytes), ONEPASS_SUCCESS);
        buffer.d_block = d_block;
    }
    buffer.d_items = buffer.d_block + s.left_bytes;
    guard_send(&buffer);
    return buffer;
}

guard guard_copy_of(onepass_context *ctx, guard_place place, const void *bytes, size_t num_bytes, size_t shift)
{
    guard buffer = guard_new(ctx, place, num_bytes, shift);
    if (num_bytes != 0)
        memcpy(buffer.items, bytes, num_bytes);
    guard_send(&buffer);
    return buffer;
}

void guard_send(const guard *buffer)
{
    if (buffer->d_block == buffer->block)
        return;
    allow(buffer);
    assert_int_equal(onepass_copy(buffer->ctx, buffer->d_block, buffer->block, buffer->block_bytes), ONEPASS_SUCCESS);
    assert_int_equal(onepass_synchronize(buffer->ctx), ONEPASS_SUCCESS);
    forbid(buffer);
}

void guard_fetch(const guard *buffer)
{
    if (buffer->d_block == buffer->block)
        return;
    allow(buffer);
    assert_int_equal(onepass_copy(buffer->ctx, buffer->block, buffer->d_block, buffer->block_bytes), ONEPASS_SUCCESS);
    assert_int_equal(onepass_synchronize(buffer->ctx), ONEPASS_SUCCESS);
    forbid(buffer);
}

bool guard_intact(const guard *buffer)
{
    if (buffer->items == NULL)
        return true;
    const sides s = sides_of(buffer);
    bool intact = true;
    allow(buffer);
    for (size_t i = 0; i < s.left_bytes; ++i)
        intact = intact && s.left[i] == canary(s.left + i);
    for (size_t i = 0; i < s.right_bytes; ++i)
        intact = intact && s.right[i] == canary(s.right + i);
    forbid(buffer);
    return intact;
}

void guard_drop(guard *buffer)
{
    if (buffer->items == NULL)
        return;
    if (buffer->d_block != buffer->block)
        assert_int_equal(onepass_free(buffer->ctx, buffer->d_block), ONEPASS_SUCCESS);
    allow(buffer);
    if (buffer->mapping != NULL)
        assert_int_equal(munmap(buffer->mapping, buffer->mapping_bytes), 0);
    else
        free(buffer->block);
    *buffer = (guard){ .items = NULL };
}
