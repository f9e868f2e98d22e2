/* SPDX-License-Identifier: MIT */
/*
 * The wrappers that order memory, each in the smallest program that needs it: hand-over between blocks, tickets, the
 * last block, whole 128-bit words, a ring of slots filled by asynchronous copies.
 */
#include "oracle.h"

using namespace onepass;

struct block_shared {
    uint64_t ticket;
    uint64_t value;
};

enum hand_over { by_release, by_fence, by_word, by_pair };

/* Where blocks leave what the next one waits for. */
struct chain_memory {
    u64x2 pairs[64];
    uint64_t payload[64];
    uint64_t words[64];
    uint64_t notes[64];
    uint64_t ticket, finished, total;
};

/* Waits for what link `link` left, and returns its payload. */
template <hand_over how> ONEPASS_DEVICE uint64_t take(chain_memory *memory, uint64_t link)
{
    if constexpr (how == by_release) {
        while (load_acquire(&memory->words[link]) == 0) /* pairs with the store_release in leave */
            sleep_ns(20);
        return memory->payload[link];
    } else if constexpr (how == by_fence) {
        while (load_relaxed(&memory->words[link]) == 0)
            sleep_ns(20);
        fence_acq_rel(); /* pairs with the fence in leave */
        return memory->payload[link];
    } else if constexpr (how == by_word) {
        uint64_t word;
        while ((word = load_relaxed(&memory->words[link])) == 0)
            sleep_ns(20);
        return word;
    } else {
        u64x2 pair;
        while ((pair = load_relaxed_128(&memory->pairs[link])).x == 0)
            sleep_ns(20);
        return pair.x == ~pair.y ? pair.x : 0; /* a torn pair breaks the chain */
    }
}

template <hand_over how> ONEPASS_DEVICE void leave(chain_memory *memory, uint64_t link, uint64_t value)
{
    if constexpr (how == by_release) {
        memory->payload[link] = value;
        store_release(&memory->words[link], 1);
    } else if constexpr (how == by_fence) {
        memory->payload[link] = value;
        fence_acq_rel();
        store_relaxed(&memory->words[link], 1);
    } else if constexpr (how == by_word) {
        store_relaxed(&memory->words[link], value);
    } else {
        store_relaxed_128(&memory->pairs[link], { value, ~value });
    }
}

/* Block with ticket i adds i + 1 to what the block before it left; the last block to finish adds everything up. */
template <hand_over how> __global__ void chain_kernel(chain_memory *memory)
{
    block_shared &shared = shared_memory<block_shared>();
    if (threadIdx.x == 0) {
        shared.ticket = atomic_add_relaxed(&memory->ticket, 1);
        const uint64_t before = shared.ticket == 0 ? 1000 : take<how>(memory, shared.ticket - 1);
        shared.value = before + shared.ticket + 1;
        leave<how>(memory, shared.ticket, shared.value);
    }
    syncthreads(); /* publishes ticket and value */
    if (threadIdx.x == 1)
        memory->notes[shared.ticket] = shared.value;
    syncthreads(); /* what thread 1 stored is now known to thread 0, whose release covers it */
    if (threadIdx.x == 0 && atomic_add_acq_rel(&memory->finished, 1) == gridDim.x - 1)
        for (unsigned i = 0; i < gridDim.x; ++i)
            memory->total += memory->notes[i];
}

template <hand_over how> static void check_chain(const char *name)
{
    harness::device_array<chain_memory> d_memory((std::vector<chain_memory>(1)));
    const unsigned num_blocks = 50;
    harness::launch(chain_kernel<how>, num_blocks, 64, sizeof(block_shared), d_memory.data());
    const chain_memory memory = d_memory.host()[0];
    uint64_t value = 1000, total = 0;
    for (unsigned i = 0; i < num_blocks; ++i)
        total += value += i + 1;
    CHECK(memory.total == total, "%s: %llu, not %llu", name, (unsigned long long)memory.total,
          (unsigned long long)total);
}

