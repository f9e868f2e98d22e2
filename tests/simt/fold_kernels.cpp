/* SPDX-License-Identifier: MIT */
/* See fold_kernels.h. */
#include "fold_kernels.h"

#include "workspace.h"

#include <math.h>

namespace fold_kernels
{
namespace
{

constexpr size_t h200_shared_bytes = 227 * 1024;

/* An item of mostly small numbers, for floating types of very different size; some infinities and NaNs. */
uint64_t item_bits(onepass_type type, uint64_t bits)
{
    onepass_value value;
    if (is_floating(type)) {
        const double scale[] = { 1.0, 0x1p-6, 0x1p7, 0x1p-11 };
        value.f = (double)((int)(bits % 2001) - 1000) * 0x1p-9 * scale[bits >> 20 & 3];
        if (bits >> 40 == 0x77)
            value.f = bits & 1 ? HUGE_VAL : bits & 2 ? -HUGE_VAL : __builtin_nan("");
    } else {
        value.u = bits >> 8;
    }
    return value_bits(type, value);
}

void fill(unsigned char *to, onepass_type type, uint64_t num_items, uint64_t seed)
{
    harness::random_bits random = { seed };
    const size_t size = onepass_type_size(type);
    for (uint64_t i = 0; i < num_items; ++i) {
        const uint64_t bits = item_bits(type, random.next());
        memcpy(to + i * size, &bits, size);
    }
}

const char *described(const run_case &c)
{
    static char text[300];
    snprintf(text, sizeof text,
             "%s %s of %s into %s, kind %d%s%s, %llu items, initial %u, count %d, shifts %u %u, %u slots, seed %llu",
             c.is_reduction ? "reduction" : "scan", onepass_operator_name(c.op), onepass_type_name(c.in),
             onepass_type_name(c.out), (int)c.kind, c.reverse ? " reverse" : "", c.in_place ? " in place" : "",
             (unsigned long long)c.num_items, c.initial, c.count, c.in_shift, c.out_shift, c.num_slots,
             (unsigned long long)c.seed);
    return text;
}

} // namespace

run_case any_case(onepass_operator op, onepass_type in, onepass_type out, harness::random_bits &random)
{
    run_case c = {};
    c.op = op;
    c.in = in;
    c.out = out;
    c.is_reduction = random.next() % 4 == 0;
    c.kind = (onepass_scan_kind)(1 + random.next() % 3);
    c.reverse = !c.is_reduction && random.next() % 3 == 0;
    c.in_place = !c.is_reduction && onepass_type_size(in) == onepass_type_size(out) && random.next() % 3 == 0 &&
                 !(c.reverse && c.kind == ONEPASS_OFFSETS);
    c.initial = random.next() % 3;
    c.count = random.next() % 3 ? 0 : 1 + (int)(random.next() % 2);
    c.in_shift = random.next() % 2 ? 0 : (unsigned)(random.next() % 16);
    c.out_shift = c.in_place || random.next() % 3 == 0 ? c.in_shift
                  : random.next() % 2                  ? 0
                                                       : (unsigned)(random.next() % 16);
    c.seed = random.next();
    return c;
}

void run_and_compare(const run_case &c, const fold_table &table, unsigned num_blocks)
{
    const size_t in_size = onepass_type_size(c.in), out_size = onepass_type_size(c.out);
    const uint64_t num_outputs = c.is_reduction ? 1 : c.num_items + (c.kind == ONEPASS_OFFSETS);
    const uint64_t count = c.count == 2 ? c.num_items + 5 : c.seed % (c.num_items + 1);
    placed_bytes in(c.num_items * in_size, c.in_shift * in_size, 0);
    placed_bytes out(num_outputs * out_size, c.out_shift * out_size, 64);
    fill(c.in_place ? out.data : in.data, c.in, c.num_items, c.seed);
    uint64_t initial = item_bits(c.out, c.seed * 0x9e3779b97f4a7c15);
    onepass_value initial_value = {};
    if (!is_floating(c.out)) {
        initial_value.u = initial;
    } else {
        initial_value.f = (double)(c.seed % 1000) * 0.25;
        initial = value_bits(c.out, initial_value);
    }

    /* What the oracle makes of the same bytes. */
    std::vector<unsigned char> expected = out.memory;
    unsigned char *expected_out = expected.data() + (out.data - out.memory.data());
    onepass_scan_spec spec =
        oracle_scan_spec(c.in, c.out, c.op, c.kind, c.in_place ? expected_out : in.data, expected_out, c.num_items);
    spec.reverse = c.reverse;
    spec.has_initial = c.initial == 1;
    spec.initial = initial_value;
    spec.d_initial = c.initial == 2 ? &initial : nullptr;
    spec.d_num_items = c.count ? &count : nullptr;
    if (c.is_reduction) {
        const onepass_reduce_spec reduce = oracle_reduce_spec(&spec, expected_out);
        oracle_reduce(&reduce);
    } else {
        oracle_scan(&spec);
    }

    scan_call call = {};
    call.of.in_type = c.in;
    call.of.out_type = c.out;
    call.of.op = c.op;
    call.of.initial.given = c.initial == 1;
    call.of.initial.bits = initial;
    call.of.initial.d_value = c.initial == 2 ? &initial : nullptr;
    call.of.d_in = c.in_place ? out.data : in.data;
    call.of.d_out = out.data;
    call.of.count.max_items = c.num_items;
    call.of.count.d_num_items = c.count ? &count : nullptr;
    call.kind = c.kind;
    call.reverse = c.reverse;
    fold_params params = c.is_reduction ? reduce_params(&call.of) : scan_params(&call);
    if (num_blocks != one_tile && c.seed % 4 != 0)
        begin_on_a_line(&table, c.in, c.out, &params);
    const fold_instance &instance = (c.is_reduction ? table.reduce : table.scan)[c.in][c.out];
    /* The ring is as long as the case asks. */
    const device_limits limits = { num_blocks, c.num_slots ? instance.needs.shared_bytes +
                                                                 (size_t)c.num_slots * instance.needs.slot_bytes
                                                           : h200_shared_bytes };
    const fold_launch chosen = num_blocks == one_tile     ? one_tile_launch(&table.one_tile[c.in][c.out], &params)
                               : num_blocks == one_window ? one_window_launch(&table.one_window[c.in][c.out], &params)
                                                          : pipeline_launch(&instance, limits, &params);
    const launch_shape &shape = chosen.shape;
    CHECK(chosen.kernel != nullptr && shape.num_blocks != 0, "no kernel: %s", described(c));
    if (!chosen.kernel || shape.num_blocks == 0)
        return;
    const bool has_workspace = num_blocks != one_tile;
    workspace &space = shared_workspace();
    space.use(params.pipeline, shape);
    if (!has_workspace)
        params.pipeline.control = params.pipeline.aggregates = params.pipeline.starts = params.pipeline.descriptors =
            nullptr;
    if (c.epoch)
        space.control[CONTROL_TICKET] = ticket_pack(c.epoch, 0);
    if (c.epoch == 1) /* for the first time: no word is of that epoch */
        space.words.assign(space.words.size(), 0);
    const uint32_t epoch_before = ticket_epoch(space.control[CONTROL_TICKET]);
    space.clamped[0] = space.clamped[1] = 0;
    const uint32_t grid = num_blocks == one_tile || num_blocks == one_window
                              ? shape.num_blocks
                              : num_blocks; /* also more blocks than there are tiles */
    const fold_kernel kernel = chosen.kernel;
    in.hide_surroundings();
    out.hide_surroundings();
    harness::launch_grid({ grid, shape.block_threads, shape.shared_bytes, [=] { kernel(params); } });
    in.show_surroundings();
    out.show_surroundings();

    uint64_t at = 0;
    while (at < out.memory.size() && out.memory[at] == expected[at])
        ++at;
    if (at < out.memory.size()) { /* NaNs have one pattern: bytes must be equal */
        const int64_t item = ((int64_t)at - (out.data - out.memory.data())) / (int64_t)out_size;
        CHECK(false, "byte %llu (item %lld) is %02x, not %02x: %s; %u blocks", (unsigned long long)at, (long long)item,
              out.memory[at], expected[at], described(c), grid);
    }
    if (has_workspace)
        CHECK(space.control[CONTROL_TICKET] == ticket_pack(epoch_next(epoch_before), 0) &&
                  space.control[CONTROL_NUM_FINISHED] == 0,
              "the workspace is not ready for the next launch: %s", described(c));
    const bool is_clamped = c.count == 2;
    CHECK(space.clamped[0] == (is_clamped ? count : 0) && space.clamped[1] == (is_clamped ? c.num_items : 0),
          "the count above max_items is not reported: %s", described(c));
}

} // namespace fold_kernels
