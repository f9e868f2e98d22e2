/* SPDX-License-Identifier: MIT */
/*
 * The workspace: ticket, aggregates and window starts, sized so that any operation on any type fits.
 *
 * One window has up to ONE_WINDOW_MAX_TILES tiles. Beyond that a tile has 32 KiB of the wider of its input and output,
 * or more (lookback/instances.cuh). So with 64-bit values, descriptors of two words, it has at least 4096 items, and
 * with 32-bit values, one word, at least 8192: 20 bytes for each 4096 items. A window has 4 MiB of input: at least 2^19
 * and 2^20 items.
 */
#include "cuda.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t min_tile_items[2] = { 8192, 4096 },
                      min_window_items[2] = { UINT64_C(1) << 20, UINT64_C(1) << 19 };

static onepass_result fail(onepass_context *ctx, cudaError_t error, uint64_t max_items)
{
    char what[80];
    (void)snprintf(what, sizeof what, "descriptors for max_items = %" PRIu64, max_items);
    return cuda_fail(ctx, error, "onepass_reserve", what);
}

static onepass_result fill_workspace(onepass_context *ctx, struct workspace *made, uint64_t max_items)
{
    uint64_t num_words[2];
    for (int layout = 0; layout < 2; layout++) {
        /* Offsets have one position more than there are items, and a last tile or window may be a part of one. */
        made->max_tiles[layout] = max_items / min_tile_items[layout] + 2 + ONE_WINDOW_MAX_TILES;
        made->max_windows[layout] = max_items / min_window_items[layout] + 2;
        num_words[layout] = (made->max_tiles[layout] + made->max_windows[layout]) * (uint64_t)(layout + 1);
    }
    made->num_descriptor_words = num_words[1] + num_words[0];
    uint64_t num_bytes = (CONTROL_NUM_WORDS + made->num_descriptor_words) * sizeof(uint64_t);
    if (num_bytes > SIZE_MAX)
        return fail(ctx, cudaErrorMemoryAllocation, max_items);
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, (size_t)num_bytes);
    if (error != cudaSuccess)
        return fail(ctx, error, max_items);
    made->control = memory;
    made->descriptors = made->control + CONTROL_NUM_WORDS;
    made->words[1] = made->descriptors; /* first, so that they are aligned to 16 bytes */
    made->words[0] = made->words[1] + num_words[1];
    const uint64_t ticket = ticket_pack(1, 0);
    error = cudaMemset(memory, 0, (size_t)num_bytes);
    if (error == cudaSuccess)
        error = cudaMemcpy(made->control + CONTROL_TICKET, &ticket, sizeof ticket, cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize(); /* whatever stream comes next */
    if (error == cudaSuccess)
        return ONEPASS_SUCCESS;
    (void)cudaFree(memory);
    return fail(ctx, error, max_items);
}

onepass_result cuda_reserve(onepass_context *ctx, uint64_t max_items)
{
    struct cuda *cuda = cuda_of(ctx);
    struct workspace *made = calloc(1, sizeof *made);
    if (made == NULL)
        return context_fail(ctx, ONEPASS_OUT_OF_MEMORY, "onepass_reserve: no memory for max_items = %" PRIu64,
                            max_items);
    onepass_result result = fill_workspace(ctx, made, max_items);
    if (result != ONEPASS_SUCCESS) {
        free(made);
        return result;
    }
    made->older = cuda->workspace;
    cuda->workspace = made;
    return ONEPASS_SUCCESS;
}

void cuda_free_workspaces(struct cuda *cuda)
{
    while (cuda->workspace != NULL) {
        struct workspace *older = cuda->workspace->older;
        (void)cudaFree(cuda->workspace->control);
        free(cuda->workspace);
        cuda->workspace = older;
    }
}
