"""Format numbers for people: show no more digits than are known, and no wrong digit.

The terminal and the pages use these functions, so that they show the same numbers.
"""

import math
from decimal import ROUND_CEILING, Context, Decimal

MOST_DIGITS = 6
"""The most digits that are shown of a number."""
TO_SIX = Context(prec=MOST_DIGITS)
UP_TO_TWO = Context(prec=2, rounding=ROUND_CEILING)
WITHOUT_NOISE = Context(prec=12)
"""Makes an uncertainty of 1 − 0.98 count as 0.02, not as 0.020000000000000018, which would be rounded up."""
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PLAIN = range(-4, 6)
"""Numbers with these powers of ten are written without ×10ⁿ."""


def format_measure(value: float, within: float = 0.0, how: str = "exact") -> tuple[str, str]:
    """A measured number with its uncertainty, and the kind of the uncertainty.

    The uncertainty has two digits, rounded up, and includes the rounding error of the value. If it is too small for the
    digits that are shown, it is written after its kind instead; then all shown digits are right, except for rounding.

    >>> format_measure(0.146789, 0.00123, "95 % interval")
    ('0.1468 ± 0.0013', '95 % interval')
    >>> format_measure(0.146789, 2e-10, "bound")
    ('0.146789', 'bound, 2×10⁻¹⁰')
    >>> format_measure(1e-9 / 3, 1e-10, "standard error")
    ('(3.3 ± 1.1)×10⁻¹⁰', 'standard error')
    """
    if not within:
        return format_number(value), how
    number, half = _decimal(value), WITHOUT_NOISE.plus(_decimal(within))
    if number and number.adjusted() - half.adjusted() >= MOST_DIGITS:
        return format_number(value), f"{how}, {_written(UP_TO_TWO.plus(half))}"
    power = _power(max(abs(number), half))
    unit = Decimal(1).scaleb(half.adjusted() - 1 - power)
    number, half = number.scaleb(-power), half.scaleb(-power)
    rounded = number.quantize(unit)
    both = f"{_plain(rounded)} ± {_plain((half + abs(number - rounded)).quantize(unit, ROUND_CEILING))}"
    return f"({both}){_times(power)}" if power else both, how


