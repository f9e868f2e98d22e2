/* SPDX-License-Identifier: MIT */
/* Bits of single numbers: an onepass_value as an item of a type, and rounding a double to a smaller format without
 * asking the rounding mode that the caller's thread has set. */
#ifndef ONEPASS_SRC_VALUE_H
#define ONEPASS_SRC_VALUE_H

#include "onepass.h"

/* The item of `type` that equals value: integers modulo 2^bits, floating values rounded to nearest even. The low bytes
 * of the result hold it. */
uint64_t value_bits(onepass_type type, onepass_value value);

/* For a floating type: its sign bit, and the bits of +infinity. */
uint64_t sign_bit(onepass_type type);
uint64_t infinity_bits(onepass_type type);

#endif
