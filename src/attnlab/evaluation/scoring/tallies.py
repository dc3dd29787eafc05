"""Sums over a text, part by part: bounded memory for any length, and enough for a confidence interval.

A part is a document, if headings mark documents, or else a stretch of 96 KiB. A token belongs to the part that it
begins in. So every model has the same parts, and differences have intervals too. Where there are too many parts,
neighbours are joined.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float, Int

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

COLUMNS = (
    "nats",
    "comparable",
    "known_nats",
    "spelling",
    "case_and_spaces",
    "tokens",
    "known",
    "bytes",
    "characters",
    "words",
)
"""The columns: nats of the model, comparable nats, nats of known tokens, nats beside the tokens; and denominators."""
STRETCH, MOST = 96 << 10, 512
"""The bytes of a stretch of a text without documents, and the most parts."""
SPACES = np.array([chr(point).isspace() for point in range(0x3002)])
"""Whether each code point is a space; none is behind these."""


class Parts:
    """The sums of some columns over numbered parts of a text; neighbours are joined if there are too many."""

    def __init__(self) -> None:
        self.sums = np.zeros((0, len(COLUMNS)))
        self._halved = 0  # how often neighbours were joined

    def places(self, numbers: Int[np.ndarray, " tokens"], last: int) -> Int[np.ndarray, " tokens"]:
        """The row of each token, which is in the part of this number; `last` is the number of the last part so far."""
        while last >> self._halved >= MOST:
            self._join()
        more = (last >> self._halved) + 1 - len(self.sums)
        if more > 0:
            self.sums = np.concatenate([self.sums, np.zeros((more, len(COLUMNS)))])
        return numbers >> self._halved

    def add(self, places: Int[np.ndarray, " tokens"], column: int, values: Float[np.ndarray, " tokens"]) -> None:
        """Add the values of tokens to a column."""
        self.sums[:, column] += np.bincount(places, values, minlength=len(self.sums))

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
        starts = ends - costs.encoding.raw_bytes
        begins = self._finder.add(costs.text)
        numbers = self._begun + np.searchsorted(begins, starts, side="right")
        self._begun += len(begins)
        documents = self._documents.places(numbers, self._begun)
        stretches = (self._bytes + starts) // STRETCH
        self._bytes += int(ends[-1])
        stretches = self._stretches.places(stretches, (self._bytes - 1) // STRETCH)
        for column, values in enumerate(_columns(costs, ends)):
            numbers = values.astype(np.float64, copy=False)
            self._documents.add(documents, column, numbers)
            self._stretches.add(stretches, column, numbers)

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


def _columns(costs: Costs, ends: Int[np.ndarray, " tokens"]) -> Iterator[np.ndarray]:
    """Yields each column: what every token adds to its sum. `ends` are the bytes up to the end of each token."""
    known = ~costs.unknown
    yield costs.nats
    yield costs.comparable
    yield np.where(known, costs.nats, 0)
    yield costs.charged.spelling
    yield costs.charged.case_and_spaces
    yield np.ones(len(known))
    yield known
    yield costs.encoding.raw_bytes
    for until in _until(costs.text, ends):
        yield np.diff(until, prepend=0)


def _until(text: str, ends: Int[np.ndarray, " tokens"]) -> Iterator[Int[np.ndarray, " tokens"]]:
    """How many characters end, and how many words begin, before each of the given byte positions."""
    points = code_points(text)
    character_ends = np.cumsum(byte_lengths(points), dtype=np.int64)
    size = int(character_ends[-1]) if len(points) else 0
    inside = np.minimum(ends, size)  # a faulty tokenizer may cover more bytes than there are
    ended = np.zeros(size + 1, np.int32)
    ended[character_ends] = 1
    yield np.cumsum(ended, dtype=np.int64)[inside]
    visible = ~SPACES.take(points, mode="clip")
    begins = visible & ~np.append(False, visible[:-1])
    begun = np.zeros(size + 1, np.int32)
    begun[np.append(0, character_ends[:-1])[begins] + 1] = 1
    yield np.cumsum(begun, dtype=np.int64)[inside]
