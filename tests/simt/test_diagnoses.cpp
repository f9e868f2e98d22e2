/* SPDX-License-Identifier: MIT */
/*
 * The emulator's own tests: each misuse must be named, under every policy. A test tool that finds nothing proves
 * nothing, so these are the cases that must fail.
 */
#include "expect.h"

using namespace onepass;

struct one_bar {
    vec16 data[4];
    mbarrier bar;
    uint64_t word;
};

static one_bar &shared()
{
    return shared_memory<one_bar>();
}

static void init_bar(unsigned num_arrivals)
{
    if (threadIdx.x == 0)
        mbar_init(&shared().bar, num_arrivals);
    syncthreads();
}

/* ------------------------------------------------------------------------------------------ nobody can run on */

TEST(deadlock)
{
    expect("deadlock", 1, 64, 0, [] {
        if (threadIdx.x < 32)
            barrier_sync(1, 64); /* the other warp goes elsewhere */
        else
            barrier_sync(2, 64);
    });
    expect("deadlock", 1, 32, sizeof(one_bar), [] {
        init_bar(2);
        if (threadIdx.x == 0)
            mbar_arrive(&shared().bar); /* the second arrival never comes */
        mbar_wait(&shared().bar, 0);
    });
    expect("deadlock", 1, 32, 0, [] {
        if (lane_idx() < 3) /* 0 waits for 1, 1 for 2, 2 for 0 */
            syncwarp(1u << lane_idx() | 1u << (lane_idx() + 1) % 3);
    });
}

TEST(livelock)
{
    uint64_t flag = 0;
    expect("livelock", 2, 32, 0, [&] {
        if (blockIdx.x == 0)
            while (load_acquire(&flag) == 0) /* nobody sets it */
                sleep_ns(20);
    });
    /* Two resident blocks wait for a third that cannot start: what blockIdx instead of a ticket comes to. */
    uint64_t done[3] = { 0, 0, 0 };
    expect(
        "livelock", 3, 32, 0,
        [&] {
            if (blockIdx.x > 0)
                while (load_acquire(&done[blockIdx.x - 1]) == 0)
                    sleep_ns(20);
            store_release(&done[blockIdx.x], 1);
        },
        [](simt::options &how) {
            how.resident_blocks = 1;
            how.seed = 2; /* block 0 does not start first */
        });
}

TEST(no_end)
{
    expect(
        "no end", 1, 32, 0,
        [] {
            for (;;)
                syncwarp();
        },
        [](simt::options &how) { how.max_switches = 100000; });
}

/* ---------------------------------------------------------------------------------------------- warps, barriers */

TEST(warp_misuse)
{
    expect("does not name it", 1, 32, 0, [] { syncwarp(0xfffffffeu); });
    expect("another warp operation, or with another mask", 1, 32, 0,
           [] { syncwarp(lane_idx() < 16 ? 0xffffffffu : 0xfffffffeu); });
    expect("another warp operation, or with another mask", 1, 32, 0, [] {
        if (lane_idx() < 16)
            warp_ballot(true);
        else
            syncwarp();
    });
    expect("another warp operation, or with another mask", 1, 32, 0, [] {
        if (lane_idx() < 16)
            shfl_idx((uint32_t)1, 0);
        else
            shfl_idx((uint64_t)1, 0);
    });
    expect("has ended or never was", 1, 48, 0, [] { syncwarp(); }); /* a last warp of 16 lanes */
    expect("lane", 1, 32, 0, [] {
        if (lane_idx() != 5)
            syncwarp(); /* lane 5 is gone, or goes while the others wait */
    });
    expect("not in the mask", 1, 32, 0, [] {
        if (lane_idx() < 8)
            shfl_idx(1, 9, 32, 0xff);
    });
}

TEST(barrier_misuse)
{
    expect("thread", 1, 64, 0, [] {
        if (threadIdx.x != 40)
            syncthreads(); /* thread 40 has ended, or ends while the others wait */
    });
    expect("whole warps", 1, 64, 0, [] { barrier_sync(1, 40); });
    expect("from 1 to 15", 1, 64, 0, [] { barrier_sync(0, 64); });
    expect("different counts", 1, 96, 0, [] { barrier_sync(1, threadIdx.x < 32 ? 64 : 96); });
    expect("a part of warp", 1, 64, 0, [] {
        if (lane_idx() < 16)
            barrier_sync(1, 32);
        syncthreads();
    });
    expect("", 1, 96, 0, [] {
        if (warp_idx() < 2)
            barrier_sync(1, 64);
        syncthreads();
    });
}

/* --------------------------------------------------------------------------------------- mbarriers and copies */

