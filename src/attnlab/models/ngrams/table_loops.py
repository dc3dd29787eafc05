"""Compiled loops over the hash tables of n-grams (tables.py). numba compiles them once and keeps the machine code
beside this file.

Importing numba takes a third of a second, so this file is imported when the first table is made. The loops hold no lock
of Python, so threads run them side by side.

A table that is larger than the cache costs a cache miss for each key. A processor can wait for many misses at a time.
So the loops take many keys at once: they ask for the buckets of all of them, then compare, and ask for the values of
those that were found. A bucket is compared without a branch: a processor often guesses wrong whether a key is known.
"""

from typing import Any

import numpy as np
from numba import boolean, float64, int64, njit, types, void

from attnlab.cache_lines import ask

BUCKET = 8
"""The keys of a bucket: a cache line of 64 bytes."""
AT_ONCE = 128
"""Keys that are looked up together; their cache lines fit into the first cache."""
ODD = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ divided by the golden ratio, which scatters neighbouring keys
HALF = np.uint64(32)
EMPTY = -1
OPTIONS: Any = {"nogil": True, "cache": True}
READ: Any = types.Array(int64, 1, "C", readonly=True)
"""The type of an array that is only read: it may be that of a memory-mapped file."""


@njit(inline="always")
def _bucket(key, keys):
    """The first slot of the bucket where a key belongs."""
    buckets = np.uint64(len(keys) // BUCKET)
    return ((((np.uint64(key) * ODD) >> HALF) * buckets) >> HALF) * np.uint64(BUCKET)


@njit(inline="always")
def _slot(key, first, keys):
    """The slot of a key, searched from a bucket on; the number of slots for an unknown key. A key is in the next bucket
    only if its own is full, and one bucket at least is not."""
    count = np.uint64(len(keys))
    while True:
        found = count
        for each in range(BUCKET):
            slot = first + np.uint64(each)
            found = slot if keys[slot] == key else found
        if (found < count) | (keys[first + np.uint64(BUCKET - 1)] == EMPTY):
            return np.int64(found)
        first = first + np.uint64(BUCKET) if first + np.uint64(BUCKET) < count else np.uint64(0)


@njit([void(READ, int64[::1], int64[::1])], **OPTIONS)
def fill(asked, keys, slots):
    """Put different keys into an empty table, and tell the slot of each."""
    for number in range(len(asked)):
        slot = np.int64(_bucket(asked[number], keys))
        while keys[slot] != EMPTY:
            slot = slot + 1 if slot + 1 < len(keys) else 0
        keys[slot] = asked[number]
        slots[number] = slot


@njit([void(READ, int64[::1], int64[::1])], **OPTIONS)
def find(asked, keys, slots):
    """The slot of each key; the number of slots for an unknown key."""
    firsts = np.empty(AT_ONCE, np.uint64)
    for start in range(0, len(asked), AT_ONCE):
        some = min(AT_ONCE, len(asked) - start)
        for each in range(some):
            firsts[each] = _bucket(asked[start + each], keys)
            ask(keys, firsts[each])
        for each in range(some):
            slots[start + each] = _slot(asked[start + each], firsts[each], keys)


@njit([void(READ, int64, READ, int64[::1])], **OPTIONS)
def renumber(keys, size, numbers, found):
    """Sorted keys, with new numbers for their contexts."""
    context = 0
    for each in range(len(keys)):
        while keys[each] >= (context + 1) * size:
            context += 1
        found[each] = keys[each] + (numbers[context] - context) * size


@njit(
    [
        int64(READ, int64, int64, boolean, int64, *[int64[::1]] * 2, *[float64[::1]] * 2, int64[::1], float64[:, ::1]),
    ],
    **OPTIONS,
)
def step(text, length, size, adds, count, places, contexts, passed, chances, keys, values):
    """One level of a walk over rows of `length` tokens. The first `count` of `places` have a known context: its slot is
    in `contexts`, and the weight that it passes on in `passed`. Corrects the chances at these places. Returns how many
    places have a known context at the next level, and leaves these in the same arrays.

    `values` has the share of each slot and its weight as a context, if there is a next level. Behind the slots is a row
    for unknown keys, with the share 0.
    """
    asked, firsts, slots = np.empty(AT_ONCE, np.int64), np.empty(AT_ONCE, np.uint64), np.empty(AT_ONCE, np.int64)
    flat, columns = values.ravel(), values.shape[1]
    inner, left, end = columns > 1, 0, length
    for start in range(0, count, AT_ONCE):
        some = min(AT_ONCE, count - start)
        for each in range(some):
            asked[each] = contexts[start + each] * size + text[places[start + each]]
            firsts[each] = _bucket(asked[each], keys)
            ask(keys, firsts[each])
        for each in range(some):
            slots[each] = _slot(asked[each], firsts[each], keys)
            ask(flat, slots[each] * columns)
        for each in range(some):
            place, slot = places[start + each], slots[each]
            known = slot < len(keys)
            chance = passed[start + each] * chances[place]
            chances[place] = flat[slot * columns] if known and not adds else chance + flat[slot * columns]
            while place >= end:
                end += length
            places[left], contexts[left] = place + 1, slot
            passed[left] = flat[slot * columns + inner]
            left += known and inner and place + 1 < end
    return left
