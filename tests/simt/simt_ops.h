/* SPDX-License-Identifier: MIT */
/*
 * What the machine offers to the wrappers in simt_ptx.h: one call per kind of operation, on plain bytes.
 */
#ifndef ONEPASS_TESTS_SIMT_SIMT_OPS_H
#define ONEPASS_TESTS_SIMT_SIMT_OPS_H

#include <stddef.h>
#include <stdint.h>

namespace simt
{

enum class warp_op : uint8_t {
    sync,
    shuffle,
    ballot,
    match,
    add,
    min_unsigned,
    max_unsigned,
    min_signed,
    max_signed,
    bit_and,
    bit_or,
    bit_xor
};

/* One lane's part in a warp operation: all lanes of the mask bring the same op, size and mask. */
struct warp_request {
    warp_op op;
    unsigned size; /* bytes of value that count */
    unsigned mask;
    unsigned source;         /* shuffle: the lane to read */
    unsigned char value[16]; /* in: the operand; out: the result */
};
void meet_warp(warp_request &request);

void meet_block(unsigned barrier_id, unsigned num_threads);
void meet_all_threads();
void yield();
[[noreturn]] void trap();

enum class order { relaxed, acquire, release, acq_rel };

/* Global memory. Sizes are 8 and 16. */
void load(void *value, const void *address, unsigned size, order how);
void store(void *address, const void *value, unsigned size, order how);
uint64_t add(uint64_t *address, uint64_t value, order how);
void fence();
/* Ordinary accesses of 16 bytes: false if the wrapper must do it, on memory as it is. */
bool load_ordinary(void *value, const void *address, unsigned size);
bool store_ordinary(void *address, const void *value, unsigned size);

/* Shared memory and what lives there. */
void *shared(size_t num_bytes);
uint64_t mbar_init(const void *bar, unsigned num_arrivals); /* returns what the word must hold from now on */
void mbar_arrive(const void *bar, uint64_t word, uint32_t expected_bytes);
bool mbar_try_wait(const void *bar, uint64_t word, unsigned parity);
void mbar_wait(const void *bar, uint64_t word, unsigned parity);
void copy_bulk(void *dst, const void *src, uint32_t num_bytes, const void *bar, uint64_t word);
void copy_16(void *dst, const void *src);
void arrive_after_copies(const void *bar, uint64_t word);

void wait_for_grid();

} // namespace simt

#endif
