/* SPDX-License-Identifier: MIT */
/*
 * onepass_lines - the lines of a file, found in parallel
 *
 * Select gives the place of every line end, scan the offset of every line, reduce the longest line and the byte total,
 * and select again says which line that is. The program needs onepass.h and POSIX, no more, and runs on whatever
 * backend onepass_create takes. All it finds is then checked against plain C.
 *
 * A line's length counts its newline. A last line without one is given one first, so that every line ends alike.
 */
#define _POSIX_C_SOURCE 200809L
#include "onepass.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_FILE "/usr/share/dict/american-english-huge"
#define NUM_RUNS 5        /* each step is run so often, and its fastest time shown */
#define MAX_TEXT_SHOWN 60 /* bytes of the longest line that are printed */

enum { EXIT_FAULT = 1, EXIT_USAGE = 2 }; /* a failed call or a difference; a bad argument or file */

/* What single values the calls leave. One struct in backend memory, so that one copy brings them all. */
typedef struct figures {
    uint64_t num_lines, total_bytes, longest_idx, num_longest;
    uint32_t longest_bytes;
} figures;

/* The arrays as the host sees them, for the parts in plain C. */
typedef struct lines {
    figures figures;
    uint64_t *ends;    /* index of each line's newline */
    uint32_t *lengths; /* bytes of each line */
    uint64_t *offsets; /* index of each line's first byte; and one more, behind the last line */
} lines;

/* Ends the program if a call failed, with the library's own words. */
#define CHECK(ctx, call) check((ctx), (call), #call)

static void check(const onepass_context *ctx, onepass_result result, const char *call)
{
    if (result != ONEPASS_SUCCESS) {
        fprintf(stderr, "onepass_lines: %s\n    %s: %s\n", call, onepass_result_name(result), onepass_last_error(ctx));
        exit(EXIT_FAULT);
    }
}

static void *resize(void *memory, size_t num_bytes)
{
    void *resized = realloc(memory, num_bytes);
    if (resized == NULL) {
        fprintf(stderr, "onepass_lines: no memory for %zu bytes\n", num_bytes);
        exit(EXIT_FAULT);
    }
    return resized;
}

/* Backend memory with a copy of host memory, or with nothing in it (NULL). */
static void *to_backend(onepass_context *ctx, const void *src, size_t num_bytes)
{
    void *d_memory;
    CHECK(ctx, onepass_allocate(ctx, &d_memory, num_bytes));
    if (src != NULL) {
        CHECK(ctx, onepass_copy(ctx, d_memory, src, num_bytes));
        CHECK(ctx, onepass_synchronize(ctx));
    }
    return d_memory;
}

/* Host memory with a copy of backend memory. onepass_synchronize also reports what went wrong while the work ran. */
static void *to_host(onepass_context *ctx, void *dst, const void *d_src, size_t num_bytes)
{
    dst = dst != NULL ? dst : resize(NULL, num_bytes);
    CHECK(ctx, onepass_copy(ctx, dst, d_src, num_bytes));
    CHECK(ctx, onepass_synchronize(ctx));
    return dst;
}

/* One call, made several times. */
typedef struct step {
    const char *name;
    uint64_t num_bytes; /* read and written */
    int num_runs;
    double start, fastest;
} step;

/* Condition of the loop around the call: times the run just made, and after the last one prints the fastest. */
static int run_again(step *s, onepass_context *ctx)
{
    struct timespec t;
    CHECK(ctx, onepass_synchronize(ctx));
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (s->num_runs == 1 || (s->num_runs > 1 && now - s->start < s->fastest)) {
        s->fastest = now - s->start;
    }
    s->start = now;
    if (s->num_runs++ < NUM_RUNS) {
        return 1;
    }
    printf("  %-30s %9.3f ms %8.2f GB/s\n", s->name, 1e3 * s->fastest, 1e-9 * (double)s->num_bytes / s->fastest);
    return 0;
}

