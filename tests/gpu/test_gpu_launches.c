/* SPDX-License-Identifier: MIT */
/*
 * Launches that wait for each other's multiprocessors, or are replayed: several contexts at once while another kernel
 * holds most of the GPU, and a graph whose data and count change between replays. test_cases.c has ten thousand
 * launches of one context.
 */
#include "../backends.h"
#include "cuda/cuda.h"
#include "device.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { timeout_s = 60 }; /* a deadlock ends the program */

#define ASSERT_CUDA(call) assert_string_equal(cudaGetErrorName(call), "cudaSuccess")

static uint32_t *new_items(size_t num_items, uint32_t seed)
{
    uint32_t *items = malloc(num_items * sizeof *items);
    assert_non_null(items);
    for (size_t i = 0; i < num_items; i++)
        items[i] = (seed += UINT32_C(0x9e3779b9)) * (uint32_t)(2 * i + 1);
    return items;
}

static void scan_in_place(uint32_t *items, size_t num_items)
{
    for (size_t i = 1; i < num_items; i++)
        items[i] += items[i - 1];
}

/* --------------------------------------------------------------------------------------------- several contexts */

/* Each scans its own items in place again and again, in streams that wait for nobody. Every grid would fill the GPU. */
static void test_contexts_side_by_side_on_a_busy_gpu(void **state)
{
    enum { num_contexts = 4, num_rounds = 12, most_items = 3 << 20 };
    struct hold hold;
    onepass_context *contexts[num_contexts];
    cudaStream_t streams[num_contexts];
    uint32_t *items[num_contexts];
    void *d_items[num_contexts];
    size_t num_items[num_contexts];
    for (int i = 0; i < num_contexts; i++)
        contexts[i] = backend_context_of(state, 0, most_items);
    ASSERT_CUDA(hold_create(&hold));
    for (int i = 0; i < num_contexts; i++) {
        num_items[i] = most_items - (size_t)i * 300001; /* windows end at different times */
        items[i] = new_items(num_items[i], (uint32_t)i);
        ASSERT_CUDA(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        assert_int_equal(onepass_set_stream(contexts[i], streams[i]), ONEPASS_SUCCESS);
        assert_int_equal(onepass_allocate(contexts[i], &d_items[i], num_items[i] * 4), ONEPASS_SUCCESS);
        assert_int_equal(onepass_copy(contexts[i], d_items[i], items[i], num_items[i] * 4), ONEPASS_SUCCESS);
    }
    /* Alone, with few free multiprocessors, with more: then contexts have some each. */
    for (uint32_t num_free = 0; num_free <= 8; num_free += 2) {
        if (num_free != 0) {
            ASSERT_CUDA(cudaDeviceSynchronize());
            ASSERT_CUDA(hold_begin(&hold, num_free));
        }
        for (int round = 0; round < num_rounds; round++)
            for (int i = 0; i < num_contexts; i++)
                assert_int_equal(
                    onepass_inclusive_scan(contexts[i], ONEPASS_U32, ONEPASS_SUM, d_items[i], d_items[i], num_items[i]),
                    ONEPASS_SUCCESS);
        for (int i = 0; i < num_contexts; i++)
            assert_int_equal(onepass_synchronize(contexts[i]), ONEPASS_SUCCESS);
        if (num_free != 0)
            ASSERT_CUDA(hold_end(&hold));
        for (int i = 0; i < num_contexts; i++)
            for (int round = 0; round < num_rounds; round++)
                scan_in_place(items[i], num_items[i]);
    }
    for (int i = 0; i < num_contexts; i++) {
        uint32_t *results = malloc(num_items[i] * 4);
        assert_non_null(results);
        assert_int_equal(onepass_copy(contexts[i], results, d_items[i], num_items[i] * 4), ONEPASS_SUCCESS);
        assert_int_equal(onepass_synchronize(contexts[i]), ONEPASS_SUCCESS);
        assert_memory_equal(results, items[i], num_items[i] * 4);
        free(results);
        free(items[i]);
        assert_int_equal(onepass_free(contexts[i], d_items[i]), ONEPASS_SUCCESS);
        assert_int_equal(onepass_destroy(contexts[i]), ONEPASS_SUCCESS);
        ASSERT_CUDA(cudaStreamDestroy(streams[i]));
    }
    hold_destroy(&hold);
}

/* --------------------------------------------------------------------------------------------- replays of a graph */

/* Items and their number are in memory, so that a replay works on what is there then; it reads no epoch of the host. */
static void test_replays_with_changed_data(void **state)
{
    enum { most_items = 3 << 20, num_replays = 300, patch_items = 1000 };
    onepass_context *ctx = backend_context_of(state, 0, most_items);
    cudaStream_t stream;
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_int_equal(onepass_set_stream(ctx, stream), ONEPASS_SUCCESS);
    uint32_t *items = new_items(most_items, 7), *sums = malloc(most_items * 4), *results = malloc(most_items * 4);
    void *d_items = NULL, *d_sums = NULL, *d_count = NULL;
    assert_true(sums != NULL && results != NULL);
    memset(sums, 0x5c, most_items * 4);
    assert_int_equal(onepass_allocate(ctx, &d_items, most_items * 4), ONEPASS_SUCCESS);
    assert_int_equal(onepass_allocate(ctx, &d_sums, most_items * 4), ONEPASS_SUCCESS);
    assert_int_equal(onepass_allocate(ctx, &d_count, 8), ONEPASS_SUCCESS);
    assert_int_equal(onepass_copy(ctx, d_items, items, most_items * 4), ONEPASS_SUCCESS);
    assert_int_equal(onepass_copy(ctx, d_sums, sums, most_items * 4), ONEPASS_SUCCESS);

    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    spec.in_type = spec.out_type = ONEPASS_U32;
    spec.op = ONEPASS_SUM;
    spec.kind = ONEPASS_INCLUSIVE;
    spec.d_in = d_items;
    spec.d_out = d_sums;
    spec.max_items = most_items;
    spec.d_num_items = d_count;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    assert_int_equal(onepass_scan(ctx, &spec), ONEPASS_SUCCESS);
    ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
    ASSERT_CUDA(cudaGraphInstantiateWithFlags(&replayed, graph, 0));

    for (uint32_t i = 0; i < num_replays; i++) {
        const uint64_t count = i % 3 == 0 ? most_items - i : (uint64_t)i * 9973 % most_items + 1;
        const size_t first = (size_t)i * 12347 % (most_items - patch_items);
        uint32_t *patch = new_items(patch_items, i);
        memcpy(items + first, patch, patch_items * 4);
        ASSERT_CUDA(
            cudaMemcpyAsync((uint32_t *)d_items + first, patch, patch_items * 4, cudaMemcpyHostToDevice, stream));
        ASSERT_CUDA(cudaMemcpyAsync(d_count, &count, 8, cudaMemcpyHostToDevice, stream));
        ASSERT_CUDA(cudaGraphLaunch(replayed, stream));
        uint32_t last;
        ASSERT_CUDA(cudaMemcpyAsync(&last, (uint32_t *)d_sums + count - 1, 4, cudaMemcpyDeviceToHost, stream));
        assert_int_equal(onepass_synchronize(ctx), ONEPASS_SUCCESS);
        memcpy(sums, items, count * 4);
        scan_in_place(sums, count);
        assert_int_equal(last, sums[count - 1]);
        free(patch);
        if (i % 2 == 0) /* calls between replays share the workspace, its epochs and its tickets */
            assert_int_equal(onepass_reduce(ctx, ONEPASS_U32, ONEPASS_SUM, d_items, d_count, most_items),
                             ONEPASS_SUCCESS);
        if (i % 30 == 0) {
            assert_int_equal(onepass_copy(ctx, results, d_sums, most_items * 4), ONEPASS_SUCCESS);
            assert_int_equal(onepass_synchronize(ctx), ONEPASS_SUCCESS);
            assert_memory_equal(results, sums, most_items * 4);
        }
    }
    ASSERT_CUDA(cudaGraphExecDestroy(replayed));
    ASSERT_CUDA(cudaGraphDestroy(graph));
    assert_int_equal(onepass_free(ctx, d_items), ONEPASS_SUCCESS);
    assert_int_equal(onepass_free(ctx, d_sums), ONEPASS_SUCCESS);
    assert_int_equal(onepass_free(ctx, d_count), ONEPASS_SUCCESS);
    assert_int_equal(onepass_destroy(ctx), ONEPASS_SUCCESS);
    ASSERT_CUDA(cudaStreamDestroy(stream));
    free(items);
    free(sums);
    free(results);
}

int main(void)
{
    alarm(timeout_s);
    const struct CMUnitTest tests[] = {
        ON_CUDA(test_contexts_side_by_side_on_a_busy_gpu),
        ON_CUDA(test_replays_with_changed_data),
    };
    return run_on_backends(tests);
}
