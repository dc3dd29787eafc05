"""The lab's colours can be seen on white and on dark paper."""

import pytest

from attnlab.report.charts.look import INK, INK_DARK, PALETTE, PAPER, PAPER_DARK, colours, dashes


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG 2, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", PALETTE)
@pytest.mark.parametrize("paper", [PAPER, PAPER_DARK])
def test_lines_stand_out_from_the_paper(colour: str, paper: str):
    assert contrast(colour, paper) >= 3


def test_text_is_easy_to_read():
    assert min(contrast(INK, PAPER), contrast(INK_DARK, PAPER_DARK)) >= 7


def test_lines_are_told_apart_when_the_colours_are_used_up():
    lines = list(zip(colours(12), map(tuple, dashes(12)), strict=True))
    assert len(set(lines)) == 12
    assert len(set(colours(8))) == 8
    assert len({dash for _, dash in lines[:5]}) == 5  # without colour too
