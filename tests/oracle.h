/* SPDX-License-Identifier: MIT */
/*
 * The test oracle: what onepass.h says, as plain sequential C, written from the header and ORDER.md alone.
 *
 * It takes the header's own specs, assumes that they are valid, treats every d_ pointer as ordinary memory, and calls
 * nothing of the library. It is right because it is simple, not because it is fast: it takes 16 bytes an item.
 * The calling thread must be in the default floating-point environment (to nearest even, denormals kept); running out
 * of memory aborts.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <onepass.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------------------------------ operations */

/* Each writes exactly what the library would write and nothing else, in place too. */
void oracle_scan(const onepass_scan_spec *spec);
void oracle_reduce(const onepass_reduce_spec *spec);
void oracle_select(const onepass_select_spec *spec);
void oracle_partition(const onepass_partition_spec *spec);

/* Whether keep holds for item number idx of items; 0 or 1. */
int oracle_keeps(onepass_type type, const onepass_predicate *keep, const void *items, uint64_t idx);

/* Whether item number idx is the first of its run; 0 or 1. */
int oracle_starts_a_run(onepass_type type, const void *items, uint64_t idx);

/* The number of items a spec stands for: *d_num_items, at most max_items; max_items if d_num_items is NULL. */
uint64_t oracle_num_items(uint64_t max_items, const uint64_t *d_num_items);

/* A scan spec with the fields that mostly matter set, and the initial values of the header in the others; and the
 * reduction over the same items with the same types, operator and start. */
onepass_scan_spec oracle_scan_spec(onepass_type in_type, onepass_type out_type, onepass_operator op,
                                   onepass_scan_kind kind, const void *in, void *out, uint64_t num_items);
onepass_reduce_spec oracle_reduce_spec(const onepass_scan_spec *scan, void *out);

/* ------------------------------------------------------------------------------------------ comparison */

/* Whether num_items items of a and b are the same bits, except that any NaN equals any NaN. If not, the number of the
 * first that differs goes to *first_difference, which may be NULL. */
int oracle_equal(onepass_type type, const void *a, const void *b, uint64_t num_items, uint64_t *first_difference);

/* Whether *item is a NaN; whether it is the one NaN that operations produce. 0 for every integer. */
int oracle_is_nan(onepass_type type, const void *item);
int oracle_is_fixed_nan(onepass_type type, const void *item);

/* Whether every NaN among num_items items is the fixed one. If not, the number of the first other NaN goes to
 * *first_difference, which may be NULL. */
int oracle_nans_are_fixed(onepass_type type, const void *items, uint64_t num_items, uint64_t *first_difference);

/*
 * How near a floating SUM scan came to the error that ORDER.md allows: the largest |output - exact sum| / bound over
 * the outputs, so that anything up to 1.0 is right. in is what spec->d_in held before the call, out what the call wrote
 * (spec's own d_in and d_out are not read). Outputs with an overflow or a NaN in reach have no bound, and are not
 * looked at.
 */
double oracle_sum_error_bound(const onepass_scan_spec *spec, const void *in, const void *out);

/* -------------------------------------------------------------------------------------------- positions */

/* The output type of a spec (0: as in_type), and the type that floating SUM and PROD are computed in. */
onepass_type oracle_out_type(onepass_type in_type, onepass_type out_type);
onepass_type oracle_accumulator(onepass_type out_type);

/* Where the item and the output of a position lie: turned round in a reverse scan. */
uint64_t oracle_item_of_position(const onepass_scan_spec *spec, uint64_t num_items, uint64_t position);
uint64_t oracle_output_of_position(const onepass_scan_spec *spec, uint64_t num_items, uint64_t position);

/* ---------------------------------------------------------------------------------------------- numbers */

/* Size of one item in bytes. */
size_t oracle_type_size(onepass_type type);

/* 1 for F16, BF16, F32, F64; 1 for I8, I16, I32, I64. */
int oracle_is_floating(onepass_type type);
int oracle_is_signed(onepass_type type);

/* Item number idx, in the member of onepass_value that goes with the type. Exact. */
onepass_value oracle_load(onepass_type type, const void *items, uint64_t idx);

/* The number converted to the type: integers modulo 2^bits, floating values once to nearest even. A signed result is in
 * i and, extended to 64 bits, in u. */
onepass_value oracle_convert(onepass_type type, onepass_value value);

/* Converts, then writes item number idx. Every NaN becomes the fixed one. */
void oracle_store(onepass_type type, onepass_value value, void *items, uint64_t idx);

float oracle_f16_to_f32(uint16_t bits);
float oracle_bf16_to_f32(uint16_t bits);
uint16_t oracle_f32_to_f16(float value);
uint16_t oracle_f32_to_bf16(float value);

#endif
