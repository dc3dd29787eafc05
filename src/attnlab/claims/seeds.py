"""Seeds: one seed of a run gives every claim, and every world that a claim generates, a seed of its own."""

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Shaped

from attnlab.statistics import Share, mean_and_half_width

ROUNDING = 1e-12
"""Half-widths below this are rounding errors: all worlds agree."""


def seed_of(seed: int, name: object) -> int:
    """The seed that `name` has in a run with this seed: the same on every machine.

    >>> seed_of(0, "copying-mask") == seed_of(0, "copying-mask") != seed_of(1, "copying-mask")
    True
    """
    return zlib.crc32(f"{seed}/{name}".encode()) % 2**31


def worlds(seed: int, count: int) -> list[int]:
    """The seeds of several worlds, in each of which a claim trains its own models."""
    return [seed_of(seed, number) for number in range(count)]


@dataclass(frozen=True)
class Rate:
    """A number from 0 to 1 that was measured in one world: a share of examples, or a mean over examples.

    >>> Rate.of([True, True, False, True]).value
    0.75
    """

    value: float
    examples: int

    @classmethod
    def of(cls, values: Sequence[bool] | Sequence[float] | Shaped[np.ndarray, " examples"]) -> "Rate":
        """The mean of the examples."""
        return cls(float(np.mean(values)), len(values))

    def __sub__(self, other: "Rate") -> "RateDifference":
        return RateDifference(self, other)


@dataclass(frozen=True)
class RateDifference:
    """The difference of two rates in one world."""

    more: Rate
    less: Rate

    @property
    def value(self) -> float:
        """The difference."""
        return self.more.value - self.less.value


def over_worlds(measure: Callable[[int], Rate | RateDifference], seed: int, count: int) -> tuple[float, float]:
    """The mean of a measurement over worlds, and the half-width of its 95 % interval.

    The interval is Student's, over the worlds. If all worlds agree, it would have no width. Then it is the interval of
    all their examples together:

    >>> [round(each, 3) for each in over_worlds(lambda world: Rate(1.0, 40), seed=0, count=4)]
    [1.0, 0.023]
    """
    found = [measure(world) for world in worlds(seed, count)]
    mean, half = mean_and_half_width([each.value for each in found])
    return mean, half if half > ROUNDING else _together(found)


def _together(found: Sequence[Rate | RateDifference]) -> float:
    """The half-width of the 95 % interval of all examples together, to its farther end; exact if all are alike. For
    differences, the half-widths of both rates, squared and added (Newcombe 1998)."""
    gaps = [each for each in found if isinstance(each, RateDifference)]
    if gaps:
        return math.hypot(_together([each.more for each in gaps]), _together([each.less for each in gaps]))
    rates = [each for each in found if isinstance(each, Rate)]
    share = Share(round(sum(each.value * each.examples for each in rates)), sum(each.examples for each in rates))
    return max(share.high - share.value, share.value - share.low)
