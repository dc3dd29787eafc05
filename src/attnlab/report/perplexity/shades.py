"""The shades of surprise: one hue, darker for more bits (on dark paper lighter); text is readable on all of them.

The steps look even: lightness and chroma change evenly in OKLCH. A shade means the same bits on every page, so that
pages can be compared.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

EDGES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Each shade begins at this many bits, twice as many as the one before; below the first edge there is no shade."""
LIGHT = ("#ffebde", "#ffdcc7", "#feccaf", "#fbbd97", "#f8ad7f", "#f49d66", "#f08d4a", "#ec7c27")
DARK = ("#352117", "#422718", "#502c19", "#5e321a", "#6d381a", "#7c3d19", "#8b4317", "#9a4914")

DIFFERENCES = (0.5, 2.0, 8.0, 32.0)
"""Each shade begins at this difference between two models, in bits; blue where the second model pays more."""
BLUE_LIGHT = ("#d5ebfe", "#aed6f9", "#86c1f4", "#5aaced")
BLUE_DARK = ("#192f46", "#1d4062", "#215180", "#23639f")


def shade(bits: float) -> int:
    """The number of the shade; 0 for no shade.

    >>> [shade(bits) for bits in (0.1, 0.5, 3.0, 99.0)]
    [0, 1, 3, 8]
    """
    return bisect_right(EDGES, bits)


def shade_between(bits: float) -> int:
    """The number of the shade for a difference: above 0 where the first model pays more, else below 0.

    >>> [shade_between(bits) for bits in (-9.0, -0.1, 0.5, 3.0)]
    [-3, 0, 1, 2]
    """
    number = bisect_right(DIFFERENCES, abs(bits))
    return number if bits > 0 else -number


def surprise_legend() -> list[tuple[str, str]]:
    """For each shade its CSS class and the bits that it stands for.

    >>> surprise_legend()[0], surprise_legend()[-1]
    (('a0', 'below 0.5'), ('a8', '64 or more'))
    """
    return [("a0", f"below {EDGES[0]:g}"), *((f"a{number}", words) for number, words in _ranges(EDGES))]


def difference_legend() -> list[tuple[str, str]]:
    """The same for differences, from those where the second model pays most to those where the first model does.

    >>> [words for _, words in difference_legend()][:5]
    ['−32 and beyond', '−8 to −32', '−2 to −8', '−0.5 to −2', 'about equal']
    """
    less, more = ([*_ranges(DIFFERENCES, sign, "and beyond")] for sign in "−+")
    return [
        *((f"d-{number}", words) for number, words in reversed(less)),
        ("d0", "about equal"),
        *((f"d{number}", words) for number, words in more),
    ]


def _ranges(edges: tuple[float, ...], sign: str = "", last: str = "or more") -> Iterator[tuple[int, str]]:
    """The number of each shade and what it stands for, in words."""
    ends = [f"{sign}{edge:g}" for edge in edges]
    return enumerate([*(f"{low} to {high}" for low, high in pairwise(ends)), f"{ends[-1]} {last}"], start=1)
