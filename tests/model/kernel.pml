/* SPDX-License-Identifier: MIT */
/*
 * Launches of a kernel, for spin: blocks of three roles, of which no more are there at once than there is room for.
 *
 * A loader draws tiles and puts them into slots, a reducer publishes a tile's aggregate as soon as it is in a slot, a
 * walker finds its prefix; a slot is empty again when both are done. Who draws a launch's last ticket leaves the word as
 * the next launch expects it; after the last epoch the last block to finish does, and clears all words. The stream
 * starts a launch when all blocks of the one before have left.
 */
#define GRID 3 /* blocks of a launch */
#define RESIDENT 2
#ifndef SLOTS
#define SLOTS 1 /* of a block's ring */
#endif
#define END 255 /* in place of a tile: there are no more */

#include "lookback.pml"

byte num_finished; /* the count that blocks keep */
byte num_started, num_left;
bool is_over; /* every launch has ended */
#ifdef NO_TICKET
bool is_started[GRID];
#endif

/* Of the block on multiprocessor m. */
byte num_roles_done[RESIDENT];
chan to_reducer[RESIDENT] = [SLOTS] of { byte };
chan to_walker[RESIDENT] = [SLOTS] of { byte };

proctype reducer(byte m)
{
    byte tile_idx;
end:
    do
    :: to_reducer[m]?<tile_idx> ->
        if
        :: tile_idx != END ->
            publish(aggregates[tile_idx], A, tile_idx, tile_idx + 1);
            atomic { tile_idx = 0; to_reducer[m]?_ }
        :: else -> atomic { tile_idx = 0; to_reducer[m]?_; num_roles_done[m]++ }
        fi
    od
}

proctype walker(byte m)
{
    byte tile_idx, at_window, window_start, i, sum;
end:
    do
    :: to_walker[m]?<tile_idx> ->
        if
        :: tile_idx != END ->
            walk(tile_idx);
            atomic { tile_idx = 0; to_walker[m]?_; num_walked++ }
        :: else ->
            atomic { tile_idx = 0; at_window = 0; window_start = 0; to_walker[m]?_; num_roles_done[m]++ }
        fi
    od
}

inline wait_for_roles()
{
    atomic { num_roles_done[m] == 2 -> num_roles_done[m] = 0 }
}

/* The draw is one step, and what its result leads to another. */
inline take_ticket()
{
    draw(tile_idx);
#ifdef LAST_BUT_ONE
    if
    :: epoch_of[m] != EPOCH_LAST && tile_idx == num_tiles + GRID - 2 -> next_epoch(epoch_of[m])
#else
    if
    :: epoch_of[m] != EPOCH_LAST && tile_idx == num_tiles + GRID - 1 -> next_epoch(epoch_of[m])
#endif
    :: else
    fi
}

inline finish()
{
    if
    :: epoch_of[m] == EPOCH_LAST ->
#ifdef LAST_BUT_ONE_CLEARS
        atomic { num_finished++; is_last = num_finished == GRID - 1 };
#else
        atomic { num_finished++; is_last = num_finished == GRID };
#endif
        if
        :: is_last -> is_last = false; num_finished = 0; clear_words(); next_epoch(epoch_of[m])
        :: else
        fi
    :: else
    fi
}

/* A multiprocessor: blocks of the launch, one after another. */
proctype loader(byte m)
{
    byte tile_idx, j;
    bool is_last;
end:
    do
    :: atomic { num_started < GRID -> num_started++ };
#ifdef NO_TICKET /* any block may start first */
        atomic {
            if
            :: !is_started[0] -> tile_idx = 0
            :: !is_started[1] -> tile_idx = 1
            :: !is_started[2] -> tile_idx = 2
            fi;
            is_started[tile_idx] = true; epoch_of[m] = ticket_epoch
        };
#else
        take_ticket();
#endif
        do
        :: tile_idx < num_tiles ->
            to_reducer[m]!tile_idx;
            to_walker[m]!tile_idx;
#ifdef NO_TICKET
            tile_idx = tile_idx + GRID
#else
            take_ticket()
#endif
        :: else -> tile_idx = 0; break
        od;
        to_reducer[m]!END;
        to_walker[m]!END;
#ifdef FINISHES_EARLY /* which a count without release would allow too */
        finish();
        wait_for_roles();
#else
        wait_for_roles();
        finish();
#endif
        num_left++
    od
}

init
{
    byte m;
    atomic {
        if :: ticket_epoch = 1 :: ticket_epoch = EPOCH_LAST fi;
        num_started = GRID;
        do
        :: m < RESIDENT -> run loader(m); run reducer(m); run walker(m); m++
        :: else -> m = 0; break
        od
    };
    do
    :: launch < LAUNCHES ->
        atomic {
            launch++;
            if :: num_tiles = TILES :: num_tiles = 1 fi;
#ifdef NO_TICKET
            is_started[0] = false; is_started[1] = false; is_started[2] = false;
#endif
            num_started = 0
        };
        atomic { num_left == GRID -> assert(num_walked == num_tiles); num_left = 0; num_walked = 0 }
    :: else -> is_over = true; break
    od
}

ltl every_launch_ends { <> is_over }
