/* SPDX-License-Identifier: MIT */
/* See plan.h. */
#include "plan.h"

#include "../value.h"

#include <math.h>
#include <string.h>

static int log2_of(size_t power_of_two)
{
    int log2 = 0;
    while (power_of_two >> log2 != 1)
        log2++;
    return log2;
}

/* The accumulator type: the output type, but F32 for F16 and BF16, and integer keys for floating MIN and MAX. */
static onepass_type accumulator_type(onepass_type out_type, bool has_keys)
{
    if (!is_floating(out_type))
        return out_type;
    if (has_keys)
        return out_type == ONEPASS_F64 ? ONEPASS_I64 : ONEPASS_I32;
    return out_type == ONEPASS_F64 ? ONEPASS_F64 : ONEPASS_F32;
}

/* An item of the output type as an accumulator. */
static uint64_t accumulator_of(convert_fn load_output, uint64_t bits)
{
    uint64_t accumulator = 0;
    load_output(&bits, &accumulator, 1); /* little-endian: the item is in the low bytes */
    return accumulator;
}

/* What an exclusive scan starts with, as an item of the output type. */
static uint64_t identity_bits(onepass_operator op, onepass_type type)
{
    uint64_t all_ones = UINT64_MAX >> (64 - 8 * onepass_type_size(type));
    switch (op) {
    case ONEPASS_PROD:
        return is_floating(type) ? value_bits(type, (onepass_value){ .f = 1.0 }) : 1;
    case ONEPASS_MIN:
        return is_floating(type) ? infinity_bits(type) : is_signed(type) ? all_ones >> 1 : all_ones;
    case ONEPASS_MAX:
        if (is_floating(type))
            return sign_bit(type) | infinity_bits(type);
        return is_signed(type) ? ~(all_ones >> 1) & all_ones : 0;
    case ONEPASS_AND:
        return all_ones;
    default: /* SUM, OR, XOR */
        return 0;
    }
}

struct plan plan_of(const struct host_kernels *kernels, const struct reduce_call *call, bool starts_empty)
{
    onepass_operator op = call->op;
    onepass_type in_type = call->in_type, out_type = call->out_type;
    bool is_ordered = is_floating(out_type) && (op == ONEPASS_SUM || op == ONEPASS_PROD);
    bool has_keys = is_floating(out_type) && !is_ordered;
    onepass_type acc_type = accumulator_type(out_type, has_keys);
    struct plan plan = {
        .in_size = onepass_type_size(in_type),
        .acc_size = onepass_type_size(acc_type),
        .out_size = onepass_type_size(out_type),
        .loads_copy = in_type == acc_type,
        .is_ordered = is_ordered,
    };
    plan.row_items = row_bytes / plan.in_size;
    plan.block_items = block_bytes / plan.acc_size;
    plan.scan_items = plan.block_items;
    if (!is_ordered) {
        /* Writes wait for memory, and what is computed meanwhile is only what follows within some hundred instructions
         * (int64, two threads: 33.2 ms with blocks of 4096 bytes, 30.4 with 1024; EPYC 9004, 2026-11-30). */
        size_t small = block_bytes / 4 / plan.acc_size;
        plan.scan_items = small > plan.row_items ? small : plan.row_items;
    }
    plan.reverse_in = kernels->reverse[log2_of(plan.in_size)];
    plan.reverse_out = kernels->reverse[log2_of(plan.out_size)];

    convert_fn load_output;
    if (has_keys) {
        plan.load = kernels->load_key[op == ONEPASS_MAX][in_type][acc_type];
        plan.store = kernels->store_key[acc_type][out_type];
        load_output = kernels->load_key[op == ONEPASS_MAX][out_type][acc_type];
    } else {
        plan.load = kernels->load[in_type][acc_type];
        plan.store = kernels->store[acc_type][out_type];
        load_output = kernels->load[out_type][acc_type];
    }
    if (is_ordered) {
        int lane_log2 = log2_of(lane_bytes / plan.in_size);
        plan.combine = kernels->combine_rows[op][acc_type][lane_log2];
        plan.scan = kernels->scan_rows[op][acc_type][lane_log2];
        plan.reduce = kernels->reduce_rows[op][acc_type][lane_log2];
    } else {
        plan.combine = kernels->combine[op][acc_type];
        plan.scan = kernels->scan[op][acc_type];
        plan.reduce = kernels->reduce[op][acc_type];
    }

