/* SPDX-License-Identifier: MIT */
/*
 * Bad arguments as a table. A fault is a few changes to a call that is valid without them, and what the function must
 * then answer: the result, and words in the text of onepass_last_error. All that a call is given lies in one arena, so
 * that whatever a refused call writes shows.
 *
 * Faults have stages, in the order in which onepass.h checks; of two faults the one of the earlier stage is reported.
 */
#ifndef ONEPASS_TESTS_ARGUMENT_FAULTS_H
#define ONEPASS_TESTS_ARGUMENT_FAULTS_H

#include "onepass.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where things lie in the arena, far apart: arrays have room for num_valid_items I32 items. */
enum { num_valid_items = 16, array_bytes = 4 * num_valid_items };
enum {
    IN = 512,
    OUT = 1024,
    FLAGS = 1536,
    INDICES = 2048,
    SELECTED = 2560,
    INITIAL = 2624,
    COUNT = 2688,
    SECOND = 3072,
    REJECTED = 3584,
    NUM_SECOND = 4096,
    PAYLOAD_IN = 4608,
    PAYLOAD_OUT = 5120,
    arena_bytes = 5632
};

/* The arguments of any function. A reduction and the short functions take theirs from the specs; a spec may be longer
 * than it should be. */
enum { tail_bytes = 32 };
typedef struct arguments {
    onepass_context *ctx;
    int spec_is_null;
    struct {
        onepass_scan_spec spec;
        unsigned char tail[tail_bytes];
    } fold;
    struct {
        onepass_select_spec spec;
        unsigned char tail[tail_bytes];
    } select;
    struct {
        onepass_partition_spec spec;
        unsigned char tail[tail_bytes];
    } partition;
    onepass_predicate keep, keep_second; /* where the specs' keep and keep_second point, unless they are NULL */
    onepass_payload payload;             /* where the specs' payloads point, unless it is NULL */
} arguments;

/* For tables, where the long names would hide the arguments. */
#define VALID ONEPASS_SUCCESS
#define INVALID ONEPASS_INVALID_ARGUMENT
#define UNSUPPORTED ONEPASS_UNSUPPORTED
#define OVERLAPS ONEPASS_OVERLAP
#define TOO_MANY ONEPASS_NOT_RESERVED

/* A field, and what it becomes: a number, or the address of a place in the arena. */
typedef struct change {
    size_t offset, width;
    enum { CHANGE_NONE, CHANGE_NUMBER, CHANGE_PLACE } to;
    uint64_t value;
} change;

#define NUMBER(field, number)                                                                          \
    {                                                                                                  \
        offsetof(arguments, field), sizeof(((arguments *)0)->field), CHANGE_NUMBER, (uint64_t)(number) \
    }
#define PLACE(field, place)                                                                          \
    {                                                                                                \
        offsetof(arguments, field), sizeof(((arguments *)0)->field), CHANGE_PLACE, (uint64_t)(place) \
    }

/* The stages of onepass.h, in order; then those of faults for which it leaves open which of several stages finds them.
 */
typedef enum stage {
    CONTEXT,
    SPEC,
    TYPE,
    OPERATOR,
    NUM_ITEMS,
    RESERVE,
    POINTER,
    OVERLAP,
    SPEC_TO_OPERATOR,
    TYPE_TO_OPERATOR
} stage;

enum { max_changes = 5, max_words = 3 };
typedef struct fault {
    unsigned functions; /* bits of the functions that have these arguments */
    stage stage;
    onepass_result result; /* SUCCESS for a valid call beside the faults */
    change changes[max_changes];
    const char *says[max_words]; /* "in_type" and "max_items" stand for the short functions' own names, too */
} fault;

typedef struct function_under_test {
    const char *name;
    unsigned bit;
    bool is_short; /* its type is called "type", its count "num_items" */
    void (*set_valid)(arguments *a, unsigned char *d_arena);
    onepass_result (*call)(const arguments *a);
} function_under_test;

/* Each fault alone, then each pair of faults whose order is fixed. */
void check_faults(onepass_context *ctx, const function_under_test *function, const fault *faults, size_t num_faults);
void check_fault_pairs(onepass_context *ctx, const function_under_test *function, const fault *faults,
                       size_t num_faults);

#endif
