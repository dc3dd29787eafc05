"""The shades of surprise: more bits are more ink, and text is readable on each."""

from itertools import pairwise

import pytest

from attnlab.report.charts.look import INK, INK_DARK, PAPER, PAPER_DARK
from attnlab.report.perplexity.shades import (
    BLUE_DARK,
    BLUE_LIGHT,
    DARK,
    DIFFERENCES,
    EDGES,
    LIGHT,
    difference_legend,
    shade,
    shade_between,
    surprise_legend,
)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("shades", "ink", "paper"),
    [
        (LIGHT, INK, PAPER),
        (BLUE_LIGHT, INK, PAPER),
        (DARK, INK_DARK, PAPER_DARK),
        (BLUE_DARK, INK_DARK, PAPER_DARK),
    ],
)
def test_text_is_readable_on_each_and_each_is_further_from_the_paper(shades, ink, paper):
    assert min(contrast(each, ink) for each in shades) >= 4.5
    away = [contrast(each, paper) for each in (paper, *shades)]
    assert all(far > near for near, far in pairwise(away))


def test_each_shade_begins_at_its_bits():
    assert len(EDGES) == len(LIGHT) == len(DARK)
    assert len(DIFFERENCES) == len(BLUE_LIGHT) == len(BLUE_DARK)
    for number, edge in enumerate(EDGES, start=1):
        assert (shade(edge - 1e-9), shade(edge)) == (number - 1, number)
    for number, edge in enumerate(DIFFERENCES, start=1):
        assert (shade_between(edge), shade_between(-edge)) == (number, -number)


def test_the_legend_names_every_shade():
    assert [name for name, _ in surprise_legend()] == [f"a{number}" for number in range(9)]
    assert [name for name, _ in difference_legend()] == [f"d{number}" for number in range(-4, 5)]


def test_8_bits_differ_from_60():
    assert len({shade(bits) for bits in (4, 8, 16, 32, 60, 70)}) == 5
