/* SPDX-License-Identifier: MIT */
/*
 * Launches of the host backend, for spin: threads that draw a tile, publish its aggregate and find its prefix, one
 * after the other. The thread that called joins them and makes the words ready for the next launch.
 */
#define RESIDENT 3

#include "lookback.pml"

byte num_running;
bool is_over; /* every launch has ended */

proctype thread(byte m)
{
    byte tile_idx, at_window, window_start, i, sum;
    do
    :: draw(tile_idx);
        if
        :: tile_idx < num_tiles ->
            publish(aggregates[tile_idx], A, tile_idx, tile_idx + 1);
            walk(tile_idx);
            num_walked++
        :: else -> break
        fi
    od;
    num_running--
}

init
{
    byte m, j;
    do
    :: launch < LAUNCHES ->
        atomic {
            launch++;
            if :: num_tiles = TILES :: num_tiles = 1 fi;
            num_running = RESIDENT;
            do
            :: m < RESIDENT -> run thread(m); m++
            :: else -> m = 0; break
            od
        };
        atomic { num_running == 0 -> assert(num_walked == num_tiles); num_walked = 0 };
        if
        :: ticket_epoch == EPOCH_LAST -> clear_words()
        :: else
        fi;
        next_epoch(ticket_epoch)
    :: else -> is_over = true; break
    od
}

ltl every_launch_ends { <> is_over }
