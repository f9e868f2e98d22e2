/* SPDX-License-Identifier: MIT */
/*
 * The memory orders of the kernels' descriptors, under relacy: lookback/descriptors.cuh and src/descriptor.h
 * themselves, on relacy's atomics. Each of up to three threads takes a tile, publishes its aggregate and adds up those
 * before. The words of the launch before are still there.
 *
 * Then the count of finished blocks: what the last block writes, the others must have read.
 */
#include "lookback/descriptors.cuh"

#include "search.h"

namespace
{

using namespace rl;
using onepass::descriptor_image;

enum hand_over {
    one_word,      /* 32-bit values */
    two_halves,    /* 64-bit values below sm_90: each half with its own tag */
    first_half,    /* planted: the reader looks at one half's tag only */
    value_and_tag, /* planted: the layout of 16-byte accesses, in two accesses */
    value_apart,   /* values of 24 bytes, beside their words */
    not_released,  /* planted: the word stored relaxed */
    not_acquired,  /* planted: the word read relaxed */
};

struct publish_and_add : test_suite<publish_and_add, 3> {
    static hand_over how;
    static unsigned num_tiles;
    static constexpr uint32_t epoch = 5;
    static constexpr uint64_t one = UINT64_C(0x100000001); /* both halves of a 64-bit value count */

    atomic<uint64_t> words[model::num_words];
    atomic<uint64_t> tickets;
    var<uint64_t> wide_values[model::num_wide_values];

    void publish(unsigned tile_idx, uint64_t value, uint32_t in_epoch)
    {
        uint64_t *aggregates = model::addresses;
        if (how == one_word) {
            onepass::publish(aggregates, tile_idx, (uint32_t)value, in_epoch, STATUS_A);
        } else if (how < value_apart) {
            onepass::publish(aggregates, tile_idx, value, in_epoch, STATUS_A);
        } else {
            onepass::publish(aggregates, tile_idx, model::wide_value(value), in_epoch, STATUS_A);
        }
    }

    uint64_t wait(unsigned tile_idx)
    {
        const uint64_t *aggregates = model::addresses;
        if (how == one_word)
            return onepass::wait_for_descriptor<uint32_t>(aggregates, tile_idx, epoch) * one;
        if (how == first_half) {
            descriptor_image<uint64_t> image;
            do
                image = onepass::read_descriptor<uint64_t>(aggregates, tile_idx);
            while (descriptor_status(image.x, epoch) == STATUS_X);
            return image.value();
        }
        if (how < value_apart)
            return onepass::wait_for_descriptor<uint64_t>(aggregates, tile_idx, epoch);
        return onepass::wait_for_descriptor<model::wide_value>(aggregates, tile_idx, epoch).number;
    }

    void before()
    {
        model::words = words;
        model::launch_epoch = epoch;
        model::wide_values = wide_values;
        model::release = how == not_released ? mo_relaxed : mo_release;
        model::acquire = how == not_acquired ? mo_relaxed : mo_acquire;
        onepass::has_relaxed_128 = how == value_and_tag;
        for (atomic<uint64_t> &word : words)
            word.store(0, mo_relaxed, RL_INFO);
        for (unsigned i = 0; i < num_tiles; i++)
            publish(i, 7 * one, epoch - 1);
        tickets.store(ticket_pack(epoch, 0), mo_relaxed, RL_INFO);
    }

    void thread(unsigned idx)
    {
        if (idx >= num_tiles)
            return;
        const uint64_t ticket = tickets.fetch_add(1, mo_relaxed, RL_INFO);
        const unsigned tile_idx = (unsigned)ticket_tile_idx(ticket);
        RL_ASSERT(ticket_epoch(ticket) == epoch);
        publish(tile_idx, one << tile_idx, epoch);
        uint64_t sum = 0;
        for (unsigned i = 0; i < tile_idx; i++)
            sum += wait(i);
        RL_ASSERT(sum == ((1u << tile_idx) - 1) * one);
    }
};
hand_over publish_and_add::how;
unsigned publish_and_add::num_tiles;

/* The end of a launch: a block has read the number of items and left a result; the last block to finish reads all
 * results and writes their sum where the number of items was. */
struct count_finished : test_suite<count_finished, 3> {
    static rl::memory_order order;
    atomic<unsigned> num_finished;
    var<unsigned> count, results[3];

    void before()
    {
        num_finished.store(0, mo_relaxed, RL_INFO);
        VAR(count) = 2;
    }

    void thread(unsigned idx)
    {
        VAR(results[idx]) = VAR(count) + idx;
        if (num_finished.fetch_add(1, order, RL_INFO) == 2)
            VAR(count) = VAR(results[0]) + VAR(results[1]) + VAR(results[2]);
    }

    void after()
    {
        RL_ASSERT(VAR(count) == 9);
    }
};
rl::memory_order count_finished::order;

bool hand_over_by(const char *name, hand_over how, unsigned num_tiles, iteration_t num_schedules,
                  test_result_e expected = test_result_success)
{
    publish_and_add::how = how;
    publish_and_add::num_tiles = num_tiles;
    return search<publish_and_add>(name, expected, num_schedules);
}

bool count_with(const char *name, rl::memory_order order, test_result_e expected)
{
    count_finished::order = order;
    return search<count_finished>(name, expected, 0);
}

} // namespace

int main()
{
    bool ok = hand_over_by("one relaxed word, three tiles", one_word, 3, 0);
    ok &= hand_over_by("two relaxed halves, two tiles", two_halves, 2, 0);
    ok &= hand_over_by("two relaxed halves, three tiles", two_halves, 3, 100000);
    ok &= hand_over_by("tag of one half", first_half, 2, 0, test_result_user_assert_failed);
    ok &= hand_over_by("value and tag in two accesses", value_and_tag, 2, 0, test_result_user_assert_failed);
    ok &= hand_over_by("value apart, word released and acquired", value_apart, 3, 0);
    ok &= hand_over_by("value apart, word not released", not_released, 3, 0, test_result_data_race);
    ok &= hand_over_by("value apart, word not acquired", not_acquired, 3, 0, test_result_data_race);
    ok &= count_with("finished blocks, acq_rel", mo_acq_rel, test_result_success);
    ok &= count_with("finished blocks, release", mo_release, test_result_data_race);
    ok &= count_with("finished blocks, acquire", mo_acquire, test_result_data_race);
    ok &= count_with("finished blocks, relaxed", mo_relaxed, test_result_data_race);
    return ok ? 0 : 1;
}
