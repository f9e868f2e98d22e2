/* SPDX-License-Identifier: MIT */
/* What a launch of a selection or a partition is told: plain C, the same for every item size. */
#ifndef ONEPASS_COMPACTION_PARAMS_H
#define ONEPASS_COMPACTION_PARAMS_H

#include "../lookback/params.h"

/* The range test of src/predicate.h: an item x passes if (((key(x) & mask) - low) <= span) != negate. */
struct range_params {
    uint64_t mask, low, span;
    uint8_t negate;
};

/* What decides, for each item, where it goes. */
struct decision_params {
    const void *in;              /* not read if items are neither wanted nor what decides */
    const uint8_t *flags;        /* what decides, if the kernel is one for flags */
    struct range_params test[2]; /* an item that passes the first goes first; test[1]: three-way partition only */
    uint64_t float_key;          /* range tests: negative items have their other bits turned round by it; integers: 0 */
    uint64_t infinity;           /* unique: the bits of +infinity in a floating type, else 0 */
    /* Flags: bytes keep if (flag == flag_value) != test[0].negate, so {0, true} for any that is not zero; or they are
     * bits, the lowest of each byte first, and keep if they are != test[0].negate. */
    uint8_t flag_value;
    uint8_t flags_are_bits;
    uint8_t in_place; /* an output is the input */
};

/* An array whose items move with those that decide. It overlaps with nothing that is written. */
struct payload_array {
    const void *in;
    void *out;
    uint32_t item_bytes; /* 1, 2, 4, 8 or 16 */
};

enum { SELECT_MAX_PAYLOADS = 8 };

struct select_params {
    struct pipeline_params pipeline;
    struct decision_params decision;
    void *out;         /* or NULL */
    void *out_indices; /* or NULL */
    uint64_t capacity; /* of each output */
    uint64_t *num_selected;
    uint8_t wide_indices; /* 64 bits, not 32 */
    uint8_t num_payloads;
    struct payload_array payloads[SELECT_MAX_PAYLOADS];
};

struct partition_params {
    struct pipeline_params pipeline;
    struct decision_params decision; /* never in place */
    void *out[3];                    /* the parts in order, NULL: not wanted; the third if there are three */
    uint64_t *num_items[2];          /* of the first part, and if there are three of the second; or NULL */
    uint8_t single_output;           /* two parts, the second behind the first; out[1] is not used */
};

#endif
