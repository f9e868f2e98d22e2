/* SPDX-License-Identifier: MIT */
/*
 * The words of the look-back protocol and the walk, for spin; kernel.pml and host.pml say who does what with them.
 *
 * A value is the range of tiles that it is the sum of, and the launch that summed it. Sums join only where one range
 * ends and the next begins, so a value that is missing, doubled, out of order or left over fails an assertion.
 * Each statement is one step, and others' may come between. A wait is a statement that cannot be executed yet, so what
 * waits for ever ends in a state that is not a valid end. There are LAUNCHES launches over the same words, which nobody
 * clears in between; each has TILES tiles or one.
 *
 * Planted bugs are chosen by a name in capitals on spin's command line; CMakeLists.txt says how each must fail.
 */
#ifndef WINDOW
#define WINDOW 2 /* tiles */
#endif
#define EPOCH_LAST 2 /* so the third launch has the epoch of the first */

mtype = { X, A, P };

typedef descriptor { byte epoch; mtype status = X; byte launch, begin, end }; /* the sum of tiles begin to end - 1 */

descriptor aggregates[TILES];
descriptor starts[TILES / WINDOW + 1]; /* word w: the start of window w + 1 */
byte ticket_epoch = 1, ticket_tile_idx; /* one word: only ever used in one step */

byte epoch_of[RESIDENT]; /* of the launch, as block or thread m knows it */

/* What is asserted, and what only the stream knows. */
byte launch, num_tiles, num_walked;

inline draw(tile_idx)
{
    d_step { epoch_of[m] = ticket_epoch; tile_idx = ticket_tile_idx; ticket_tile_idx++ }
}

#ifdef NO_TAG
#define is_published(word) (word.status != X)
#else
#define is_published(word) (word.status != X && word.epoch == epoch_of[m])
#endif

inline publish(word, kind, first, past)
{
    d_step {
        word.epoch = epoch_of[m];
        word.status = kind;
#ifdef FLAG_APART /* a relaxed flag may be seen before the value */
    };
    d_step {
#endif
        word.launch = launch;
        word.begin = first;
        word.end = past
    }
}

/* The sum so far begins with tile 0 and ends before tile `sum`. */
inline add(word)
{
    assert(word.launch == launch); /* a value of this launch */
    assert(word.begin == sum);     /* what comes next */
    sum = word.end
}

inline add_window(window_idx, end_tile)
{
    i = (window_idx) * WINDOW;
    do
    :: i < end_tile ->
#ifdef NO_WAIT
        atomic { if :: is_published(aggregates[i]) -> add(aggregates[i]) :: else fi; i++ }
#else
        atomic { is_published(aggregates[i]) -> add(aggregates[i]); i++ }
#endif
    :: else -> break
    od;
    i = 0
}

#ifdef WRONG_START
#define start_of(window_idx) starts[window_idx]
#else
#define start_of(window_idx) starts[window_idx - 1]
#endif

/* Moves window_start on to the window: from the nearest start that is published, but from no further back than the
 * window it is at, and then over the aggregates of the windows between. */
inline move_to(window_idx)
{
    i = window_idx;
    do
    :: i > at_window ->
        atomic {
            if
            :: is_published(start_of(i)) -> sum = 0; add(start_of(i)); window_start = sum; at_window = i
            :: else -> i--
            fi
        }
    :: else -> break
    od;
    do
    :: at_window < window_idx ->
        sum = window_start;
        add_window(at_window, (at_window + 1) * WINDOW);
        window_start = sum;
        at_window++
    :: else -> break
    od
}

/* The prefix of a tile, and the start of the next window behind a window's last tile. */
inline walk(tile_idx)
{
    move_to(tile_idx / WINDOW);
    sum = window_start;
    add_window(tile_idx / WINDOW, tile_idx);
    assert(sum == tile_idx); /* the prefix is exact */
#ifdef KEEPS_PREFIX
    window_start = sum;
#endif
    if
    :: tile_idx % WINDOW == WINDOW - 1 -> publish(starts[tile_idx / WINDOW], P, 0, tile_idx + 1)
    :: else
    fi;
    sum = 0
}

/* After the last epoch: no word is taken for one of the epochs to come. */
inline clear_words()
{
#ifndef NO_CLEAR
    d_step {
        j = 0;
        do
        :: j < TILES -> aggregates[j].status = X; aggregates[j].epoch = 0; j++
        :: else -> break
        od;
        j = 0;
        do
        :: j <= TILES / WINDOW -> starts[j].status = X; starts[j].epoch = 0; j++
        :: else -> break
        od;
        j = 0
    }
#else
    skip
#endif
}

/* What the next launch expects in the word of tickets. */
inline next_epoch(this_epoch)
{
#ifdef EPOCH_STAYS
    ticket_tile_idx = 0
#else
    d_step { ticket_tile_idx = 0; ticket_epoch = this_epoch % EPOCH_LAST + 1 }
#endif
}
