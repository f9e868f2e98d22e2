/* SPDX-License-Identifier: MIT */
/* What a launch of a selection is told: plain C, the same for every item size. */
#ifndef ONEPASS_COMPACTION_PARAMS_H
#define ONEPASS_COMPACTION_PARAMS_H

#include "../lookback/params.h"

struct select_params {
    struct pipeline_params pipeline;
    const void *in;       /* not read if items are neither wanted nor what decides */
    const uint8_t *flags; /* what decides, if the kernel is one for flags */
    void *out;            /* or NULL */
    void *out_indices;    /* or NULL */
    uint64_t capacity;    /* of either */
    uint64_t *num_selected;
    /* The range test of src/predicate.h: an item x is kept if (((key(x) & mask) - low) <= span) != negate. Negative
     * items have their other bits turned round by float_key: 0 for integers. */
    uint64_t mask, low, span, float_key;
    uint8_t negate;
    uint8_t wide_indices; /* 64 bits, not 32 */
    uint8_t in_place;     /* out == in */
};

#endif
