"""Compiled loops that cut a text into tokens: what the patterns of `normalisation.py` say, for bytes of UTF-8."""

from typing import Any

import numpy as np
from numba import njit

from attnlab.text.cutting import DIGIT, LETTER, VISIBLE
from attnlab.text.loops import BASIS, PRIME, scattered

LINE, APOSTROPHE, QUOTE, HYPHEN, POINT, COMMA = map(ord, "\n'’-.,")
HALF = np.uint64(0xFFFFFFFF00000000)
OPTIONS: Any = {"nogil": True, "cache": True}


@njit(["UniTuple(i8, 2)(u1[::1], i8)"], **OPTIONS)
def character(raw, place):
    """The code point at a place, and the place after it."""
    first = np.int64(raw[place])
    if first < 0x80:
        return first, place + 1
    length = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    point = first & (0x7F >> length)
    for each in range(place + 1, place + length):
        point = point << 6 | np.int64(raw[each]) & 0x3F
    return point, place + length


@njit(["i8(u1[::1], u1[::1], u1, i8)"], **OPTIONS)
def run(raw, kinds, kind, place):
    """The end of the run of characters of a kind that begins at a place."""
    while place < len(raw):
        point, after = character(raw, place)
        if not kinds[point] & kind:
            break
        place = after
    return place


@njit(["i8(u1[::1], u1[::1], i8)"], **OPTIONS)
def number_end(raw, kinds, place):
    """The end of the number that begins with the digit at a place; the place itself if a letter follows the digits. A
    letter after a later point leaves the number before that point: 1.2 of 1.2.3x."""
    before, end = place, run(raw, kinds, DIGIT, place)
    while end < len(raw) and (raw[end] == POINT or raw[end] == COMMA):
        after = run(raw, kinds, DIGIT, end + 1)
        if after == end + 1:
            break
        before, end = end, after
    return end if run(raw, kinds, LETTER, end) == end else before


@njit(["i8(u1[::1], u1[::1], i8)"], **OPTIONS)
def word_end(raw, kinds, place):
    """The end of the word that begins with the letter at a place."""
    end = run(raw, kinds, LETTER, place)
    while end < len(raw):
        point, after = character(raw, end)
        if point != APOSTROPHE and point != QUOTE and point != HYPHEN:
            break
        further = run(raw, kinds, LETTER, after)
        if further == after:
            break
        end = further
    return end


@njit(["i8(u1[::1], u1[::1], b1, b1, b1, i8[::1], i8[::1])"], **OPTIONS)
def find_tokens(raw, kinds, words, signs, lines, starts, ends):
    """Where the tokens of a text begin and end; returns their number. `words`: split into words, not only at spaces;
    `signs`: a sign is a token; `lines`: so is the end of a line."""
    count = place = 0
    while place < len(raw):
        point, end = character(raw, place)
        kind = kinds[point]
        if not kind & VISIBLE:
            token = lines and point == LINE
        elif not words:
            token, end = True, run(raw, kinds, VISIBLE, end)
        elif kind & LETTER:
            number = number_end(raw, kinds, place) if kind & DIGIT else place
            token, end = True, number if number > place else word_end(raw, kinds, place)
        else:
            token = signs
        if token:
            starts[count], ends[count] = place, end
            count += 1
        place = end
    return count


@njit(["u8[::1](u8[::1])"], **OPTIONS)
def table_of(hashes):
    """An open hash table for twice as many parts as there are hashes, at most half full. A slot holds half of a hash,
    and the number of its part, counted from 1."""
    table = np.zeros(4 * len(hashes), np.uint64)
    last = np.uint64(len(table) - 1)
    for number in range(len(hashes)):
        slot = hashes[number] & last
        while table[slot] != 0:
            slot = (slot + np.uint64(1)) & last
        table[slot] = hashes[number] & HALF | np.uint64(number + 1)
    return table


@njit(["Tuple((i8[::1], i8[::1]))(u1[::1], i8[::1], i8[::1], u1[::1])"], **OPTIONS)
def number_parts(raw, bounds, numbers, content):
    """Number the different parts of a text that is cut at `bounds`, in the order of the text, and write one after the
    other into `content`. Returns 0 and where each ends there, and where in the text each is first, counted in parts."""
    count, room, table = 0, 1 << 12, np.zeros(1 << 13, np.uint64)
    ends, firsts, hashes = np.zeros(room + 1, np.int64), np.empty(room, np.int64), np.empty(room, np.uint64)
    for place in range(len(numbers)):
        start, stop, hashed = bounds[place], bounds[place + 1], BASIS
        for byte in range(start, stop):
            hashed = (hashed ^ np.uint64(raw[byte])) * PRIME
        hashed = scattered(hashed)
        last, found = np.uint64(len(table) - 1), np.int64(-1)
        slot = hashed & last
        while found < 0 and table[slot] != 0:
            known = np.int64(table[slot] & ~HALF)
            if (table[slot] ^ hashed) & HALF == 0 and ends[known] - ends[known - 1] == stop - start:
                shift, byte = ends[known - 1] - start, start
                while byte < stop and raw[byte] == content[byte + shift]:
                    byte += 1
                if byte == stop:
                    found = known - 1
            slot = (slot + np.uint64(1)) & last
        if found < 0:
            found, count = count, count + 1
            firsts[found], hashes[found], ends[count] = place, hashed, ends[found] + stop - start
            for byte in range(start, stop):  # a slice would be copied twice
                content[ends[found] + byte - start] = raw[byte]
            table[slot] = hashed & HALF | np.uint64(count)
            if count == room:
                room, table = 2 * room, table_of(hashes)
                ends, firsts, hashes = np.append(ends, firsts), np.append(firsts, firsts), np.append(hashes, hashes)
        numbers[place] = found
    return ends[: count + 1].copy(), firsts[:count].copy()
