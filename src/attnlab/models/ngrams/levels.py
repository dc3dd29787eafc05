"""n-grams as a tree of levels, one for each length, and a fast way to find those of a text.

The parent of an n-gram is its first n − 1 tokens, its context. An n-gram's number is its place in its level, and its
key is (the number of its context) · size + (its last token). So the n-grams of a text are found level by level: the
n-gram that ends at a token is the context of the next token.

Binary search in sorted keys takes a cache miss a step, about 20 steps. So the tokens that are asked for are sorted
too: then a level is read from its beginning to its end, and of a memory-mapped level only a part is in memory. Where
many tokens are looked up in few n-grams, hash tables replace it (tables.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError
from attnlab.mapped import let_go

LARGE = 1 << 20
"""Sort what is asked for before it is searched in more keys than this."""
AT_ONCE = 1 << 14
"""Sorted keys that are searched together: their neighbours in a level fit into the cache."""
CHECKED = 1 << 22
"""Numbers of a level that are checked at a time."""


@dataclass(frozen=True)
class Level:
    """All n-grams of one length. What `shares` and `passed` mean is up to the model (ngram.py, backoff.py)."""

    keys: Int[np.ndarray, " ngrams"]  # sorted
    shares: Float[np.ndarray, " ngrams"]
    passed: Float[np.ndarray, " contexts"]  # for each (n − 1)-gram; 1 where nothing followed

    def check(self, order: int, size: int, contexts: int) -> None:
        """Raise unless the arrays fit each other, as those of a file may not."""
        arrays = {"keys": (self.keys, self.keys.size), "shares": (self.shares, self.keys.size)}
        arrays["passed"] = (self.passed, contexts)
        for name, (array, length) in arrays.items():
            if array.shape != (length,) or array.dtype.kind != ("i" if name == "keys" else "f"):
                raise ArgumentError("state", f"expected {length} numbers as {name}.{order}")
            for first in range(0, length if name != "keys" else 0, CHECKED):
                some = array[first : first + CHECKED]
                if not (np.isfinite(some).all() and (some >= 0).all()):
                    raise ArgumentError("state", f"expected numbers of at least 0 as {name}.{order}")
                let_go(array)
        last = -1
        for first in range(0, self.keys.size, CHECKED):
            some = self.keys[first : first + CHECKED]
            if some[0] <= last or (some[1:] <= some[:-1]).any() or some[-1] >= contexts * size:
                raise ArgumentError("state", f"expected the keys of n-grams, in order, as keys.{order}")
            last = int(some[-1])
            let_go(self.keys)


@dataclass(frozen=True)
class Step:
    """A part of one level of a walk: places of a text whose context is known, the number of each context, and the
    number of the n-gram that ends there, −1 if it is unknown."""

    level: Level
    places: Int[np.ndarray, " known"]
    contexts: Int[np.ndarray, " known"]
    numbers: Int[np.ndarray, " known"]


def walk(levels: Sequence[Level], size: int, rows: Int[np.ndarray, "rows positions"]) -> Iterator[Step]:
    """Finds the n-grams that end at each place of some rows, level by level. A place is an index of `rows.ravel()`; in
    a large level, places come in the order of their n-grams."""
    text, length = rows.ravel(), rows.shape[1]
    places = np.arange(text.size)
    contexts = np.zeros(text.size, np.int64)
    for level in levels:
        found = []
        asked = contexts * size
        asked += text.take(places)
        if level.keys.size > LARGE:
            order = np.argsort(asked)
            asked, places, contexts = asked[order], places[order], contexts[order]
            del order
        for first in range(0, places.size, AT_ONCE):
            some = slice(first, first + AT_ONCE)
            numbers = places_of(level.keys, asked[some])
            yield Step(level, places[some], contexts[some], numbers)
            if level.keys.size > LARGE:
                let_go(level.keys, level.shares, level.passed)
            known = np.flatnonzero(numbers >= 0)
            ends = places[some][known] + 1  # an n-gram is the context of the token after it
            inside = ends % length != 0 if rows.shape[0] > 1 else ends < text.size
            found.append((ends[inside], numbers[known][inside]))
        if not found:
            return
        places, contexts = (np.concatenate(each) for each in zip(*found, strict=True))


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


def places_of(keys: Int[np.ndarray, " ngrams"], asked: Int[np.ndarray, " asked"]) -> Int[np.ndarray, " asked"]:
    """The places of some keys, by binary search; −1 for an unknown key."""
    if not keys.size or not asked.size:
        return np.full(asked.shape, -1)
    if keys.size <= LARGE:
        return _searched(keys, asked)
    if (asked[1:] < asked[:-1]).any():  # keys in order are near each other, which spares cache misses and pages
        order = np.argsort(asked)
        found = np.empty(asked.size, np.int64)
        found[order] = places_of(keys, asked[order])
        return found
    first, last = np.searchsorted(keys, asked[[0, -1]]).tolist()
    first = min(first, keys.size - 1)
    numbers = _searched(keys[first : last + 1], asked)
    return np.where(numbers < 0, -1, numbers + first)


def _searched(keys: Int[np.ndarray, " ngrams"], asked: Int[np.ndarray, " asked"]) -> Int[np.ndarray, " asked"]:
    places = np.minimum(np.searchsorted(keys, asked), keys.size - 1)
    return np.where(keys[places] == asked, places, -1)


def place_of(keys: Int[np.ndarray, " ngrams"], key: int) -> int:
    """The place of a key; −1 for an unknown key."""
    place = int(np.searchsorted(keys, key))
    return place if place < keys.size and keys[place] == key else -1
