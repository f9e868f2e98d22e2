/* SPDX-License-Identifier: MIT */
/*
 * The look-back walk of the host backend by itself: tickets, descriptors that are never cleared, windows, epochs.
 *
 * The operator is the composition of functions x -> a x + b, which is associative and does not commute, so that a value
 * that is taken twice, left out, or put on the wrong side shows in every result after it.
 */
#include "descriptor.h"
#include "host/lookback.h"
#include "prop.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

enum { max_threads = 6, max_tiles = 3000 };

static uint64_t function_of(uint32_t factor, uint32_t term)
{
    return (uint64_t)factor << 32 | term;
}

/* First left, then right. */
static uint64_t compose(uint64_t left, uint64_t right)
{
    uint32_t left_factor = (uint32_t)(left >> 32), right_factor = (uint32_t)(right >> 32);
    return function_of(left_factor * right_factor, (uint32_t)left * right_factor + (uint32_t)right);
}

struct launch {
    struct lookback *lookback;
    uint64_t num_tiles, tiles_per_window, initial;
    uint64_t aggregates[max_tiles];
    uint64_t prefixes[max_tiles]; /* what the walk found */
    atomic_int num_draws[max_tiles];
    bool is_read[max_tiles]; /* each by the thread that drew the tile, before it publishes */
};

static void new_values(struct launch *launch, uint64_t *state)
{
    launch->initial = prop_random(state);
    for (uint64_t i = 0; i < launch->num_tiles; i++) {
        launch->aggregates[i] = prop_random(state) | UINT64_C(1) << 32; /* an odd factor forgets nothing */
        launch->prefixes[i] = 0;
        launch->num_draws[i] = 0;
        launch->is_read[i] = false;
    }
}

static struct walker walker_of(const struct launch *launch)
{
    return walker_start(launch->lookback, compose, launch->tiles_per_window, launch->initial);
}

static void *work(void *argument)
{
    struct launch *launch = argument;
    struct walker walker = walker_of(launch);
    uint64_t tile_idx;
    while (walker_draw(&walker, launch->num_tiles, &tile_idx)) {
        atomic_fetch_add_explicit(&launch->num_draws[tile_idx], 1, memory_order_relaxed);
        launch->is_read[tile_idx] = true;
        launch->prefixes[tile_idx] = walker_publish_and_walk(&walker, tile_idx, launch->aggregates[tile_idx]);
        if (tile_idx > 0 && !launch->is_read[tile_idx - 1])
            launch->prefixes[tile_idx] = 0; /* what others did before they published has happened before */
    }
    return NULL;
}

static void run_on_threads(struct launch *launch, int num_threads)
{
    pthread_t threads[max_threads];
    for (int i = 0; i < num_threads; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, launch), 0);
    for (int i = 0; i < num_threads; i++)
        pthread_join(threads[i], NULL);
}

static void check_prefixes(const struct launch *launch)
{
    uint64_t prefix = launch->initial;
    for (uint64_t i = 0; i < launch->num_tiles; i++) {
        assert_int_equal(launch->prefixes[i], prefix);
        assert_int_equal(launch->num_draws[i], 1);
        prefix = compose(prefix, launch->aggregates[i]);
    }
}

static struct lookback new_lookback(void)
{
    struct lookback lookback;
    assert_true(lookback_create(&lookback, max_tiles));
    return lookback;
}

/* Launch after launch on the same descriptors, each with other values, sizes, windows and numbers of threads. */
static void leftovers_of_earlier_launches_are_not_seen(void **unused)
{
    (void)unused;
    static struct launch launch;
    struct lookback lookback = new_lookback();
    launch.lookback = &lookback;
    uint64_t state = 1;
    for (int i = 0; i < 600 / TEST_SLOWNESS; i++) {
        launch.num_tiles = 1 + prop_random(&state) % (i % 10 == 0 ? max_tiles : 200);
        launch.tiles_per_window = UINT64_C(1) << prop_random(&state) % 8;
        new_values(&launch, &state);
        run_on_threads(&launch, 1 + (int)(prop_random(&state) % max_threads));
        check_prefixes(&launch);
        lookback_finish(&lookback);
    }
    lookback_destroy(&lookback);
}

static void check_is_zero(const struct descriptor *descriptor)
{
    assert_int_equal(atomic_load(&descriptor->low), 0);
    assert_int_equal(atomic_load(&descriptor->high), 0);
}

/* The epochs run out and begin again: what the first launch left in tiles that no later one has touched carries the
 * number that comes again, and must be gone. */
static void epochs_begin_again_after_the_last(void **unused)
{
    (void)unused;
    static struct launch launch;
    struct lookback lookback = new_lookback();
    static const struct {
        uint32_t epoch;
        uint64_t num_tiles;
    } launches[] = {{1, 500}, {2, 9}, {EPOCH_LAST - 1, 9}, {EPOCH_LAST, 9}, {1, 500}, {2, 500}};
    uint64_t state = 2;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        if (launches[i].epoch == EPOCH_LAST - 1)
            atomic_store(&lookback.ticket, ticket_pack(EPOCH_LAST - 1, 0));
        assert_int_equal(ticket_epoch(atomic_load(&lookback.ticket)), launches[i].epoch);
        if (i > 0 && launches[i].epoch == 1)
            for (uint64_t tile_idx = 0; tile_idx < max_tiles; tile_idx++) {
                check_is_zero(&lookback.aggregates[tile_idx]);
                check_is_zero(&lookback.starts[tile_idx]);
            }
        launch = (struct launch){.lookback = &lookback, .num_tiles = launches[i].num_tiles, .tiles_per_window = 16};
        new_values(&launch, &state);
        run_on_threads(&launch, 2);
        check_prefixes(&launch);
        lookback_finish(&lookback);
    }
    lookback_destroy(&lookback);
}

