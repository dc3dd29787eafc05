"""The records of an explanation: one measurement by kinds, or the parts of a gap, and the costliest words."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.nats_to_units import bits_per_byte, finite, perplexity


@dataclass(frozen=True)
class Side:
    """A measurement of a model on a text; `name` is the name of the model or text, whichever differs.

    `nats` is the cost of the tokens, `comparable` the cost of the raw text.
    """

    name: str
    nats: float
    comparable: float
    tokens: int
    raw_bytes: int

    @classmethod
    def of(cls, name: str, found: Costs) -> "Side":
        """The sums of the costs."""
        nats, comparable = float(found.nats.sum()), float(found.comparable.sum())
        if not math.isfinite(comparable):
            raise ArgumentError("explain", f"expected finite costs, but a token of the text has probability 0 ({name})")
        return cls(name, nats, comparable, len(found.encoding), int(found.encoding.raw_bytes.sum(dtype=int)))

    @property
    def nats_per_token(self) -> float:
        """The logarithm of the token perplexity."""
        return self.nats / self.tokens

    @property
    def perplexity(self) -> float:
        """The token perplexity."""
        return perplexity(self.nats_per_token)

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte of the raw text."""
        return bits_per_byte(self.comparable, self.raw_bytes)

    def to_dict(self) -> dict[str, Any]:
        """The sums and the rates."""
        names = ("nats_per_token", "perplexity", "bits_per_byte")
        return asdict(self) | {name: finite(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Part:
    """A part of the gap, in both units; `times` is the number of its segments in each text, if it has segments."""

    name: str
    nats_per_token: float
    bits_per_byte: float
    times: tuple[int, ...] = ()


@dataclass(frozen=True)
class Kind:
    """The cost of the segments of one kind, in bits per byte of the whole text, and their share of the bytes.

    A cost beside the tokens has no bytes and no segments.
    """

    name: str
    bits_per_byte: float
    share_of_cost: float
    share_of_bytes: float | None = None
    times: int | None = None


@dataclass(frozen=True)
class CostlyText:
    """A word or passage: its bits above the expected cost, summed over its `times` occurrences.

    `start` is the character where it begins (the costliest occurrence, if there are several).
    """

    text: str
    bits: float
    times: int
    start: int


@dataclass(frozen=True)
class Costliest:
    """The words and passages that stand out, most bits first; `what` describes the bits."""

    what: str
    words: tuple[CostlyText, ...]
    passages: tuple[CostlyText, ...]

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Account:
    """One measurement, and the kinds of segments whose costs add up to it."""

    side: Side
    kinds: tuple[Kind, ...]
    costliest: tuple[Costliest, ...]
    notes: tuple[str, ...]
    costs: tuple[Costs, ...] = field(repr=False, compare=False)
    """The costs that it was computed from."""

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON."""
        kinds = [asdict(each) for each in self.kinds]
        return {"measured": self.side.to_dict(), "kinds": kinds, **_beside(self.costliest, self.notes)}


@dataclass(frozen=True)
class Gap:
    """The gap between two measurements, first minus second, and the parts that add up to it."""

    first: Side
    second: Side
    parts: tuple[Part, ...]
    costliest: tuple[Costliest, ...]
    notes: tuple[str, ...]
    costs: tuple[Costs, ...] = field(repr=False, compare=False)
    """The costs of the first and of the second measurement."""

    @property
    def nats_per_token(self) -> float:
        """The gap in nats per token, the logarithm of the token perplexity."""
        return self.first.nats_per_token - self.second.nats_per_token

    @property
    def bits_per_byte(self) -> float:
        """The gap in bits per byte of the raw text."""
        return self.first.bits_per_byte - self.second.bits_per_byte

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON, with the gaps themselves."""
        return {
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
            "nats_per_token": self.nats_per_token,
            "bits_per_byte": self.bits_per_byte,
            "parts": [asdict(each) for each in self.parts],
            **_beside(self.costliest, self.notes),
        }


@dataclass(frozen=True)
class ModelGaps:
    """Three or more models on one text: the gap of every pair, the costlier model minus the cheaper one.

    Neighbours in rank come first, from the best model on; then the pairs that are two ranks apart, and so on.
    """

    gaps: tuple[Gap, ...]
    costs: tuple[Costs, ...] = field(repr=False, compare=False)
    """The costs of each model, in the order in which the models were given."""

    @property
    def ranked(self) -> tuple[Side, ...]:
        """The measurements of all models, best first."""
        sides = {side.name: side for gap in self.gaps for side in (gap.second, gap.first)}
        return tuple(sorted(sides.values(), key=lambda each: each.bits_per_byte))

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON: the models by rank, and the gaps."""
        return {"ranked": [each.name for each in self.ranked], "gaps": [each.to_dict() for each in self.gaps]}


def _beside(costliest: tuple[Costliest, ...], notes: tuple[str, ...]) -> dict[str, Any]:
    return {"stands_out": [each.to_dict() for each in costliest], "notes": list(notes)}
