/* SPDX-License-Identifier: MIT */
/* What the tests of whole kernels share: a workspace that outlives cases, so that each finds the leftovers of others,
 * of other types and layouts; and bytes placed at a distance from a boundary, whose surroundings ASan watches. */
#ifndef ONEPASS_TESTS_SIMT_WORKSPACE_H
#define ONEPASS_TESTS_SIMT_WORKSPACE_H

#include "cuda/shape.h"
#include "descriptor.h"
#include "harness.h"

#include <stdint.h>

#include <vector>

constexpr uint64_t max_tiles = 1 << 12, max_windows = 1 << 8;

/* One workspace for all cases: as the library's, but small. */
struct workspace {
    std::vector<uint64_t> control, words;
    uint64_t clamped[2];
    workspace() : control(CONTROL_NUM_WORDS), words(3 * (max_tiles + max_windows)), clamped()
    {
        control[CONTROL_TICKET] = ticket_pack(1, 0);
    }
    void use(pipeline_params &params, const launch_shape &shape)
    {
        uint64_t *at = words.data();
        at += (uintptr_t)at % 16 / 8;
        uint64_t *const layouts[] = { at + 2 * (max_tiles + max_windows) - 2, at }; /* those of 16 bytes come first */
        params.control = control.data();
        params.descriptors = at;
        params.num_descriptor_words = words.size() - 2;
        params.aggregates = layouts[shape.aggregate_words - 1];
        params.starts = layouts[shape.start_words - 1] + shape.start_words * max_tiles;
        params.clamped = clamped;
    }
};
inline workspace &shared_workspace()
{
    static workspace w;
    return w;
}

/* Bytes at a given distance from a 16-byte boundary, with `around` more on both sides. */
struct placed_bytes {
    std::vector<unsigned char> memory;
    unsigned char *data;
    size_t size;
    placed_bytes(size_t num_bytes, size_t shift, size_t around) : size(num_bytes)
    {
        memory.assign(around + 32 + num_bytes + around, 0x5c);
        const uintptr_t first = (uintptr_t)memory.data() + around;
        data = memory.data() + around + (16 - first % 16) % 16 + shift % 16;
        memory.resize((size_t)(data - memory.data()) + num_bytes + around);
    }
    /* As far from a boundary: all memory begins at one. */
    placed_bytes(const placed_bytes &other)
        : memory(other.memory), data(memory.data() + (other.data - other.memory.data())), size(other.size)
    {
    }
    placed_bytes &operator=(const placed_bytes &other)
    {
        memory = other.memory;
        data = memory.data() + (other.data - other.memory.data());
        size = other.size;
        return *this;
    }
    ~placed_bytes()
    {
        show_surroundings();
    }
    /* Lets ASan see accesses to what lies around them: after them to the byte, before them to whole 8 bytes. */
    void hide_surroundings()
    {
#if defined(SIMT_ASAN)
        const size_t before = (size_t)(data - memory.data());
        ASAN_POISON_MEMORY_REGION(memory.data(), before / 8 * 8);
        ASAN_POISON_MEMORY_REGION(data + size, memory.capacity() - before - size);
#endif
    }
    void show_surroundings()
    {
#if defined(SIMT_ASAN)
        ASAN_UNPOISON_MEMORY_REGION(memory.data(), memory.capacity());
#endif
    }
};

#endif