/* The ends of all lines, in backend memory. A selection without outputs only counts: that sizes the real one. */
static uint64_t *find_ends(onepass_context *ctx, const uint8_t *d_text, size_t num_bytes, figures *d_figures,
                           uint64_t *num_lines)
{
    onepass_predicate is_newline = { .kind = ONEPASS_EQUAL, .a.u = '\n' };
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    spec.type = ONEPASS_U8;
    spec.keep = &is_newline;
    spec.d_in = d_text;
    spec.d_num_selected = &d_figures->num_lines; /* its address only: the host cannot look there */
    spec.max_items = num_bytes;
    for (step s = { .name = "number of lines (select)", .num_bytes = num_bytes }; run_again(&s, ctx);) {
        CHECK(ctx, onepass_select(ctx, &spec));
    }
    to_host(ctx, num_lines, &d_figures->num_lines, sizeof(*num_lines));

    uint64_t *d_ends = to_backend(ctx, NULL, (size_t)*num_lines * sizeof(uint64_t));
    spec.index_type = ONEPASS_U64; /* the file may be larger than 4 GiB */
    spec.d_out_indices = d_ends;
    spec.capacity = *num_lines;
    for (step s = { .name = "line ends (select)", .num_bytes = num_bytes + *num_lines * 8 }; run_again(&s, ctx);) {
        CHECK(ctx, onepass_select(ctx, &spec));
    }
    return d_ends;
}

/* No call subtracts neighbours, so plain C does. A length has 32 bits: more in one line is refused. */
static uint32_t *find_lengths(const uint64_t *ends, uint64_t num_lines)
{
    uint32_t *lengths = resize(NULL, (size_t)num_lines * sizeof(uint32_t));
    for (uint64_t i = 0, start = 0; i < num_lines; start = ends[i++] + 1) {
        uint64_t length = ends[i] + 1 - start;
        if (length > UINT32_MAX) {
            fprintf(stderr, "onepass_lines: line %" PRIu64 " is longer than 4 GiB\n", i + 1);
            exit(EXIT_USAGE);
        }
        lengths[i] = (uint32_t)length;
    }
    return lengths;
}

/* Lengths of 32 bits in, offsets of 64 bits out. */
static uint64_t *find_offsets(onepass_context *ctx, const uint32_t *d_lengths, uint64_t num_lines)
{
    uint64_t *d_offsets = to_backend(ctx, NULL, (size_t)(num_lines + 1) * sizeof(uint64_t));
    onepass_scan_spec spec = ONEPASS_SCAN_SPEC_INIT;
    spec.in_type = ONEPASS_U32;
    spec.out_type = ONEPASS_U64;
    spec.op = ONEPASS_SUM;
    spec.kind = ONEPASS_OFFSETS;
    spec.d_in = d_lengths;
    spec.d_out = d_offsets;
    spec.max_items = num_lines;
    for (step s = { .name = "line offsets (scan)", .num_bytes = num_lines * 12 + 8 }; run_again(&s, ctx);) {
        CHECK(ctx, onepass_scan(ctx, &spec));
    }
    return d_offsets;
}

static void find_total(onepass_context *ctx, const uint32_t *d_lengths, uint64_t num_lines, uint64_t *d_total)
{
    onepass_reduce_spec spec = ONEPASS_REDUCE_SPEC_INIT;
    spec.in_type = ONEPASS_U32;
    spec.out_type = ONEPASS_U64;
    spec.op = ONEPASS_SUM;
    spec.d_in = d_lengths;
    spec.d_out = d_total;
    spec.max_items = num_lines;
    for (step s = { .name = "byte total (reduce)", .num_bytes = num_lines * 4 }; run_again(&s, ctx);) {
        CHECK(ctx, onepass_reduce_with(ctx, &spec));
    }
}

