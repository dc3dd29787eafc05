"""Estimates in words: a number and its interval in brackets, rounded to the digits that the interval supports."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attnlab.numbers import format_signed

if TYPE_CHECKING:
    from attnlab.evaluation.scoring.intervals import Estimate

NONE = "–"


def typed_signed(value: float, decimals: int) -> str:
    """A difference with its sign, and a hyphen as minus sign, so that it can be pasted into a calculation.

    >>> typed_signed(-0.25, 2)
    '-0.25'
    """
    return format_signed(value, decimals).replace("−", "-")


def estimate_in_words(found: Estimate | None) -> str:
    """A number with its interval, rounded one digit beyond the last certain digit.

    >>> from attnlab.evaluation.scoring.intervals import Estimate
    >>> estimate_in_words(Estimate(5.77123, 5.3123, 6.2456)), estimate_in_words(Estimate(271098, 203795, 362439))
    ('5.77 (5.31 to 6.25)', '271,000 (204,000 to 362,000)')
    >>> [estimate_in_words(each) for each in (Estimate(9.025e8, 3.5e7, 3.9e11), Estimate(2.30456), None)]
    ['9.0e8 (3.5e7 to 3.9e11)', '2.30', '–']
    """
    if found is None:
        return NONE
    value, *ends = _numbers(found)
    return f"{value} ({ends[0]} to {ends[1]})" if ends else value


def value_in_words(found: Estimate) -> str:
    """The number alone, rounded in the same way.

    >>> from attnlab.evaluation.scoring.intervals import Estimate
    >>> value_in_words(Estimate(5.77123, 5.3123, 6.2456))
    '5.77'
    """
    return _numbers(found)[0]


def decimals(found: Estimate) -> int:
    """How many decimals to show: one more than is certain; negative for tens. At least two digits stay."""
    if found.low is None or found.high is None or found.high <= found.low:
        return 2 - _magnitude(found.value)
    return max(1 - _magnitude((found.high - found.low) / 2), 1 - _magnitude(min(abs(found.low), abs(found.value))))


def _numbers(found: Estimate) -> list[str]:
    """The number and the ends of its interval, if it has an interval, in the same style."""
    numbers = [each for each in (found.value, found.low, found.high) if each is not None]
    if not all(math.isfinite(each) for each in numbers):
        return [f"{each:.3g}" for each in numbers]
    if max(map(abs, numbers)) >= 1e7:
        return [f"{each:.1e}".replace("e+0", "e").replace("e+", "e") for each in numbers]
    places = decimals(found)
    return [f"{round(each, places):,.{max(0, places)}f}" for each in numbers]


def _magnitude(number: float) -> int:
    """The power of ten of the first digit."""
    return math.floor(math.log10(abs(number))) if number and math.isfinite(number) else 0
