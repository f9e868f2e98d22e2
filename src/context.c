/* SPDX-License-Identifier: MIT */
/* Contexts: creation and the choice of a backend, the last error, and the calls that go straight to the backend. */
#include "context.h"

#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of calls that have no context to keep it. */
static _Thread_local struct error thread_error;

onepass_result context_fail(onepass_context *ctx, onepass_result result, const char *format, ...)
{
    struct error *error = ctx != NULL ? &ctx->error : &thread_error;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->cuda_error = 0;
    return result;
}

onepass_result context_fail_clamped(onepass_context *ctx, uint64_t num_items, uint64_t max_items)
{
    return context_fail(ctx, ONEPASS_INVALID_ARGUMENT,
                        "onepass_synchronize: an earlier call found %" PRIu64
                        " in *d_num_items, above its max_items of %" PRIu64 ", and worked on that many",
                        num_items, max_items);
}

const char *onepass_last_error(const onepass_context *ctx)
{
    return ctx != NULL ? ctx->error.text : thread_error.text;
}

int onepass_last_cuda_error(const onepass_context *ctx)
{
    return ctx != NULL ? ctx->error.cuda_error : thread_error.cuda_error;
}

static onepass_result check_options(const struct caller *caller, const onepass_options *options)
{
    if ((int)options->backend < ONEPASS_BACKEND_AUTO || (int)options->backend > ONEPASS_BACKEND_CUDA)
        return context_fail(NULL, ONEPASS_INVALID_ARGUMENT, "%s: options->backend is %d, which is no onepass_backend",
                            caller->function, (int)options->backend);
    if (options->device < 0)
        return context_fail(NULL, ONEPASS_INVALID_ARGUMENT, "%s: options->device is %d; it must be 0 or more",
                            caller->function, options->device);
    if (options->num_threads < 0 || options->num_threads > ONEPASS_MAX_THREADS)
        return context_fail(NULL, ONEPASS_INVALID_ARGUMENT, "%s: options->num_threads is %d; it must be 0 to %d",
                            caller->function, options->num_threads, ONEPASS_MAX_THREADS);
#ifndef ONEPASS_HAVE_CUDA
    if (options->backend == ONEPASS_BACKEND_CUDA)
        return context_fail(NULL, ONEPASS_NO_DEVICE,
                            "%s: options->backend is CUDA, which this library is built without", caller->function);
#endif
    return ONEPASS_SUCCESS;
}

/* Sets the backend and its state. AUTO is the host where there is no GPU to use. */
static onepass_result create_backend(onepass_context *made, const onepass_options *options)
{
#ifdef ONEPASS_HAVE_CUDA
    if (options->backend != ONEPASS_BACKEND_HOST) {
        made->backend = &cuda_backend;
        onepass_result result = cuda_backend.create(made, options);
        if (result != ONEPASS_NO_DEVICE || options->backend == ONEPASS_BACKEND_CUDA)
            return result;
        memset(&made->error, 0, sizeof made->error);
    }
#endif
    made->backend = &host_backend;
    return host_backend.create(made, options);
}

onepass_result onepass_create(onepass_context **ctx, const onepass_options *options)
{
    static const onepass_options defaults = ONEPASS_OPTIONS_INIT;
    const struct caller caller = { NULL, "onepass_create", "options->" };
    if (ctx == NULL)
        return context_fail(NULL, ONEPASS_INVALID_ARGUMENT, "onepass_create: ctx is NULL");
    *ctx = NULL;
    onepass_options known;
    CHECK(check_spec(&caller, options != NULL ? options : &defaults, &known, sizeof known));
    CHECK(check_options(&caller, &known));

    onepass_context *made = calloc(1, sizeof *made);
    if (made == NULL)
        return context_fail(NULL, ONEPASS_OUT_OF_MEMORY, "onepass_create: no memory for a context");
    made->process = getpid();
    onepass_result result = create_backend(made, &known);
    if (result == ONEPASS_SUCCESS) {
        result = onepass_reserve(made, known.max_items);
        if (result != ONEPASS_SUCCESS)
            made->backend->destroy(made);
    }
    if (result != ONEPASS_SUCCESS) {
        thread_error = made->error;
        free(made);
        return result;
    }
    *ctx = made;
    return ONEPASS_SUCCESS;
}

onepass_result onepass_destroy(onepass_context *ctx)
{
    if (ctx == NULL)
        return ONEPASS_SUCCESS;
    if (ctx->process == getpid())
        ctx->backend->destroy(ctx);
    else
        ctx->backend->abandon(ctx);
    free(ctx);
    return ONEPASS_SUCCESS;
}

onepass_backend onepass_context_backend(const onepass_context *ctx)
{
    return ctx != NULL ? ctx->backend->id : ONEPASS_BACKEND_AUTO;
}

int onepass_context_threads(const onepass_context *ctx)
{
    return ctx != NULL ? ctx->backend->num_threads(ctx) : 0;
}

onepass_result onepass_set_stream(onepass_context *ctx, onepass_stream stream)
{
    CHECK(check_context(&(struct caller){ ctx, "onepass_set_stream", "" }));
    return ctx->backend->set_stream(ctx, stream);
}

onepass_result onepass_synchronize(onepass_context *ctx)
{
    CHECK(check_context(&(struct caller){ ctx, "onepass_synchronize", "" }));
    return ctx->backend->synchronize(ctx);
}

onepass_result onepass_reserve(onepass_context *ctx, uint64_t max_items)
{
    CHECK(check_context(&(struct caller){ ctx, "onepass_reserve", "" }));
    if (max_items <= ctx->max_items)
        return ONEPASS_SUCCESS;
    CHECK(ctx->backend->reserve(ctx, max_items));
    ctx->max_items = max_items;
    return ONEPASS_SUCCESS;
}

onepass_result onepass_allocate(onepass_context *ctx, void **d_ptr, size_t num_bytes)
{
    if (d_ptr != NULL)
        *d_ptr = NULL;
    CHECK(check_context(&(struct caller){ ctx, "onepass_allocate", "" }));
    if (d_ptr == NULL)
        return context_fail(ctx, ONEPASS_INVALID_ARGUMENT, "onepass_allocate: d_ptr is NULL");
    return num_bytes == 0 ? ONEPASS_SUCCESS : ctx->backend->allocate(ctx, d_ptr, num_bytes);
}

onepass_result onepass_free(onepass_context *ctx, void *d_ptr)
{
    CHECK(check_context(&(struct caller){ ctx, "onepass_free", "" }));
    return d_ptr == NULL ? ONEPASS_SUCCESS : ctx->backend->free(ctx, d_ptr);
}

onepass_result onepass_copy(onepass_context *ctx, void *dst, const void *src, size_t num_bytes)
{
    const struct caller caller = { ctx, "onepass_copy", "" };
    CHECK(check_context(&caller));
    const struct range ranges[] = {
        { "src", src, num_bytes, 1, false, true, 1 },
        { "dst", dst, num_bytes, 1, true, true, 1 },
    };
    CHECK(check_ranges(&caller, ranges, 2));
    return num_bytes == 0 || dst == src ? ONEPASS_SUCCESS : ctx->backend->copy(ctx, dst, src, num_bytes);
}
