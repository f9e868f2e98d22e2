/* SPDX-License-Identifier: MIT */
/* The context object, and how an error gets its text. */
#ifndef ONEPASS_SRC_CONTEXT_H
#define ONEPASS_SRC_CONTEXT_H

#include "backend.h"

#include <sys/types.h>

struct error {
    char text[400];
    int cuda_error;
};

struct onepass_context {
    const struct backend *backend;
    void *state;        /* the backend's own */
    uint64_t max_items; /* reserved */
    pid_t process;      /* that made it: threads and CUDA do not survive fork */
    bool is_dead;       /* set by a backend after an error that leaves nothing usable */
    struct error error;
};

/* Keeps the text as the context's last error, or as this thread's for ctx == NULL, and returns result. */
onepass_result context_fail(onepass_context *ctx, onepass_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The text that onepass_synchronize gives for a count that was above its bound. */
onepass_result context_fail_clamped(onepass_context *ctx, uint64_t num_items, uint64_t max_items);

#endif
