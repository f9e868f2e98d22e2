/* SPDX-License-Identifier: MIT */
/*
 * The selection kernels in the emulator against the oracle of tests/oracle.h: narrow shapes, so that many tiles and
 * windows fit into a test, and the library's own. Predicates, flags, items, indices, capacities, counts in memory, in
 * place, every alignment. The way from a call to a kernel's parameters is the library's (src/cuda/select.c).
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
template <typename Item, bool flagged>
using narrow = select_shape<Item, flagged ? BY_FLAGS : BY_PREDICATE, 512, 2, flagged ? 2 : 1, flagged ? 4 : 2, 32>;

template <typename Shape> select_instance narrow_instance()
{
    return { select_tiles_kernel<Shape>, needs_of<select_shared<Shape>, Shape>(Shape::tile_items) };
}

select_instance narrow_instance_of(size_t size, bool flagged)
{
    switch (size) {
    case 1:
        return flagged ? narrow_instance<narrow<uint8_t, true>>() : narrow_instance<narrow<uint8_t, false>>();
    case 2:
        return flagged ? narrow_instance<narrow<uint16_t, true>>() : narrow_instance<narrow<uint16_t, false>>();
    case 4:
        return flagged ? narrow_instance<narrow<uint32_t, true>>() : narrow_instance<narrow<uint32_t, false>>();
    default:
        return flagged ? narrow_instance<narrow<uint64_t, true>>() : narrow_instance<narrow<uint64_t, false>>();
    }
}

struct select_case {
    onepass_type type;
    bool flagged, wants_items, in_place;
    unsigned index_size, density; /* density: of 8 */
    onepass_predicate keep;
    uint64_t num_items, capacity;
    int count; /* d_num_items: 0 none, 1 below, 2 above */
    unsigned in_shift, flag_shift, out_shift;
    uint64_t seed;
};

select_case any_case(onepass_type type, bool flagged, uint64_t num_items, harness::random_bits &random)
{
    select_case c = {};
    c.type = type;
    c.flagged = flagged;
    c.num_items = num_items;
    c.index_size = (unsigned)(random.next() % 3 * 4);
    c.wants_items = c.index_size == 0 || random.next() % 3 != 0;
    c.in_place = c.wants_items && random.next() % 3 == 0;
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
    static char text[300];
    snprintf(
        text, sizeof text,
        "%s, %s kind %d negate %d, density %u, %llu items, capacity %llu, count %d, items %d%s, indices %u, shifts "
        "%u %u %u, seed %llu",
        onepass_type_name(c.type), c.flagged ? "flags" : "predicate", (int)c.keep.kind, (int)c.keep.negate, c.density,
        (unsigned long long)c.num_items, (unsigned long long)c.capacity, c.count, c.wants_items,
        c.in_place ? " in place" : "", c.index_size, c.in_shift, c.flag_shift, c.out_shift, (unsigned long long)c.seed);
    return text;
}

uint64_t small_item(onepass_type type, uint64_t random)
{
    onepass_value value;
    if (is_floating(type))
        value.f = random >> 32 & 15 ? (double)(int)(random % 9) - 4 : __builtin_nan("");
    else
        value.i = (int64_t)(random % 9) - (is_signed(type) ? 4 : 0);
    return value_bits(type, value);
}

