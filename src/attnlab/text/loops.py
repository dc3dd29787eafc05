"""Compiled loops over the bytes and words of texts."""

import numpy as np

from attnlab.compiled import compiled

SPACE, SIGN, POINT, DIGIT = 1, 2, 4, 8
KINDS = np.zeros(256, np.uint8)
"""The kind of each byte. Unicode has more spaces than these: they stay inside a piece, where the normalisation finds
them. A sign is a punctuation mark that is never in a word or a number. So is a point, unless a digit follows: 3.14,
1,000. A byte beyond ASCII may belong to a digit of another script, so it counts as a digit."""
for kind, members in (
    (SPACE, b"\t\n\v\f\r\x1c\x1d\x1e\x1f "),
    (SIGN, b'!"#$%&()*+/:;<=>?@[\\]^`{|}~'),
    (POINT, b".,"),
    (DIGIT, b"0123456789" + bytes(range(0x80, 0x100))),
):
    KINDS[list(members)] = kind
BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
"""The constants of the hash FNV-1a for 64 bits (Fowler, Noll & Vo 1991)."""


@compiled("u8(u8)")
def scattered(number):
    """A number scattered over 64 bits, one to one (the finaliser of splitmix64; Steele et al. 2014)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled("i8(u1[::1], b1, i8[::1], i8[::1], u8[::1])")
def find_pieces(content, signs, starts, ends, hashes):
    """The places and hashes of pieces in bytes that begin and end with a space; returns their number. With `signs`,
    each sign is a piece. A hash is FNV-1a of the piece, scattered; it is never 0."""
    count, start, state = 0, 0, BASIS
    for place in range(1, len(content)):
        kind = KINDS[content[place]]
        sign = signs and (kind == SIGN or (kind == POINT and KINDS[content[min(place + 1, len(content) - 1)]] != DIGIT))
        inside = kind != SPACE and not sign
        if start and not inside:
            starts[count], ends[count], hashes[count] = start, place, max(scattered(state), np.uint64(1))
            count += 1
            start = 0
        if not inside and not sign:
            continue
        if not start:
            start, state = place, BASIS
        state = (state ^ np.uint64(content[place])) * PRIME
        if sign:
            starts[count], ends[count], hashes[count] = start, place + 1, max(scattered(state), np.uint64(1))
            count += 1
            start = 0
    return count


@compiled("void(u8[::1], u8[::1], i8[::1], i8[::1])")
def look_up(hashes, keys, rows, found):
    """The row of each hash in an open hash table; 0 for a hash that is not in it."""
    last = np.uint64(len(keys) - 1)
    for number in range(len(hashes)):
        place = hashes[number] & last
        while keys[place] != 0 and keys[place] != hashes[number]:
            place = (place + np.uint64(1)) & last
        found[number] = rows[place] if keys[place] else 0


@compiled("void(u8[::1], i8[::1], u8[::1], i8[::1])")
def insert(hashes, numbers, keys, rows):
    """Put hashes into an open hash table, each at its place or the next free place after it."""
    last = np.uint64(len(keys) - 1)
    for number in range(len(hashes)):
        place = hashes[number] & last
        while keys[place] != 0 and keys[place] != hashes[number]:
            place = (place + np.uint64(1)) & last
        keys[place], rows[place] = hashes[number], numbers[number]


@compiled("void(i4[::1], i8[::1], i8[::1], i4[::1])")
def write_lists(ids, offsets, rows, found):
    """The lists of some rows, one after the other."""
    written = 0
    for row in rows:
        for place in range(offsets[row], offsets[row + 1]):
            found[written] = ids[place]
            written += 1


@compiled("i8(i4[::1], i8[::1], i8, u8, i4, i4[::1], i8[::1])")
def write_grams(words, offsets, longest, buckets, first, found, ends):
    """The features of each text: its known words, then its n-grams of known words by their length, hashed into buckets
    that are numbered from `first` on. Returns their number."""
    written = 0
    for text in range(len(offsets) - 1):
        own = words[offsets[text] : offsets[text + 1]]
        hashes, known = np.empty(len(own), np.uint64), own > 0
        for place in range(len(own)):
            hashes[place] = scattered(np.uint64(own[place]))
            if known[place]:
                found[written] = own[place]
                written += 1
        for length in range(2, longest + 1):
            for place in range(len(own) - length + 1):
                new = own[place + length - 1]
                hashes[place] = scattered(hashes[place] * np.uint64(length) + np.uint64(new))
                known[place] &= new > 0
                if known[place]:
                    found[written] = first + np.int32(hashes[place] % buckets)
                    written += 1
        ends[text + 1] = written
    return written
