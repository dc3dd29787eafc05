"""Confidence intervals: of a share of examples, and of a mean over seeds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any

from attnlab.contents import Content

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
FEWEST_SEEDS = 3
"""With fewer seeds than this there is no interval over seeds."""


@dataclass(frozen=True)
class Share:
    """A share of examples, with its 95 % interval (Wilson 1927). It stays within 0 and 1, and holds for few examples.

    If all examples are alike, the interval is exact (Clopper and Pearson 1934): 100 of 100 may be 96.4 % of more.

    >>> share = Share(9, 10)
    >>> share.value, round(share.low, 3), round(share.high, 3)
    (0.9, 0.596, 0.982)
    >>> round(Share(100, 100).low, 4), Share(100, 100).high
    (0.9638, 1.0)
    """

    count: int
    examples: int

    @classmethod
    def of(cls, count: int, examples: int) -> "Share | None":
        """The share; None if there are no examples."""
        return cls(count, examples) if examples else None

    @property
    def value(self) -> float:
        """The count divided by the number of examples."""
        return self.count / self.examples

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self._edge if self.count == self.examples else max(0.0, self._centre - self._half)

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return 1 - self._edge if self.count == 0 else min(1.0, self._centre + self._half)

    @property
    def _edge(self) -> float:
        """The share at which all examples would be alike with a probability of 2.5 %."""
        return 0.025 ** (1 / self.examples)

    @property
    def _spread(self) -> float:
        return NORMAL**2 / self.examples

    @property
    def _centre(self) -> float:
        return (self.value + self._spread / 2) / (1 + self._spread)

    @property
    def _half(self) -> float:
        inside = self._spread * (self.value * (1 - self.value) + self._spread / 4)
        return math.sqrt(inside) / (1 + self._spread)

    @Content("value", "count", "examples", interval=tuple[float, float])
    def as_json(self) -> dict[str, Any]:
        """The share, its interval, and the counts behind it."""
        return {"value": self.value, "interval": [self.low, self.high], "count": self.count, "examples": self.examples}


def student(freedom: float) -> float:
    """The 97.5 % quantile of Student's t with some degrees of freedom, which need not be a whole number.

    >>> round(student(2), 3), round(student(1e6), 2)
    (4.303, 1.96)
    """
    from scipy.special import stdtrit  # here, because the import takes time

    return float(stdtrit(freedom, 0.975))


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and the half-width of its 95 % interval by Student's t.

    >>> [round(each, 3) for each in mean_and_half_width([1.0, 2.0, 3.0])]
    [2.0, 2.484]
    """
    return mean(values), student(len(values) - 1) * stdev(values) / math.sqrt(len(values))


def over_seeds(values: Sequence[float], decimals: int, unit: str = "") -> str:
    """The mean over seeds in words, with its 95 % interval if there are enough seeds, and if they differ.

    Two seeds are told as they are: with one degree of freedom an interval is 13 standard errors wide to each side.

    >>> over_seeds([1.0, 2.0, 3.0], 1), over_seeds([40.0, 36.6], 1, " %"), over_seeds([0.25], 2)
    ('2.0 ± 2.5 (3 seeds)', '36.6 % and 40.0 % (2 seeds)', '0.25 (1 seed)')
    >>> over_seeds([100.0, 100.0, 100.0], 1, " %")
    '100.0 % (each of 3 seeds)'
    """
    shown = [f"{value:.{decimals}f}{unit}" for value in sorted(values)]
    if len(set(shown)) == 1:
        return f"{shown[0]} ({'1 seed' if len(shown) == 1 else f'each of {len(shown)} seeds'})"
    if len(values) < FEWEST_SEEDS:
        return f"{' and '.join(shown)} ({len(values)} seeds)"
    middle, half = mean_and_half_width(values)
    least = 10.0**-decimals
    return f"{middle:.{decimals}f}{unit} ± {max(half, least):.{decimals}f} ({len(values)} seeds)"
