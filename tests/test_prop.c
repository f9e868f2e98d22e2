/* SPDX-License-Identifier: MIT */
/*
 * The property runner finds a planted bug, shrinks it to the smallest case there is, and its printed seed finds it
 * again. The bug is of the kind that the runner is for: a sum that drops the last item of a tile, in the second tile
 * or later, if it is negative.
 */
#define _POSIX_C_SOURCE 200809L
#include "prop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { max_items = 3000, tile_items = 256 };

typedef struct list {
    uint64_t num_items;
    int64_t items[max_items];
} list;

static void draw_list(prop *p, list *drawn)
{
    drawn->num_items = prop_draw(p, max_items);
    for (uint64_t i = 0; i < drawn->num_items; ++i) {
        const uint64_t zigzag = prop_draw(p, 2000);
        drawn->items[i] = (zigzag & 1) != 0 ? -(int64_t)(zigzag / 2) - 1 : (int64_t)(zigzag / 2);
    }
}

static int64_t sum(const list *of)
{
    int64_t total = 0;
    for (uint64_t i = 0; i < of->num_items; ++i)
        total += of->items[i];
    return total;
}

static int64_t planted_sum(const list *of)
{
    int64_t total = 0;
    for (uint64_t i = 0; i < of->num_items; ++i)
        if (!(i >= tile_items && i % tile_items == tile_items - 1 && of->items[i] < 0))
            total += of->items[i];
    return total;
}

static unsigned num_calls;

static bool planted_sum_is_right(prop *p, void *arg)
{
    static list drawn;
    (void)arg;
    draw_list(p, &drawn);
    prop_say(p, "  %llu items; not zero:", (unsigned long long)drawn.num_items);
    for (uint64_t i = 0; i < drawn.num_items; ++i)
        if (drawn.items[i] != 0)
            prop_say(p, " [%llu] = %lld", (unsigned long long)i, (long long)drawn.items[i]);
    prop_say(p, "\n");
    return planted_sum(&drawn) == sum(&drawn);
}

/* Every draw is within its bounds, whatever the bounds. */
static bool draws_are_in_range(prop *p, void *arg)
{
    (void)arg;
    const uint64_t low = prop_draw(p, UINT64_MAX);
    const uint64_t high = prop_between(p, low, UINT64_MAX);
    const uint64_t between = prop_between(p, low, high);
    return low <= between && between <= high && prop_draw(p, 0) == 0 && prop_draw(p, 1) <= 1;
}

static bool holds_and_counts(prop *p, void *arg)
{
    (void)p;
    (void)arg;
    ++num_calls;
    return true;
}

static bool run(prop_fn holds, unsigned num_runs, char **text)
{
    size_t length = 0;
    FILE *report = open_memstream(text, &length);
    assert_non_null(report);
    const bool held = prop_run("planted", holds, NULL, num_runs, report);
    fclose(report);
    return held;
}

/* The environment of the whole run must not change what these tests see. */
static int clear_environment(void **state)
{
    (void)state;
    return unsetenv("PROP_SEED") + unsetenv("PROP_RUNS");
}

static void test_draws_are_in_range(void **state)
{
    (void)state;
    prop_check("draws are in range", draws_are_in_range, NULL, 5000);
}

static void test_a_planted_bug_shrinks_to_the_smallest_case(void **state)
{
    (void)state;
    char *text = NULL;
    assert_false(run(planted_sum_is_right, 200, &text));
    /* 512 items, the last one -1: nothing smaller fails. */
    assert_non_null(strstr(text, "512 items; not zero: [511] = -1\n"));
    assert_non_null(strstr(text, "shrunk to 513"));
    free(text);
}

static void test_the_printed_seed_replays(void **state)
{
    (void)state;
    char *first = NULL, *again = NULL;
    assert_false(run(planted_sum_is_right, 200, &first));
    const char *printed = strstr(first, "PROP_SEED=");
    assert_non_null(printed);
    char seed[32];
    assert_int_equal(sscanf(printed, "PROP_SEED=%31[0-9]", seed), 1);
    assert_int_equal(setenv("PROP_SEED", seed, 1), 0);
    assert_false(run(planted_sum_is_right, 200, &again));
    assert_string_equal(first, again);
    free(again);
    free(first);
}

static void test_the_environment_sets_the_number_of_runs(void **state)
{
    (void)state;
    char *text = NULL;
    num_calls = 0;
    assert_true(run(holds_and_counts, 4, &text));
    assert_int_equal(num_calls, 4);
    free(text);
    num_calls = 0;
    assert_int_equal(setenv("PROP_RUNS", "3", 1), 0);
    assert_true(run(holds_and_counts, 4, &text));
    assert_int_equal(num_calls, 12);
    free(text);
    num_calls = 0;
    assert_int_equal(setenv("PROP_SEED", "7", 1), 0);
    assert_true(run(holds_and_counts, 4, &text));
    assert_int_equal(num_calls, 1);
    free(text);
}

/* Fails once only: the report then says that the failure did not come back. */
static bool fails_once(prop *p, void *arg)
{
    (void)arg;
    return prop_draw(p, 9) > 9 || ++num_calls > 1;
}

static void test_a_failure_that_depends_on_timing_is_called_so(void **state)
{
    (void)state;
    char *text = NULL;
    num_calls = 0;
    assert_false(run(fails_once, 1, &text));
    assert_non_null(strstr(text, "depends on timing"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_draws_are_in_range, clear_environment),
        cmocka_unit_test_setup_teardown(test_a_planted_bug_shrinks_to_the_smallest_case, clear_environment,
                                        clear_environment),
        cmocka_unit_test_setup_teardown(test_the_printed_seed_replays, clear_environment, clear_environment),
        cmocka_unit_test_setup_teardown(test_the_environment_sets_the_number_of_runs, clear_environment,
                                        clear_environment),
        cmocka_unit_test_setup_teardown(test_a_failure_that_depends_on_timing_is_called_so, clear_environment,
                                        clear_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
