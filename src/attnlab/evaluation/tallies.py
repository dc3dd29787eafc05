"""Sums over a text, block by block: in bounded memory for a text of any length, and enough for an interval.

Neighbouring tokens are not independent, so an interval comes from drawing whole blocks of them again, with replacement
(the block bootstrap: Künsch 1989). Sums are kept for blocks of so many tokens each; when there are too many blocks,
neighbours are joined.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnlab.evaluation.costs import Costs
from attnlab.text.encoding import byte_lengths, code_points

COLUMNS = ("nats", "comparable", "known_nats", "spelling", "surface", "tokens", "known", "bytes", "characters", "words")
"""What is summed: nats of the model, that compare, of known tokens, charged; and what to divide them by."""
SHORTEST, MOST = 16, 512
"""The tokens of a block at first, and so many blocks at most."""
FEWEST = 10
"""With fewer blocks there is no interval."""
DRAWS = 1000
LEVEL = 0.95
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Estimate:
    """A number, and the ends of the interval that holds 95 % of what blocks drawn again give; none for a short text."""

    value: float
    low: float | None = None
    high: float | None = None

    def map(self, function: Callable[[float], float]) -> "Estimate":
        """The estimate of an increasing function of the number."""
        ends = (None if each is None else function(each) for each in (self.low, self.high))
        return Estimate(function(self.value), *ends)


class Tally:
    """The sums of a text's costs, to which pieces are added in their order."""

    def __init__(self) -> None:
        self.length = SHORTEST
        self.blocks = np.zeros((0, len(COLUMNS)))
        self.rest = np.zeros((0, len(COLUMNS)))

    def add(self, costs: Costs) -> None:
        """Count a piece in."""
        rows = np.concatenate([self.rest, _rows(costs)])
        whole = len(rows) // self.length
        new = rows[: whole * self.length].reshape(whole, self.length, len(COLUMNS)).sum(1)
        self.blocks, self.rest = np.concatenate([self.blocks, new]), rows[whole * self.length :]
        while len(self.blocks) > MOST:
            even = len(self.blocks) // 2 * 2
            joined = self.blocks[:even].reshape(-1, 2, len(COLUMNS)).sum(1)
            self.blocks = np.concatenate([joined, self.blocks[even:]])  # one without a neighbour stays as it is
            self.length *= 2

    def total(self, column: str) -> float:
        """The sum over the text."""
        place = COLUMNS.index(column)
        return float(self.blocks[:, place].sum() + self.rest[:, place].sum())

    def ratio(self, top: str, bottom: str) -> Estimate | None:
        """One sum over another, with its interval; nothing over nothing is nothing."""
        if not self.total(bottom):
            return None
        value = self.total(top) / self.total(bottom)
        drawn = self._drawn()
        if drawn is None:
            return Estimate(value)
        above, below = (drawn[:, COLUMNS.index(name)] for name in (top, bottom))
        ratios = above[below > 0] / below[below > 0]
        low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
        return Estimate(value, low, high)

    def _drawn(self) -> Float[np.ndarray, "draws columns"] | None:
        """The sums over as many blocks as there are, drawn again and again; the same draws for every ratio."""
        blocks = np.concatenate([self.blocks, self.rest.sum(0)[None]]) if len(self.rest) else self.blocks
        if len(blocks) < FEWEST:
            return None
        times = np.random.default_rng(0).multinomial(len(blocks), np.full(len(blocks), 1 / len(blocks)), size=DRAWS)
        return times @ blocks


def _rows(costs: Costs) -> Float[np.ndarray, "tokens columns"]:
    """What each token adds to each sum."""
    known = ~costs.unknown
    ends = np.cumsum(costs.encoding.raw_bytes, dtype=np.int64)
    characters, words = _until(costs.text, ends)
    columns = (
        costs.nats,
        costs.comparable,
        np.where(known, costs.nats, 0),
        costs.charged.spelling,
        costs.charged.surface,
        np.ones(len(known)),
        known,
        costs.encoding.raw_bytes,
        np.diff(characters, prepend=0),
        np.diff(words, prepend=0),
    )
    return np.stack(columns, axis=1).astype(np.float64)


def _until(
    text: str, ends: Int[np.ndarray, " tokens"]
) -> tuple[Int[np.ndarray, " tokens"], Int[np.ndarray, " tokens"]]:
    """How many characters end, and how many words begin, before each of some bytes of a text."""
    character_ends = np.cumsum(byte_lengths(code_points(text)), dtype=np.int64)
    starts = np.fromiter((match.start() for match in WORD.finditer(text)), np.int64)
    word_starts = np.concatenate([[0], character_ends])[starts]
    return np.searchsorted(character_ends, ends, side="right"), np.searchsorted(word_starts, ends, side="left")
