/* SPDX-License-Identifier: MIT */
/* The public partitions, each as a request to compact.h. */
#include "compact.h"

/* A partition of items alone into outputs of their own. */
static struct compact_request partition_request(enum compact_form form, onepass_type type, const void *d_in,
                                                void *d_selected, void *d_rejected, uint64_t *d_num_selected,
                                                uint64_t num_items)
{
    return (struct compact_request){
        .form = form,
        .type = type,
        .flag_kind = ONEPASS_FLAG_NONZERO,
        .d_in = d_in,
        .last_part = PART_REJECTED,
        .parts = { { "d_selected", "", { d_selected, NULL, UINT64_MAX } },
                   { "d_second", "", { NULL, NULL, UINT64_MAX } },
                   { "d_rejected", "", { d_rejected, NULL, UINT64_MAX } } },
        .d_num_selected = d_num_selected,
        .count = { num_items, NULL },
    };
}

onepass_result onepass_partition_if(onepass_context *ctx, onepass_type type, const onepass_predicate *keep,
                                    const void *d_in, void *d_selected, void *d_rejected, uint64_t *d_num_selected,
                                    uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_partition_if", "" };
    CHECK(check_context(&caller));
    struct compact_request request =
        partition_request(BY_KEEP, type, d_in, d_selected, d_rejected, d_num_selected, num_items);
    request.keep = keep;
    return compact(&caller, &request);
}

onepass_result onepass_partition_flagged(onepass_context *ctx, onepass_type type, const void *d_in,
                                         const uint8_t *d_flags, void *d_selected, void *d_rejected,
                                         uint64_t *d_num_selected, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_partition_flagged", "" };
    CHECK(check_context(&caller));
    struct compact_request request =
        partition_request(BY_FLAGS, type, d_in, d_selected, d_rejected, d_num_selected, num_items);
    request.d_flags = d_flags;
    return compact(&caller, &request);
}

onepass_result onepass_partition_three_way(onepass_context *ctx, onepass_type type, const onepass_predicate *keep,
                                           const onepass_predicate *keep_second, const void *d_in, void *d_selected,
                                           void *d_second, void *d_rejected, uint64_t *d_num_selected,
                                           uint64_t *d_num_second, uint64_t num_items)
{
    const struct caller caller = { ctx, "onepass_partition_three_way", "" };
    CHECK(check_context(&caller));
    struct compact_request request =
        partition_request(BY_KEEP, type, d_in, d_selected, d_rejected, d_num_selected, num_items);
    request.keep = keep;
    request.keep_second = keep_second;
    request.has_second = true;
    request.parts[PART_SECOND].to.d_items = d_second;
    request.d_num_second = d_num_second;
    return compact(&caller, &request);
}

onepass_result onepass_partition(onepass_context *ctx, const onepass_partition_spec *spec)
{
    const struct caller caller = { ctx, "onepass_partition", "spec->" };
    onepass_partition_spec known;
    CHECK(check_context(&caller));
    CHECK(check_spec(&caller, spec, &known, sizeof known));
    const struct compact_request request = {
        .form = BY_SPEC,
        .type = known.type,
        .keep = known.keep,
        .keep_second = known.keep_second,
        .d_flags = known.d_flags,
        .flag_kind = known.flag_kind,
        .flag_value = known.flag_value,
        .unique = known.unique != 0,
        .d_in = known.d_in,
        .joined = known.joined != 0,
        .last_part = PART_REJECTED,
        /* Without items the predicates may be NULL, and yet there is a count to write. */
        .has_second = known.keep_second != NULL || known.max_items == 0,
        .index_type = known.index_type,
        .parts = { { "selected.d_items", "selected.d_indices", known.selected },
                   { "second.d_items", "second.d_indices", known.second },
                   { "rejected.d_items", "rejected.d_indices", known.rejected } },
        .payloads = known.payloads,
        .num_payloads = known.num_payloads,
        .d_num_selected = known.d_num_selected,
        .d_num_second = known.d_num_second,
        .count = { known.max_items, known.d_num_items },
    };
    return compact(&caller, &request);
}
