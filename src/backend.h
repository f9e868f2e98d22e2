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

struct select_call {
    onepass_type type;
    struct range_test keep; /* if d_flags is NULL */
    const uint8_t *d_flags;
    const void *d_in;
    void *d_out;         /* or NULL */
    size_t index_size;   /* 4 or 8, if d_out_indices is not NULL */
    void *d_out_indices; /* or NULL */
    uint64_t capacity;   /* at most max_items */
    uint64_t *d_num_selected;
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
    onepass_result (*select)(onepass_context *ctx, const struct select_call *call);
};

extern const struct backend host_backend;
#ifdef ONEPASS_HAVE_CUDA
extern const struct backend cuda_backend;
#endif

#endif