TEST(mbarrier_misuse)
{
    expect("not initialised", 1, 32, sizeof(one_bar), [] { mbar_arrive(&shared().bar); });
    expect("overwritten", 1, 32, sizeof(one_bar), [] {
        init_bar(32);
        shared().bar.opaque = 0;
        mbar_arrive(&shared().bar);
    });
    expect("initialised twice", 1, 32, sizeof(one_bar), [] {
        init_bar(32);
        init_bar(32);
    });
    expect("more arrivals", 1, 32, sizeof(one_bar), [] {
        init_bar(1);
        if (threadIdx.x == 0)
            mbar_arrive_expect_tx(&shared().bar, 16); /* the bytes never come, so the phase does not end */
        syncthreads();
        mbar_arrive(&shared().bar);
    });
    /* Two phases end before the slow thread looks for the first: its parity comes round, and it waits for ever. */
    expect("deadlock", 1, 64, sizeof(one_bar), [] {
        init_bar(1);
        if (threadIdx.x == 0) {
            mbar_arrive(&shared().bar);
            mbar_arrive(&shared().bar);
        }
        syncthreads();
        if (threadIdx.x == 32)
            mbar_wait(&shared().bar, 0);
    });
}

static vec16 source[4]; /* aligned */

TEST(copy_misuse)
{
#if ONEPASS_SIMT_ARCH >= 900
    const char *bytes = reinterpret_cast<const char *>(source);
    const auto copy = [](const void *src, unsigned dst_offset, unsigned num_bytes) {
        init_bar(1);
        if (threadIdx.x == 0) {
            mbar_arrive_expect_tx(&shared().bar, num_bytes);
            bulk_load(reinterpret_cast<char *>(shared().data) + dst_offset, src, num_bytes, &shared().bar);
        }
        mbar_wait(&shared().bar, 0);
    };
    expect("", 1, 32, sizeof(one_bar), [=] { copy(bytes, 0, 64); });
    expect("not aligned", 1, 32, sizeof(one_bar), [=] { copy(bytes + 4, 0, 32); });
    expect("not aligned", 1, 32, sizeof(one_bar), [=] { copy(bytes, 8, 32); });
    expect("bad size", 1, 32, sizeof(one_bar), [=] { copy(bytes, 0, 24); });
    expect("outside the block's shared memory", 1, 32, sizeof(one_bar), [=] { copy(bytes, 64, 64); });
    bool in_flight = false; /* unless the copies land first */
    for (uint64_t seed = 1; seed <= 50 && !in_flight; ++seed) {
        simt::options how = harness::how;
        how.seed = seed;
        const simt::report report = simt::run(how, { { 1, 32, sizeof(one_bar), [=] {
                                                          init_bar(1);
                                                          if (threadIdx.x == 31)
                                                              bulk_load(shared().data, bytes, 16, &shared().bar);
                                                      } } });
        in_flight = report.error.find("copy in flight") != std::string::npos;
    }
    CHECK(in_flight, "a block that ended under a copy was never found");
    expect("more bytes than expected", 1, 32, sizeof(one_bar), [=] {
        init_bar(1);
        if (threadIdx.x == 0) {
            mbar_arrive_expect_tx(&shared().bar, 16);
            bulk_load(shared().data, bytes, 64, &shared().bar);
        }
        mbar_wait(&shared().bar, 0);
    });
#endif
}

/* Looking without waiting must show: neither the old bytes nor the new ones are there. */
TEST(missing_wait_on_a_copy)
{
    memset(source, 0x11, sizeof(source));
    unsigned char seen[2] = { 0, 0 };
    expect(
        "", 1, 32, sizeof(one_bar),
        [&] {
            init_bar(32);
            if (threadIdx.x == 0)
                cp_async_16(shared().data, source);
            cp_async_mbar_arrive(&shared().bar);
            if (threadIdx.x == 0)
                seen[0] = *reinterpret_cast<volatile unsigned char *>(shared().data);
            mbar_wait(&shared().bar, 0);
            if (threadIdx.x == 0)
                seen[1] = *reinterpret_cast<volatile unsigned char *>(shared().data);
        },
        [](simt::options &how) { how.switch_percent = 0; });
    CHECK(seen[0] == 0xee && seen[1] == 0x11, "saw %02x before the wait, %02x after", seen[0], seen[1]);
}

TEST(shared_memory_is_not_zero)
{
    uint64_t word = 0;
    expect("", 1, 1, sizeof(one_bar), [&] { word = shared().word; });
    CHECK(word == 0xa5a5a5a5a5a5a5a5, "%llx", (unsigned long long)word);
    expect("larger than the launch gave", 1, 1, sizeof(one_bar) - 1, [&] { word = shared().word; });
}

/* ------------------------------------------------------------------------------------------------- memory */

TEST(misaligned_accesses)
{
    static uint64_t words[4];
    expect("not aligned", 1, 1, 0, [] { load_relaxed(reinterpret_cast<uint64_t *>((char *)words + 4)); });
    expect("not aligned", 1, 1, 0, [] { load_vec((char *)words + ((uintptr_t)words % 16 ? 0 : 8)); });
}

TEST(programmatic_launches_wait_first)
{
    uint64_t ticket = 0;
    const auto programmatic = [](simt::options &how) { how.programmatic = true; };
    expect(
        "before grid_dependency_wait", 2, 32, 0, [&] { atomic_add_relaxed(&ticket, 1); }, programmatic);
    expect(
        "without grid_dependency_wait", 2, 32, 0, [] {}, programmatic);
    expect(
        "", 2, 32, 0,
        [&] {
            grid_dependency_wait();
            atomic_add_relaxed(&ticket, 1);
        },
        programmatic);
}
