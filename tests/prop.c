/* SPDX-License-Identifier: MIT */
/*
 * The property runner of prop.h. A run records the choices it draws from a random generator; a trial replays a list of
 * choices. Missing choices read as 0 and too large ones as the largest allowed, so that every list is a legal case and
 * shrinking may cut and lower blindly.
 */
#define _POSIX_C_SOURCE 200809L
#include "prop.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct prop {
    uint64_t *choices;
    size_t num_choices, capacity, position;
    uint64_t random; /* state of the generator */
    bool replays;    /* takes the choices from the list */
    FILE *report;    /* where prop_say writes, or NULL */
};

/* Shrinking stops here, with the best case so far. */
enum { max_trials = 20000, max_shrink_seconds = 20 };
/* A single run may take this long before it counts as hung. */
enum { max_run_seconds = 180 };

static uint64_t random_up_to(uint64_t *state, uint64_t max)
{
    const uint64_t r = prop_random(state);
    return max == UINT64_MAX ? r : r % (max + 1);
}

/* Half of all draws are uniform; the others favour what breaks code: both ends, and small numbers of any length. */
static uint64_t fresh_choice(uint64_t *state, uint64_t max)
{
    const uint64_t r = prop_random(state);
    switch (r & 7) {
    case 0:
        return 0;
    case 1:
        return max;
    case 2:
        return random_up_to(state, max < 3 ? max : 3);
    case 3: {
        const uint64_t longest = prop_random(state) >> (r >> 8 & 63);
        return random_up_to(state, longest < max ? longest : max);
    }
    default:
        return random_up_to(state, max);
    }
}

uint64_t prop_draw(prop *p, uint64_t max)
{
    if (p->replays) {
        const uint64_t choice = p->position < p->num_choices ? p->choices[p->position++] : 0;
        return choice < max ? choice : max;
    }
    if (p->num_choices == p->capacity) {
        p->capacity = 2 * p->capacity + 64;
        uint64_t *larger = realloc(p->choices, p->capacity * sizeof *larger);
        if (larger == NULL)
            abort();
        p->choices = larger;
    }
    const uint64_t choice = fresh_choice(&p->random, max);
    p->choices[p->num_choices++] = choice;
    return choice;
}

uint64_t prop_between(prop *p, uint64_t low, uint64_t high)
{
    return low + prop_draw(p, high - low);
}

