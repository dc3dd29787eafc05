"""Sums over a text, part by part: bounded memory for any length, and enough for a confidence interval.

A part is a document, if headings mark documents, or else a stretch of 96 KiB. A token belongs to the part that it
begins in. So every model has the same parts, and differences have intervals too. Where there are too many parts,
neighbours are joined.
"""

import re
from collections.abc import Iterator

import numpy as np
from jaxtyping import Int

from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.documents import DocumentFinder
from attnlab.evaluation.scoring.intervals import (
    Estimate,
    Sums,
    Uncertainty,
    estimated,
    parts_in_words,
    reason_for_no_interval,
    spread,
)
from attnlab.text.encoding import byte_lengths, code_points

COLUMNS = ("nats", "comparable", "known_nats", "spelling", "surface", "tokens", "known", "bytes", "characters", "words")
"""The columns: nats of the model, comparable nats, nats of known tokens, nats beside the tokens; and denominators."""
STRETCH, MOST = 96 << 10, 512
"""The bytes of a stretch of a text without documents, and the most parts."""
WORD = re.compile(r"\S+")


class Parts:
    """The sums of some columns over numbered parts of a text; neighbours are joined if there are too many."""

    def __init__(self) -> None:
        self.sums = np.zeros((0, len(COLUMNS)))
        self._halved = 0  # how often neighbours were joined

    def add(self, numbers: Int[np.ndarray, " tokens"], last: int, columns: list[np.ndarray]) -> None:
        """Add tokens to the parts with these numbers; `last` is the number of the last part so far."""
        while last >> self._halved >= MOST:
            self._join()
        count = max(len(self.sums), (last >> self._halved) + 1)
        sums = np.stack([np.bincount(numbers >> self._halved, each, minlength=count) for each in columns], axis=1)
        sums[: len(self.sums)] += self.sums
        self.sums = sums

    def _join(self) -> None:
        padded = np.concatenate([self.sums, np.zeros((len(self.sums) % 2, len(COLUMNS)))])
        self.sums, self._halved = padded.reshape(-1, 2, len(COLUMNS)).sum(1), self._halved + 1

    def column(self, name: str) -> Sums:
        """The sum of a column over each part."""
        return self.sums[:, COLUMNS.index(name)]


class Tally:
    """The sums of a text's costs; pieces are added in order."""

    def __init__(self) -> None:
        self._documents, self._stretches = Parts(), Parts()
        self._finder, self._begun, self._bytes = DocumentFinder(), 0, 0

    def add(self, costs: Costs) -> None:
        """Add the costs of a piece."""
        ends = np.cumsum(costs.encoding.raw_bytes, dtype=np.int64)
        starts, columns = ends - costs.encoding.raw_bytes, list(_columns(costs))
        begins = self._finder.add(costs.text)
        numbers = self._begun + np.searchsorted(begins, starts, side="right")
        self._begun += len(begins)
        self._documents.add(numbers, self._begun, columns)
        stretches = (self._bytes + starts) // STRETCH
        self._bytes += int(ends[-1])
        self._stretches.add(stretches, (self._bytes - 1) // STRETCH, columns)

    @property
    def by_documents(self) -> bool:
        """Whether headings mark documents: at least one begins within the text."""
        return self._begun > 0

    @property
    def parts(self) -> Parts:
        """The documents, if headings mark them, else the stretches."""
        return self._documents if self.by_documents else self._stretches

    def total(self, column: str) -> float:
        """The sum of a column over the text."""
        return float(self.parts.column(column).sum())

    def ratio(self, top: str, bottom: str) -> Estimate | None:
        """One column's sum over another's, with its interval; None if the denominator is 0."""
        if not self.total(bottom):
            return None
        return estimated(self.total(top) / self.total(bottom), self.spread(top, bottom))

    def spread(self, top: str, bottom: str) -> Uncertainty:
        """The spread of one column's sum over another's."""
        return spread((self.parts.column(top), self.parts.column(bottom)))

    def interval_from(self) -> str:
        """What the intervals are made from; empty if there are none."""
        found = self.spread("comparable", "bytes")
        return "" if found.half is None else parts_in_words(found, self.by_documents)

    def no_interval_because(self) -> str:
        """Why there are no intervals; empty if there are."""
        found = self.spread("comparable", "bytes")
        if found.half is not None:
            return ""
        return reason_for_no_interval(found, self.by_documents, self._bytes, STRETCH)


def _columns(costs: Costs) -> Iterator[np.ndarray]:
    """Yields each column: what every token adds to its sum."""
    known = ~costs.unknown
    ends = np.cumsum(costs.encoding.raw_bytes, dtype=np.int64)
    characters, words = _until(costs.text, ends)
    yield costs.nats
    yield costs.comparable
    yield np.where(known, costs.nats, 0)
    yield costs.charged.spelling
    yield costs.charged.surface
    yield np.ones(len(known))
    yield known
    yield costs.encoding.raw_bytes
    yield np.diff(characters, prepend=0)
    yield np.diff(words, prepend=0)


def _until(
    text: str, ends: Int[np.ndarray, " tokens"]
) -> tuple[Int[np.ndarray, " tokens"], Int[np.ndarray, " tokens"]]:
    """How many characters end, and how many words begin, before each of the given byte positions."""
    character_ends = np.cumsum(byte_lengths(code_points(text)), dtype=np.int64)
    starts = np.fromiter((match.start() for match in WORD.finditer(text)), np.int64)
    word_starts = np.concatenate([[0], character_ends])[starts]
    return np.searchsorted(character_ends, ends, side="right"), np.searchsorted(word_starts, ends, side="left")
