/* SPDX-License-Identifier: MIT */
/*
 * Scans, reductions and selections on the GPU, as ratios to a device-to-device copy measured in the same run, with CUB
 * beside them. usage: onepass_gpu_bench [log2 of the bytes of input, 30]
 *
 * A ratio is bytes a second (read + written) over those of the copy; reductions are compared with reading at the copy's
 * rate, so that they can exceed 1. Medians of 11 runs after 3 warm-up runs; the arrays are far larger than the caches.
 * Small sizes are replayed from a graph of 20 calls, in microseconds a call.
 */
#include "onepass.h"

#include "../baselines/baselines.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static cudaStream_t stream;
static cudaEvent_t begin, end;
static onepass_context *ctx;
static void *d_in, *d_out, *d_storage, *d_flags;
static uint64_t *d_num_selected;
static size_t storage_bytes;

static void check(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "%s: error %d: %s\n", what, error,
            ctx != NULL ? onepass_last_error(ctx) : onepass_last_error(NULL));
    exit(1);
}

/* One thing to time: everything that a run needs. */
struct work {
    enum { COPY, SCAN, REDUCE, SELECT, FLAGGED, CUB_SCAN, CUB_REDUCE, CUB_SELECT, CUB_FLAGGED } engine;
    onepass_type in, out;
    onepass_operator op;
    enum baseline_type cub;
    size_t in_shift, out_shift; /* bytes */
    int reverse, in_place;
    int bound; /* SELECT: keeps items below */
    uint64_t num_items;
};

