/* SPDX-License-Identifier: MIT */
/* What a launch of a selection or partition is told: plain C, the same for every item size. */
#ifndef ONEPASS_COMPACTION_PARAMS_H
#define ONEPASS_COMPACTION_PARAMS_H

#include "../lookback/params.h"

/* What makes an item a selected one: a kernel for each. */
enum select_decider {
    SELECT_BY_ITEM,     /* the range test, of the item */
    SELECT_BY_FLAG,     /* the range test, of its flag byte */
    SELECT_BY_FLAG_BIT, /* bit i % 8 of flag byte i / 8 */
    SELECT_BY_HEAD,     /* it is the first item, or does not equal the one before */
    num_select_deciders
};

/* Where the selected or the rejected items go; NULL: not wanted. */
struct select_output {
    void *items;
    void *indices;
    uint64_t capacity; /* of each */
};

enum { SELECT_MAX_PAYLOADS = 8 };

/* An array whose items go where the items go. */
struct select_payload {
    const void *in;
    void *selected, *rejected; /* or NULL */
    uint32_t item_size;        /* 1, 2, 4, 8 or 16 */
};

struct select_params {
    struct pipeline_params pipeline;
    const void *in;       /* not read if items are neither wanted nor what decides */
    const uint8_t *flags; /* what decides, if the kernel is one for flags */
    struct select_output selected, rejected;
    uint64_t *num_selected;
    /* The range test of src/predicate.h: an item x is kept if (((key(x) & mask) - low) <= span) != negate. Negative
     * items have their other bits turned round by float_key: 0 for integers. */
    uint64_t mask, low, span, float_key;
    uint64_t infinity; /* by head: the bits of +infinity of a floating type, else 0 */
    uint8_t negate;
    uint8_t wide_indices; /* 64 bits, not 32 */
    uint8_t in_place;     /* selected.items == in */
    uint8_t has_rejected; /* something of the rejected items is wanted */
    uint32_t num_payloads;
    struct select_payload payloads[SELECT_MAX_PAYLOADS];
};

#endif