def format_number(value: float) -> str:
    """A number with at most six digits. Zeros at its end mean that further digits are not shown.

    >>> [format_number(x) for x in (0.5, 1 / 3, 0.1 + 0.2, -12345678.0, 1.5e-16, 2**70)]
    ['0.5', '0.333333', '0.300000', '−12,345,678', '1.5×10⁻¹⁶', '1.18059×10²¹']
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return _plain(Decimal(int(value)))
    return _written(TO_SIX.plus(_decimal(value)))


def format_signed(value: float, decimals: int) -> str:
    """A difference with its sign; 0 without a sign if it rounds to 0.

    >>> [format_signed(each, 2) for each in (1234.5, -0.25, -0.001)]
    ['+1,234.50', '−0.25', '0']
    """
    text = f"{value:+,.{decimals}f}".replace("-", "−")
    return text if text.strip("+−0.,") else "0"


def plus_minus(value: float, within: float, decimals: int) -> str:
    """A value with the half-width of its interval. That is never written as 0: without a width there is no interval.

    >>> plus_minus(35.27, 0.39, 1), plus_minus(35.27, 0.004, 1), plus_minus(35.27, 0.0, 1)
    ('35.3 ± 0.4', '35.3 ± 0.1', '35.3')
    """
    shown = f"{value:.{decimals}f}".replace("-", "−")
    return f"{shown} ± {max(within, 10.0**-decimals):.{decimals}f}" if within else shown


def percent(share: float, within: float | None = None, *, decimals: int = 1) -> str:
    """A share in per cent, with the half-width of its interval, if given. A half-width is never written as 0; where the
    interval would leave 0 to 100 %, its other end is written.

    >>> percent(0.4812), percent(0.656, 0.0994), percent(1.0, 0.0), percent(0.9998, 0.0001), percent(0.9, decimals=2)
    ('48.1 %', '65.6 % ± 9.9 %', '100.0 %', '100.0 % ± 0.1 %', '90.00 %')
    >>> percent(1.0, 0.0253), percent(0.167, 0.355), percent(0.4, 0.7)
    ('100.0 % (at least 97.4 %)', '16.7 % (at most 52.2 %)', '40.0 % (anything from 0 to 100 %)')
    """
    value, finest = f"{100 * share:.{decimals}f} %", 10**decimals
    if not within:
        return value
    low, high = share - within, share + within
    if low < 0 and high > 1:
        return f"{value} (anything from 0 to 100 %)"
    if low < 0:
        return f"{value} (at most {math.ceil(100 * finest * high) / finest:.{decimals}f} %)"
    if high > 1:
        return f"{value} (at least {math.floor(100 * finest * low) / finest:.{decimals}f} %)"
    return f"{value} ± {max(100 * within, 1 / finest):.{decimals}f} %"


def points(difference: float, within: float) -> str:
    """A difference of two shares in percentage points, with the half-width of its interval. That is never written as 0.

    >>> points(0.142, 0.031), points(-0.034, 0.0001), points(-0.001, 0.02)
    ('14 ± 3 points', '−3 ± 1 points', '0 ± 2 points')
    """
    return f"{round(100 * difference)} ± {max(100 * within, 1):.0f} points".replace("-", "−")


def whole_percent(share: float) -> str:
    """A share in whole per cent.

    >>> whole_percent(0.125)
    '12 %'
    """
    return percent(share, decimals=0)


def percents(low: float, high: float, *, decimals: int = 1) -> str:
    """The interval of a share in per cent, without the per cent sign. If both ends would be written alike, they are
    rounded outwards, so that no interval is written without a width.

    >>> percents(0.149, 0.492), percents(0.99985, 1.0), percents(0.0, 0.00015)
    ('14.9 to 49.2', '99.9 to 100.0', '0.0 to 0.1')
    """
    ends, finest = (100 * low, 100 * high), 10**decimals
    if low < high and f"{ends[0]:.{decimals}f}" == f"{ends[1]:.{decimals}f}":
        ends = math.floor(100 * finest * low) / finest, math.ceil(100 * finest * high) / finest
    return " to ".join(f"{end:.{decimals}f}" for end in ends)


def percent_at_most(share: float, digits: int = 2) -> str:
    """An upper bound of a share in per cent, rounded up.

    >>> percent_at_most(0.00294), percent_at_most(0.07), percent_at_most(0.01234, digits=3)
    ('0.3 %', '7 %', '1.24 %')
    """
    bound = Context(digits, ROUND_CEILING).plus(WITHOUT_NOISE.plus(_decimal(100 * share)))
    return f"{_plain(bound.normalize())} %"


def percent_as_typed(share: float) -> str:
    """A share in per cent, with every digit that the user typed.

    >>> percent_as_typed(0.9), percent_as_typed(0.999), percent_as_typed(0.07)
    ('90 %', '99.9 %', '7 %')
    """
    return f"{100 * share:.12g} %"


def format_seconds(seconds: float) -> str:
    """A duration, rounded for reading.

    >>> [format_seconds(each) for each in (0.004, 2.34, 74.8)]
    ['less than 0.1 s', '2.3 s', '75 s']
    """
    if seconds < 0.1:
        return "less than 0.1 s"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _decimal(number: float) -> Decimal:
    """The shortest decimal that rounds to the float."""
    return Decimal(repr(float(number)))


def _written(number: Decimal) -> str:
    """The number, with a power of ten if that is easier to read."""
    power = _power(number)
    return f"{_plain(number.scaleb(-power))}{_times(power)}"


def _power(number: Decimal) -> int:
    """The power of ten to write after the digits; 0 if the number is easy to read without it."""
    power = number.adjusted() if number else 0
    return 0 if power in PLAIN else power


def _times(power: int) -> str:
    return f"×10{str(power).translate(SUPERSCRIPT)}" if power else ""


def _plain(number: Decimal) -> str:
    """All digits, with commas between thousands, and a minus sign as wide as a plus sign."""
    text = f"{number:,f}" if number else f"{abs(number):f}"
    return text.replace("-", "−")