    plan.scans_to_outputs = plan.store == NULL || (is_ordered && out_type == acc_type && plan.in_size >= 4);

    uint64_t identity = accumulator_of(load_output, identity_bits(op, out_type));
    bool is_floating_sum = is_ordered && op == ONEPASS_SUM;
    plan.nothing = is_floating_sum ? accumulator_of(load_output, sign_bit(out_type)) : identity; /* -0.0 */
    plan.start = starts_empty ? plan.nothing : identity;
    if (call->initial.d_value != NULL) {
        uint64_t bits = 0;
        memcpy(&bits, call->initial.d_value, plan.out_size);
        plan.start = accumulator_of(load_output, bits);
    } else if (call->initial.given) {
        plan.start = accumulator_of(load_output, call->initial.bits);
    }
    return plan;
}

void plan_store_one(const struct plan *plan, uint64_t accumulator, void *out)
{
    if (plan->store != NULL)
        plan->store(&accumulator, out, 1);
    else
        memcpy(out, &accumulator, plan->out_size);
}

const void *plan_load(const struct plan *plan, struct scratch *scratch, const void *src, size_t num_items,
                      size_t num_positions, bool reverse)
{
    size_t num_padded = (num_positions + plan->row_items - 1) / plan->row_items * plan->row_items;
    if (plan->loads_copy && !reverse && num_padded == num_items)
        return src;
    if (reverse) {
        plan->reverse_in(src, scratch->reversed.items, num_items);
        src = scratch->reversed.items;
    }
    plan->load(src, scratch->items.items, num_items);
    for (size_t i = num_items; i < num_padded; i++)
        memcpy(scratch->items.items + i * plan->acc_size, &plan->nothing, plan->acc_size);
    return scratch->items.items;
}

static uint64_t block_sum(const struct plan *plan, const struct running_sum *sum)
{
    return plan->is_ordered ? sum_of_block(sum, plan->combine) : sum->prefix;
}

/* A tile of a power of two of blocks is two such tiles. Their blocks are taken in turn: at the end of one, the
 * processor has begun to fetch the next one of its half while it goes through one of the other (int64, one and two
 * threads: 29.8 and 21.1 ms one after another, 22.8 and 17.8 in turn; less where the pages lie better; EPYC 9004,
 * 2026-11-30). */
uint64_t plan_reduce(const struct plan *plan, struct scratch *scratch, const unsigned char *src, uint64_t num_items,
                     bool reverse)
{
    uint64_t num_blocks = num_items / plan->block_items;
    bool has_halves = num_items % plan->block_items == 0 && num_blocks > 1 && (num_blocks & (num_blocks - 1)) == 0;
    uint64_t num_sums = has_halves ? 2 : 1;
    uint64_t part_items = num_items / num_sums;
    struct running_sum sums[2];
    sum_start(&sums[0], plan->nothing);
    sum_start(&sums[1], plan->nothing);
    for (uint64_t first = 0; first < part_items; first += plan->block_items) {
        uint64_t rest = part_items - first;
        size_t block = rest < plan->block_items ? (size_t)rest : plan->block_items;
        for (uint64_t i = 0; i < num_sums; i++) {
            uint64_t position = i * part_items + first;
            uint64_t lowest = reverse ? num_items - position - block : position;
            const unsigned char *items = src + lowest * plan->in_size;
            plan->reduce(plan_load(plan, scratch, items, block, block, reverse), block, &sums[i]);
        }
    }
    uint64_t sum = block_sum(plan, &sums[0]);
    return has_halves ? plan->combine(sum, block_sum(plan, &sums[1])) : sum;
}
