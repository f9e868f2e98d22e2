/* SPDX-License-Identifier: MIT */
/*
 * The selection kernels in the emulator against the oracle of tests/oracle.h: narrow shapes, so that many tiles and
 * windows fit into a test, and the library's own. Predicates, flags, heads; selected and rejected items, indices,
 * payload; capacities, counts in memory, in place, every alignment. The way from a call to a kernel's parameters is the
 * library's (src/cuda/select.c).
 */
extern "C" { /* first of all, so that what it declares has the linkage of C */
#include "../oracle.h"
#include "cuda/select.h"
#include "predicate.h"
#include "value.h"
}

#include "compaction/launch.h"
#include "compaction/select.cuh"
#include "harness.h"
#include "workspace.h"

using namespace onepass;

namespace
{

/* One reducer, or two that must meet. */
template <typename Item, select_decider decider>
using narrow =
    select_shape<Item, decider, 512, 2, decider != SELECT_BY_ITEM ? 2 : 1, decider != SELECT_BY_ITEM ? 4 : 2, 32>;

template <typename Shape> select_instance narrow_instance()
{
    return { select_tiles_kernel<Shape>, needs_of<select_shared<Shape>, Shape>(Shape::tile_items) };
}

template <typename Item> select_instance narrow_instance_by(select_decider decider)
{
    switch (decider) {
    case SELECT_BY_ITEM:
        return narrow_instance<narrow<Item, SELECT_BY_ITEM>>();
    case SELECT_BY_FLAG:
        return narrow_instance<narrow<Item, SELECT_BY_FLAG>>();
    case SELECT_BY_FLAG_BIT:
        return narrow_instance<narrow<Item, SELECT_BY_FLAG_BIT>>();
    default:
        return narrow_instance<narrow<Item, SELECT_BY_HEAD>>();
    }
}

select_instance narrow_instance_of(size_t size, select_decider decider)
{
    switch (size) {
    case 1:
        return narrow_instance_by<uint8_t>(decider);
    case 2:
        return narrow_instance_by<uint16_t>(decider);
    case 4:
        return narrow_instance_by<uint32_t>(decider);
    default:
        return narrow_instance_by<uint64_t>(decider);
    }
}

struct select_case {
    onepass_type type;
    select_decider decider;
    bool is_partition, wants_items, in_place, flag_value; /* flag_value: a flag must be 3 */
    unsigned index_size, density, payload_size;           /* density: of 8; payload_size: or 0 */
    onepass_predicate keep;
    uint64_t num_items, capacity;
    int count; /* d_num_items: 0 none, 1 below, 2 above */
    unsigned in_shift, flag_shift, out_shift;
    uint64_t seed;
};

select_case any_case(onepass_type type, select_decider decider, uint64_t num_items, harness::random_bits &random)
{
    select_case c = {};
    c.type = type;
    c.decider = decider;
    c.num_items = num_items;
    c.is_partition = random.next() % 3 == 0;
    c.index_size = (unsigned)(random.next() % 3 * 4);
    c.payload_size = random.next() % 3 ? 0 : 1u << random.next() % 5;
    c.wants_items = c.index_size == 0 || random.next() % 3 != 0;
    c.in_place = !c.is_partition && c.wants_items && random.next() % 3 == 0;
    c.flag_value = decider == SELECT_BY_FLAG && random.next() % 2;
    c.density = (unsigned)(random.next() % 9);
    c.keep.kind = (onepass_predicate_kind)(1 + random.next() % ONEPASS_ZERO);
    c.keep.negate = random.next() % 2;
    if (is_floating(type)) {
        c.keep.a.f = (double)(int)(random.next() % 9) - 4;
        c.keep.b.f = c.keep.a.f + 2;
        if (random.next() % 4 == 0)
            c.keep.kind = random.next() % 2 ? ONEPASS_NAN : ONEPASS_FINITE;
    } else {
        c.keep.a.i = (int64_t)(random.next() % 9) - (is_signed(type) ? 4 : 0);
        c.keep.b.i = c.keep.a.i + 2;
        if (random.next() % 4 == 0)
            c.keep.kind = random.next() % 2 ? ONEPASS_ANY_BITS : ONEPASS_ALL_BITS;
    }
    c.capacity = random.next() % 3 ? num_items : random.next() % (num_items + 1);
    c.count = random.next() % 3 ? 0 : 1 + (int)(random.next() % 2);
    c.in_shift = random.next() % 2 ? 0 : (unsigned)(random.next() % 16);
    c.flag_shift = random.next() % 2 ? 0 : (unsigned)(random.next() % 16);
    c.out_shift = c.in_place ? c.in_shift : random.next() % 2 ? 0 : (unsigned)(random.next() % 16);
    c.seed = random.next();
    return c;
}

const char *described(const select_case &c)
{
    static char text[400];
    snprintf(text, sizeof text,
             "%s, %s, decider %d kind %d negate %d value %d, density %u, %llu items, capacity %llu, count %d, items "
             "%d%s, indices %u, payload %u, shifts %u %u %u, seed %llu",
             c.is_partition ? "partition" : "selection", onepass_type_name(c.type), (int)c.decider, (int)c.keep.kind,
             (int)c.keep.negate, c.flag_value, c.density, (unsigned long long)c.num_items,
             (unsigned long long)c.capacity, c.count, c.wants_items, c.in_place ? " in place" : "", c.index_size,
             c.payload_size, c.in_shift, c.flag_shift, c.out_shift, (unsigned long long)c.seed);
    return text;
}

/* Small numbers, and both zeros and different NaNs among the floating ones. */
uint64_t small_item(onepass_type type, uint64_t random)
{
    onepass_value value;
    if (is_floating(type)) {
        value.f = random >> 32 & 15 ? (double)(int)(random % 9) - 4 : __builtin_nan("");
        const uint64_t bits = value_bits(type, value);
        if (value.f != value.f)
            return bits ^ (random >> 40 & 1) ^ (random >> 41 & 1 ? sign_bit(type) : 0);
        return value.f == 0 && (random >> 40 & 1) ? bits ^ sign_bit(type) : bits;
    }
    value.i = (int64_t)(random % 9) - (is_signed(type) ? 4 : 0);
    return value_bits(type, value);
}

/* What one part of a partition leaves. */
struct part_bytes {
    placed_bytes items, indices, payload;
};

void run_and_compare(const select_case &c, const select_instance &instance, unsigned num_blocks, unsigned num_slots)
{
    const size_t size = onepass_type_size(c.type);
    const uint64_t count = c.count == 2 ? c.num_items + 5 : c.seed % (c.num_items + 1);
    const uint64_t num_outputs = c.capacity < c.num_items ? c.capacity : c.num_items;
    placed_bytes in(c.num_items * size, c.in_shift * size, c.in_place ? 64 : 0);
    placed_bytes flags(c.decider == SELECT_BY_FLAG_BIT ? (c.num_items + 7) / 8 : c.num_items, c.flag_shift, 0);
    placed_bytes payload_in(c.num_items * c.payload_size, 0, 0);
    const part_bytes empty = { placed_bytes(num_outputs * size, c.out_shift * size, 64),
                               placed_bytes(num_outputs * c.index_size, 0, 64),
                               placed_bytes(num_outputs * c.payload_size, 0, 64) };
    part_bytes parts[2] = { empty, empty };
    harness::random_bits random = { c.seed };
    uint64_t last = 0;
    for (uint64_t i = 0; i < c.num_items; ++i) {
        /* Where heads decide, density is that of changes. */
        const uint64_t bits = small_item(c.type, random.next());
        if (c.decider != SELECT_BY_HEAD || random.next() % 8 < c.density)
            last = bits;
        memcpy(in.data + i * size, &last, size);
        const bool is_kept = random.next() % 8 < c.density;
        if (c.decider == SELECT_BY_FLAG_BIT)
            flags.data[i / 8] = (unsigned char)((flags.data[i / 8] & ~(1u << i % 8)) | (unsigned)is_kept << i % 8);
        else
            flags.data[i] = c.flag_value ? (unsigned char)(is_kept ? 3 : random.next() % 3)
                                         : (unsigned char)(is_kept ? 1 + random.next() % 255 : 0);
    }
    for (size_t i = 0; i < payload_in.size; ++i)
        payload_in.data[i] = (unsigned char)random.next();
    if (c.in_place)
        parts[0].items = in;
    const bool is_flagged = c.decider == SELECT_BY_FLAG || c.decider == SELECT_BY_FLAG_BIT;
    const bool is_filled = c.payload_size != 0;

    /* What the oracle makes of the same bytes. */
    part_bytes expected[2] = { parts[0], parts[1] };
    uint64_t num_selected = 77, expected_selected = 77;
    onepass_payload expected_payload = { c.payload_size, payload_in.data,
                                         is_filled ? expected[0].payload.data : nullptr, nullptr,
                                         is_filled && c.is_partition ? expected[1].payload.data : nullptr };
    onepass_partition_spec spec = ONEPASS_PARTITION_SPEC_INIT;
    spec.type = c.type;
    spec.keep = c.decider == SELECT_BY_ITEM ? &c.keep : nullptr;
    spec.d_flags = is_flagged ? flags.data : nullptr;
    spec.flag_kind = c.decider == SELECT_BY_FLAG_BIT ? ONEPASS_FLAG_BITS
                     : c.flag_value                  ? ONEPASS_FLAG_EQUAL
                                                     : ONEPASS_FLAG_NONZERO;
    spec.flag_value = 3;
    spec.unique = c.decider == SELECT_BY_HEAD;
    spec.d_in = c.in_place ? expected[0].items.data : in.data;
    spec.index_type = c.index_size == 8 ? ONEPASS_U64 : ONEPASS_U32;
    onepass_part *const spec_parts[] = { &spec.selected, &spec.rejected };
    for (int i = 0; i < 1 + c.is_partition; ++i) {
        spec_parts[i]->d_items = c.wants_items ? expected[i].items.data : nullptr;
        spec_parts[i]->d_indices = c.index_size ? expected[i].indices.data : nullptr;
        spec_parts[i]->capacity = c.capacity;
    }
    spec.payloads = &expected_payload;
    spec.num_payloads = is_filled;
    spec.d_num_selected = &expected_selected;
    spec.max_items = c.num_items;
    spec.d_num_items = c.count ? &count : nullptr;
    oracle_partition(&spec);

    compact_call call = {};
    call.decision.kind = (decision_kind)c.decider;
    call.decision.type = c.type;
    call.decision.d_in = c.in_place ? parts[0].items.data : in.data;
    call.decision.d_flags = spec.d_flags;
    if (c.decider == SELECT_BY_ITEM)
        call.decision.keep = range_test_of(c.type, &c.keep);
    else if (c.decider == SELECT_BY_FLAG)
        call.decision.keep = { 255, (uint64_t)(c.flag_value ? 3 : 0), 0, !c.flag_value, false };
    call.outputs.num_arrays = c.wants_items + is_filled;
    if (c.wants_items)
        call.outputs.arrays[0] = { call.decision.d_in, size, {} };
    if (is_filled)
        call.outputs.arrays[c.wants_items] = { payload_in.data, c.payload_size, {} };
    call.outputs.index_size = c.index_size;
    const int part_of[] = { PART_SELECTED, PART_REJECTED };
    for (int i = 0; i < 1 + c.is_partition; ++i) {
        if (c.wants_items)
            call.outputs.arrays[0].d_out[part_of[i]] = parts[i].items.data;
        if (is_filled)
            call.outputs.arrays[c.wants_items].d_out[part_of[i]] = parts[i].payload.data;
        call.outputs.d_indices[part_of[i]] = c.index_size ? parts[i].indices.data : nullptr;
        call.outputs.capacity[part_of[i]] = num_outputs;
    }
    call.outputs.d_num_selected = &num_selected;
    call.count = { c.num_items, spec.d_num_items };
    CHECK(select_lacks(&call) == nullptr, "the kernels lack %s: %s", select_lacks(&call), described(c));
    select_params params = select_params_of(&call);
    const device_limits limits = { num_blocks,
                                   instance.needs.shared_bytes + (size_t)num_slots * instance.needs.slot_bytes };
    const launch_shape shape = select_shape_of(&instance, limits, &params);
    workspace &space = shared_workspace();
    space.use(params.pipeline, shape);
    space.clamped[0] = space.clamped[1] = 0;
    const uint32_t epoch = ticket_epoch(space.control[CONTROL_TICKET]);
    const select_kernel kernel = instance.kernel;
    std::vector<placed_bytes *> all = { &in, &flags, &payload_in };
    for (part_bytes &part : parts)
        all.insert(all.end(), { &part.items, &part.indices, &part.payload });
    for (placed_bytes *bytes : all)
        bytes->hide_surroundings();
    harness::launch_grid({ num_blocks, shape.block_threads, shape.shared_bytes, [=] { kernel(params); } });
    for (placed_bytes *bytes : all)
        bytes->show_surroundings();

    CHECK(num_selected == expected_selected, "%llu selected, not %llu: %s; %u blocks", (unsigned long long)num_selected,
          (unsigned long long)expected_selected, described(c), num_blocks);
    for (int i = 0; i < 2; ++i) {
        const char *part = i == 0 ? "selected" : "rejected";
        CHECK(parts[i].items.memory == expected[i].items.memory, "%s items differ: %s; %u blocks", part, described(c),
              num_blocks);
        CHECK(parts[i].indices.memory == expected[i].indices.memory, "%s indices differ: %s; %u blocks", part,
              described(c), num_blocks);
        CHECK(parts[i].payload.memory == expected[i].payload.memory, "%s payload differs: %s; %u blocks", part,
              described(c), num_blocks);
    }
    CHECK(space.control[CONTROL_TICKET] == ticket_pack(epoch_next(epoch), 0) &&
              space.control[CONTROL_NUM_FINISHED] == 0,
          "the workspace is not ready for the next launch: %s", described(c));
    CHECK(space.clamped[0] == (c.count == 2 ? count : 0), "a count above max_items is not reported: %s", described(c));
}

const onepass_type types[] = { ONEPASS_U8,  ONEPASS_I16, ONEPASS_U32, ONEPASS_I64, ONEPASS_I8,
                               ONEPASS_F16, ONEPASS_F32, ONEPASS_F64, ONEPASS_BF16 };

} // namespace