TEST(blocks_hand_over)
{
    check_chain<by_release>("store_release, load_acquire");
    check_chain<by_fence>("fences");
    check_chain<by_word>("one relaxed word");
    if (harness::plays_sm90)
        check_chain<by_pair>("one relaxed pair");
}

/* ---------------------------------------------------------------------------------------------------- copies */

constexpr unsigned slots = 3, tile_bytes = 512, consumers = 2; /* consumers: warps */

struct ring_shared {
    unsigned char slot[slots][tile_bytes];
    mbarrier full[slots], empty[slots];
};

/* The first warp fills slots, by bulk copies or by cp.async; the others sum their bytes. The tail of each tile comes by
 * ordinary stores, as ragged ends do. */
template <bool bulk> __global__ void ring_kernel(const unsigned char *in, unsigned *sums, unsigned num_tiles)
{
    ring_shared &shared = shared_memory<ring_shared>();
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < slots; ++s) {
            mbar_init(&shared.full[s], bulk ? 1 : 64); /* cp.async: each lane's copies, and each lane's stores */
            mbar_init(&shared.empty[s], consumers);
        }
        fence_mbar_init();
    }
    syncthreads(); /* publishes the barriers */
    for (unsigned tile = 0; tile < num_tiles; ++tile) {
        const unsigned s = tile % slots, round = tile / slots;
        unsigned char *slot = shared.slot[s];
        const unsigned char *src = in + tile * tile_bytes;
        if (warp_idx() == 0) {
            if (round > 0)
                mbar_wait(&shared.empty[s], (round - 1) & 1); /* acquires from the consumers' arrivals */
            if (bulk) {
                if (lane_idx() < 16)
                    slot[tile_bytes - 16 + lane_idx()] = src[tile_bytes - 16 + lane_idx()];
                syncwarp(); /* the stores are ordered before lane 0's arrival */
                if (lane_idx() == 0) {
                    mbar_arrive_expect_tx(&shared.full[s], tile_bytes - 16);
                    bulk_load(slot, src, tile_bytes - 16, &shared.full[s]);
                }
            } else {
                if (lane_idx() < 31)
                    cp_async_16(slot + lane_idx() * 16, src + lane_idx() * 16);
                cp_async_mbar_arrive(&shared.full[s]);
                if (lane_idx() < 16)
                    slot[tile_bytes - 16 + lane_idx()] = src[tile_bytes - 16 + lane_idx()];
                mbar_arrive(&shared.full[s]); /* releases the stores */
            }
        } else {
            mbar_wait(&shared.full[s], round & 1); /* acquires the copied bytes and the stores */
            unsigned sum = 0;
            for (unsigned i = lane_idx(); i < tile_bytes; i += 32)
                sum += slot[i] * (i + 1);
            sum = warp_reduce(sum, op_SUM<unsigned>());
            fence_proxy_async();
            syncwarp(); /* all lanes have read before one arrives */
            if (lane_idx() == 0) {
                sums[tile * consumers + warp_idx() - 1] = sum;
                mbar_arrive(&shared.empty[s]);
            }
        }
    }
}

template <bool bulk> static void check_ring(const char *name)
{
    const unsigned num_tiles = 11;
    const std::vector<unsigned char> in = oracle::any_values<unsigned char>(num_tiles * tile_bytes, 3);
    harness::device_array<unsigned char> d_in(in);
    harness::device_array<unsigned> d_sums(std::vector<unsigned>(num_tiles * consumers));
    harness::launch(ring_kernel<bulk>, 1, 32 * (1 + consumers), sizeof(ring_shared), (const unsigned char *)d_in.data(),
                    d_sums.data(), num_tiles);
    const std::vector<unsigned> sums = d_sums.host();
    for (unsigned tile = 0; tile < num_tiles; ++tile) {
        unsigned sum = 0;
        for (unsigned i = 0; i < tile_bytes; ++i)
            sum += in[tile * tile_bytes + i] * (i + 1);
        for (unsigned c = 0; c < consumers; ++c)
            CHECK(sums[tile * consumers + c] == sum, "%s: tile %u, consumer %u", name, tile, c);
    }
}

