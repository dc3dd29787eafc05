"""Bags: many lists of ids as one flat array, and where each list begins. There is no padding."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer


@dataclass(frozen=True)
class Bags:
    """The ids of many texts, one text after the other; text i has ids[offsets[i]:offsets[i + 1]].

    >>> bags = Bags.of([[5, 6], [], [7]])
    >>> len(bags), bags.lengths.tolist(), bags[2].tolist()
    (3, [2, 0, 1], [7])
    >>> bags.take(np.array([2, 0])).ids.tolist()
    [7, 5, 6]
    """

    ids: Integer[np.ndarray, " features"]
    offsets: Integer[np.ndarray, " bounds"]
    """Where each text begins, and at last the end: one more number than there are texts."""

    @classmethod
    def of(cls, lists: Sequence[Sequence[int] | Integer[np.ndarray, " _"]]) -> "Bags":
        """Bags from lists of ids."""
        ids = np.concatenate([np.asarray(each, np.int32) for each in lists] or [np.empty(0, np.int32)])
        return cls(ids, bounds(np.array([len(each) for each in lists], np.int64)))

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> Integer[np.ndarray, " features"]:
        """The ids of one text."""
        return self.ids[self.offsets[place] : self.offsets[place + 1]]

    @property
    def lengths(self) -> Integer[np.ndarray, " texts"]:
        """The number of ids of each text."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Integer[np.ndarray, " features"]:
        """The text that each id belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)

    def take(self, rows: Integer[np.ndarray, " rows"]) -> "Bags":
        """The bags of some texts, in this order."""
        from attnlab.text import loops

        offsets = bounds(self.lengths[rows])
        found = np.empty(offsets[-1], np.int32)
        given = self.ids.astype(np.int32, copy=False), self.offsets, rows.astype(np.int64, copy=False)
        loops.write_lists(*given, found)
        return Bags(found, offsets)


def bounds(lengths: Integer[np.ndarray, " texts"]) -> Integer[np.ndarray, " bounds"]:
    """Where texts of these lengths begin, one after the other, and where the last text ends.

    >>> bounds(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def sorted_pairs(
    first: Integer[np.ndarray, " pairs"], second: Integer[np.ndarray, " pairs"]
) -> tuple[Integer[np.ndarray, " pairs"], Integer[np.ndarray, " pairs"]]:
    """Pairs of numbers from 0 to 2³² − 1, sorted by the first number, then by the second.

    >>> [each.tolist() for each in sorted_pairs(np.array([3, 1, 3]), np.array([7, 9, 2]))]
    [[1, 3, 3], [9, 2, 7]]
    """
    if not len(first):
        return first, second
    bits = int(second.max()).bit_length()
    narrow = int(first.max()).bit_length() + bits <= 32  # 32-bit numbers are sorted in half the time
    kind = np.uint32 if narrow else np.uint64
    keys = np.sort(first.astype(kind) << kind(bits) | second.astype(kind))
    return (keys >> kind(bits)).astype(first.dtype), (keys & kind((1 << bits) - 1)).astype(second.dtype)
