/* SPDX-License-Identifier: MIT */
/*
 * The kernels that keep the heads of runs, in the emulator, against a plain loop: every size of item, floating types
 * with many NaNs and both zeros, runs from one item to many tiles, in place, capacities, indices, counts in memory.
 */
extern "C" {
#include "../oracle.h"
#include "cuda/shape.h"
#include "types.h"
}

#include "compaction/launch.h"
#include "compaction/select.cuh"
#include "compaction_case.h"

using namespace onepass;

namespace
{

/* One reducer, or two that must meet. */
template <typename Item> using narrow = select_shape<Item, BY_HEADS, 512, 2, sizeof(Item) < 4 ? 1 : 2, 4, 32>;

template <typename Shape> select_instance narrow_instance()
{
    return { select_tiles_kernel<Shape>, needs_of<select_shared<Shape>, Shape>(Shape::tile_items) };
}

int log2_size(onepass_type type)
{
    return (int)lowest_bit((uint32_t)onepass_type_size(type));
}

select_instance narrow_instance_of(onepass_type type)
{
    const select_instance all[] = { narrow_instance<narrow<uint8_t>>(), narrow_instance<narrow<uint16_t>>(),
                                    narrow_instance<narrow<uint32_t>>(), narrow_instance<narrow<uint64_t>>() };
    return all[log2_size(type)];
}

uint64_t infinity_of(onepass_type type)
{
    switch (type) {
    case ONEPASS_F16:
        return 0x7c00;
    case ONEPASS_BF16:
        return 0x7f80;
    case ONEPASS_F32:
        return 0x7f800000;
    case ONEPASS_F64:
        return 0x7ff0000000000000;
    default:
        return 0;
    }
}

/* Few values that are near each other. In floating types zeros, infinities and NaNs, of either sign. */
uint64_t any_item(onepass_type type, uint64_t random)
{
    const uint64_t infinity = infinity_of(type), sign = (uint64_t)1 << (8 * onepass_type_size(type) - 1);
    if (infinity == 0)
        return random % 3 == 0 ? sign : random % 3;
    const uint64_t magnitudes[] = { 0, 1, infinity - 1, infinity, infinity + 1, infinity + 2 };
    return magnitudes[random % 6] | (random / 6 % 2 ? sign : 0);
}

bool is_head(onepass_type type, const unsigned char *items, uint64_t i)
{
    if (i == 0)
        return true;
    const onepass_value a = oracle_load(type, items, i - 1), b = oracle_load(type, items, i);
    if (oracle_is_floating(type))
        return a.f != b.f && !(a.f != a.f && b.f != b.f);
    return a.u != b.u;
}

struct unique_case {
    onepass_type type;
    uint64_t num_items, mean_run;
    bool in_place, wants_items;
    unsigned index_size;
    uint64_t capacity;
    unsigned in_shift, out_shift;
    unsigned num_payloads;
};

unique_case any_case(uint64_t num_items, harness::random_bits &random)
{
    const onepass_type types[] = { ONEPASS_U8,  ONEPASS_I16, ONEPASS_U32, ONEPASS_I64,
                                   ONEPASS_F16, ONEPASS_F32, ONEPASS_F64, ONEPASS_BF16 };
    const uint64_t runs[] = { 1, 2, 8, 64, 1024, 1000000 };
    unique_case c = {};
    c.type = types[random.next() % 8];
    c.num_items = num_items;
    c.mean_run = runs[random.next() % 6];
    c.index_size = (unsigned)(random.next() % 3 * 4);
    c.wants_items = c.index_size == 0 || random.next() % 3 != 0;
    c.in_place = c.wants_items && random.next() % 3 == 0;
    c.capacity = random.next() % 3 ? num_items : random.next() % (num_items + 1);
    c.in_shift = any_shift(random);
    c.out_shift = c.in_place ? c.in_shift : any_shift(random);
    return c;
}

void run_and_compare(const unique_case &c, const select_instance &instance, unsigned num_blocks, unsigned num_slots,
                     harness::random_bits &random)
{
    const size_t size = onepass_type_size(c.type);
    placed_bytes in(c.num_items * size, c.in_shift * size, c.in_place ? 64 : 0);
    placed_bytes out(c.capacity * size, c.out_shift * size, 64), indices(c.capacity * c.index_size, 0, 64);
    /* Where there are no runs, neighbours differ, perhaps but for one pair. A first item like fresh shared memory. */
    uint64_t bits = 0xa5a5a5a5a5a5a5a5;
    for (uint64_t i = 0; i < c.num_items; ++i) {
        const uint64_t draw = random.next();
        if (c.mean_run <= 1)
            bits = i % 251 - (c.mean_run == 0 && i == 100);
        else if (draw % c.mean_run == 0 || (infinity_of(c.type) != 0 && draw >> 40 & 1))
            bits = any_item(c.type, random.next());
        memcpy(in.data + i * size, &bits, size);
    }
    if (c.in_place)
        out = in;
    placed_bytes expected_out = out, expected_indices = indices;

    select_params params = {};
    uint64_t count, num_selected = 77, expected_selected = 0;
    const uint64_t num_items = any_count(params.pipeline, c.num_items, count, random);
    for (uint64_t i = 0; i < num_items; ++i) {
        if (!is_head(c.type, in.data, i))
            continue;
        if (expected_selected < c.capacity) {
            memcpy(expected_out.data + expected_selected * size, in.data + i * size, c.wants_items ? size : 0);
            memcpy(expected_indices.data + expected_selected * c.index_size, &i, c.index_size);
        }
        ++expected_selected;
    }

    params.decision.in = c.in_place ? out.data : in.data;
    params.decision.infinity = infinity_of(c.type);
    params.decision.in_place = c.in_place;
    params.out = c.wants_items ? out.data : nullptr;
    params.out_indices = c.index_size ? indices.data : nullptr;
    params.wide_indices = c.index_size == 8;
    params.capacity = c.capacity;
    params.num_selected = &num_selected;
    std::vector<placed_bytes *> all = { &in, &out, &indices };
    std::vector<placed_bytes> payloads; /* of each array what it is, what it becomes, and what it should become */
    payloads.reserve(3 * SELECT_MAX_PAYLOADS); /* kernels have their addresses */
    for (unsigned i = 0; i < c.num_payloads; ++i) {
        const size_t item_bytes = (size_t)1 << random.next() % 4;
        payloads.emplace_back(c.num_items * item_bytes, any_shift(random) * item_bytes, (size_t)0);
        payloads.emplace_back(c.capacity * item_bytes, any_shift(random) * item_bytes, (size_t)64);
        placed_bytes &from = payloads[3 * i], &to = payloads[3 * i + 1];
        payloads.push_back(to);
        for (size_t j = 0; j < from.size; ++j)
            from.data[j] = (unsigned char)random.next();
        uint64_t place = 0;
        for (uint64_t j = 0; j < num_items && place < c.capacity; ++j)
            if (is_head(c.type, in.data, j))
                memcpy(payloads[3 * i + 2].data + place++ * item_bytes, from.data + j * item_bytes, item_bytes);
        params.payloads[i] = { from.data, to.data, (uint32_t)item_bytes };
        all.push_back(&from);
        all.push_back(&to);
    }
    params.num_payloads = (uint8_t)c.num_payloads;
    for (placed_bytes *bytes : all)
        bytes->hide_surroundings();
    launch_compaction(instance, params, num_blocks, num_slots);
    for (placed_bytes *bytes : all)
        bytes->show_surroundings();

    char text[200];
    snprintf(text, sizeof text,
             "%s, %llu items, runs of %llu, capacity %llu, items %d%s, indices %u, shifts %u %u; %u blocks",
             onepass_type_name(c.type), (unsigned long long)num_items, (unsigned long long)c.mean_run,
             (unsigned long long)c.capacity, c.wants_items, c.in_place ? " in place" : "", c.index_size, c.in_shift,
             c.out_shift, num_blocks);
    CHECK(num_selected == expected_selected, "%llu heads, not %llu: %s", (unsigned long long)num_selected,
          (unsigned long long)expected_selected, text);
    CHECK(out.memory == expected_out.memory || !c.wants_items, "items differ: %s", text);
    CHECK(indices.memory == expected_indices.memory, "indices differ: %s", text);
    for (unsigned i = 0; i < c.num_payloads; ++i)
        CHECK(payloads[3 * i + 1].memory == payloads[3 * i + 2].memory, "payload %u differs: %s", i, text);
}

} // namespace

