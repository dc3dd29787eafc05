"""Counting the n-grams of a text that is larger than memory.

The text is cut into chunks. The n-grams of a chunk are found in memory (grams.py) and written to a file in the order
of their keys: a run. Then the runs are merged, one length after the other. A key has the number of its context in the
run, which is replaced by its number among all contexts. Both numbers are in the order of the contexts, so a run stays
sorted.

All files are read and written from beginning to end, in blocks. The model is that of counting in memory, bit for bit.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int, Integer, UInt

from attnlab.errors import ArgumentError, FileError
from attnlab.mapped import let_go
from attnlab.models.ngrams.discounting import Discounts, discounts_of, smooth
from attnlab.models.ngrams.grams import grams_of, id_type
from attnlab.models.ngrams.levels import Level

CHUNK = 1 << 21
"""Tokens whose n-grams are found in memory."""
BLOCK = 1 << 20
"""N-grams that are merged or smoothed at a time."""
TALLIED = 1 << 26
"""N-grams that are counted at a time: their counts take 256 MB."""


def count_on_disk(
    ids: Integer[np.ndarray, " tokens"],
    size: int,
    order: int,
    discounts: Discounts,
    boundary: int | None,
    folder: Path,
    progress: Callable[[float], None] = lambda share: None,
) -> tuple[Level, ...]:
    """The levels of a model of a text (ngram.py), as memory-mapped files in a folder, which must be there. `progress`
    is called with the share of the work that is done."""
    try:
        text = _Text(ids, size, boundary)
        runs = _Runs(folder, order)
        for start in range(0, len(text), CHUNK):
            runs.add(text.part(start, start + CHUNK + order - 1), min(CHUNK, len(text) - start), size, boundary)
            progress(0.5 * (start + CHUNK) / (len(text) + CHUNK))
        return _merged(runs, size, discounts, boundary, folder, progress)
    except OSError as error:
        raise FileError.unwritable(folder, error) from error


class _Text:
    """The tokens of a text, read in parts. With a boundary, one is added before the text, and after it if the text does
    not end with one."""

    def __init__(self, ids: Integer[np.ndarray, " tokens"], size: int, boundary: int | None):
        self.ids, self.size, self.kind = ids, size, id_type(size)
        bounded = boundary is not None and len(ids) > 0
        self.before = np.full(int(bounded), boundary or 0, self.kind)
        self.after = np.full(int(bounded and ids[-1] != boundary), boundary or 0, self.kind)

    def __len__(self) -> int:
        return len(self.before) + len(self.ids) + len(self.after)

    def part(self, start: int, stop: int) -> Int[np.ndarray, " positions"]:
        first, last = max(start - len(self.before), 0), max(stop - len(self.before), 0)
        some = np.asarray(self.ids[first:last]).astype(self.kind)
        let_go(self.ids)
        if some.size and not 0 <= some.min() <= some.max() < self.size:
            raise ArgumentError("ids", f"expected numbers from 0 to {self.size - 1}, got {some.min()} to {some.max()}")
        return np.concatenate([self.before[start:], some, self.after if stop >= len(self) else self.after[:0]])


class _Column:
    """A file of numbers that grows."""

    def __init__(self, path: Path, kind: Any, count: int = 0):
        self.path, self.dtype, self.count = path, np.dtype(kind), count
        with path.open("wb") as file:
            if count:  # a full disk is told here: in a mapped file with holes, it ends the process
                os.posix_fallocate(file.fileno(), 0, count * self.dtype.itemsize)

    def add(self, numbers: np.ndarray) -> None:
        """Write more numbers."""
        self.write(self.count, numbers)
        self.count += numbers.size

    def write(self, start: int, numbers: np.ndarray) -> None:
        """Write numbers from a place on."""
        with self.path.open("r+b") as file:
            file.seek(start * self.dtype.itemsize)
            file.write(np.ascontiguousarray(numbers, self.dtype).data)

    def read(self, start: int, stop: int) -> np.ndarray:
        """The numbers from one place to another."""
        return np.fromfile(self.path, self.dtype, stop - start, offset=start * self.dtype.itemsize)

    def mapped(self) -> np.ndarray:
        """All numbers, memory-mapped."""
        return np.memmap(self.path, self.dtype, "r+", shape=(self.count,)) if self.count else np.empty(0, self.dtype)

    def remove(self) -> None:
        """Delete the file; what is mapped stays readable."""
        self.path.unlink()


class _Runs:
    """The n-grams of the chunks, by length: keys, occurrences, and the number of the n-gram without its first token."""

    def __init__(self, folder: Path, order: int):
        self.keys = [_Column(folder / f"run-keys.{n}", np.int64) for n in range(1, order + 1)]
        self.times = [_Column(folder / f"run-times.{n}", np.uint32) for n in range(1, order + 1)]
        self.shorter = [_Column(folder / f"run-shorter.{n}", np.int64) for n in range(1, order + 1)]
        self.ends: list[list[int]] = [[0] for _ in range(order)]
        self.first: list[int] = []
        """For each length, the number of the n-gram that begins the text, in the first run; −1 if there is none."""

    def add(self, text: Int[np.ndarray, " positions"], own: int, size: int, boundary: int | None) -> None:
        """Add the run of a chunk. Only n-grams that begin at its `own` first positions count as occurrences: the others
        belong to the next chunk, and are here as parts of n-grams."""
        for n, each in enumerate(grams_of(text, size, len(self.keys), boundary)):
            others = each.numbers[own:]
            times = each.times - np.bincount(others[others >= 0], minlength=each.keys.size)
            for column, numbers in ((self.keys, each.keys), (self.times, times), (self.shorter, each.shorter)):
                column[n].add(numbers)
            self.ends[n].append(self.keys[n].count)
            if len(self.ends[n]) == 2:
                self.first.append(int(each.numbers[0]) if each.numbers.size else -1)


def _merged(
    runs: _Runs, size: int, discounts: Discounts, boundary: int | None, folder: Path, progress: Callable[[float], None]
) -> tuple[Level, ...]:
    """The levels of a model, made from the runs of all chunks."""
    levels: list[Level] = []
    before, begins = None, [0, 0]  # the n-grams that begin with the boundary: the first one, and the first after them
    for n in range(len(runs.keys)):
        here = _Merged(runs, n, size, folder, before)
        if before is not None:
            counts = before.neighbours(here)
            if boundary is None:
                before.count_start(counts)
            elif n > 1:  # nothing comes before the beginning of a sentence
                counts[slice(*begins)] = before.times.read(*begins)
            levels.append(before.smoothed(counts, discounts))
            before.close()
        if boundary is not None:
            asked = [boundary, boundary + 1] if n == 0 else [each * size for each in begins]
            begins = np.searchsorted(here.keys.mapped(), asked).tolist()
        before = here
        progress(0.5 + 0.5 * (n + 1) / len(runs.keys))
    assert before is not None
    counts = before.times.mapped()
    if boundary is not None and not levels:
        counts[slice(*begins)] -= 1  # the first boundary begins a sentence, and ends none
    levels.append(before.smoothed(counts, discounts))
    before.close()
    return tuple(levels)


class _Merged:
    """All different n-grams of one length: keys, occurrences, and the number of the n-gram without its first token."""

    def __init__(self, runs: _Runs, n: int, size: int, folder: Path, before: "_Merged | None"):
        self.folder, self.size, self.n = folder, size, n + 1
        self.contexts = before.keys.count if before else 1
        self.keys = _Column(folder / f"keys.{self.n}", np.int64)
        self.times = _Column(folder / f"times.{self.n}", np.uint32)
        self.shorter = _Column(folder / f"shorter.{self.n}", np.int64)
        self.numbers = _Column(folder / f"numbers.{self.n}", np.int64, runs.keys[n].count)
        """The number of each n-gram of the runs, among all."""
        self.ends = runs.ends[n]
        if before:
            self._renumber(runs, n, before)
        self._merge(runs, n)
        first = runs.first[n] if n < len(runs.first) else -1
        self.start = int(self.numbers.read(first, first + 1)[0]) if first >= 0 else -1
        """The number of the n-gram that begins the text; −1 if there is none."""
        for column in (runs.keys[n], runs.times[n], runs.shorter[n]):
            column.remove()

    def _renumber(self, runs: _Runs, n: int, before: "_Merged") -> None:
        """Replace the numbers of contexts and of shorter n-grams in each run by those among all n-grams."""
        for run in range(len(self.ends) - 1):
            new = before.numbers.read(before.ends[run], before.ends[run + 1])
            first, last = self.ends[run : run + 2]
            context, token = np.divmod(runs.keys[n].read(first, last), self.size)
            runs.keys[n].write(first, new[context] * self.size + token)
            runs.shorter[n].write(first, new[runs.shorter[n].read(first, last)])

    def _merge(self, runs: _Runs, n: int) -> None:
        from attnlab.models.ngrams.disk_loops import merge

        given = runs.keys[n].mapped(), runs.times[n].mapped(), runs.shorter[n].mapped()
        places, ends = np.array(self.ends[:-1], np.int64), np.array(self.ends[1:], np.int64)
        some = np.flatnonzero(places < ends)
        heap = given[0][places[some]]
        order = np.argsort(heap)  # a sorted array is a heap
        heap, order = np.array(heap[order]), some[order]
        made = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.int64)
        numbers, found = self.numbers.mapped(), BLOCK
        while found == BLOCK:
            found = merge(*given, places, ends, heap, order, numbers, self.keys.count, *made)
            for column, each in zip((self.keys, self.times, self.shorter), made, strict=True):
                column.add(each[:found])
            let_go(*given, numbers)

    def neighbours(self, longer: "_Merged") -> UInt[np.ndarray, " ngrams"]:
        """For each n-gram, how many n-grams of one token more are this one without their first token."""
        from attnlab.models.ngrams.disk_loops import tally

        found = _Column(self.folder / f"counts.{self.n}", np.uint32)
        for first in range(0, self.keys.count, TALLIED):
            counts = np.zeros(min(TALLIED, self.keys.count - first), np.uint32)
            for start in range(0, longer.shorter.count, BLOCK):
                tally(longer.shorter.read(start, min(start + BLOCK, longer.shorter.count)), first, counts)
            found.add(counts)
        counts = found.mapped()
        found.remove()
        return counts

    def count_start(self, counts: UInt[np.ndarray, " ngrams"]) -> None:
        """The start of the text counts as one more neighbour."""
        if self.start >= 0:
            counts[self.start] += 1

    def smoothed(self, counts: UInt[np.ndarray, " ngrams"], discounts: Discounts) -> Level:
        """The level of these n-grams, from their counts."""
        frequencies = np.zeros(6, np.int64)
        for first in range(0, counts.size, BLOCK):
            frequencies += np.bincount(np.minimum(counts[first : first + BLOCK], 5), minlength=6)
        taken = discounts_of(frequencies, discounts)
        shares, passed = (_Column(self.folder / f"{name}.{self.n}", np.float64) for name in ("shares", "passed"))
        keys = self.keys.mapped()
        for some, first, last in _by_context(keys, self.size, self.contexts):
            own = counts[some].astype(np.int64)
            level = smooth(keys[some] - first * self.size, own, last - first, self.size, taken[np.minimum(own, 3)])
            shares.add(level.shares)
            passed.add(level.passed)
            let_go(keys, counts)
        return Level(keys, shares.mapped(), passed.mapped())

    def close(self) -> None:
        """Remove all files but those of the level."""
        for column in (self.times, self.shorter, self.numbers):
            column.remove()


def _by_context(keys: Int[np.ndarray, " ngrams"], size: int, contexts: int) -> Iterator[tuple[slice, int, int]]:
    """Sorted keys in blocks that part no context: the block, its first context, and the first context after it."""
    start = first = 0
    while first < contexts:
        stop, last = min(start + BLOCK, keys.size), contexts
        if stop < keys.size:
            last = max(int(keys[stop]) // size, first + 1)
            stop = int(np.searchsorted(keys, last * size))
        else:
            stop = keys.size
        yield slice(start, stop), first, last
        start, first = stop, last
