/* SPDX-License-Identifier: MIT */
/* What can be said of a result, or of the library, without a context. */
#include "onepass.h"

static const struct {
    const char *name;
    const char *message;
} texts[] = {
    [ONEPASS_SUCCESS] = { "ONEPASS_SUCCESS", "success" },
    [ONEPASS_INVALID_ARGUMENT] = { "ONEPASS_INVALID_ARGUMENT", "an argument is one that no call could accept" },
    [ONEPASS_UNSUPPORTED] = { "ONEPASS_UNSUPPORTED", "this combination of arguments is not supported" },
    [ONEPASS_OVERLAP] = { "ONEPASS_OVERLAP", "an output overlaps another range of memory" },
    [ONEPASS_NOT_RESERVED] = { "ONEPASS_NOT_RESERVED", "more items than the context has room for" },
    [ONEPASS_OUT_OF_MEMORY] = { "ONEPASS_OUT_OF_MEMORY", "memory or threads could not be had" },
    [ONEPASS_NO_DEVICE] = { "ONEPASS_NO_DEVICE", "there is no usable GPU, or the library is built without CUDA" },
    [ONEPASS_CUDA_ERROR] = { "ONEPASS_CUDA_ERROR", "CUDA refused a call" },
    [ONEPASS_CONTEXT_DEAD] = { "ONEPASS_CONTEXT_DEAD", "the context can only be destroyed" },
};

static int is_result(onepass_result result)
{
    return (int)result >= 0 && (int)result < (int)(sizeof texts / sizeof *texts);
}

const char *onepass_result_name(onepass_result result)
{
    return is_result(result) ? texts[result].name : "unknown result";
}

const char *onepass_result_message(onepass_result result)
{
    return is_result(result) ? texts[result].message : "unknown result";
}

int onepass_version(void)
{
    return ONEPASS_VERSION;
}
