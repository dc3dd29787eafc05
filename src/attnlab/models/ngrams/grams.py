"""The different n-grams of a text, found by sorting, one length after the other."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int


@dataclass(frozen=True)
class Grams:
    """The different n-grams of one length, in the order of their keys (levels.py), and where they are in a text."""

    keys: Int[np.ndarray, " ngrams"]
    times: Int[np.ndarray, " ngrams"]
    """How often each occurs."""
    numbers: Int[np.ndarray, " positions"]
    """The number of the n-gram that begins at each position, −1 if it is not counted."""
    shorter: Int[np.ndarray, " ngrams"]
    """The number of each n-gram without its first token, among those of one token less; 0 for single tokens."""


def grams_of(text: Int[np.ndarray, " positions"], size: int, order: int, boundary: int | None) -> Iterator[Grams]:
    """The n-grams of each length. Those with the boundary in the middle are not counted."""
    keys, _, numbers, times = distinct(text)
    yield Grams(keys.astype(np.int64), times, numbers, np.zeros(keys.size, numbers.dtype))
    for n in range(2, order + 1):
        # An n-gram's context is the (n − 1)-gram that begins where it begins.
        following = numbers[:-1].astype(np.int64)
        following *= size
        following += text[n - 1 :]
        if boundary is not None and n > 2:
            following[(numbers[:-1] < 0) | (text[n - 2 : -1] == boundary)] = -1
        keys, places, ends, times = distinct(following)
        yield Grams(keys, times, ends, numbers[1:][places])
        numbers = ends


def id_type(size: int) -> np.dtype:
    """The smallest signed integers that hold `size`, of at least 32 bits: half the memory of 64 bits."""
    return np.dtype(np.int32 if size < 1 << 31 else np.int64)


def distinct(values: Int[np.ndarray, " all"]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The different values of at least 0, sorted; a place of each; the number of the value at each place, −1 for a
    negative one; and how often each occurs. It takes less memory than `np.unique`.

    >>> [each.tolist() for each in distinct(np.array([7, 5, -1, 7]))]
    [[5, 7], [1, 0], [1, 0, -1, 1], [1, 2]]
    """
    ordered, order = _sorted(values)
    first = int(np.searchsorted(ordered, 0))
    starts = np.flatnonzero(np.append(True, ordered[first + 1 :] != ordered[first:-1])[: ordered.size - first]) + first
    times = np.diff(starts, append=values.size)
    places, keys = order[starts], ordered[starts]
    del ordered
    numbers = np.full(values.size, -1, id_type(values.size))
    numbers[order[first:]] = np.repeat(np.arange(starts.size, dtype=numbers.dtype), times)
    return keys, places, numbers, times


def _sorted(values: Int[np.ndarray, " all"]) -> tuple[Int[np.ndarray, " all"], Int[np.ndarray, " all"]]:
    """The values in order, and the place of each. Sorting numbers takes a fifth of the time of sorting places, so a
    value and its place are packed into one number where they fit."""
    bits = values.size.bit_length()
    if int(values.max(initial=0)).bit_length() + bits > 63 or int(values.min(initial=0)) < -1:
        order = np.argsort(values)
        return values[order], order
    packed = values.astype(np.int64)
    packed <<= bits
    packed |= np.arange(values.size)
    packed.sort()
    return packed >> bits, packed & ((1 << bits) - 1)