TEST(ring_of_copies)
{
    if (harness::plays_sm90)
        check_ring<true>("bulk copies");
    check_ring<false>("cp.async");
}

/* ------------------------------------------------------------------------------------------------------ bits */

constexpr unsigned bit_results = 11;

__global__ void bits_kernel(const uint32_t *a, const uint32_t *b, uint32_t *out)
{
    const uint32_t x = a[threadIdx.x], y = b[threadIdx.x];
    const uint32_t results[bit_results] = { popc(x),
                                            popc((uint64_t)x << 32 | y),
                                            lowest_bit(x),
                                            highest_bit(x),
                                            byte_perm(x, y, y),
                                            dp4a(x, y, y),
                                            (uint32_t)dp4a((int32_t)x, (int32_t)y, (int32_t)y),
                                            funnel_right(x, y, y),
                                            funnel_left(x, y, y),
                                            redux_add(x) + redux_min(x) + redux_max(x) + redux_and(x) + redux_or(x) +
                                                redux_xor(x),
                                            (uint32_t)redux_min((int32_t)x) + (uint32_t)redux_max((int32_t)x) };
    for (unsigned i = 0; i < bit_results; ++i)
        out[threadIdx.x * bit_results + i] = results[i];
}

TEST(bits_and_bytes)
{
    std::vector<uint32_t> a = oracle::any_values<uint32_t>(32, 1), b = oracle::any_values<uint32_t>(32, 2);
    for (uint32_t &x : a)
        x |= 0x10; /* lowest_bit and highest_bit are for numbers that are not 0 */
    harness::device_array<uint32_t> d_a(a), d_b(b), d_out(std::vector<uint32_t>(32 * bit_results));
    harness::launch(bits_kernel, 1, 32, 0, (const uint32_t *)d_a.data(), (const uint32_t *)d_b.data(), d_out.data());
    const std::vector<uint32_t> out = d_out.host();
    uint32_t sum = 0, all = ~0u, any = 0, odd = 0, low = ~0u, high = 0;
    int32_t signed_low = INT32_MAX, signed_high = INT32_MIN;
    for (uint32_t x : a) {
        sum += x, all &= x, any |= x, odd ^= x;
        low = x < low ? x : low, high = x > high ? x : high;
        signed_low = (int32_t)x < signed_low ? (int32_t)x : signed_low;
        signed_high = (int32_t)x > signed_high ? (int32_t)x : signed_high;
    }
    for (unsigned i = 0; i < 32; ++i) {
        const uint32_t x = a[i], y = b[i];
        uint32_t expected[bit_results] = {};
        unsigned char bytes[8];
        memcpy(bytes, &x, 4);
        memcpy(bytes + 4, &y, 4);
        for (unsigned bit = 0; bit < 32; ++bit) {
            expected[0] += x >> bit & 1;
            expected[1] += (x >> bit & 1) + (y >> bit & 1);
            if (x >> bit & 1)
                expected[3] = bit;
            if (x >> (31 - bit) & 1)
                expected[2] = 31 - bit;
        }
        expected[5] = expected[6] = y;
        for (unsigned k = 0; k < 4; ++k) {
            expected[4] |= (uint32_t)bytes[y >> 4 * k & 7] << 8 * k;
            expected[5] += (uint32_t)bytes[k] * bytes[k + 4];
            expected[6] += (uint32_t)((signed char)bytes[k] * (signed char)bytes[k + 4]);
        }
        expected[7] = y % 32 ? x >> y % 32 | y << (32 - y % 32) : x;
        expected[8] = y % 32 ? y << y % 32 | x >> (32 - y % 32) : y;
        expected[9] = sum + low + high + all + any + odd;
        expected[10] = (uint32_t)signed_low + (uint32_t)signed_high;
        for (unsigned k = 0; k < bit_results; ++k)
            CHECK(out[i * bit_results + k] == expected[k], "result %u of lane %u: %08x, not %08x", k, i,
                  out[i * bit_results + k], expected[k]);
    }
}
