"""Sums over a text, block by block: bounded memory for any length, and enough for a confidence interval.

Neighbouring tokens are not independent. So an interval comes from drawing whole blocks of the text with replacement
(the block bootstrap: Künsch 1989). A block is a fixed number of bytes of the raw text, and a token belongs to the block
that it begins in. So every model has the same blocks and the same draws, and differences have intervals too. When there
are too many blocks, neighbours are joined.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnlab.evaluation.scoring.costs import Costs
from attnlab.text.encoding import byte_lengths, code_points

COLUMNS = ("nats", "comparable", "known_nats", "spelling", "surface", "tokens", "known", "bytes", "characters", "words")
"""The columns: nats of the model, comparable nats, nats of known tokens, nats beside the tokens; and denominators."""
SHORTEST, MOST = 64, 512
"""The first size of a block in bytes, and the most blocks."""
FEWEST = 10
"""With fewer blocks than this there is no interval."""
DRAWS = 1000
LEVEL = 0.95
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval, from the block bootstrap; the ends are None for a short text."""

    value: float
    low: float | None = None
    high: float | None = None

    def map(self, function: Callable[[float], float]) -> "Estimate":
        """The estimate of `function` of the number; the function must increase."""
        ends = (None if each is None else function(each) for each in (self.low, self.high))
        return Estimate(function(self.value), *ends)


class Tally:
    """The sums of a text's costs; pieces are added in order."""

    def __init__(self) -> None:
        self.length = SHORTEST
        self.blocks = np.zeros((0, len(COLUMNS)))
        self.done = 0  # bytes

    def add(self, costs: Costs) -> None:
        """Add the costs of a piece."""
        ends = np.cumsum(costs.encoding.raw_bytes, dtype=np.int64)
        starts = self.done + ends - costs.encoding.raw_bytes
        self.done += int(ends[-1])
        while starts[-1] // self.length >= MOST:
            self._join()
        numbers = starts // self.length
        sums = [np.bincount(numbers, column, minlength=len(self.blocks)) for column in _columns(costs)]
        longer = np.stack(sums, axis=1)
        longer[: len(self.blocks)] += self.blocks
        self.blocks = longer

    def _join(self) -> None:
        """Join neighbours into blocks of twice the length."""
        if len(self.blocks) % 2:
            self.blocks = np.concatenate([self.blocks, np.zeros((1, len(COLUMNS)))])
        self.blocks = self.blocks.reshape(-1, 2, len(COLUMNS)).sum(1)
        self.length *= 2

    def total(self, column: str) -> float:
        """The sum of a column over the text."""
        return float(self.blocks[:, COLUMNS.index(column)].sum())

    def ratio(self, top: str, bottom: str) -> Estimate | None:
        """One column's sum over another's, with its interval; None if the denominator is 0."""
        if not self.total(bottom):
            return None
        value, drawn = self.total(top) / self.total(bottom), self.drawn(top, bottom)
        return Estimate(value) if drawn is None else Estimate(value, *ends_of(drawn))

    def drawn(self, top: str, bottom: str) -> Float[np.ndarray, " draws"] | None:
        """The bootstrap draws of the ratio (the same draws every time); None if there are too few blocks."""
        if len(self.blocks) < FEWEST:
            return None
        count = len(self.blocks)
        times = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), size=DRAWS)
        above, below = (times @ self.blocks[:, COLUMNS.index(name)] for name in (top, bottom))
        return np.divide(above, below, out=np.full(DRAWS, self.total(top) / self.total(bottom)), where=below > 0)


def ends_of(drawn: Float[np.ndarray, " draws"]) -> tuple[float, float]:
    """The ends of the interval that holds 95 % of the draws."""
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return low, high


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
