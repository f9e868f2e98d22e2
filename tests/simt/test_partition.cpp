/* SPDX-License-Identifier: MIT */
/*
 * The partition kernels in the emulator, against a plain loop: two parts by predicate, by flags of both kinds, in two
 * outputs or one; three parts by two predicates; every size of item, alignments, outputs that are not wanted, counts in
 * memory. Where an item goes is tests/oracle.h's word.
 */
extern "C" {
#include "../oracle.h"
#include "cuda/shape.h"
#include "predicate.h"
#include "types.h"
#include "value.h"
}

#include "compaction/launch.h"
#include "compaction/partition.cuh"
#include "compaction_case.h"

using namespace onepass;

namespace
{

enum partition_kind { PREDICATE, FLAG_BYTES, FLAG_BITS, THREE_WAY };

/* One reducer, or two that must meet. */
template <typename Item, decision by>
using narrow = select_shape<Item, by, 512, 2, by == BY_FLAGS ? 2 : 1, by == BY_FLAGS ? 4 : 2, 32>;

template <typename Item, decision by> partition_instance narrow_instance()
{
    using shape = narrow<Item, by>;
    return { partition_tiles_kernel<shape>, needs_of<partition_shared<shape>, shape>(shape::tile_items) };
}

int log2_size(onepass_type type)
{
    return (int)lowest_bit((uint32_t)onepass_type_size(type));
}

template <decision by> partition_instance narrow_instance_by(onepass_type type)
{
    const partition_instance all[] = { narrow_instance<uint8_t, by>(), narrow_instance<uint16_t, by>(),
                                       narrow_instance<uint32_t, by>(), narrow_instance<uint64_t, by>() };
    return all[log2_size(type)];
}

struct partition_case {
    onepass_type type;
    partition_kind kind;
    bool single_output;
    uint64_t num_items;
    unsigned density; /* of 8: flags */
    unsigned in_shift, flag_shift, out_shift[3];
    unsigned not_wanted; /* a bit for each output */
};

partition_instance narrow_instance_of(const partition_case &c)
{
    return c.kind == PREDICATE   ? narrow_instance_by<BY_PREDICATE>(c.type)
           : c.kind == THREE_WAY ? narrow_instance_by<BY_TWO_PREDICATES>(c.type)
                                 : narrow_instance_by<BY_FLAGS>(c.type);
}

partition_instance library_instance_of(const partition_case &c)
{
    return (c.kind == PREDICATE   ? compaction_partition.by_predicate
            : c.kind == THREE_WAY ? compaction_three_way.by_size
                                  : compaction_partition.by_flags)[log2_size(c.type)];
}

partition_case any_case(partition_kind kind, uint64_t num_items, harness::random_bits &random)
{
    const onepass_type types[] = { ONEPASS_U8,  ONEPASS_I16, ONEPASS_U32, ONEPASS_I64,
                                   ONEPASS_F16, ONEPASS_F32, ONEPASS_F64, ONEPASS_I8 };
    partition_case c = {};
    c.type = types[random.next() % 8];
    c.kind = kind;
    c.single_output = kind != THREE_WAY && random.next() % 2;
    c.num_items = num_items;
    c.density = (unsigned)(random.next() % 9);
    c.in_shift = any_shift(random);
    c.flag_shift = any_shift(random);
    for (unsigned &shift : c.out_shift)
        shift = any_shift(random);
    c.not_wanted = c.single_output || random.next() % 3 ? 0 : (unsigned)(random.next() % 8);
    return c;
}

onepass_predicate any_predicate(onepass_type type, harness::random_bits &random)
{
    onepass_predicate keep = {};
    keep.kind = (onepass_predicate_kind)(1 + random.next() % ONEPASS_ZERO);
    keep.negate = random.next() % 2;
    if (oracle_is_floating(type)) {
        keep.a.f = (double)(int)(random.next() % 9) - 4;
        keep.b.f = keep.a.f + 2;
    } else {
        keep.a.i = (int64_t)(random.next() % 9) - (oracle_is_signed(type) ? 4 : 0);
        keep.b.i = keep.a.i + 2;
    }
    return keep;
}

void set_test(range_params &test, const onepass_predicate &keep, onepass_type type, uint64_t &float_key)
{
    const range_test range = range_test_of(type, &keep);
    test = { range.mask, range.low, range.span, range.negate };
    float_key = range.floating ? ((uint64_t)1 << (8 * onepass_type_size(type) - 1)) - 1 : 0;
}

void run_and_compare(const partition_case &c, const partition_instance &instance, unsigned num_blocks,
                     unsigned num_slots, harness::random_bits &random)
{
    const size_t size = onepass_type_size(c.type);
    const unsigned num_parts = c.kind == THREE_WAY ? 3 : 2;
    partition_params params = {};
    uint64_t count, num_in_part[2] = { 77, 77 };
    const uint64_t num_items = any_count(params.pipeline, c.num_items, count, random);
    const onepass_predicate keep[] = { any_predicate(c.type, random), any_predicate(c.type, random) };
    set_test(params.decision.test[0], keep[0], c.type, params.decision.float_key);
    set_test(params.decision.test[1], keep[1], c.type, params.decision.float_key);
    const bool has_flags = c.kind == FLAG_BYTES || c.kind == FLAG_BITS;
    const uint64_t num_flags = !has_flags ? 0 : c.kind == FLAG_BITS ? (c.num_items + 7) / 8 : c.num_items;
    if (has_flags) {
        params.decision.test[0].negate = random.next() % 2;
        params.decision.flags_are_bits = c.kind == FLAG_BITS;
        params.decision.flag_value = (uint8_t)(random.next() % 2 * 0xf3);
    }
    const bool negate = params.decision.test[0].negate;

    placed_bytes in(c.num_items * size, c.in_shift * size, 0), flags(num_flags, c.flag_shift, 0);
    for (uint64_t i = 0; i < c.num_items; ++i) {
        onepass_value value;
        const uint64_t draw = random.next();
        if (oracle_is_floating(c.type))
            value.f = draw >> 32 & 15 ? (double)(int)(draw % 9) - 4 : __builtin_nan("");
        else
            value.i = (int64_t)(draw % 9) - (oracle_is_signed(c.type) ? 4 : 0);
        const uint64_t bits = value_bits(c.type, value);
        memcpy(in.data + i * size, &bits, size);
    }
    for (uint64_t i = 0; i < num_flags; ++i)
        flags.data[i] = c.kind == FLAG_BITS             ? (unsigned char)(random.next() & (c.density < 4 ? 0x11 : 0xff))
                        : random.next() % 8 < c.density ? params.decision.flag_value
                                                        : (unsigned char)random.next();

    std::vector<std::vector<unsigned char>> parts(3);
    for (uint64_t i = 0; i < num_items; ++i) {
        unsigned part;
        if (c.kind == FLAG_BYTES)
            part = (flags.data[i] == params.decision.flag_value) == negate;
        else if (c.kind == FLAG_BITS)
            part = (flags.data[i / 8] >> i % 8 & 1) == negate;
        else if (oracle_keeps(c.type, &keep[0], in.data, i))
            part = 0;
        else
            part = c.kind == THREE_WAY && !oracle_keeps(c.type, &keep[1], in.data, i) ? 2 : 1;
        parts[part].insert(parts[part].end(), in.data + i * size, in.data + (i + 1) * size);
    }
    const uint64_t expected[] = { parts[0].size() / size, parts[1].size() / size };
    if (c.single_output) {
        parts[0].insert(parts[0].end(), parts[1].begin(), parts[1].end());
        parts[1].clear();
    }
    std::vector<placed_bytes> outs, expected_outs;
    outs.reserve(3); /* kernels have their addresses */
    for (unsigned i = 0; i < 3; ++i) {
        outs.emplace_back(parts[i].size(), c.out_shift[i] * size, (size_t)64);
        expected_outs.push_back(outs[i]);
        const bool is_wanted = !(c.not_wanted >> i & 1);
        std::copy(parts[i].begin(), is_wanted ? parts[i].end() : parts[i].begin(), expected_outs[i].data);
        params.out[i] = is_wanted && !(c.single_output && i == 1) ? outs[i].data : nullptr;
    }
    params.decision.in = in.data;
    params.decision.flags = has_flags ? flags.data : nullptr;
    params.num_items[0] = &num_in_part[0];
    params.num_items[1] = num_parts == 3 ? &num_in_part[1] : nullptr;
    params.single_output = c.single_output;

    std::vector<placed_bytes *> all = { &in, &flags, &outs[0], &outs[1], &outs[2] };
    for (placed_bytes *bytes : all)
        bytes->hide_surroundings();
    launch_compaction(instance, params, num_blocks, num_slots);
    for (placed_bytes *bytes : all)
        bytes->show_surroundings();

    char text[200];
    snprintf(
        text, sizeof text, "%s, kind %d%s, %llu items, density %u, shifts %u %u %u %u %u, not wanted %u; %u blocks",
        onepass_type_name(c.type), (int)c.kind, c.single_output ? ", one output" : "", (unsigned long long)num_items,
        c.density, c.in_shift, c.flag_shift, c.out_shift[0], c.out_shift[1], c.out_shift[2], c.not_wanted, num_blocks);
    for (unsigned i = 0; i + 1 < num_parts; ++i)
        CHECK(num_in_part[i] == expected[i], "%llu in part %u, not %llu: %s", (unsigned long long)num_in_part[i], i,
              (unsigned long long)expected[i], text);
    for (unsigned i = 0; i < 3; ++i)
        CHECK(outs[i].memory == expected_outs[i].memory, "part %u differs: %s", i, text);
}

const partition_kind kinds[] = { PREDICATE, FLAG_BYTES, FLAG_BITS, THREE_WAY };

} // namespace

