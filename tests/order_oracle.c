/* SPDX-License-Identifier: MIT */
/*
 * The slow implementation of ORDER.md (see order_oracle.h). Functions stand in the order of the page and are named
 * after its words: lane, lanes of a row, blocks of rows, windows, row prefix, results.
 *
 * The one shortcut: a row beyond the last item is not computed, its sum is nothing, for nothing + nothing is nothing.
 */
#include "order_oracle.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#if FLT_EVAL_METHOD != 0
#error "float and double expressions must be evaluated in their own type"
#endif

/*
 * B of one window, for every block that the page defines. Node 8192 + r is R[r], and node q is the sum of nodes 2 q and
 * 2 q + 1; so the block of 2^level rows from row r is node (8192 + r) >> level. Node 0 is not used.
 */
typedef struct window_blocks {
    double node[2 * ORDER_ORACLE_WINDOW_ROWS];
} window_blocks;

double order_oracle_nothing(onepass_operator op)
{
    return op == ONEPASS_SUM ? -0.0 : 1.0;
}

uint64_t order_oracle_lane_items(size_t in_item_bytes)
{
    return 16 / in_item_bytes;
}

static uint64_t row_items(const order_oracle *order)
{
    return ORDER_ORACLE_ROW_LANES * order_oracle_lane_items(order->in_item_bytes);
}

uint64_t order_oracle_window_items(size_t in_item_bytes)
{
    return ORDER_ORACLE_WINDOW_ROWS * (uint64_t)ORDER_ORACLE_ROW_LANES * order_oracle_lane_items(in_item_bytes);
}

/* The page's a + b: one operation in the accumulator type. */
static double plus(const order_oracle *order, double a, double b)
{
    if (order->accumulator == ONEPASS_F32) {
        float left = (float)a;
        float right = (float)b;
        float result = order->op == ONEPASS_SUM ? left + right : left * right;
        return (double)result;
    }
    return order->op == ONEPASS_SUM ? a + b : a * b;
}

static double item_at(const order_oracle *order, uint64_t position)
{
    return position < order->num_items ? order->items[position] : order_oracle_nothing(order->op);
}

static double lane_sum(const order_oracle *order, uint64_t first_position)
{
    double sum = item_at(order, first_position);
    for (uint64_t j = 1; j < order_oracle_lane_items(order->in_item_bytes); ++j) {
        sum = plus(order, sum, item_at(order, first_position + j));
    }
    return sum;
}

/* v[l]: the inclusive sum of lanes 0 to l of the row that starts at first_position. */
static void row_lane_sums(const order_oracle *order, uint64_t first_position, double v[ORDER_ORACLE_ROW_LANES])
{
    for (int l = 0; l < ORDER_ORACLE_ROW_LANES; ++l) {
        v[l] = lane_sum(order, first_position + (uint64_t)l * order_oracle_lane_items(order->in_item_bytes));
    }
    for (int d = 1; d <= 16; d *= 2) {
        /* "All lanes at once": from the last lane down, v[l - d] still has its old value when it is read. */
        for (int l = ORDER_ORACLE_ROW_LANES - 1; l >= d; --l) {
            v[l] = plus(order, v[l - d], v[l]);
        }
    }
}

static double row_sum(const order_oracle *order, uint64_t first_position)
{
    double v[ORDER_ORACLE_ROW_LANES];
    if (first_position >= order->num_items) {
        return order_oracle_nothing(order->op);
    }
    row_lane_sums(order, first_position, v);
    return v[ORDER_ORACLE_ROW_LANES - 1];
}

static void fill_blocks(const order_oracle *order, uint64_t window, window_blocks *blocks)
{
    uint64_t window_position = window * order_oracle_window_items(order->in_item_bytes);
    for (uint64_t r = 0; r < ORDER_ORACLE_WINDOW_ROWS; ++r) {
        blocks->node[ORDER_ORACLE_WINDOW_ROWS + r] = row_sum(order, window_position + r * row_items(order));
    }
    for (size_t q = ORDER_ORACLE_WINDOW_ROWS - 1; q >= 1; --q) {
        blocks->node[q] = plus(order, blocks->node[2 * q], blocks->node[2 * q + 1]);
    }
}

static double block_sum(const window_blocks *blocks, unsigned first_row, unsigned level)
{
    return blocks->node[(ORDER_ORACLE_WINDOW_ROWS + first_row) >> level];
}

static double row_prefix(const order_oracle *order, double window_start, const window_blocks *blocks, unsigned row)
{
    double prefix = window_start;
    unsigned first_row = 0;
    for (unsigned level = 13; level-- > 0;) { /* 8192 = 2^13, and row < 8192 */
        if (row & (1u << level)) {
            prefix = plus(order, prefix, block_sum(blocks, first_row, level));
            first_row += 1u << level;
        }
    }
    return prefix;
}

/* The outputs of one row, as far as there are any. */
static void scan_row(const order_oracle *order, int inclusive, double prefix, uint64_t first_position, double *outputs,
                     uint64_t num_outputs)
{
    double v[ORDER_ORACLE_ROW_LANES];
    uint64_t position = first_position;
    row_lane_sums(order, first_position, v);
    for (int l = 0; l < ORDER_ORACLE_ROW_LANES; ++l) {
        double before = l == 0 ? order_oracle_nothing(order->op) : v[l - 1];
        double sum = plus(order, prefix, before);
        for (uint64_t j = 0; j < order_oracle_lane_items(order->in_item_bytes); ++j, ++position) {
            double with_item = plus(order, sum, item_at(order, position));
            if (position < num_outputs) {
                outputs[position] = inclusive ? with_item : sum;
            }
            sum = with_item;
        }
    }
}

static window_blocks *new_blocks(void)
{
    window_blocks *blocks = malloc(sizeof *blocks);
    if (blocks == NULL) {
        fprintf(stderr, "order_oracle: out of memory\n");
        abort();
    }
    return blocks;
}

void order_oracle_scan(const order_oracle *order, int inclusive, double *outputs, uint64_t num_outputs)
{
    window_blocks *blocks = new_blocks();
    uint64_t window_items = order_oracle_window_items(order->in_item_bytes);
    double window_start = order->start;
    for (uint64_t w = 0; w * window_items < num_outputs; ++w) {
        fill_blocks(order, w, blocks);
        for (unsigned r = 0; r < ORDER_ORACLE_WINDOW_ROWS; ++r) {
            uint64_t first_position = w * window_items + r * row_items(order);
            if (first_position < num_outputs) {
                double prefix = row_prefix(order, window_start, blocks, r);
                scan_row(order, inclusive, prefix, first_position, outputs, num_outputs);
            }
        }
        window_start = plus(order, window_start, blocks->node[1]); /* node 1 is B(0, 8192) */
    }
    free(blocks);
}

double order_oracle_reduce(const order_oracle *order)
{
    window_blocks *blocks = new_blocks();
    uint64_t window_items = order_oracle_window_items(order->in_item_bytes);
    double sum = order->start;
    for (uint64_t w = 0; w * window_items < order->num_items; ++w) {
        fill_blocks(order, w, blocks);
        sum = plus(order, sum, blocks->node[1]);
    }
    free(blocks);
    return sum;
}
