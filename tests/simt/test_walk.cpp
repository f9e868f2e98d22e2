/* SPDX-License-Identifier: MIT */
/*
 * The look-back walk by itself: one warp walks, another plays all other blocks of the grid and publishes, in any order.
 *
 * So the walk can be put where a whole kernel seldom brings it: many windows behind, with starts that are published
 * near, far or nowhere, and descriptors of the epoch before lying about. The operators do not commute; the words of
 * starts begin where their memory begins, so that ASan sees a look before the first; and values are of every layout.
 */
#include "descriptor_memory.h"
#include "oracle.h"

#include "lookback/walk.cuh"

#include <algorithm>

using namespace onepass;

namespace
{

constexpr uint32_t epoch = 7;

/* Everything lies in arrays of the test; words: what is published, tiles first and then starts. */
template <typename T> struct walk_case {
    const T *aggregates, *window_starts; /* start w: of window w + 1 */
    const uint64_t *words, *stops;
    uint64_t num_words, num_before, num_stops, num_tiles;
    uint64_t *d_aggregates, *d_starts;
    T start;
    T *prefixes; /* one a stop, and the total after the last tile */
};

template <typename T, unsigned window_tiles> struct walk_shared {
    T block_sums[window_tiles];
};

template <typename T> void publish_word(const walk_case<T> &c, uint64_t word)
{
    if (word < c.num_tiles)
        publish(c.d_aggregates, word, c.aggregates[word], epoch, STATUS_A);
    else
        publish(c.d_starts, word - c.num_tiles, c.window_starts[word - c.num_tiles], epoch, STATUS_P);
}

template <typename T, typename Op, unsigned window_tiles> __global__ void walk_kernel(walk_case<T> c)
{
    auto &shared = shared_memory<walk_shared<T, window_tiles>>();
    if (threadIdx.x == warp_threads)
        for (uint64_t i = 0; i < c.num_before; ++i)
            publish_word(c, c.words[i]);
    syncthreads(); /* these are there when the walk begins */
    if (threadIdx.x == warp_threads)
        for (uint64_t i = c.num_before; i < c.num_words; ++i)
            publish_word(c, c.words[i]);
    if (warp_idx() == 0) {
        walker<T, Op, window_tiles> walk(c.d_aggregates, c.d_starts, shared.block_sums, c.start);
        walk.epoch = epoch;
        for (uint64_t i = 0; i < c.num_stops; ++i) {
            const T prefix = walk.exclusive_prefix(c.stops[i]);
            if (lane_idx() == i % warp_threads) /* every lane has it */
                c.prefixes[i] = prefix;
        }
        const T total = walk.total_after(c.num_tiles - 1);
        if (lane_idx() == 31)
            c.prefixes[c.num_stops] = total;
    }
}

/* Rising tiles: neighbours, ends and beginnings of windows, and leaps over many windows. */
std::vector<uint64_t> any_stops(uint64_t num_tiles, unsigned window_tiles, harness::random_bits &random)
{
    std::vector<uint64_t> stops;
    for (uint64_t tile = random.next() % 3; tile < num_tiles - 1;) {
        stops.push_back(tile);
        const uint64_t most[] = { 1, 3, 2 * window_tiles, 80 * window_tiles };
        tile += 1 + random.next() % most[random.next() % 4];
        if (random.next() % 3 == 0)
            tile = (tile + window_tiles - 1) / window_tiles * window_tiles - random.next() % 2;
        tile = std::max(tile, stops.back() + 1);
    }
    return stops;
}

/* Each start is published by somebody else with a chance of starts_in / 64. */
template <typename T, typename Op, unsigned window_tiles, typename Combine>
void check_walk(Combine combine, uint64_t num_windows, unsigned starts_in, harness::random_bits &random)
{
    const uint64_t num_tiles = num_windows * window_tiles - random.next() % window_tiles;
    const std::vector<T> aggregates = oracle::any_values<T>(num_tiles, random.next());
    const T start = oracle::any_value<T>(random);
    std::vector<T> inclusive(num_tiles), window_starts(num_windows);
    T sum = start;
    for (uint64_t i = 0; i < num_tiles; ++i) {
        sum = inclusive[i] = combine(sum, aggregates[i]);
        window_starts[i / window_tiles] = sum;
    }
    std::vector<uint64_t> words(num_tiles);
    for (uint64_t i = 0; i < num_tiles; ++i)
        words[i] = i;
    for (uint64_t w = 0; w + 1 < num_windows; ++w)
        if (random.next() % 64 < starts_in)
            words.push_back(num_tiles + w);
    for (uint64_t i = words.size(); i > 1; --i)
        std::swap(words[i - 1], words[random.next() % i]);

    const std::vector<uint64_t> stops = any_stops(num_tiles, window_tiles, random);
    const uint64_t stale = descriptor_pack(0x12345678, epoch - 1, STATUS_P);
    descriptor_memory<T> d_aggregates(num_tiles, stale), d_starts(num_windows, stale);
    std::vector<T> prefixes(stops.size() + 1);
    walk_case<T> c = { aggregates.data(),
                       window_starts.data(),
                       words.data(),
                       stops.data(),
                       words.size(),
                       0,
                       stops.size(),
                       num_tiles,
                       d_aggregates.descriptors(),
                       d_starts.descriptors(),
                       start,
                       prefixes.data() };
    c.num_before = random.next() % 3 == 0 ? words.size() : random.next() % words.size();
    harness::launch(walk_kernel<T, Op, window_tiles>, 1, 64, sizeof(walk_shared<T, window_tiles>), c);
    for (uint64_t i = 0; i < stops.size(); ++i) {
        const T expected = stops[i] == 0 ? start : inclusive[stops[i] - 1];
        CHECK(harness::same_bits(prefixes[i], expected), "tile %llu of %llu in windows of %u, %u/64 of the starts",
              (unsigned long long)stops[i], (unsigned long long)num_tiles, window_tiles, starts_in);
    }
    CHECK(harness::same_bits(prefixes[stops.size()], sum),
          "the total of %llu tiles in windows of %u, %u/64 of the starts", (unsigned long long)num_tiles, window_tiles,
          starts_in);
}

template <unsigned window_tiles> void check_walks(uint64_t max_windows, unsigned starts_in)
{
    harness::random_bits random = { harness::how.seed };
    const uint64_t num_windows = 1 + random.next() % max_windows;
    check_walk<oracle::affine, op_compose, window_tiles>(oracle::compose(), num_windows, starts_in, random);
    check_walk<oracle::wide_affine, op_compose_wide, window_tiles>(oracle::compose(), num_windows, starts_in, random);
    check_walk<uint32_t, op_SUM<uint32_t>, window_tiles>(oracle::operator_of<ONEPASS_SUM>(), num_windows, starts_in,
                                                         random);
}

} // namespace

TEST(no_starts_but_its_own)
{
    check_walks<32>(5, 0);
    check_walks<128>(5, 0);
}

TEST(starts_now_and_then)
{
    check_walks<32>(150, 1);
}

TEST(starts_often)
{
    check_walks<32>(150, 16);
    check_walks<64>(20, 32);
}

TEST(all_starts)
{
    check_walks<32>(150, 64);
}
