/* SPDX-License-Identifier: MIT */
/*
 * Every planted bug of planted.cuh must be found by some schedule, the kernel without one by none.
 * Under TSan, whose reports say it, only the bugs that are races are run, one a test.
 */
#include "planted.cuh"

using namespace planted;

/* One launch on more tiles than a window has; says what went wrong, or nothing. */
template <bug which> static std::string run_once(const simt::options &how, uint64_t num_items)
{
    const item canary = { 0xcccccccc, 0xcccccccc };
    const unsigned num_tiles = (unsigned)((num_items + tile_items - 1) / tile_items);
    const std::vector<item> in = oracle::any_values<item>(num_items, how.seed);
    std::vector<item> out(num_tiles * tile_items, canary);
    std::vector<descriptor> descriptors(num_tiles);
    uint64_t ticket = 0;
    const simt::report report =
        simt::run(how, { { num_tiles, tile_items, sizeof(shared_data), [&] {
                              scan_kernel<which>(in.data(), out.data(), num_items, descriptors.data(), &ticket);
                          } } });
    if (!report.error.empty())
        return report.error;
    item sum = { 1, 0 };
    for (uint64_t i = 0; i < out.size(); ++i) {
        if (i < num_items)
            sum = oracle::compose()(sum, in[i]);
        if (!harness::same_bits(out[i], i < num_items ? sum : canary))
            return "item " + std::to_string(i) + " is wrong";
    }
    return "";
}

static simt::options schedule_of(uint64_t seed)
{
    simt::options how;
    how.seed = seed;
    how.schedule = (simt::policy)(seed % 3);
    how.resident_blocks = seed % 2 ? 40 : 3;
    how.switch_percent = seed % 5 * 20;
    return how;
}

/* The seed that first shows the bug, 0 if none of the first max_seeds does. */
template <bug which> static uint64_t first_to_show(uint64_t max_seeds, std::string *what)
{
    for (uint64_t seed = 1; seed <= max_seeds; ++seed) {
        *what = run_once<which>(schedule_of(seed), 64 * 64 - 64 + seed % 64);
        if (!what->empty())
            return seed;
    }
    return 0;
}

TEST(no_bug)
{
    std::string what;
    const uint64_t seed = first_to_show<none>(60, &what);
    CHECK(seed == 0, "seed %u without a bug: %s", (unsigned)seed, what.c_str());
}

#if defined(SIMT_TSAN)

TEST(race_plain_value)
{
    run_once<plain_value>(schedule_of(1), 640);
}

TEST(race_plain_value_no_acquire)
{
    run_once<plain_value_no_acquire>(schedule_of(1), 640);
}

TEST(race_no_barrier_before_total)
{
    run_once<no_barrier_before_total>(schedule_of(1), 640);
}

TEST(race_no_wait_for_copy)
{
    run_once<no_wait_for_copy>(schedule_of(1), 640);
}

#else

template <bug which> static void must_be_found(const char *name)
{
    std::string what;
    const uint64_t seed = first_to_show<which>(300, &what);
    CHECK(seed != 0, "%s was not found", name);
    printf("       %s: seed %u: %s\n", name, (unsigned)seed, what.substr(0, what.find('\n')).c_str());
}

TEST(planted_bugs)
{
    must_be_found<block_idx_for_ticket>("blockIdx instead of a ticket");
    must_be_found<no_barrier_after_ticket>("no barrier after the ticket");
    must_be_found<no_barrier_before_total>("no barrier before the total");
    must_be_found<no_tail_guard>("no tail guard");
    must_be_found<relaxed_flag>("relaxed flag beside a value");
    must_be_found<release_by_other>("release without the other thread's store");
    must_be_found<no_wait_for_copy>("no wait for the copy");
    must_be_found<wrong_parity>("wrong parity");
    must_be_found<swapped_operands>("swapped operands");
    must_be_found<one_window_only>("one window only");
    must_be_found<skips_a_predecessor>("predecessor skipped");
    must_be_found<wrong_mask>("wrong mask");
}

#endif
