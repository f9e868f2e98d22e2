/* SPDX-License-Identifier: MIT */
/*
 * What the emulator's memory and scheduler must allow, and must not: stores that nothing orders are seen late in some
 * schedule, ordered ones never; a seed replays.
 */
#include "expect.h"

using namespace onepass;

/* Whether, in some schedule, a reader that has seen the flag does not see what was stored before it. */
static bool seen_stale(const std::function<void(uint64_t *data, uint64_t *flag)> &publish)
{
    bool stale = false;
    for (uint64_t seed = 1; seed <= 200 && !stale; ++seed) {
        uint64_t data = 0, flag = 0;
        expect(
            "", 2, 64, 0,
            [&] {
                if (blockIdx.x == 0) {
                    publish(&data, &flag);
                } else if (threadIdx.x == 0) {
                    while (load_acquire(&flag) == 0)
                        sleep_ns(20);
                    stale = stale || load_relaxed(&data) != 1;
                }
            },
            [=](simt::options &how) { how.seed = seed; });
    }
    return stale;
}

TEST(unreleased_store_is_seen_stale)
{
    CHECK(seen_stale([](uint64_t *data, uint64_t *flag) {
              if (threadIdx.x == 0) {
                  store_relaxed(data, 1);
                  store_relaxed(flag, 1);
              }
          }),
          "a relaxed flag never overtook the data");
    CHECK(!seen_stale([](uint64_t *data, uint64_t *flag) {
        if (threadIdx.x == 0) {
            store_relaxed(data, 1);
            store_release(flag, 1);
        }
    }),
          "a release was overtaken");
    CHECK(!seen_stale([](uint64_t *data, uint64_t *flag) {
        if (threadIdx.x == 0) {
            store_relaxed(data, 1);
            fence_acq_rel();
            store_relaxed(flag, 1);
        }
    }),
          "a fence was overtaken");
}

/* Thread 33 stores, thread 0 announces: the barrier between them makes the release cover both, and only that does. */
TEST(release_covers_what_a_barrier_taught)
{
    CHECK(!seen_stale([](uint64_t *data, uint64_t *flag) {
        if (threadIdx.x == 33)
            store_relaxed(data, 1);
        syncthreads();
        if (threadIdx.x == 0)
            store_release(flag, 1);
    }),
          "a release did not cover what the barrier ordered");
    CHECK(seen_stale([](uint64_t *data, uint64_t *flag) {
              if (threadIdx.x == 33)
                  store_relaxed(data, 1);
              syncthreads();
              if (threadIdx.x == 0)
                  store_relaxed(flag, 1);
          }),
          "a barrier alone released to another block");
    CHECK(seen_stale([](uint64_t *data, uint64_t *flag) {
              if (threadIdx.x == 33)
                  store_relaxed(data, 1);
              if (threadIdx.x == 0)
                  store_release(flag, 1);
          }),
          "a release covered another thread's store without a barrier");
}

TEST(own_stores_are_seen_at_once)
{
    uint64_t words[32] = {};
    bool wrong = false;
    expect("", 1, 32, 0, [&] {
        store_relaxed(&words[lane_idx()], lane_idx() + 1);
        wrong = wrong || load_relaxed(&words[lane_idx()]) != lane_idx() + 1;
        syncwarp();
        const unsigned other = (lane_idx() + 7) % 32;
        wrong = wrong || load_relaxed(&words[other]) != other + 1;
        syncwarp();
        wrong = wrong || atomic_add_relaxed(&words[lane_idx()], 1) < lane_idx() + 1;
    });
    CHECK(!wrong, "a thread did not see a store that it must see");
}

/* ------------------------------------------------------------------------------------------------ schedules */

/* The order in which the threads of several blocks come to a counter. */
static std::vector<unsigned> arrivals(uint64_t seed, uint64_t *switches)
{
    std::vector<unsigned> order;
    uint64_t counter = 0;
    simt::options how = harness::how;
    how.seed = seed;
    *switches = simt::run(how, { { 5, 64, 0,
                                   [&] {
                                       atomic_add_relaxed(&counter, 1);
                                       order.push_back(blockIdx.x * 64 + threadIdx.x);
                                       syncthreads();
                                       order.push_back(blockIdx.x * 64 + threadIdx.x);
                                   } } })
                    .switches;
    return order;
}

TEST(a_seed_replays)
{
    uint64_t switches[3];
    const std::vector<unsigned> once = arrivals(harness::how.seed, &switches[0]);
    const std::vector<unsigned> again = arrivals(harness::how.seed, &switches[1]);
    const std::vector<unsigned> other = arrivals(harness::how.seed + 3, &switches[2]);
    CHECK(once == again && switches[0] == switches[1], "the same seed gave another schedule");
    CHECK(once != other, "another seed gave the same schedule");
}
