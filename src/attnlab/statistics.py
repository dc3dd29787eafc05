"""Confidence intervals: of a share of examples, and of a mean over seeds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


@dataclass(frozen=True)
class Share:
    """A share of examples, with its 95 % interval (Wilson 1927). It stays within 0 and 1, and holds for few examples.

    >>> share = Share(9, 10)
    >>> share.value, round(share.low, 3), round(share.high, 3)
    (0.9, 0.596, 0.982)
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
        return max(0.0, self._centre - self._half)

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return min(1.0, self._centre + self._half)

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

    def as_json(self) -> dict[str, Any]:
        """The share, its interval, and the counts behind it."""
        return {"value": self.value, "interval": [self.low, self.high], "count": self.count, "examples": self.examples}


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and the half-width of its 95 % interval by Student's t.

    >>> [round(each, 3) for each in mean_and_half_width([1.0, 2.0, 3.0])]
    [2.0, 2.484]
    """
    from scipy.stats import t  # here, because the import takes half a second

    return mean(values), float(t.ppf(0.975, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
