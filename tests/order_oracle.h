/* SPDX-License-Identifier: MIT */
/*
 * The slow implementation of ORDER.md, written from that page alone: floating SUM and PROD in the one fixed grouping.
 *
 * Everything here speaks of positions; who calls it has turned a reverse scan round already. Values are held as double,
 * which holds every F32 exactly, so that one piece of code serves both accumulator types: only the operation itself
 * knows in which of the two it works. The calling thread must be in the default floating-point environment.
 */
#ifndef ORDER_ORACLE_H
#define ORDER_ORACLE_H

#include <onepass.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ORDER_ORACLE_ROW_LANES = 32,
    ORDER_ORACLE_WINDOW_ROWS = 8192
};

typedef struct order_oracle {
    onepass_operator op;      /* SUM or PROD */
    onepass_type accumulator; /* F32 or F64 */
    size_t in_item_bytes;     /* 2, 4 or 8: decides how many positions a lane has */
    double start;             /* H[0], a value of the accumulator type; order_oracle_nothing where the page says so */
    const double *items;      /* item of position p at items[p], a value of the accumulator type */
    uint64_t num_items;
} order_oracle;

/* The exact identity: -0.0 for SUM, 1.0 for PROD. */
double order_oracle_nothing(onepass_operator op);

/* How many positions a lane has (k in the page), and a window. */
uint64_t order_oracle_lane_items(size_t in_item_bytes);
uint64_t order_oracle_window_items(size_t in_item_bytes);

/* outputs[p] = I(p) if inclusive, else E(p), for p from 0 to num_outputs - 1, as accumulator values. num_outputs may be
 * num_items + 1: positions that hold no item hold nothing. */
void order_oracle_scan(const order_oracle *order, int inclusive, double *outputs, uint64_t num_outputs);

/* H[W], an accumulator value; the start if there are no items. */
double order_oracle_reduce(const order_oracle *order);

#endif