static void run(const struct work *w)
{
    const char *in = (const char *)d_in + w->in_shift;
    char *out = w->in_place ? (char *)d_in + w->in_shift : (char *)d_out + w->out_shift;
    if (w->engine == COPY) {
        check((int)cudaMemcpyAsync(out, in, w->num_items, cudaMemcpyDeviceToDevice, stream), "copy");
    } else if (w->engine == SCAN) {
        onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
        spec.in_type = w->in;
        spec.out_type = w->out;
        spec.op = w->op;
        spec.kind = ONEPASS_EXCLUSIVE;
        spec.reverse = w->reverse;
        spec.d_in = in;
        spec.d_out = out;
        spec.max_items = w->num_items;
        check(onepass_scan(ctx, &spec), "scan");
    } else if (w->engine == REDUCE) {
        check(onepass_reduce(ctx, w->in, w->op, in, out, w->num_items), "reduce");
    } else if (w->engine == SELECT) {
        const onepass_predicate below = { .kind = ONEPASS_LESS, .a = { .i = w->bound } };
        check(onepass_select_if(ctx, w->in, &below, in, out, d_num_selected, w->num_items), "select_if");
    } else if (w->engine == FLAGGED) {
        check(onepass_select_flagged(ctx, w->in, in, d_flags, out, d_num_selected, w->num_items), "select_flagged");
    } else if (w->engine == CUB_SELECT) {
        check(baseline_cub_select_below(w->cub, w->bound, d_storage, &storage_bytes, in, out, d_num_selected,
                                        w->num_items, stream),
              "CUB select");
    } else if (w->engine == CUB_FLAGGED) {
        check(baseline_cub_select_flagged(w->cub, d_storage, &storage_bytes, in, d_flags, out, d_num_selected,
                                          w->num_items, stream),
              "CUB flagged");
    } else if (w->engine == CUB_SCAN) {
        check(baseline_cub_exclusive_sum(w->cub, d_storage, &storage_bytes, in, out, w->num_items, stream), "CUB scan");
    } else {
        check(baseline_cub_sum(w->cub, d_storage, &storage_bytes, in, out, w->num_items, stream), "CUB sum");
    }
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Seconds, the median. */
static double seconds(const struct work *w)
{
    enum { num_warm = 3, num_runs = 11 };
    float ms[num_runs];
    for (int i = -num_warm; i < num_runs; i++) {
        check((int)cudaEventRecord(begin, stream), "event");
        run(w);
        check((int)cudaEventRecord(end, stream), "event");
        check((int)cudaEventSynchronize(end), "kernel");
        if (i >= 0)
            check((int)cudaEventElapsedTime(&ms[i], begin, end), "time");
    }
    qsort(ms, num_runs, sizeof ms[0], compare);
    return ms[num_runs / 2] * 1e-3;
}

static double microseconds_in_graph(const struct work *w)
{
    enum { num_calls = 20, num_runs = 11 };
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float ms[num_runs];
    run(w);
    check((int)cudaStreamSynchronize(stream), "kernel");
    check((int)cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (int i = 0; i < num_calls; i++)
        run(w);
    check((int)cudaStreamEndCapture(stream, &graph), "capture");
    check((int)cudaGraphInstantiate(&exec, graph, 0), "graph");
    for (int i = -3; i < num_runs; i++) {
        check((int)cudaEventRecord(begin, stream), "event");
        check((int)cudaGraphLaunch(exec, stream), "graph");
        check((int)cudaEventRecord(end, stream), "event");
        check((int)cudaEventSynchronize(end), "graph");
        if (i >= 0)
            check((int)cudaEventElapsedTime(&ms[i], begin, end), "time");
    }
    qsort(ms, num_runs, sizeof ms[0], compare);
    (void)cudaGraphExecDestroy(exec);
    (void)cudaGraphDestroy(graph);
    return ms[num_runs / 2] * 1e3 / num_calls;
}

/* Returns the copy's bytes a second. */
static double large(uint64_t num_bytes)
{
    static const struct {
        onepass_type in, out;
        onepass_operator op;
        int cub; /* enum baseline_type, or -1 */
    } rows[] = {
        { ONEPASS_I32, ONEPASS_I32, ONEPASS_SUM, BASELINE_I32 },
        { ONEPASS_I64, ONEPASS_I64, ONEPASS_SUM, BASELINE_I64 },
        { ONEPASS_I16, ONEPASS_I16, ONEPASS_SUM, BASELINE_I16 },
        { ONEPASS_I8, ONEPASS_I8, ONEPASS_SUM, BASELINE_I8 },
        { ONEPASS_F32, ONEPASS_F32, ONEPASS_SUM, BASELINE_F32 },
        { ONEPASS_F64, ONEPASS_F64, ONEPASS_SUM, BASELINE_F64 },
        { ONEPASS_F16, ONEPASS_F16, ONEPASS_SUM, -1 },
        { ONEPASS_BF16, ONEPASS_F32, ONEPASS_SUM, -1 },
        { ONEPASS_F32, ONEPASS_F64, ONEPASS_SUM, -1 },
        { ONEPASS_I32, ONEPASS_I32, ONEPASS_MAX, -1 },
        { ONEPASS_I64, ONEPASS_I64, ONEPASS_MIN, -1 },
        { ONEPASS_F32, ONEPASS_F32, ONEPASS_MAX, -1 },
        { ONEPASS_F64, ONEPASS_F64, ONEPASS_MIN, -1 },
        { ONEPASS_I16, ONEPASS_I16, ONEPASS_MAX, -1 },
        { ONEPASS_I8, ONEPASS_I8, ONEPASS_MAX, -1 },
        { ONEPASS_U8, ONEPASS_U16, ONEPASS_SUM, -1 },
        { ONEPASS_U8, ONEPASS_U32, ONEPASS_SUM, -1 },
        { ONEPASS_U8, ONEPASS_U64, ONEPASS_SUM, -1 },
        { ONEPASS_U16, ONEPASS_U32, ONEPASS_SUM, -1 },
        { ONEPASS_U32, ONEPASS_U64, ONEPASS_SUM, -1 },
    };
    const struct work copy = { .engine = COPY, .num_items = num_bytes };
    const double bytes_per_second = 2.0 * (double)num_bytes / seconds(&copy);
    printf("copy: %.0f GB/s, read and written\n\n", bytes_per_second * 1e-9);
    printf("%-12s %-5s %7s %7s %7s %7s %7s %7s %7s\n", "types", "op", "scan", "CUB", "+1 item", "reverse", "inplace",
           "reduce", "CUB");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t in_size = onepass_type_size(rows[i].in), out_size = onepass_type_size(rows[i].out);
        struct work w = { .engine = SCAN, .in = rows[i].in, .out = rows[i].out, .op = rows[i].op };
        w.num_items = num_bytes / (out_size > in_size ? out_size : in_size);
        const double scan_bytes = (double)w.num_items * (double)(in_size + out_size);
        const double read_bytes = (double)w.num_items * (double)in_size;
        printf("%-5s->%-5s %-5s %7.3f", onepass_type_name(w.in), onepass_type_name(w.out), onepass_operator_name(w.op),
               scan_bytes / seconds(&w) / bytes_per_second);
        if (rows[i].cub >= 0) {
            struct work cub = w;
            cub.engine = CUB_SCAN;
            cub.cub = (enum baseline_type)rows[i].cub;
            printf(" %7.3f", scan_bytes / seconds(&cub) / bytes_per_second);
        } else {
            printf(" %7s", "");
        }
        struct work shifted = w;
        shifted.in_shift = in_size;
        shifted.out_shift = out_size;
        shifted.num_items--;
        printf(" %7.3f", scan_bytes / seconds(&shifted) / bytes_per_second);
        struct work reverse = w;
        reverse.reverse = 1;
        printf(" %7.3f", scan_bytes / seconds(&reverse) / bytes_per_second);
        if (in_size == out_size) {
            struct work in_place = w;
            in_place.in_place = 1;
            printf(" %7.3f", scan_bytes / seconds(&in_place) / bytes_per_second);
            struct work reduce = w;
            reduce.engine = REDUCE;
            printf(" %7.3f", read_bytes / seconds(&reduce) / bytes_per_second);
        }
        if (rows[i].cub >= 0) {
            struct work cub = w;
            cub.engine = CUB_REDUCE;
            cub.cub = (enum baseline_type)rows[i].cub;
            printf(" %7.3f", read_bytes / seconds(&cub) / bytes_per_second);
        }
        printf("\n");
        fflush(stdout);
    }
    return bytes_per_second;
}

/* Items whose lowest byte, as a number of 0 to 255, is at random, and the others 0; flags likewise, one in `bound` of
 * 256 not 0. */
static void fill_for_select(uint64_t num_items, size_t size, int bound)
{
    uint8_t *bytes = calloc(num_items, size), *flags = calloc(num_items, 1);
    if (bytes == NULL || flags == NULL)
        check(1, "memory");
    uint64_t random = 88172645463325252u;
    for (uint64_t i = 0; i < num_items; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const uint8_t byte = (uint8_t)(random >> 32);
        bytes[i * size] = size == 1 ? byte >> 1 : byte; /* one byte has a sign */
        flags[i] = byte < bound;
    }
    check((int)cudaMemcpy(d_in, bytes, num_items * size, cudaMemcpyHostToDevice), "memory");
    check((int)cudaMemcpy(d_flags, flags, num_items, cudaMemcpyHostToDevice), "memory");
    free(bytes);
    free(flags);
}

/* Bytes: what is read, and what is kept. */
static void selections(uint64_t num_bytes, double bytes_per_second)
{
    static const struct {
        onepass_type type;
        enum baseline_type cub;
    } types[] = {
        { ONEPASS_I32, BASELINE_I32 },
        { ONEPASS_I8, BASELINE_I8 },
        { ONEPASS_I16, BASELINE_I16 },
        { ONEPASS_I64, BASELINE_I64 },
    };
    static const int bounds[] = { 0, 13, 128, 243, 256 };
    printf("\n%-6s %7s %8s %7s %8s %7s\n", "select", "kept", "select", "CUB", "flagged", "CUB");
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        const size_t size = onepass_type_size(types[t].type);
        for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
            struct work w = { .engine = SELECT, .in = types[t].type, .cub = types[t].cub };
            w.bound = size == 1 ? bounds[b] / 2 : bounds[b];
            w.num_items = num_bytes / 4 / size;
            fill_for_select(w.num_items, size, bounds[b]);
            const double select = seconds(&w);
            uint64_t num_kept;
            check((int)cudaMemcpy(&num_kept, d_num_selected, sizeof num_kept, cudaMemcpyDeviceToHost), "memory");
            const double bytes = (double)(w.num_items + num_kept) * (double)size;
            printf("%-6s %7.3f %8.3f", onepass_type_name(w.in), (double)num_kept / (double)w.num_items,
                   bytes / select / bytes_per_second);
            w.engine = CUB_SELECT;
            printf(" %7.3f", bytes / seconds(&w) / bytes_per_second);
            const double flagged_bytes = bytes + (double)w.num_items;
            w.engine = FLAGGED;
            printf(" %8.3f", flagged_bytes / seconds(&w) / bytes_per_second);
            w.engine = CUB_FLAGGED;
            printf(" %7.3f\n", flagged_bytes / seconds(&w) / bytes_per_second);
            fflush(stdout);
        }
    }
}