/* Many tiles and windows, few and many blocks. */
TEST(select_over_many_tiles)
{
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 8; ++i) {
        const onepass_type type = types[random.next() % 9];
        const select_decider decider = (select_decider)(random.next() % num_select_deciders);
        const uint64_t num_items = random.next() % 4 ? random.next() % 20000 : random.next() % 80000;
        const select_case c = any_case(type, decider, num_items, random);
        run_and_compare(c, narrow_instance_of(onepass_type_size(type), decider), 1 + (unsigned)(random.next() % 45),
                        2 + (unsigned)(random.next() % 3));
    }
}

/* Every length near words, segments and tiles. */
TEST(select_boundaries)
{
    harness::random_bits random = { harness::how.seed };
    for (uint64_t base : { 1, 32, 128, 256, 512, 1024 })
        for (uint64_t delta = 0; delta < 3; ++delta) {
            const onepass_type type = types[random.next() % 9];
            const select_decider decider = (select_decider)(random.next() % num_select_deciders);
            const select_case c = any_case(type, decider, base + delta - 1, random);
            run_and_compare(c, narrow_instance_of(onepass_type_size(type), decider), 1 + (unsigned)(random.next() % 3),
                            2);
        }
}

/* In place, where what is not yet read must not be written: many blocks, much is kept. Later windows write where tiles
 * of earlier ones were, which they know of by the start of their window only. By head, tiles at whose end nothing was
 * dropped yet are left as they are, since their last items may still have to be read. */
TEST(select_in_place)
{
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 6; ++i) {
        const select_decider decider = i % 2 ? SELECT_BY_HEAD : SELECT_BY_FLAG;
        select_case c = any_case(types[i / 2], decider, 20000 + random.next() % 20000, random);
        c.is_partition = false;
        c.wants_items = c.in_place = true;
        c.out_shift = c.in_shift;
        c.density = 4 + (unsigned)(random.next() % 5);
        c.capacity = c.num_items;
        run_and_compare(c, narrow_instance_of(onepass_type_size(c.type), decider), 30, 3);
    }
}

/* The library's own kernels, every one. */
TEST(select_kernels_of_the_library)
{
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 4 * num_select_deciders; ++i) {
        const select_decider decider = (select_decider)(i / 4);
        const select_instance &instance = compaction_select.instances[decider][i % 4];
        const uint64_t num_items = instance.needs.tile_items * 5 / 2 - random.next() % 3000;
        run_and_compare(any_case(types[i % 4], decider, num_items, random), instance, 1 + (unsigned)(random.next() % 3),
                        3);
    }
}
