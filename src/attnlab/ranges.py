"""Ranges of numbers: part of the type of a setting, and the words of the error for a number outside of one."""

import math
from dataclasses import dataclass
from typing import Any

from attnlab.errors import ArgumentError

NOUNS: dict[Any, str] = {int: "a whole number", float: "a number", bool: "yes or no"}
"""The values of a type in words."""


@dataclass(frozen=True)
class Range:
    """The range of a number, as part of its type: from `low` to `high`, both included. `below` excludes `high`."""

    low: float
    high: float = math.inf
    below: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """How pydantic checks it."""
        from pydantic_core import core_schema

        def check(value: float) -> float:
            if value not in self:
                raise ValueError(self, value, source is int)
            return value

        return core_schema.no_info_after_validator_function(check, handler(source))

    def __contains__(self, value: float) -> bool:
        """Whether a number is in the range. NaN and infinity never are."""
        open_end = self.below or self.high == math.inf
        return self.low <= value and (value < self.high if open_end else value <= self.high)

    def refusal(self, value: float, whole: bool, given: Any = None) -> str:
        """The message for a number outside of the range: the numbers that are allowed, and the nearest of them. `given`
        is the number as it was written.

        >>> Range(1, 64).refusal(65, whole=True)
        'expected a whole number from 1 to 64, got 65; try 64'
        """
        finite = -math.inf < value < math.inf
        noun = NOUNS[int] if whole else NOUNS[float] if finite else "a finite number"
        return (
            f"expected {noun} {self}, got {value if given is None else given}{self._nearest(value) if finite else ''}"
        )

    def require(self, argument: str, value: int) -> None:
        """Raise an ArgumentError if a whole number is outside of the range."""
        if value not in self:
            raise ArgumentError(argument, self.refusal(value, whole=True))

    def _nearest(self, value: float) -> str:
        end = self.low if value < self.low else self.high
        # The ends of a wide range are allowed, but no advice: a learning rate of 1e-09 learns nothing.
        useful = end == 0 or 1e-3 <= abs(end) <= 1e5
        return f"; try {_end_words(end).replace(',', '')}" if useful and not (end == self.high and self.below) else ""

    def __str__(self) -> str:
        """The range in words, to stand after a noun."""
        low, high = map(_end_words, (self.low, self.high))
        if self.high == math.inf:
            return f"of at least {low}"
        return f"of at least {low} and less than {high}" if self.below else f"from {low} to {high}"


def _end_words(end: float) -> str:
    """An end of a range, as 5,000 or 0.5 or 1e+100."""
    if end == math.inf:
        return ""
    return f"{int(end):,}" if isinstance(end, int) or (abs(end) < 1e15 and end == int(end)) else f"{end:g}"
