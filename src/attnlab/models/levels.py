"""n-grams as a tree of levels, one for each length, and a fast way to find those of a text.

The parent of an n-gram is its first n − 1 tokens, its context. An n-gram's number is its place in its level, and its
key is (the number of its context) · size + (its last token). So the n-grams of a text are found level by level: the
n-gram that ends at a token is the context of the next token.

Binary search in sorted keys takes a cache miss a step, about 20 steps. A hash table takes one or two. It is made when
enough keys were asked for to pay for it: a slot has 32 bits of the hash of a key and the key's number. Slots are
filled in the order of the hashes, so a search ends at the first larger hash.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, UInt

from attnlab.errors import ArgumentError

WORTH = 32
"""A table of so many keys costs as much time as one binary search."""
DENSE = 4
"""Keys below this many times their number get an array with a place for each, as those of single tokens do."""
SPARE = 1.5
"""Slots of a table for each key."""
ODD = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ divided by the golden ratio, which scatters neighbouring keys
HALF = np.uint64(32)
NUMBER = np.uint64(0xFFFFFFFF)
EMPTY = NUMBER << HALF
"""An empty slot: the largest hash, and the number 0, whose key tells that it is not the key that was asked for."""


@dataclass(frozen=True)
class Level:
    """All n-grams of one length. What `shares` and `passed` mean is up to the model (ngram.py, backoff.py)."""

    keys: Int[np.ndarray, " ngrams"]  # sorted
    shares: Float[np.ndarray, " ngrams"]
    passed: Float[np.ndarray, " contexts"]  # for each (n − 1)-gram; 1 where nothing followed

    def __post_init__(self) -> None:
        object.__setattr__(self, "_finder", Finder(self.keys))

    def check(self, order: int, size: int, contexts: int) -> None:
        """Raise unless the arrays fit each other, as those of a file may not."""
        arrays = {"keys": (self.keys, self.keys.size), "shares": (self.shares, self.keys.size)}
        arrays["passed"] = (self.passed, contexts)
        for name, (array, length) in arrays.items():
            if array.shape != (length,) or array.dtype.kind != ("i" if name == "keys" else "f"):
                raise ArgumentError("state", f"expected {length} numbers as {name}.{order}")
            if name != "keys" and not (np.isfinite(array).all() and (array >= 0).all()):
                raise ArgumentError("state", f"expected numbers of at least 0 as {name}.{order}")
        last = self.keys[-1:].tolist()
        if (
            (self.keys[1:] <= self.keys[:-1]).any()
            or any(self.keys[:1] < 0)
            or any(each >= contexts * size for each in last)
        ):
            raise ArgumentError("state", f"expected the keys of n-grams, in order, as keys.{order}")

    @property
    def finder(self) -> "Finder":
        """Finds its n-grams by their keys."""
        return vars(self)["_finder"]


class Finder:
    """Finds numbers by sorted keys: by binary search or, once that pays, by a hash table."""

    def __init__(self, keys: Int[np.ndarray, " ngrams"]):
        self.keys = keys
        self.asked = 0
        self.table: UInt[np.ndarray, " slots"] | None = None
        self.direct: Int[np.ndarray, " places"] | None = None  # the number of each key, if the keys are dense
        self.slots = np.uint64(max(int(SPARE * keys.size), 1))

    def expect(self, count: int) -> None:
        """Make the table if so many keys, with those asked for before, pay for it."""
        self.asked += count
        if self.direct is not None or self.table is not None or not WORTH * self.asked >= self.keys.size > 0:
            return
        if self.keys[-1] < DENSE * self.keys.size:
            self.direct = np.full(int(self.keys[-1]) + 2, -1)  # the last place is for all larger keys
            self.direct[self.keys] = np.arange(self.keys.size)
        else:
            self.table = self._filled()

    def find(self, keys: Int[np.ndarray, " asked"]) -> Int[np.ndarray, " asked"]:
        """The numbers of the n-grams with these keys; −1 for an unknown key."""
        if not self.keys.size:
            return np.full(keys.shape, -1)
        if self.direct is not None:
            return self.direct.take(keys, mode="clip")
        if self.table is None:
            places = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
            return np.where(self.keys[places] == keys, places, -1)
        hashes = _hashes(keys)
        slots = ((hashes * self.slots) >> HALF).view(np.int64)
        held = self.table.take(slots, mode="clip")
        numbers = (held & NUMBER).view(np.int64)
        missed = np.flatnonzero(self.keys.take(numbers, mode="clip") != keys)
        numbers[missed] = -1
        left = missed[(held[missed] >> HALF) <= hashes[missed]]
        while left.size:  # another key has the slot: the next slot
            slots[left] += 1
            held = self.table.take(slots[left], mode="clip")
            found = (held & NUMBER).view(np.int64)
            right = self.keys.take(found, mode="clip") == keys[left]
            numbers[left[right]] = found[right]
            left = left[~right & ((held >> HALF) <= hashes[left]) & (held != EMPTY)]
        return numbers

    def _filled(self) -> UInt[np.ndarray, " slots"]:
        """The hash table. A key stands in the first free slot from its hash on; sorted by hash, this is a running
        maximum."""
        count = np.arange(self.keys.size)
        held = (_hashes(self.keys) << HALF) | count.view(np.uint64)
        held.sort()
        places = (((held >> HALF) * self.slots) >> HALF).view(np.int64)
        places -= count
        np.maximum.accumulate(places, out=places)
        places += count
        table = np.full(max(int(self.slots), int(places[-1]) + 1) + 1, EMPTY)
        table[places] = held
        return table


def _hashes(keys: Int[np.ndarray, " keys"]) -> UInt[np.ndarray, " keys"]:
    """32 bits of each key, scattered."""
    return (keys.view(np.uint64) * ODD) >> HALF


@dataclass(frozen=True)
class Step:
    """One level of a walk: the places of a text whose context is known, the number of each context, and the number of
    the n-gram that ends there, −1 if it is unknown."""

    level: Level
    places: Int[np.ndarray, " known"]
    contexts: Int[np.ndarray, " known"]
    numbers: Int[np.ndarray, " known"]


def walk(levels: Sequence[Level], size: int, rows: Int[np.ndarray, "rows positions"]) -> Iterator[Step]:
    """Finds the n-grams that end at each place of some rows, level by level. A place is an index of `rows.ravel()`."""
    text, length = rows.ravel(), rows.shape[1]
    places = np.arange(text.size)
    contexts = np.zeros(text.size, np.int64)
    for depth, level in enumerate(levels):
        tokens = text if not depth else text.take(places)
        numbers = level.finder.find(contexts * size + tokens if depth else tokens)
        yield Step(level, places, contexts, numbers)
        known = np.flatnonzero(numbers >= 0)
        places, contexts = places[known] + 1, numbers[known]  # an n-gram is the context of the token after it
        inside = places % length != 0 if rows.shape[0] > 1 else places < text.size
        places, contexts = places[inside], contexts[inside]


def followers(
    levels: Sequence[Level], size: int, before: Int[np.ndarray, " positions"]
) -> Iterator[tuple[Level, int, slice]]:
    """The contexts at the end of `before`, of one token, two tokens, …, as long as they are known: the level of their
    n-grams, the context's number, and the n-grams that begin with it."""
    for length, level in enumerate(levels[1 : before.size + 1], start=1):
        number = 0
        for above, token in zip(levels, before[before.size - length :].tolist(), strict=False):
            number = place_of(above.keys, number * size + token)
            if number < 0:
                return  # longer contexts cannot occur either
        first, last = np.searchsorted(level.keys, [number * size, (number + 1) * size]).tolist()
        yield level, number, slice(first, last)


def place_of(keys: Int[np.ndarray, " ngrams"], key: int) -> int:
    """The place of a key; −1 for an unknown key."""
    place = int(np.searchsorted(keys, key))
    return place if place < keys.size and keys[place] == key else -1