/* Many tiles and windows, few and many blocks. */
TEST(partition_over_many_tiles)
{
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 8; ++i) {
        const uint64_t num_items = random.next() % 4 ? random.next() % 20000 : random.next() % 80000;
        const partition_case c = any_case(kinds[i % 4], num_items, random);
        run_and_compare(c, narrow_instance_of(c), 1 + (unsigned)(random.next() % 45), 2 + (unsigned)(random.next() % 3),
                        random);
    }
}

/* Every length near words, segments and tiles. */
TEST(partition_boundaries)
{
    harness::random_bits random = { harness::how.seed };
    for (uint64_t base : { 1, 32, 128, 256, 512, 1024 })
        for (uint64_t delta = 0; delta < 3; ++delta) {
            const partition_case c = any_case(kinds[random.next() % 4], base + delta - 1, random);
            run_and_compare(c, narrow_instance_of(c), 1 + (unsigned)(random.next() % 3), 2, random);
        }
}

/* Into one output: numbers of tiles that end a window and that do not, more and fewer blocks than there are tiles. */
TEST(partition_into_one_output)
{
    harness::random_bits random = { harness::how.seed };
    for (uint64_t num_tiles : { 1, 31, 32, 33, 64, 70 }) {
        partition_case c = any_case(kinds[random.next() % 3], num_tiles * 512 - random.next() % 2 * 100, random);
        c.single_output = true;
        c.not_wanted = 0;
        run_and_compare(c, narrow_instance_of(c), 1 + (unsigned)(random.next() % 80), 2, random);
    }
}

/* Pairs of counts as starts of windows, each of two descriptors: blocks that are behind find some half published. */
TEST(partition_three_ways_over_many_windows)
{
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 2; ++i) {
        partition_case c = any_case(THREE_WAY, 150000 + random.next() % 50000, random);
        c.type = ONEPASS_U8;
        run_and_compare(c, narrow_instance_of(c), 60, 4, random);
    }
}

/* The library's own kernels, every one. */
TEST(partition_kernels_of_the_library)
{
    harness::random_bits random = { harness::how.seed };
    for (const onepass_type type : { ONEPASS_I8, ONEPASS_F16, ONEPASS_F32, ONEPASS_U64 })
        for (const partition_kind kind : { PREDICATE, random.next() % 2 ? FLAG_BYTES : FLAG_BITS, THREE_WAY }) {
            partition_case c = any_case(kind, 0, random);
            c.type = type;
            const partition_instance instance = library_instance_of(c);
            c.num_items = instance.needs.tile_items * 5 / 2 - random.next() % 3000;
            run_and_compare(c, instance, 1 + (unsigned)(random.next() % 3), 2, random);
        }
}
