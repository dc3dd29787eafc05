"""n-grams as a tree of levels, one for each length, and a fast way to find those of a text.

The parent of an n-gram is its first n − 1 tokens, its context. An n-gram's number is its place in its level, and its
key is (the number of its context) · size + (its last token). So the n-grams of a text are found level by level: the
n-gram that ends at a token is the context of the next token.

Binary search in sorted keys takes a cache miss a step, about 20 steps. Where many tokens are looked up, hash tables
replace it (tables.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError

LARGE = 1 << 24
"""Sort what is asked for before it is searched in more keys than this."""


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
            if name != "keys" and not (np.isfinite(array).all() and (array >= 0).all()):
                raise ArgumentError("state", f"expected numbers of at least 0 as {name}.{order}")
        last = self.keys[-1:].tolist()
        if (
            (self.keys[1:] <= self.keys[:-1]).any()
            or any(self.keys[:1] < 0)
            or any(each >= contexts * size for each in last)
        ):
            raise ArgumentError("state", f"expected the keys of n-grams, in order, as keys.{order}")


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
        numbers = places_of(level.keys, contexts * size + tokens if depth else tokens)
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


def places_of(keys: Int[np.ndarray, " ngrams"], asked: Int[np.ndarray, " asked"]) -> Int[np.ndarray, " asked"]:
    """The places of some keys, by binary search; −1 for an unknown key."""
    if not keys.size:
        return np.full(asked.shape, -1)
    if keys.size > LARGE and asked.size > 1:  # keys in order are near each other, which spares cache misses and pages
        order = np.argsort(asked)
        found = np.empty(asked.size, np.int64)
        found[order] = _searched(keys, asked[order])
        return found
    return _searched(keys, asked)


def _searched(keys: Int[np.ndarray, " ngrams"], asked: Int[np.ndarray, " asked"]) -> Int[np.ndarray, " asked"]:
    places = np.minimum(np.searchsorted(keys, asked), keys.size - 1)
    return np.where(keys[places] == asked, places, -1)


def place_of(keys: Int[np.ndarray, " ngrams"], key: int) -> int:
    """The place of a key; −1 for an unknown key."""
    place = int(np.searchsorted(keys, key))
    return place if place < keys.size and keys[place] == key else -1
