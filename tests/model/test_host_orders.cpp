/* SPDX-License-Identifier: MIT */
/*
 * The memory orders of the host backend's look-back, under relacy: src/host/lookback.c itself, on relacy's atomics.
 *
 * Three threads select in place: whoever publishes a tile has read its item, so whoever has seen the tile may write
 * where that item was. What is kept moves up, across tiles and windows. A launch of one thread went before, and its
 * words are still there.
 */
#include <stdatomic.h> /* the shim, before anything that could bring in the real one */

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* C's habit */
#include "host/lookback.c"

#include "search.h"

namespace
{

constexpr uint64_t num_tiles = 5, tiles_per_window = 2;
constexpr bool is_kept[num_tiles] = { false, true, false, true, true };

uint64_t add(uint64_t left, uint64_t right)
{
    return left + right;
}

struct select_in_place : rl::test_suite<select_in_place, 3> {
    static bool epochs_wrap; /* before the launch: what is left there has its epoch */
    struct lookback lookback;
    rl::var<uint64_t> items[num_tiles];

    /* Counts have both halves of their words in use. */
    static constexpr uint64_t one = UINT64_C(0x100000001);

    struct walker start()
    {
        return walker_start(&lookback, add, tiles_per_window, 0);
    }

    void before()
    {
        RL_ASSERT(lookback_create(&lookback, num_tiles));
        struct walker walker = start();
        uint64_t tile_idx;
        while (walker_draw(&walker, num_tiles, &tile_idx))
            walker_publish_and_walk(&walker, tile_idx, 7 * one);
        lookback_finish(&lookback);
        if (epochs_wrap) {
            lookback.ticket.store(ticket_pack(EPOCH_LAST, 0), rl::mo_relaxed, RL_INFO);
            lookback_finish(&lookback);
        }
        for (uint64_t i = 0; i < num_tiles; i++)
            VAR(items[i]) = i;
    }

    void thread(unsigned)
    {
        struct walker walker = start();
        uint64_t tile_idx;
        while (walker_draw(&walker, num_tiles, &tile_idx)) {
            const uint64_t item = VAR(items[tile_idx]);
            const uint64_t place = walker_publish_and_walk(&walker, tile_idx, is_kept[tile_idx] ? one : 0);
            uint64_t num_before = 0;
            for (uint64_t i = 0; i < tile_idx; i++)
                num_before += is_kept[i];
            RL_ASSERT(place == num_before * one);
            if (is_kept[tile_idx])
                VAR(items[num_before]) = item;
        }
    }

    void after()
    {
        uint64_t num_kept = 0;
        for (uint64_t i = 0; i < num_tiles; i++)
            if (is_kept[i])
                RL_ASSERT(VAR(items[num_kept++]) == i);
        struct walker walker = start();
        RL_ASSERT(walker_total(&walker, num_tiles) == num_kept * one);
        lookback_finish(&lookback);
        lookback_destroy(&lookback);
    }
};
bool select_in_place::epochs_wrap;

bool select_with(const char *name, rl::memory_order release, rl::memory_order acquire, bool epochs_wrap,
                 rl::test_result_e expected)
{
    model::release = release;
    model::acquire = acquire;
    select_in_place::epochs_wrap = epochs_wrap;
    return search<select_in_place>(name, expected, 20000); /* 0.2 s */
}

} // namespace

int main()
{
    using namespace rl;
    bool ok = select_with("as it is", mo_release, mo_acquire, false, test_result_success);
    ok &= select_with("after the epochs wrapped", mo_release, mo_acquire, true, test_result_success);
    ok &= select_with("published without release", mo_relaxed, mo_acquire, false, test_result_data_race);
    ok &= select_with("read without acquire", mo_release, mo_relaxed, false, test_result_data_race);
    return ok ? 0 : 1;
}
