"""The shades of pushes: how far a word pushed, beside the one that pushed farthest; terminal and page have the same."""

from bisect import bisect_right

SHARES = (0.05, 0.15, 0.35, 0.65)
"""The shares of the farthest push from which on each shade is used."""


def shade_of_push(push: float, farthest: float) -> int:
    """The number of a push's shade: from 0 for none to 4, below 0 for a push against what was said.

    >>> [shade_of_push(push, 2.0) for push in (0.01, 0.5, -2.0)]
    [0, 2, -4]
    """
    number = bisect_right(SHARES, abs(push) / farthest) if farthest else 0
    return number if push > 0 else -number
