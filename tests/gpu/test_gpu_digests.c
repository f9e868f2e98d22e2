/* SPDX-License-Identifier: MIT */
/*
 * The digests of digests.txt on grids of one block to all, and on a GPU that is busy: another kernel holds all but
 * three multiprocessors, so that most blocks of a grid start when others have ended.
 *
 * A row's first call, as the library shapes it, is digested and compared with the table. What all others leave,
 * canaries too, must be the same bytes, compared on the device.
 */
#include "../backends.h"
#include "../digest_rows.h"
#include "cuda/cuda.h"
#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { num_free = 3, all_blocks = 0, timeout_s = 150 }; /* a deadlock ends the program */

static const int grids[] = { 1, 2, 7, 33, 64, 100, 131, all_blocks }, busy_grids[] = { 33, all_blocks };
enum { num_grids = sizeof grids / sizeof grids[0], num_busy_grids = sizeof busy_grids / sizeof busy_grids[0] };

#define ASSERT_CUDA(call) assert_string_equal(cudaGetErrorName(call), "cudaSuccess")

/* A copy of what a call left in a buffer, on the device. */
static void *d_copy_of(const guard *buffer)
{
    void *d_copy = NULL;
    ASSERT_CUDA(cudaMalloc(&d_copy, buffer->block_bytes));
    ASSERT_CUDA(cudaMemcpy(d_copy, buffer->d_block, buffer->block_bytes, cudaMemcpyDeviceToDevice));
    return d_copy;
}

/* Makes the call again on a grid of at most so many blocks; adds to *d_count how many bytes come out otherwise. */
static void call_again(const digest_call *call, int num_blocks, void *const *d_copies, uint32_t *d_count)
{
    const guard *const outputs[] = { &call->out, &call->indices, &call->count };
    struct cuda *cuda = cuda_of(call->ctx);
    const int all = cuda->num_multiprocessors;
    for (int i = 0; i < 2; i++) /* as they were at first; the count is always written */
        ASSERT_CUDA(cudaMemsetAsync(outputs[i]->d_items, 0, outputs[i]->num_bytes, NULL));
    cuda->num_multiprocessors = num_blocks == all_blocks || num_blocks > all ? all : num_blocks;
    digest_call_make(call);
    cuda->num_multiprocessors = all;
    for (int i = 0; i < 3; i++)
        ASSERT_CUDA(count_differences(outputs[i]->d_block, d_copies[i], outputs[i]->block_bytes, d_count));
}

static unsigned num_wrong;

static void expect_none(const digest_row *r, uint32_t num_different, int num_blocks, const char *when)
{
    char key[digest_line_length];
    if (num_different == 0)
        return;
    digest_print_key(r, key);
    print_error("%s: %" PRIu32 " bytes differ on at most %d blocks (0: all)%s\n", key, num_different, num_blocks, when);
    ++num_wrong;
}

static void check_row(const digest_row *r, uint64_t expected, onepass_context *ctx, struct hold *hold,
                      uint32_t *d_counts)
{
    uint32_t counts[num_grids + num_busy_grids];
    digest_call call = digest_call_begin(r, ctx);
    digest_call_make(&call);
    void *d_copies[] = { d_copy_of(&call.out), d_copy_of(&call.indices), d_copy_of(&call.count) };
    ASSERT_CUDA(cudaMemset(d_counts, 0, sizeof counts));
    for (int i = 0; i < num_grids; i++)
        call_again(&call, grids[i], d_copies, d_counts + i);
    ASSERT_CUDA(cudaDeviceSynchronize());
    ASSERT_CUDA(hold_begin(hold, num_free));
    for (int i = 0; i < num_busy_grids; i++)
        call_again(&call, busy_grids[i], d_copies, d_counts + num_grids + i);
    assert_int_equal(onepass_synchronize(ctx), ONEPASS_SUCCESS);
    ASSERT_CUDA(hold_end(hold));

    ASSERT_CUDA(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost));
    for (int i = 0; i < num_grids; i++)
        expect_none(r, counts[i], grids[i], "");
    for (int i = 0; i < num_busy_grids; i++)
        expect_none(r, counts[num_grids + i], busy_grids[i], ", with a busy GPU");
    if (digest_call_result(&call) != expected || !guard_intact(&call.out) || !guard_intact(&call.indices)) {
        char key[digest_line_length];
        digest_print_key(r, key);
        print_error("%s: not the table's digest, or bytes beside the outputs changed\n", key);
        ++num_wrong;
    }
    for (int i = 0; i < 3; i++)
        ASSERT_CUDA(cudaFree(d_copies[i]));
    digest_call_end(&call);
}

static void test_digests_on_every_grid_and_a_busy_gpu(void **state)
{
    onepass_context *ctx = backend_context(state, 0);
    FILE *table = fopen("tests/digests.txt", "r");
    if (table == NULL)
        fail_msg("tests/digests.txt cannot be read");
    struct hold hold;
    void *d_counts = NULL;
    ASSERT_CUDA(hold_create(&hold));
    ASSERT_CUDA(cudaMalloc(&d_counts, (num_grids + num_busy_grids) * sizeof(uint32_t)));
    for (size_t i = 0; i < num_digest_rows; ++i) {
        const uint64_t expected = digest_next_in_table(table, &digest_rows[i]);
        if (digest_rows[i].operation != PARTITION)
            check_row(&digest_rows[i], expected, ctx, &hold, d_counts);
    }
    ASSERT_CUDA(cudaFree(d_counts));
    hold_destroy(&hold);
    fclose(table);
    assert_int_equal(num_wrong, 0);
}

int main(void)
{
    alarm(timeout_s);
    digest_list_rows();
    const struct CMUnitTest tests[] = {
        ON_CUDA(test_digests_on_every_grid_and_a_busy_gpu),
    };
    return run_on_backends(tests);
}
