/* SPDX-License-Identifier: MIT */
/* What the tests of whole kernels share: a workspace that outlives cases, so that each finds the leftovers of others,
 * of other types and layouts; and bytes placed at a distance from a boundary, ending where their memory ends. */
#ifndef ONEPASS_TESTS_SIMT_WORKSPACE_H
#define ONEPASS_TESTS_SIMT_WORKSPACE_H

#include "cuda/shape.h"
#include "descriptor.h"

#include <stdint.h>

#include <vector>

constexpr uint64_t max_tiles = 1 << 14, max_windows = 1 << 12;
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

/* Bytes at a given distance from a 16-byte boundary, ending exactly where the memory ends. */
struct placed_bytes {
    std::vector<unsigned char> memory;
    unsigned char *data;
    placed_bytes(size_t num_bytes, size_t shift, size_t around)
    {
        memory.assign(around + 32 + num_bytes + around, 0x5c);
        const uintptr_t first = (uintptr_t)memory.data() + around;
        data = memory.data() + around + (16 - first % 16) % 16 + shift % 16;
        memory.resize((size_t)(data - memory.data()) + num_bytes + around);
    }
};

#endif
