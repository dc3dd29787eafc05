"""Numbers as people read them: no digit that is wrong, and an uncertainty that still holds the true value."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.numbers import format_measure, format_number

ROOT = Path(__file__).parents[1]
SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> Decimal:
    """The number that a text says."""
    digits, _, power = text.replace("−", "-").replace(",", "").partition("×10")
    return Decimal(digits) * Decimal(10) ** int(power.translate(SUPERSCRIPT) or 0)


def read_both(text: str) -> tuple[Decimal, Decimal]:
    """The value and the uncertainty of `value ± uncertainty`, or of `(value ± uncertainty)×10ⁿ`."""
    both, _, power = text.removeprefix("(").partition(")")
    value, half = both.split(" ± ")
    return read(value + power), read(half + power)


@pytest.mark.parametrize(
    ("value", "within", "shown"),
    [
        (12345.6, 230.0, "12,350 ± 240"),
        (12345.6, 2300.0, "12,300 ± 2,400"),
        (0.0, 0.02, "0.000 ± 0.020"),
        (0.0, 1e-9, "(0.0 ± 1.0)×10⁻⁹"),
        (-0.5, 0.1, "−0.50 ± 0.10"),
        (1e6, 1.5e5, "(1.00 ± 0.15)×10⁶"),
        (0.99, 0.99 - 0.97, "0.990 ± 0.020"),
        (3.0, 2e7, "(0.0 ± 2.1)×10⁷"),
        (88.7228, 1e-4, "88.72280 ± 0.00010"),
    ],
)
def test_the_value_has_as_many_digits_as_its_uncertainty(value: float, within: float, shown: str):
    assert format_measure(value, within, "bound") == (shown, "bound")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (-0.0, "0"), (1.0, "1"), (10_000.0, "10,000"), (0.99999960, "1.00000"), (123456.7, "123,457"),
     (1234567.8, "1.23457×10⁶"), (999999.7, "1.00000×10⁶"), (0.00012, "0.00012"), (5e-324, "5×10⁻³²⁴"), (7, "7")],
)  # fmt: skip
def test_a_number_by_itself(value: float, shown: str):
    assert format_number(value) == shown


@given(st.floats(-1e30, 1e30), st.floats(0, 1e30))
def test_what_is_shown_holds_what_was_measured(value: float, within: float):
    """To a trillionth of the uncertainty, which is the noise of floating point in it."""
    number, how = format_measure(value, within, "bound")
    if "±" in number:
        shown, half = read_both(number)
        assert how == "bound"
        least = Decimal(within) * (1 - Decimal("1e-11"))
        assert shown - half <= Decimal(repr(value)) - least
        assert shown + half >= Decimal(repr(value)) + least
    else:
        assert read(number) == pytest.approx(Decimal(repr(value)), rel=Decimal("5.1e-6"))
        beside = read(how.removeprefix("bound").removeprefix(", ") or "0")
        assert beside >= Decimal(within) * (1 - Decimal("1e-11"))


def test_shares_are_written_in_one_way():
    """By the functions of numbers.py: 48.1 %, with a space, in the terminal, on the pages and in charts."""
    files = [
        file
        for folder in ("src", "benchmarks")
        for kind in ("py", "html")
        for file in (ROOT / folder).rglob(f"*.{kind}")
    ]
    found = {
        file.name: re.findall(r".*(?:\.\d%|\"%\"|\{100 \* [^{}]*:[^{}]*\} %).*", file.read_text()) for file in files
    }
    assert {name: lines for name, lines in found.items() if lines and name != "numbers.py"} == {}
