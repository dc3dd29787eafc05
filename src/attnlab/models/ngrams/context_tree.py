"""What the models that look n-grams up have in common: the interpolated model (ngram.py) and the back-off model
(backoff.py).

Both start from the same probability for every token, and correct it by the context of one token, of two tokens, and so
on, as long as the context is known. They differ in how an n-gram of the table corrects it.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from attnlab.errors import ArgumentError
from attnlab.models.ngrams.levels import LARGE, Level, followers, walk
from attnlab.models.ngrams.tables import Tables

BLOCK = 1 << 14
"""Tokens looked up together: their arrays fit into a core's cache."""
SORTED = 1 << 22
"""Tokens that are looked up together in the order of their n-grams (levels.py): about 400 MB."""


@dataclass(frozen=True)
class ContextTree:
    """A model over integers below `size` that is a tree of n-grams.

    With a `boundary`, a text is a row of sentences, and this token ends each of them. No n-gram has it in the middle,
    so no sentence sees the one before it; as the first token of a context, it means the beginning of a sentence.
    """

    size: int
    levels: tuple[Level, ...]
    boundary: int | None = None

    adds: ClassVar[bool] = True
    """Whether the share of an n-gram is added to the chance that its context passes on, or replaces it."""

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)

    def nats(self, ids: ArrayLike) -> Float[np.ndarray, " positions"]:
        """−ln p of each token, given at most order − 1 tokens before it."""
        text = as_ids("ids", ids, self.size)
        self._tables.expect(text.size)
        if text.size <= 2 * BLOCK:
            return self._nats(text[None])[0]
        before = max(self.order - 1, 0)
        found = np.empty(text.size)

        large = self._tables.made is None and any(level.keys.size > LARGE for level in self.levels)
        size = SORTED if large else BLOCK

        def block(start: int) -> None:
            first = max(start - before, 0)
            found[start : start + size] = self._nats(text[None, first : start + size])[0, start - first :]

        _in_threads(block, range(0, text.size, size), 1 if large else torch.get_num_threads())
        return found

    def rows_nats(self, rows: Int[np.ndarray, "rows positions"]) -> Float[np.ndarray, "rows positions"]:
        """The same for some rows, none of which sees another."""
        if rows.size and not 0 <= rows.min() <= rows.max() < self.size:
            raise ArgumentError("rows", f"expected numbers from 0 to {self.size - 1}")
        self._tables.expect(rows.size)
        return self._nats(rows.astype(np.int64))

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self.levels, self.size)

    def _nats(self, rows: Int[np.ndarray, "rows positions"]) -> Float[np.ndarray, "rows positions"]:
        if self._tables.made is not None:
            chances = self._tables.chances(rows, len(self.levels), adds=self.adds)
        else:
            chances = self._by_binary_search(rows)
        with np.errstate(divide="ignore"):  # an ARPA file may give a word the probability 0
            return -np.log(chances).reshape(rows.shape)

    def _by_binary_search(self, rows: Int[np.ndarray, "rows positions"]) -> Float[np.ndarray, " all"]:
        """The probability of each token of some rows."""
        chances = np.full(rows.size, 1 / self.size)
        for step in walk(self.levels, self.size, rows):
            some = step.level.passed.take(step.contexts) * chances.take(step.places)
            known = np.flatnonzero(step.numbers >= 0)
            some[known] = self._corrected(some[known], step.level.shares[step.numbers[known]])
            chances[step.places] = some
        return chances

    def _corrected(
        self, chances: Float[np.ndarray, " ngrams"], shares: Float[np.ndarray, " ngrams"]
    ) -> Float[np.ndarray, " ngrams"]:
        return chances + shares if self.adds else shares

    def next(self, context: ArrayLike = ()) -> Float[np.ndarray, " vocab"]:
        """The probability of every token after a context; only its last order − 1 tokens count."""
        before = as_ids("context", context, self.size)
        chances = self._anywhere.copy()
        for level, number, some in followers(self.levels, self.size, before):
            self._correct(chances, level, number, some)
        return chances

    @cached_property
    def _anywhere(self) -> Float[np.ndarray, " vocab"]:
        """The probability of every token without a context."""
        chances = np.full(self.size, 1 / self.size)
        for level in self.levels[:1]:
            self._correct(chances, level, 0, slice(None))
        return chances

    def _correct(self, chances: Float[np.ndarray, " vocab"], level: Level, number: int, some: slice) -> None:
        """Correct the probabilities of all tokens by a context and the n-grams that begin with it."""
        chances *= level.passed[number]
        tokens = level.keys[some] - number * self.size
        chances[tokens] = self._corrected(chances[tokens], level.shares[some])

    @property
    def contexts(self) -> int:
        """The number of contexts that it knows, with that of no token."""
        return 1 + sum(level.keys.size for level in self.levels[:-1])

    def shortened(self, context: int) -> Self:
        """The model with n-grams of at most context + 1 tokens. Both look n-grams up in the same tables."""
        found = replace(self, levels=self.levels[: context + 1])
        vars(found)["_tables"] = self._tables
        return found


def _in_threads(block: Callable[[int], None], starts: range, most: int) -> None:
    """Calls `block` with each start, on at most so many threads."""
    threads = min(most, len(starts))
    if threads < 2:
        for start in starts:
            block(start)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(block, starts):
            pass


def as_ids(name: str, ids: ArrayLike, size: int) -> Int[np.ndarray, " positions"]:
    """The ids as a NumPy array; raises unless all are integers from 0 to size − 1."""
    given = checked(name, ids)
    if given.size and not 0 <= given.min() <= given.max() < size:
        raise ArgumentError(name, f"expected numbers from 0 to {size - 1}, got {given.min()} to {given.max()}")
    return given.astype(np.int64)


def checked(name: str, ids: ArrayLike) -> np.ndarray:
    """The ids as an array as they are; raises unless it is one row of integers."""
    given = np.asarray(ids)
    if given.ndim != 1:
        raise ArgumentError(name, f"expected one axis, got shape {given.shape}")
    if given.size and given.dtype.kind not in "iu":
        raise ArgumentError(name, f"expected whole numbers, got {given.dtype}")
    return given
