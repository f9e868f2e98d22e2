/* SPDX-License-Identifier: MIT */
/* The public selections, each as a request to compact.h. */
#include "compact.h"

/* A selection of items alone. */
static struct compact_request select_request(enum compact_form form, onepass_type type, const void *d_in, void *d_out,
                                             uint64_t *d_num_selected, uint64_t num_items)
{
    return (struct compact_request){
        .form = form,
        .type = type,
        .flag_kind = ONEPASS_FLAG_NONZERO,
        .d_in = d_in,
        .may_be_in_place = true,
        .last_part = PART_SELECTED,
        .parts = { { "d_out", "d_out_indices", { d_out, NULL, UINT64_MAX } } },
        .d_num_selected = d_num_selected,
        .count = { num_items, NULL },
    };
}

onepass_result onepass_select_if(onepass_context *ctx, onepass_type type, const onepass_predicate *keep,
                                 const void *d_in, void *d_out, uint64_t *d_num_selected, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_select_if", "" };
    CHECK(check_context(&caller));
    struct compact_request request = select_request(BY_KEEP, type, d_in, d_out, d_num_selected, num_items);
    request.keep = keep;
    return compact(&caller, &request);
}

onepass_result onepass_select_flagged(onepass_context *ctx, onepass_type type, const void *d_in, const uint8_t *d_flags,
                                      void *d_out, uint64_t *d_num_selected, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_select_flagged", "" };
    CHECK(check_context(&caller));
    struct compact_request request = select_request(BY_FLAGS, type, d_in, d_out, d_num_selected, num_items);
    request.d_flags = d_flags;
    return compact(&caller, &request);
}

onepass_result onepass_unique(onepass_context *ctx, onepass_type type, const void *d_in, void *d_out,
                              uint64_t *d_num_selected, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_unique", "" };
    CHECK(check_context(&caller));
    struct compact_request request = select_request(BY_RUNS, type, d_in, d_out, d_num_selected, num_items);
    request.unique = true;
    return compact(&caller, &request);
}

onepass_result onepass_select(onepass_context *ctx, const onepass_select_spec *spec)
{
    const struct caller caller = { ctx, "onepass_select", "spec->" };
    onepass_select_spec known;
    CHECK(check_context(&caller));
    CHECK(check_spec(&caller, spec, &known, sizeof known));
    struct compact_request request =
        select_request(BY_SPEC, known.type, known.d_in, known.d_out, known.d_num_selected, known.max_items);
    request.keep = known.keep;
    request.d_flags = known.d_flags;
    request.flag_kind = known.flag_kind;
    request.flag_value = known.flag_value;
    request.unique = known.unique != 0;
    request.index_type = known.index_type;
    request.parts[PART_SELECTED].to.d_indices = known.d_out_indices;
    request.parts[PART_SELECTED].to.capacity = known.capacity;
    request.payloads = known.payloads;
    request.num_payloads = known.num_payloads;
    request.count.d_num_items = known.d_num_items;
    return compact(&caller, &request);
}