static void small(uint64_t max_bytes)
{
    printf("\nI32 by graph, us a call\n%-10s %8s %8s %8s %8s %8s\n", "n", "scan", "CUB", "reduce", "CUB", "copy");
    for (uint64_t n = 1; n * 4 <= max_bytes && n <= (1u << 26); n *= 4) {
        struct work w = {
            .in = ONEPASS_I32, .out = ONEPASS_I32, .op = ONEPASS_SUM, .cub = BASELINE_I32, .num_items = n
        };
        printf("%-10llu", (unsigned long long)n);
        static const int order[] = { SCAN, CUB_SCAN, REDUCE, CUB_REDUCE };
        for (int i = 0; i < 4; i++) {
            w.engine = order[i];
            printf(" %8.2f", microseconds_in_graph(&w));
        }
        w.engine = COPY;
        w.num_items = 4 * n;
        printf(" %8.2f\n", microseconds_in_graph(&w));
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const unsigned long log2_bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 30;
    if (log2_bytes < 10 || log2_bytes > 40) {
        fprintf(stderr, "usage: onepass_gpu_bench [log2 of the bytes of input, 10 to 40]\n");
        return 2;
    }
    const uint64_t num_bytes = UINT64_C(1) << log2_bytes;
    onepass_options options = ONEPASS_OPTIONS_INIT;
    options.backend = ONEPASS_BACKEND_CUDA;
    const onepass_result result = onepass_create(&ctx, &options);
    if (result == ONEPASS_NO_DEVICE) {
        fprintf(stderr, "skipped: %s\n", onepass_last_error(NULL));
        return 77;
    }
    check(result, "onepass_create");
    check((int)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    check(onepass_set_stream(ctx, stream), "onepass_set_stream");
    check((int)cudaEventCreate(&begin) | (int)cudaEventCreate(&end), "events");
    check((int)cudaMalloc(&d_in, num_bytes + 256) | (int)cudaMalloc(&d_out, num_bytes + 256), "memory");
    check((int)cudaMemset(d_in, 1, num_bytes + 256), "memory");
    storage_bytes = 64u << 20;
    check((int)cudaMalloc(&d_storage, storage_bytes), "memory");
    check((int)cudaMalloc(&d_flags, num_bytes / 4) | (int)cudaMalloc((void **)&d_num_selected, 8), "memory");
    const double bytes_per_second = large(num_bytes);
    small(num_bytes);
    selections(num_bytes, bytes_per_second);
    check(onepass_synchronize(ctx), "onepass_synchronize");
    check(onepass_destroy(ctx), "onepass_destroy");
    return 0;
}
