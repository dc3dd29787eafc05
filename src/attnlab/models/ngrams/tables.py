"""Hash tables of n-grams: one cache miss for a key, and one more for its values.

A table is an array of slots in buckets of eight. The slot of an n-gram is also its number as a context: it is part of
the keys of the next level. So a table need not store numbers. The loops are in table_loops.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnlab.models.memory import memory_bytes
from attnlab.models.ngrams.levels import Level, places_of

PAYS = 500_000
"""Fewer tokens than this take less time by binary search than importing the compiled loops takes."""
WORTH = 2
"""How many keys of a table are made in the time that the table saves for one token."""
SPARE = 1.5
"""Slots of a table for each key."""
BYTES = 24
"""The bytes of a slot: a key, a share and a weight."""
ROOM, MOST = 0.5, 2 << 30
"""The largest share of the memory of the machine that tables may take, and the most bytes."""


def pays(asked: int, keys: int) -> bool:
    """Whether tables of `keys` keys fit into memory, and save time when `asked` keys are looked up."""
    return asked >= PAYS and WORTH * asked >= keys and BYTES * SPARE * keys < min(ROOM * memory_bytes(), MOST)


def slots_of(keys: Int[np.ndarray, " ngrams"]) -> tuple[Int[np.ndarray, " slots"], Int[np.ndarray, " ngrams"]]:
    """A hash table of different keys, −1 in an empty slot, and the slot of each key."""
    from attnlab.models.ngrams.table_loops import BUCKET, EMPTY, fill

    count = BUCKET * (int(SPARE * keys.size) // BUCKET + 1)
    room = np.full(count + BUCKET, EMPTY)
    first = -(room.ctypes.data // room.itemsize) % BUCKET  # a bucket is one cache line
    table, slots = room[first : first + count], np.empty(keys.size, np.int64)
    fill(np.ascontiguousarray(keys, np.int64), table, slots)
    return table, slots


class Finder:
    """Finds numbers by sorted keys: by binary search or, once that pays, by a hash table."""

    def __init__(self, keys: Int[np.ndarray, " ngrams"], asked: int = 0):
        self.keys = keys
        self.table: Int[np.ndarray, " slots"] | None = None
        if pays(asked, keys.size):
            self.table, slots = slots_of(keys)
            self.numbers = np.full(self.table.size + 1, -1)
            self.numbers[slots] = np.arange(keys.size)

    def find(self, keys: Int[np.ndarray, " asked"]) -> Int[np.ndarray, " asked"]:
        """The numbers of the n-grams with these keys; −1 for an unknown key."""
        if self.table is None:
            return places_of(self.keys, keys)
        from attnlab.models.ngrams.table_loops import find

        found = np.empty(keys.size, np.int64)
        find(np.ascontiguousarray(keys, np.int64), self.table, found)
        return self.numbers[found]


@dataclass(frozen=True)
class Table:
    """The n-grams of one length: the key of each slot, and its share. If there are longer n-grams, also the weight
    that it passes on as a context. The last row of values is that of unknown n-grams."""

    keys: Int[np.ndarray, " slots"]
    values: Float[np.ndarray, "slots+1 columns"]


class Tables:
    """The tables of a model, which are made when enough tokens were looked up to pay for them."""

    def __init__(self, levels: Sequence[Level], size: int):
        self.levels, self.size = levels, size
        self.asked = 0
        self.made: list[Table] | None = None

    def expect(self, count: int) -> None:
        """Make the tables if `count` more tokens, with those before, save the time of making them."""
        self.asked += count
        if self.made is None and pays(self.asked, sum(level.keys.size for level in self.levels)):
            self.made = self._make()

    def _make(self) -> list[Table]:
        from attnlab.models.ngrams.table_loops import renumber

        made, slots = [], np.zeros(1, np.int64)
        for n, level in enumerate(self.levels, start=1):
            keys = np.ascontiguousarray(level.keys, np.int64)
            renumbered = np.empty_like(keys)
            renumber(keys, self.size, slots, renumbered)
            table, slots = slots_of(renumbered)
            values = np.zeros((table.size + 1, 2 if n < len(self.levels) else 1))
            values[slots, 0] = level.shares
            if n < len(self.levels):
                values[slots, 1] = self.levels[n].passed
            made.append(Table(table, values))
        return made

    def chances(self, rows: Int[np.ndarray, "rows positions"], levels: int, *, adds: bool) -> Float[np.ndarray, " all"]:
        """The probability of each token of some rows by the first few levels, once the tables are made. `adds`: whether
        the share of an n-gram is added to the chance that its context passes on, or replaces it."""
        from attnlab.models.ngrams.table_loops import step

        assert self.made is not None
        text, count = np.ascontiguousarray(rows).ravel(), rows.size
        chances, places, contexts = np.full(count, 1 / self.size), np.arange(count), np.zeros(count, np.int64)
        passed = np.full(count, self.levels[0].passed[0] if levels else 1.0)
        for table in self.made[:levels]:
            known = places, contexts, passed, chances
            count = step(text, max(rows.shape[1], 1), self.size, adds, count, *known, table.keys, table.values)
        return chances