/* The greatest length, then the first line that has it: a capacity of 1 keeps the one, and still counts the others. */
static void find_longest(onepass_context *ctx, const uint32_t *d_lengths, uint64_t num_lines, figures *d_figures)
{
    uint32_t *d_longest = &d_figures->longest_bytes;
    for (step s = { .name = "greatest length (reduce)", .num_bytes = num_lines * 4 }; run_again(&s, ctx);) {
        CHECK(ctx, onepass_reduce(ctx, ONEPASS_U32, ONEPASS_MAX, d_lengths, d_longest, num_lines));
    }
    uint32_t longest;
    to_host(ctx, &longest, d_longest, sizeof(longest)); /* a predicate is host data */

    onepass_predicate is_longest = { .kind = ONEPASS_EQUAL, .a.u = longest };
    onepass_select_spec spec = ONEPASS_SELECT_SPEC_INIT;
    spec.type = ONEPASS_U32;
    spec.keep = &is_longest;
    spec.d_in = d_lengths;
    spec.index_type = ONEPASS_U64;
    spec.d_out_indices = &d_figures->longest_idx;
    spec.capacity = 1;
    spec.d_num_selected = &d_figures->num_longest;
    spec.max_items = num_lines;
    for (step s = { .name = "longest line (select)", .num_bytes = num_lines * 4 }; run_again(&s, ctx);) {
        CHECK(ctx, onepass_select(ctx, &spec));
    }
}

static lines find_lines(onepass_context *ctx, const char *text, size_t num_bytes)
{
    lines found;
    uint64_t num_lines;
    CHECK(ctx, onepass_reserve(ctx, num_bytes)); /* does nothing up to 2^31 */
    figures *d_figures = to_backend(ctx, NULL, sizeof(figures));
    uint8_t *d_text = to_backend(ctx, text, num_bytes);
    uint64_t *d_ends = find_ends(ctx, d_text, num_bytes, d_figures, &num_lines);
    found.ends = to_host(ctx, NULL, d_ends, (size_t)num_lines * sizeof(uint64_t));
    found.lengths = find_lengths(found.ends, num_lines);
    uint32_t *d_lengths = to_backend(ctx, found.lengths, (size_t)num_lines * sizeof(uint32_t));
    uint64_t *d_offsets = find_offsets(ctx, d_lengths, num_lines);
    found.offsets = to_host(ctx, NULL, d_offsets, (size_t)(num_lines + 1) * sizeof(uint64_t));
    find_total(ctx, d_lengths, num_lines, &d_figures->total_bytes);
    find_longest(ctx, d_lengths, num_lines, d_figures);
    to_host(ctx, &found.figures, d_figures, sizeof(figures));

    void *d_memory[] = { d_text, d_ends, d_lengths, d_offsets, d_figures };
    for (size_t i = 0; i < sizeof(d_memory) / sizeof(d_memory[0]); i++) {
        CHECK(ctx, onepass_free(ctx, d_memory[i]));
    }
    return found;
}

static int differs(const char *what, uint64_t found, uint64_t wanted)
{
    if (found != wanted) {
        fprintf(stderr, "onepass_lines: %s is %" PRIu64 ", plain C has %" PRIu64 "\n", what, found, wanted);
    }
    return found != wanted;
}

/* Finds everything again, byte by byte, and compares each figure and each array element. */
static int differs_from_plain_c(const lines *found, const char *text, size_t num_bytes)
{
    figures want = { 0, 0, 0, 0, 0 };
    for (uint64_t i = 0, start = 0; i < num_bytes && want.num_lines < found->figures.num_lines; i++) {
        if (text[i] == '\n') {
            uint64_t line = want.num_lines++;
            uint32_t length = (uint32_t)(i + 1 - start);
            if (differs("a line end", found->ends[line], i) || differs("a length", found->lengths[line], length) ||
                differs("an offset", found->offsets[line], start)) {
                return 1;
            }
            if (length > want.longest_bytes) {
                want.longest_bytes = length;
                want.longest_idx = line;
                want.num_longest = 0;
            }
            want.num_longest += length == want.longest_bytes;
            want.total_bytes += length;
            start = i + 1;
        }
    }
    /* If a line was missed or made up, the lengths of those compared do not come to all bytes. */
    return differs("the number of lines", found->figures.num_lines, want.num_lines) ||
           differs("the bytes of these lines", want.total_bytes, num_bytes) ||
           differs("the byte total", found->figures.total_bytes, num_bytes) ||
           differs("the last offset", found->offsets[want.num_lines], num_bytes) ||
           differs("the greatest length", found->figures.longest_bytes, want.longest_bytes) ||
           differs("the index of the longest line", found->figures.longest_idx, want.longest_idx) ||
           differs("the number of longest lines", found->figures.num_longest, want.num_longest);
}