void run_and_compare(const select_case &c, const select_instance &instance, unsigned num_blocks, unsigned num_slots)
{
    const size_t size = onepass_type_size(c.type);
    const uint64_t count = c.count == 2 ? c.num_items + 5 : c.seed % (c.num_items + 1);
    const uint64_t num_outputs = c.capacity < c.num_items ? c.capacity : c.num_items;
    placed_bytes in(c.num_items * size, c.in_shift * size, c.in_place ? 64 : 0);
    placed_bytes out(num_outputs * size, c.out_shift * size, 64);
    placed_bytes indices(num_outputs * c.index_size, 0, 64);
    placed_bytes flags(c.num_items, c.flag_shift, 0);
    harness::random_bits random = { c.seed };
    for (uint64_t i = 0; i < c.num_items; ++i) {
        const uint64_t bits = small_item(c.type, random.next());
        memcpy(in.data + i * size, &bits, size);
        flags.data[i] = random.next() % 8 < c.density ? (unsigned char)(1 + random.next() % 255) : 0;
    }
    if (c.in_place)
        out = in;

    /* What the oracle makes of the same bytes. */
    placed_bytes expected_out = out, expected_indices = indices;
    uint64_t num_selected = 77, expected_selected = 77;
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    spec.type = c.type;
    spec.keep = c.flagged ? nullptr : &c.keep;
    spec.d_flags = c.flagged ? flags.data : nullptr;
    spec.d_in = c.in_place ? expected_out.data : in.data;
    spec.d_out = c.wants_items ? expected_out.data : nullptr;
    spec.index_type = c.index_size == 8 ? ONEPASS_U64 : ONEPASS_U32;
    spec.d_out_indices = c.index_size ? expected_indices.data : nullptr;
    spec.capacity = c.capacity;
    spec.d_num_selected = &expected_selected;
    spec.max_items = c.num_items;
    spec.d_num_items = c.count ? &count : nullptr;
    oracle_select(&spec);

    compact_call call = {};
    call.decision.kind = c.flagged ? DECIDE_BY_FLAG : DECIDE_BY_ITEM;
    call.decision.type = c.type;
    call.decision.d_in = c.in_place ? out.data : in.data;
    call.decision.d_flags = spec.d_flags;
    if (c.flagged)
        call.decision.keep = { 255, 0, 0, true, false };
    else
        call.decision.keep = range_test_of(c.type, &c.keep);
    if (c.wants_items) {
        call.outputs.num_arrays = 1;
        call.outputs.arrays[0] = { call.decision.d_in, size, { out.data } };
    }
    call.outputs.index_size = c.index_size;
    call.outputs.d_indices[PART_SELECTED] = c.index_size ? indices.data : nullptr;
    call.outputs.capacity[PART_SELECTED] = num_outputs;
    call.outputs.d_num_selected = &num_selected;
    call.count = { c.num_items, spec.d_num_items };
    CHECK(compaction_lacks(&call) == nullptr && !is_partition(&call), "not a selection: %s", described(c));
    select_params params = select_params_of(&call);
    const device_limits limits = { num_blocks,
                                   instance.needs.shared_bytes + (size_t)num_slots * instance.needs.slot_bytes };
    const launch_shape shape = compaction_shape_of(&instance.needs, limits, &params.pipeline);
    workspace &space = shared_workspace();
    space.use(params.pipeline, shape);
    space.clamped[0] = space.clamped[1] = 0;
    const uint32_t epoch = ticket_epoch(space.control[CONTROL_TICKET]);
    const select_kernel kernel = instance.kernel;
    for (placed_bytes *bytes : { &in, &out, &indices, &flags })
        bytes->hide_surroundings();
    harness::launch_grid({ num_blocks, shape.block_threads, shape.shared_bytes, [=] { kernel(params); } });
    for (placed_bytes *bytes : { &in, &out, &indices, &flags })
        bytes->show_surroundings();

    CHECK(num_selected == expected_selected, "%llu selected, not %llu: %s; %u blocks", (unsigned long long)num_selected,
          (unsigned long long)expected_selected, described(c), num_blocks);
    CHECK(out.memory == expected_out.memory || !c.wants_items, "items differ: %s; %u blocks", described(c), num_blocks);
    CHECK(indices.memory == expected_indices.memory, "indices differ: %s; %u blocks", described(c), num_blocks);
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
        const bool flagged = random.next() % 2;
        const uint64_t num_items = random.next() % 4 ? random.next() % 20000 : random.next() % 80000;
        const select_case c = any_case(type, flagged, num_items, random);
        run_and_compare(c, narrow_instance_of(onepass_type_size(type), flagged), 1 + (unsigned)(random.next() % 45),
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
            const bool flagged = random.next() % 2;
            const select_case c = any_case(type, flagged, base + delta - 1, random);
            run_and_compare(c, narrow_instance_of(onepass_type_size(type), flagged), 1 + (unsigned)(random.next() % 3),
                            2);
        }
}

/* In place, where what is not yet read must not be written: many blocks, much is kept. Later windows write where tiles
 * of earlier ones were, which they know of by the start of their window only. */
TEST(select_in_place)
{
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 3; ++i) {
        select_case c = any_case(types[i], true, 20000 + random.next() % 20000, random);
        c.wants_items = c.in_place = true;
        c.out_shift = c.in_shift;
        c.density = 4 + (unsigned)(random.next() % 4);
        c.capacity = c.num_items;
        run_and_compare(c, narrow_instance_of(onepass_type_size(c.type), true), 30, 3);
    }
}

/* The library's own kernels, every one. */
TEST(select_kernels_of_the_library)
{
    harness::random_bits random = { harness::how.seed };
    for (int i = 0; i < 8; ++i) {
        const bool flagged = i % 2;
        const select_instance *instances = flagged ? compaction_select.by_flags : compaction_select.by_predicate;
        const select_instance &instance = instances[i / 2];
        const uint64_t num_items = instance.needs.tile_items * 5 / 2 - random.next() % 3000;
        const select_case c = any_case(types[i / 2], flagged, num_items, random);
        run_and_compare(c, instance, 1 + (unsigned)(random.next() % 3), 3);
    }
}
