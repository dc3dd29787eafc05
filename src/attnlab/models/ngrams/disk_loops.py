"""Compiled loops of counting on disk (counting_on_disk.py). numba compiles them once and keeps the machine code beside
this file. It is imported when a text is large: importing numba takes a third of a second."""

from typing import Any

import numpy as np
from numba import int64, njit, types, uint32, void

OPTIONS: Any = {"nogil": True, "cache": True}
NUMBERS: Any = types.Array(int64, 1, "C", readonly=True)
COUNTS: Any = types.Array(uint32, 1, "C", readonly=True)


@njit(inline="always")
def _sink(keys, runs, count):
    """Put the root of a heap where it belongs: a key is not larger than the two keys below it."""
    key, run, place = keys[0], runs[0], 0
    while 2 * place + 1 < count:
        below = 2 * place + 1
        if below + 1 < count and keys[below + 1] < keys[below]:
            below += 1
        if key <= keys[below]:
            break
        keys[place], runs[place] = keys[below], runs[below]
        place = below
    keys[place], runs[place] = key, run


@njit([int64(NUMBERS, COUNTS, NUMBERS, *[int64[::1]] * 5, int64, int64[::1], uint32[::1], int64[::1])], **OPTIONS)
def merge(keys, times, shorter, places, ends, heap, runs, numbers, first, merged, merged_times, merged_shorter):
    """Merge sorted runs of keys until all are merged or `merged` is full. Returns how many different keys it made.
    Equal keys become one, with the sum of their times. `numbers` gets the number of each key, from `first` on.

    Run r is at `places[r]` and goes up to `ends[r]`. `heap` has the next key of each run in `runs`; a run of −1 ends
    it.
    """
    found, left = 0, len(runs)
    while left and runs[left - 1] < 0:
        left -= 1
    while left:
        if not found or heap[0] != merged[found - 1]:
            if found == len(merged):
                break
            merged[found], merged_times[found] = heap[0], 0
            merged_shorter[found] = shorter[places[runs[0]]]
            found += 1
        run = runs[0]
        place = places[run]
        merged_times[found - 1] += times[place]
        numbers[place] = first + found - 1
        places[run] = place + 1
        if place + 1 < ends[run]:
            heap[0] = keys[place + 1]
        else:
            left -= 1
            heap[0], runs[0] = heap[left], runs[left]
            runs[left] = -1
        if left:
            _sink(heap, runs, left)
    return found


@njit([void(NUMBERS, int64, uint32[::1])], **OPTIONS)
def tally(numbers, first, counts):
    """Count numbers from `first` on, as many different ones as there are counts; skip the others."""
    for each in numbers:
        place = each - first
        if 0 <= place < len(counts):
            counts[place] += np.uint32(1)
