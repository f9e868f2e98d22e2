/* SPDX-License-Identifier: MIT */
/* The ranges of memory that a selection or partition is about: which must be there, and that none overlaps another. */
#include "compact.h"

#include "types.h"

/* Items in and flags, three parts of items and of indices, three counts, and four arrays a payload. */
enum { max_ranges = 2 + 2 * num_output_parts + 3 + 4 * ONEPASS_MAX_PAYLOADS };

/* Pairs of ranges that may start at one place: the items, and each payload. */
enum { ITEMS_IN_PLACE = 1, PAYLOADS_IN_PLACE };

struct ranges {
    struct range list[max_ranges];
    int num;
};

static void add(struct ranges *ranges, struct range range)
{
    if (range.start != NULL || range.is_required)
        ranges->list[ranges->num++] = range;
}

static uint64_t num_outputs(const struct compact_request *request, int part)
{
    uint64_t capacity = request->parts[part].to.capacity, max_items = request->count.max_items;
    return capacity < max_items ? capacity : max_items;
}

static void add_items(struct ranges *ranges, const struct compact_request *request)
{
    size_t size = onepass_type_size(request->type);
    uint64_t max_items = request->count.max_items;
    bool is_short = request->form != BY_SPEC;
    bool reads_items = is_short || request->keep != NULL || request->unique;
    for (int part = 0; part < num_output_parts; part++)
        reads_items |= request->parts[part].to.d_items != NULL;
    int in_place = request->may_be_in_place ? ITEMS_IN_PLACE : 0;
    add(ranges, (struct range){ "d_in", request->d_in, max_items, size, false, reads_items, in_place });
    for (int part = 0; part <= request->last_part; part++) {
        bool is_required = is_short && (part != PART_SECOND || request->has_second);
        add(ranges, (struct range){ request->parts[part].items_name, request->parts[part].to.d_items,
                                    num_outputs(request, part), size, true, is_required,
                                    part == PART_SELECTED ? in_place : 0 });
    }
}

static void add_flags(struct ranges *ranges, const struct compact_request *request)
{
    uint64_t max_items = request->count.max_items;
    uint64_t num_bytes = request->flag_kind == ONEPASS_FLAG_BITS ? max_items / 8 + (max_items % 8 != 0) : max_items;
    add(ranges, (struct range){ "d_flags", request->d_flags, num_bytes, 1, false, request->form == BY_FLAGS, 0 });
}

static void add_indices(struct ranges *ranges, const struct compact_request *request)
{
    for (int part = 0; part <= request->last_part; part++) {
        const struct compact_part *to = &request->parts[part];
        if (to->to.d_indices != NULL)
            add(ranges, (struct range){ to->indices_name, to->to.d_indices, num_outputs(request, part),
                                        onepass_type_size(request->index_type), true, false, 0 });
    }
}

/* Names of payload, for texts. */
#define PAYLOAD_NAMES(i)                                                                     \
    {                                                                                        \
        "payloads[" #i "].d_in", "payloads[" #i "].d_selected", "payloads[" #i "].d_second", \
            "payloads[" #i "].d_rejected"                                                    \
    }
static const char *const payload_names[ONEPASS_MAX_PAYLOADS][4] = {
    PAYLOAD_NAMES(0), PAYLOAD_NAMES(1), PAYLOAD_NAMES(2), PAYLOAD_NAMES(3),
    PAYLOAD_NAMES(4), PAYLOAD_NAMES(5), PAYLOAD_NAMES(6), PAYLOAD_NAMES(7),
};

static void add_payload(struct ranges *ranges, const struct compact_request *request, int idx)
{
    const onepass_payload *payload = &request->payloads[idx];
    const char *const *names = payload_names[idx];
    void *const d_out[num_output_parts] = { payload->d_selected, payload->d_second, payload->d_rejected };
    bool is_wanted = d_out[PART_SELECTED] != NULL || d_out[PART_SECOND] != NULL || d_out[PART_REJECTED] != NULL;
    int in_place = request->may_be_in_place ? PAYLOADS_IN_PLACE + idx : 0;
    add(ranges, (struct range){ names[0], payload->d_in, request->count.max_items, payload->item_size, false, is_wanted,
                                in_place });
    for (int part = 0; part < num_output_parts; part++)
        add(ranges, (struct range){ names[1 + part], d_out[part], num_outputs(request, part), payload->item_size, true,
                                    false, part == PART_SELECTED ? in_place : 0 });
}

onepass_result compact_check_memory(const struct caller *caller, const struct compact_request *request)
{
    struct ranges ranges = { .num = 0 };
    bool is_needed = request->count.max_items > 0;
    add_items(&ranges, request);
    add_flags(&ranges, request);
    add_indices(&ranges, request);
    for (int i = 0; i < request->num_payloads; i++)
        add_payload(&ranges, request, i);
    add(&ranges, (struct range){ "d_num_selected", request->d_num_selected, 1, sizeof(uint64_t), true, is_needed, 0 });
    add(&ranges, (struct range){ "d_num_second", request->d_num_second, 1, sizeof(uint64_t), true,
                                 is_needed && request->has_second, 0 });
    add(&ranges, (struct range){ "d_num_items", request->count.d_num_items, 1, sizeof(uint64_t), false, false, 0 });
    return check_ranges(caller, ranges.list, ranges.num);
}
