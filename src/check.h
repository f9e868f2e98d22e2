/* SPDX-License-Identifier: MIT */
/*
 * Checks of arguments. Each check returns ONEPASS_SUCCESS or keeps a text that names the function, the argument, what
 * it was and what it should be. Public functions chain them with CHECK in the order that onepass.h promises.
 */
#ifndef ONEPASS_SRC_CHECK_H
#define ONEPASS_SRC_CHECK_H

#include "context.h"

/* Who asks. field is "" for plain arguments and "spec->" for those of a spec. */
struct caller {
    onepass_context *ctx;
    const char *function;
    const char *field;
};

#define CHECK(check)                           \
    do {                                       \
        onepass_result check_result = (check); \
        if (check_result != ONEPASS_SUCCESS)   \
            return check_result;               \
    } while (0)

/* A range of memory that a call reads or writes. */
struct range {
    const char *name;
    const void *start; /* NULL: the range is not there */
    uint64_t num_items;
    size_t item_size;
    bool is_output;
    bool is_required; /* must be there if it has any items */
    int in_place;     /* an input and an output that have one number here, not 0, may start at one place */
};

/* The context is there and alive. */
onepass_result check_context(const struct caller *caller);

/* Copies a spec into `known`; a longer one, from a newer header, passes if what is unknown is all zero. */
onepass_result check_spec(const struct caller *caller, const void *spec, void *known, size_t known_size);

onepass_result check_type(const struct caller *caller, const char *name, onepass_type type);
onepass_result check_operator(const struct caller *caller, onepass_operator op);

/* The pair of types is in the table, and the operator is defined for it. */
onepass_result check_supported(const struct caller *caller, onepass_type in_type, onepass_type out_type,
                               onepass_operator op);

/* max_items is within the reserve. name is "num_items" or "max_items". */
onepass_result check_reserved(const struct caller *caller, const char *name, uint64_t max_items);

/* Every required range is there; each is aligned to its item size and ends inside the address space; no output overlaps
 * another range, but for those that may be in place of each other. */
onepass_result check_ranges(const struct caller *caller, const struct range *ranges, int num_ranges);

#endif
