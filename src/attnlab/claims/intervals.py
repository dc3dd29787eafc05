"""Intervals over seeds."""

import math
from collections.abc import Sequence
from statistics import mean, stdev

from scipy.stats import t


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and the half-width of its 95 % interval by Student's t.

    >>> [round(each, 3) for each in mean_and_half_width([1.0, 2.0, 3.0])]
    [2.0, 2.484]
    """
    return mean(values), float(t.ppf(0.975, len(values) - 1)) * stdev(values) / math.sqrt(len(values))


def percent(value: tuple[float, float]) -> str:
    """A share with its half-width, in per cent.

    >>> percent((0.656, 0.0994))
    '65.6 % ± 9.9 %'
    """
    return f"{100 * value[0]:.1f} % ± {100 * value[1]:.1f} %"