static void print_lines(const lines *found, const char *text, int newline_added)
{
    const figures *f = &found->figures;
    const char *longest = text + found->offsets[f->longest_idx];
    uint32_t num_bytes = f->longest_bytes - 1;
    printf("lines    %" PRIu64 "%s\n", f->num_lines, newline_added ? " (the last one without a newline)" : "");
    printf("bytes    %" PRIu64 "\n", f->total_bytes - (newline_added ? 1 : 0));
    printf("mean     %.2f bytes a line, its newline not counted\n",
           (double)(f->total_bytes - f->num_lines) / (double)f->num_lines);
    printf("longest  line %" PRIu64 ", %" PRIu32 " bytes, the first of %" PRIu64 " such: \"", f->longest_idx + 1,
           num_bytes, f->num_longest);
    for (uint32_t i = 0; i < num_bytes && i < MAX_TEXT_SHOWN; i++) {
        putchar(longest[i] >= ' ' && longest[i] <= '~' ? longest[i] : '.');
    }
    printf("\"%s\n", num_bytes > MAX_TEXT_SHOWN ? " ..." : "");
}

/* The whole file, with room for one byte more. Works on pipes too. */
static char *read_file(const char *path, size_t *num_bytes)
{
    char *bytes = NULL;
    size_t room = 0, end = 0;
    FILE *file = fopen(path, "rb");
    while (file != NULL && end == room) {
        room = room == 0 ? 1 << 20 : 2 * room;
        bytes = resize(bytes, room + 1);
        end += fread(bytes + end, 1, room - end, file);
    }
    if (file == NULL || ferror(file)) {
        fprintf(stderr, "onepass_lines: cannot read %s: %s%s\n", path, strerror(errno),
                strcmp(path, DEFAULT_FILE) == 0 ? " (it is in Debian's package wamerican-huge)" : "");
        exit(EXIT_USAGE);
    }
    fclose(file);
    if (end == 0) {
        fprintf(stderr, "onepass_lines: %s is empty, there is no line in it\n", path);
        exit(EXIT_USAGE);
    }
    *num_bytes = end;
    return bytes;
}

static const char *parse_arguments(int argc, char **argv)
{
    static const char usage[] = "usage: onepass_lines [--help] [FILE]\n"
                                "Finds the lines of FILE (default: " DEFAULT_FILE "),\n"
                                "their offsets, the longest and the byte total, and checks all against plain C.\n"
                                "Exit status: 0 all equal, 1 a difference or a failed call, 2 a bad argument or file\n";
    static const struct option options[] = { { "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };
    int option = getopt_long(argc, argv, "h", options, NULL);
    if (option == 'h') {
        fputs(usage, stdout);
        exit(EXIT_SUCCESS);
    }
    if (option != -1 || argc - optind > 1) {
        fputs(usage, stderr);
        exit(EXIT_USAGE);
    }
    return optind < argc ? argv[optind] : DEFAULT_FILE;
}

int main(int argc, char **argv)
{
    const char *path = parse_arguments(argc, argv);
    size_t num_bytes;
    char *text = read_file(path, &num_bytes);
    int newline_added = text[num_bytes - 1] != '\n';
    if (newline_added) {
        text[num_bytes++] = '\n';
    }

    onepass_context *ctx;
    CHECK(NULL, onepass_create(&ctx, NULL));
    int on_host = onepass_context_backend(ctx) == ONEPASS_BACKEND_HOST;
    printf("file     %s\n", path);
    printf("backend  %s, host threads: %d\n", on_host ? "host" : "CUDA", onepass_context_threads(ctx));
    printf("steps    fastest of %d runs, bytes read and written\n", NUM_RUNS);
    lines found = find_lines(ctx, text, num_bytes);
    int failed = differs_from_plain_c(&found, text, num_bytes);
    if (!failed) {
        print_lines(&found, text, newline_added);
        printf("checked against plain C: all equal\n");
    }

    CHECK(NULL, onepass_destroy(ctx));
    free(found.ends);
    free(found.lengths);
    free(found.offsets);
    free(text);
    return failed ? EXIT_FAULT : EXIT_SUCCESS;
}
