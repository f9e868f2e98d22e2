/* SPDX-License-Identifier: MIT */
/*
 * The seam between the public functions and a backend. What crosses it has been checked: enumerators are valid, types
 * go together, pointers are aligned, ranges do not overlap, and max_items, which may be 0, is within the reserve.
 */
#ifndef ONEPASS_SRC_BACKEND_H
#define ONEPASS_SRC_BACKEND_H

#include "onepass.h"
#include "predicate.h"

#include <stdbool.h>

/* How many items there are: *d_num_items, at most max_items; or max_items if d_num_items is NULL. */
struct item_count {
    uint64_t max_items;
    const uint64_t *d_num_items;
};

/* The value to start from: *d_value if that is not NULL, else bits if given, else the operator's own start. */
struct initial_value {
    bool given;
    uint64_t bits; /* an item of the output type, in the low bytes */
    const void *d_value;
};

struct reduce_call {
    onepass_type in_type;
    onepass_type out_type;
    onepass_operator op;
    struct initial_value initial;
    const void *d_in;
    void *d_out;
    struct item_count count;
};

struct scan_call {
    struct reduce_call of; /* d_out has as many items as kind says */
    onepass_scan_kind kind;
    bool reverse;
};

/* A compaction decides for each item which part it belongs to, and moves the parts, each in order, to outputs of their
 * own. A selection is one with the selected part alone. */
enum part {
    PART_SELECTED,
    PART_SECOND, /* of a three-way partition: what the second predicate keeps of what the first does not */
    PART_REJECTED,
    num_output_parts
};

/* What makes an item a selected one. */
enum decision_kind {
    DECIDE_BY_ITEM,     /* the range test `keep`, of the item */
    DECIDE_BY_FLAG,     /* the range test `keep`, of the item's flag byte */
    DECIDE_BY_FLAG_BIT, /* item i: bit i % 8 of flag byte i / 8 */
    DECIDE_BY_HEAD      /* it is the first of its run: there is no item before, or one that does not equal it, as
                           onepass_unique says */
};

struct decision {
    enum decision_kind kind;
    onepass_type type;
    const void *d_in; /* the items; NULL if they neither decide nor are moved */
    const uint8_t *d_flags;
    struct range_test keep;
    bool has_second; /* only with DECIDE_BY_ITEM */
    struct range_test keep_second;
};

/* An array of which each item goes where the item of its number goes. */
struct moved_array {
    const void *d_in;
    size_t item_size;              /* 1, 2, 4, 8 or 16 */
    void *d_out[num_output_parts]; /* NULL: not wanted. d_in itself: in place, and then the selected part alone */
};

enum { max_moved_arrays = 1 + ONEPASS_MAX_PAYLOADS };

struct compact_outputs {
    int num_arrays; /* the items first, if they are moved at all */
    struct moved_array arrays[max_moved_arrays];
    size_t index_size; /* 4 or 8, if any indices are wanted */
    void *d_indices[num_output_parts];
    uint64_t capacity[num_output_parts]; /* of each of the part's outputs; at most max_items */
    bool is_joined;           /* the parts lie one behind another: each has the outputs of the first, no capacity, and
                                 begins where the one before it ends */
    uint64_t *d_num_selected; /* either count may be NULL if max_items is 0 */
    uint64_t *d_num_second;   /* NULL without has_second, but for max_items = 0 */
};

struct compact_call {
    struct decision decision;
    struct compact_outputs outputs;
    struct item_count count;
};

/* A failing function has described the fault with context_fail. */
struct backend {
    onepass_backend id;
    onepass_result (*create)(onepass_context *ctx, const onepass_options *options); /* sets ctx->state */
    void (*destroy)(onepass_context *ctx);
    void (*abandon)(onepass_context *ctx); /* destroy, in a child after fork: memory only */
    int (*num_threads)(const onepass_context *ctx);
    onepass_result (*reserve)(onepass_context *ctx, uint64_t max_items); /* more than ctx->max_items */
    onepass_result (*set_stream)(onepass_context *ctx, onepass_stream stream);
    onepass_result (*synchronize)(onepass_context *ctx);
    onepass_result (*allocate)(onepass_context *ctx, void **d_ptr, size_t num_bytes); /* num_bytes > 0 */
    onepass_result (*free)(onepass_context *ctx, void *d_ptr);                        /* d_ptr not NULL */
    onepass_result (*copy)(onepass_context *ctx, void *dst, const void *src, size_t num_bytes);
    onepass_result (*scan)(onepass_context *ctx, const struct scan_call *call);
    onepass_result (*reduce)(onepass_context *ctx, const struct reduce_call *call);
    onepass_result (*compact)(onepass_context *ctx, const struct compact_call *call);
};

extern const struct backend host_backend;
#ifdef ONEPASS_HAVE_CUDA
extern const struct backend cuda_backend;
#endif

#endif
