/* SPDX-License-Identifier: MIT */
/*
 * Guarded buffers: a buffer of exactly so many bytes, at any alignment, that tells whether anything beside it was
 * touched. Canaries lie on both sides; on request the buffer ends or begins at a page that traps, so that reading too
 * far is found as well (under AddressSanitizer reading a canary traps, too). A new buffer is full of GUARD_POISON.
 *
 * Where the buffer lies is hidden here: the test works on `items`, hands `d_items` to the library, and moves the whole
 * of it, canaries and all, with guard_send and guard_fetch. On the host backend both are the same memory.
 */
#ifndef ONEPASS_TESTS_GUARD_H
#define ONEPASS_TESTS_GUARD_H

#include "onepass.h"

#include <stdbool.h>
#include <stddef.h>

enum { GUARD_POISON = 0xa5, GUARD_CANARY_BYTES = 64 };

typedef enum guard_place {
    GUARD_CANARIES,   /* canaries on both sides, `shift` bytes past a 256-byte boundary */
    GUARD_PAGE_AFTER, /* the first byte behind the buffer traps (host backend; else as GUARD_CANARIES) */
    GUARD_PAGE_BEFORE /* the last byte before the buffer traps (the same) */
} guard_place;
enum { num_guard_places = GUARD_PAGE_BEFORE + 1 };

typedef struct guard {
    void *items;   /* where the test reads and writes; NULL for a buffer that is not there */
    void *d_items; /* what the library is given */
    size_t num_bytes;
    onepass_context *ctx;
    unsigned char *block, *d_block; /* the canaries' outer ends, here and in the backend's memory */
    size_t block_bytes;
    void *mapping; /* with the pages that trap; NULL without */
    size_t mapping_bytes;
} guard;

/* Fails the CMocka test if there is no memory. A buffer of 0 bytes has canaries, too. */
guard guard_new(onepass_context *ctx, guard_place place, size_t num_bytes, size_t shift);

/* A buffer with a copy of these bytes in it. */
guard guard_copy_of(onepass_context *ctx, guard_place place, const void *bytes, size_t num_bytes, size_t shift);

/* Moves the buffer to where the library works, and back; guard_fetch waits for the context's work. */
void guard_send(const guard *buffer);
void guard_fetch(const guard *buffer);

/* Whether the canaries are as they were. */
bool guard_intact(const guard *buffer);

/* Frees the buffer and makes it one that is not there. */
void guard_drop(guard *buffer);

#endif