static void a_word_of_another_epoch_is_invalid(void **unused)
{
    (void)unused;
    const uint64_t word = descriptor_pack(0xffffffffu, EPOCH_LAST, STATUS_P);
    assert_int_equal(descriptor_status(word, EPOCH_LAST), STATUS_P);
    assert_int_equal(descriptor_status(word, EPOCH_LAST - 1), STATUS_X);
    assert_int_equal(descriptor_value(word), 0xffffffffu);
    assert_int_equal(descriptor_status(0, 1), STATUS_X); /* fresh memory in the first launch */
    assert_int_equal(epoch_next(EPOCH_LAST), 1);
    assert_int_equal(ticket_epoch(ticket_pack(EPOCH_LAST, 0) + 7), EPOCH_LAST);
    assert_int_equal(ticket_tile_idx(ticket_pack(EPOCH_LAST, 0) + 7), 7);
}

/* A walker that was held up for many windows finds its place by the starts that others published, and, where there are
 * none, by the aggregates alone. */
static void a_walker_far_behind_catches_up(void **unused)
{
    (void)unused;
    static struct launch launch;
    struct lookback lookback = new_lookback();
    launch = (struct launch){.lookback = &lookback, .num_tiles = 1003, .tiles_per_window = 8};
    uint64_t state = 3;
    for (int publishes_starts = 0; publishes_starts < 2; publishes_starts++) {
        new_values(&launch, &state);
        struct walker fast = walker_of(&launch), slow = walker_of(&launch);
        launch.prefixes[0] = walker_publish_and_walk(&slow, 0, launch.aggregates[0]);
        for (uint64_t i = 1; i < launch.num_tiles; i++) {
            struct walker *walker = i % 333 == 0 ? &slow : &fast;
            if (walker == &slow || publishes_starts) {
                launch.prefixes[i] = walker_publish_and_walk(walker, i, launch.aggregates[i]);
            } else {
                walker_publish(walker, i, launch.aggregates[i]);
            }
        }
        uint64_t prefix = launch.initial;
        for (uint64_t i = 0; i < launch.num_tiles; i++) {
            if (i == 1000) /* the end of a window; behind it there are 3 tiles more */
                assert_int_equal(walker_total(&slow, i), prefix);
            if (publishes_starts || i % 333 == 0)
                assert_int_equal(launch.prefixes[i], prefix);
            prefix = compose(prefix, launch.aggregates[i]);
        }
        assert_int_equal(walker_total(&slow, launch.num_tiles), prefix);
        lookback_finish(&lookback);
    }
    lookback_destroy(&lookback);
}

enum { many_tiles = 4000000 / TEST_SLOWNESS };

static void *draw_only(void *argument)
{
    struct launch *launch = argument;
    struct walker walker = walker_of(launch);
    uint64_t tile_idx, num_drawn = 0;
    while (walker_draw(&walker, many_tiles, &tile_idx))
        num_drawn++;
    return (void *)(uintptr_t)num_drawn;
}

/* Tickets as fast as they can be drawn, so that threads meet in the middle of a draw. */
static void every_tile_is_drawn_once(void **unused)
{
    (void)unused;
    static struct launch launch;
    struct lookback lookback = new_lookback();
    launch = (struct launch){ .lookback = &lookback, .tiles_per_window = 16 };
    pthread_t threads[max_threads];
    uint64_t num_drawn = 0;
    for (int i = 0; i < max_threads; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_only, &launch), 0);
    for (int i = 0; i < max_threads; i++) {
        void *drawn;
        pthread_join(threads[i], &drawn);
        num_drawn += (uintptr_t)drawn;
    }
    assert_int_equal(num_drawn, many_tiles);
    lookback_destroy(&lookback);
}

/* A value travels in two words. A reader that finds only one of them, whichever it is, waits for the other. */
static void half_a_value_is_not_taken(void **unused)
{
    (void)unused;
    static struct launch launch;
    uint64_t state = 4;
    for (int high_is_first = 0; high_is_first < 2; high_is_first++) {
        struct lookback lookback = new_lookback();
        launch = (struct launch){ .lookback = &lookback, .num_tiles = 2, .tiles_per_window = 16 };
        new_values(&launch, &state);
        launch.is_read[0] = true;
        atomic_store(&lookback.ticket, ticket_pack(1, 1)); /* tile 0 is this thread's */
        const uint64_t value = launch.aggregates[0];
        const uint64_t words[2] = { descriptor_pack((uint32_t)value, 1, STATUS_A),
                                    descriptor_pack((uint32_t)(value >> 32), 1, STATUS_A) };
        _Atomic uint64_t *places[2] = { &lookback.aggregates[0].low, &lookback.aggregates[0].high };
        atomic_store(places[high_is_first], words[high_is_first]);
        pthread_t reader;
        assert_int_equal(pthread_create(&reader, NULL, work, &launch), 0);
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL); /* time enough to go wrong in */
        atomic_store(places[!high_is_first], words[!high_is_first]);
        pthread_join(reader, NULL);
        assert_int_equal(launch.prefixes[1], compose(launch.initial, value));
        lookback_destroy(&lookback);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_of_another_epoch_is_invalid),
        cmocka_unit_test(leftovers_of_earlier_launches_are_not_seen),
        cmocka_unit_test(epochs_begin_again_after_the_last),
        cmocka_unit_test(a_walker_far_behind_catches_up),
        cmocka_unit_test(every_tile_is_drawn_once),
        cmocka_unit_test(half_a_value_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
