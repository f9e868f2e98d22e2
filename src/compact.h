/* SPDX-License-Identifier: MIT */
/* What every selection and partition has in common: all that a caller may have asked for, its checks, and the call of
 * the backend. */
#ifndef ONEPASS_SRC_COMPACT_H
#define ONEPASS_SRC_COMPACT_H

#include "check.h"

/* What a function lets its caller say. A spec chooses what decides; the other functions are each made for one, and have
 * all of their outputs. */
enum compact_form { BY_SPEC, BY_KEEP, BY_FLAGS, BY_RUNS };

/* Where one part goes, and what the function calls it. */
struct compact_part {
    const char *items_name;
    const char *indices_name;
    onepass_part to;
};

struct compact_request {
    enum compact_form form;
    onepass_type type;
    const onepass_predicate *keep;
    const onepass_predicate *keep_second;
    const uint8_t *d_flags;
    onepass_flag_kind flag_kind;
    uint8_t flag_value;
    bool unique;
    const void *d_in;
    bool may_be_in_place;
    bool joined;
    int last_part;   /* PART_SELECTED for a selection */
    bool has_second; /* the function has a second part, whether or not there is a predicate for it */
    onepass_type index_type;
    struct compact_part parts[num_output_parts];
    const onepass_payload *payloads;
    int num_payloads;
    uint64_t *d_num_selected;
    uint64_t *d_num_second;
    struct item_count count;
};

/* Checks the request, in the order that onepass.h promises, and hands it to the backend. */
onepass_result compact(const struct caller *caller, const struct compact_request *request);

/* The ranges of memory that a request is about: compact_check.c. */
onepass_result compact_check_memory(const struct caller *caller, const struct compact_request *request);

#endif