/* Many tiles and windows, few and many blocks. */
TEST(unique_over_many_tiles)
{
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 8; ++i) {
        const unique_case c = any_case(random.next() % 4 ? random.next() % 20000 : random.next() % 80000, random);
        run_and_compare(c, narrow_instance_of(c.type), 1 + (unsigned)(random.next() % 45),
                        2 + (unsigned)(random.next() % 3), random);
    }
}

/* Every length near words, segments and tiles. */
TEST(unique_boundaries)
{
    harness::random_bits random = { harness::how.seed };
    for (uint64_t base : { 1, 32, 128, 256, 512, 1024 })
        for (uint64_t delta = 0; delta < 3; ++delta) {
            const unique_case c = any_case(base + delta - 1, random);
            run_and_compare(c, narrow_instance_of(c.type), 1 + (unsigned)(random.next() % 3), 2, random);
        }
}

/* In place by many blocks: nothing moves, all moves by one item, tiles write far from where they were read. */
TEST(unique_in_place)
{
    harness::random_bits random = { harness::how.seed };
    for (uint64_t mean_run : { 0, 1, 2, 64 }) {
        unique_case c = any_case(20000 + random.next() % 20000, random);
        c.mean_run = mean_run;
        c.wants_items = c.in_place = true;
        c.out_shift = c.in_shift;
        c.capacity = c.num_items;
        run_and_compare(c, narrow_instance_of(c.type), 30, 3, random);
    }
}

/* Other arrays, of items of any size, go with what is kept; with items or indices or neither. */
TEST(unique_moves_payloads)
{
    harness::random_bits random = { harness::how.seed };
    for (unsigned num_payloads : { 1, 2, 3, (int)SELECT_MAX_PAYLOADS }) {
        unique_case c = any_case(random.next() % 6000, random);
        c.num_payloads = num_payloads;
        c.in_place = false;
        run_and_compare(c, narrow_instance_of(c.type), 1 + (unsigned)(random.next() % 8), 2, random);
    }
}

/* The library's own kernels, every one. */
TEST(unique_kernels_of_the_library)
{
    harness::random_bits random = { harness::how.seed };
    for (const onepass_type type : { ONEPASS_I8, ONEPASS_F16, ONEPASS_F32, ONEPASS_U64 }) {
        const select_instance &instance = compaction_unique.by_size[log2_size(type)];
        unique_case c = any_case(instance.needs.tile_items * 5 / 2 - random.next() % 3000, random);
        c.type = type;
        c.capacity = c.num_items;
        run_and_compare(c, instance, 1 + (unsigned)(random.next() % 3), 3, random);
    }
}