void prop_say(prop *p, const char *format, ...)
{
    if (p->report == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(p->report, format, arguments);
    va_end(arguments);
}

/* ---------------------------------------------------------------------------------------------- shrinking */

typedef struct shrinker {
    prop_fn holds;
    void *arg;
    uint64_t *best;  /* the smallest failing case so far */
    uint64_t *trial; /* room for another */
    size_t num_choices;
    unsigned num_trials;
    time_t deadline;
} shrinker;

static bool out_of_budget(const shrinker *s)
{
    return s->num_trials >= max_trials || time(NULL) > s->deadline;
}

/* Whether the first num_choices of s->trial still fail; if so they are the new best. */
static bool still_fails(shrinker *s, size_t num_choices)
{
    if (out_of_budget(s))
        return false;
    ++s->num_trials;
    prop p = { .choices = s->trial, .num_choices = num_choices, .replays = true };
    if (s->holds(&p, s->arg))
        return false;
    memcpy(s->best, s->trial, num_choices * sizeof *s->best);
    s->num_choices = num_choices;
    return true;
}

/* Cuts choices i to i + n out; if that is not enough, also lowers one of the choices before by n: it may be a length.
 */
static bool cut(shrinker *s, size_t i, size_t n)
{
    enum { max_lengths = 8 };
    const size_t rest = s->num_choices - i - n;
    memcpy(s->trial, s->best, i * sizeof *s->trial);
    memcpy(s->trial + i, s->best + i + n, rest * sizeof *s->trial);
    if (still_fails(s, i + rest))
        return true;
    for (size_t j = 0; j < i && j < max_lengths; ++j) {
        if (s->best[j] < n)
            continue;
        s->trial[j] = s->best[j] - n;
        if (still_fails(s, i + rest))
            return true;
        s->trial[j] = s->best[j];
    }
    return false;
}

static bool zero(shrinker *s, size_t i, size_t n)
{
    bool changed = false;
    memcpy(s->trial, s->best, s->num_choices * sizeof *s->trial);
    for (size_t j = i; j < i + n; ++j) {
        changed = changed || s->trial[j] != 0;
        s->trial[j] = 0;
    }
    return changed && still_fails(s, s->num_choices);
}

/* The lowest value of choice i that bisection finds; 0 has been tried. */
static bool lower(shrinker *s, size_t i)
{
    uint64_t holds = 0, fails = s->best[i];
    const uint64_t before = fails;
    memcpy(s->trial, s->best, s->num_choices * sizeof *s->trial);
    while (fails - holds > 1 && fails > holds && !out_of_budget(s)) {
        s->trial[i] = holds + (fails - holds) / 2;
        if (still_fails(s, s->num_choices))
            fails = s->trial[i];
        else
            holds = s->trial[i];
    }
    return fails < before;
}

static void shrink(shrinker *s)
{
    for (bool better = true; better && !out_of_budget(s);) {
        better = false;
        for (size_t n = s->num_choices; n > 0; n /= 2)
            for (size_t i = 0; i + n <= s->num_choices;) {
                if (cut(s, i, n))
                    better = true;
                else
                    i += n;
            }
        for (size_t n = s->num_choices; n > 0; n /= 2)
            for (size_t i = 0; i + n <= s->num_choices; i += n)
                better = zero(s, i, n) || better;
        for (size_t i = 0; i < s->num_choices; ++i)
            better = lower(s, i) || better;
    }
}

/* ------------------------------------------------------------------------------------------------ running */

static char crash_line[256]; /* what the handler prints: ready, since a handler may not format */

static void name_the_seed(int signal_number)
{
    if (write(STDERR_FILENO, crash_line, strlen(crash_line)) < 0)
        _exit(2);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM };
enum { num_crash_signals = sizeof crash_signals / sizeof crash_signals[0] };

static void report_failure(const char *name, uint64_t seed, size_t num_drawn, shrinker *s, FILE *report)
{
    fprintf(report, "property \"%s\" fails (PROP_SEED=%" PRIu64 "): %zu choices, shrunk to %zu in %u trials:", name,
            seed, num_drawn, s->num_choices, s->num_trials);
    for (size_t i = 0; i < s->num_choices; ++i)
        fprintf(report, " %" PRIu64, s->best[i]);
    fputc('\n', report);
    prop p = { .choices = s->best, .num_choices = s->num_choices, .replays = true, .report = report };
    if (s->holds(&p, s->arg))
        fputs("The shrunk case holds when it runs once more: the failure depends on timing.\n", report);
}

/* One seed; true if the property holds. */
static bool run_seed(const char *name, prop_fn holds, void *arg, uint64_t seed, FILE *report)
{
    snprintf(crash_line, sizeof crash_line, "\nproperty \"%s\" crashed or hung with PROP_SEED=%" PRIu64 "\n", name,
             seed);
    alarm(max_run_seconds);
    prop p = { .random = seed };
    const bool held = holds(&p, arg);
    if (!held) {
        alarm(max_shrink_seconds + max_run_seconds);
        shrinker s = { .holds = holds,
                       .arg = arg,
                       .best = p.choices,
                       .trial = calloc(p.num_choices + 1, sizeof *s.trial),
                       .num_choices = p.num_choices,
                       .deadline = time(NULL) + max_shrink_seconds };
        if (s.trial == NULL)
            abort();
        shrink(&s);
        report_failure(name, seed, p.num_choices, &s, report);
        free(s.trial);
    }
    alarm(0);
    free(p.choices);
    return held;
}

bool prop_run(const char *name, prop_fn holds, void *arg, unsigned num_runs, FILE *report)
{
    const char *only_seed = getenv("PROP_SEED");
    const char *factor = getenv("PROP_RUNS");
    const uint64_t first = only_seed != NULL ? strtoull(only_seed, NULL, 0) : 1;
    const uint64_t count = only_seed != NULL ? 1 : num_runs * (factor != NULL ? strtoull(factor, NULL, 0) : 1);

    struct sigaction before[num_crash_signals];
    struct sigaction handler = { .sa_handler = name_the_seed };
    for (size_t i = 0; i < num_crash_signals; ++i)
        sigaction(crash_signals[i], &handler, &before[i]);
    bool held = true;
    for (uint64_t seed = first; held && seed - first < count; ++seed)
        held = run_seed(name, holds, arg, seed, report);
    for (size_t i = 0; i < num_crash_signals; ++i)
        sigaction(crash_signals[i], &before[i], NULL);
    return held;
}

void prop_check(const char *name, prop_fn holds, void *arg, unsigned num_runs)
{
    char *text = NULL;
    size_t length = 0;
    FILE *report = open_memstream(&text, &length);
    assert_non_null(report);
    const bool held = prop_run(name, holds, arg, num_runs, report);
    fclose(report);
    if (!held)
        print_error("%s", text);
    free(text);
    if (!held)
        fail_msg("property \"%s\"", name);
}
