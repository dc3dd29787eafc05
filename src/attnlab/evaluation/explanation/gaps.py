"""What an explanation says: one measurement by kinds, or the parts of the gap between two, and what costs most."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.units import bits, finite, perplexity


@dataclass(frozen=True)
class Side:
    """A measurement: a model on a text, by the name of what differs.

    `nats` is what the model charges for its tokens, `comparable` what the raw text costs with it.
    """

    name: str
    nats: float
    comparable: float
    tokens: int
    raw_bytes: int

    @classmethod
    def of(cls, name: str, found: Costs) -> "Side":
        """The sums of some costs."""
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
        """Of tokens, as the tokenizer sees them."""
        return perplexity(self.nats_per_token)

    @property
    def bits_per_byte(self) -> float:
        """Of the raw text."""
        return bits(self.comparable) / self.raw_bytes

    def to_dict(self) -> dict[str, Any]:
        """The sums, and what follows from them."""
        names = ("nats_per_token", "perplexity", "bits_per_byte")
        return asdict(self) | {name: finite(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Part:
    """A part of the gap, in both units; `times` is how many segments of each text it comes from, where it does."""

    name: str
    nats_per_token: float
    bits_per_byte: float
    times: tuple[int, ...] = ()


@dataclass(frozen=True)
class Kind:
    """What the segments of one kind cost: the bits per byte of the whole text that they are, and their bytes' share.

    What is charged beside the tokens has neither bytes nor segments of its own.
    """

    name: str
    bits_per_byte: float
    share_of_cost: float
    share_of_bytes: float | None = None
    times: int | None = None


@dataclass(frozen=True)
class Place:
    """A word or passage of a text: what it costs beyond what is expected of it, over all its `times`.

    `start` is the character where it begins, for what comes often the time that adds most.
    """

    text: str
    bits: float
    times: int
    start: int


@dataclass(frozen=True)
class Costliest:
    """The words and passages that stand out most, first those with the most bits; `what` says what these are."""

    what: str
    words: tuple[Place, ...]
    passages: tuple[Place, ...]

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
    """What it was made from."""

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON."""
        kinds = [asdict(each) for each in self.kinds]
        return {"measured": self.side.to_dict(), "kinds": kinds, **_beside(self.costliest, self.notes)}


@dataclass(frozen=True)
class Gap:
    """The gap between two measurements, first less second, and the parts that add up to it."""

    first: Side
    second: Side
    parts: tuple[Part, ...]
    costliest: tuple[Costliest, ...]
    notes: tuple[str, ...]
    costs: tuple[Costs, ...] = field(repr=False, compare=False)
    """What it was made from: those of the first and of the second."""

    @property
    def nats_per_token(self) -> float:
        """The gap of the logarithm of the token perplexity."""
        return self.first.nats_per_token - self.second.nats_per_token

    @property
    def bits_per_byte(self) -> float:
        """The gap of the bits that a byte of the raw text costs."""
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


def _beside(costliest: tuple[Costliest, ...], notes: tuple[str, ...]) -> dict[str, Any]:
    return {"stands_out": [each.to_dict() for each in costliest], "notes": list(notes)}
