"""Measurements as a person reads them: a table a text, what unknown words do to it, and the certificates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attnlab.cli.perplexity import Measured
    from attnlab.evaluation.measures import Measure
    from attnlab.evaluation.preprocessed import Preprocessed
    from attnlab.evaluation.tallies import Estimate


def measured_lines(found: Sequence[Measured], sizes: Mapping[str, int], *, force: bool) -> list[RenderableType]:
    """All that is to be said of some measurements, text by text."""
    lines: list[RenderableType] = []
    for name, size in sizes.items():
        here = [each for each in found if each.text == name]
        told = [each for each in here if each.certificate.sound or force]
        lines += [""] if lines else []
        lines.append(_heading(name, size, told))
        if told:
            lines.append(_table(told))
            lines += [line for each in told for line in (*_unknown(each), *_untold(each))]
            lines.append(_bases(told[0].measures[0]))
        lines += [line for each in here for line in _certified(each)]
    return lines


def _heading(name: str, size: int, told: Sequence[Measured]) -> str:
    if not told:
        return f"{name}: {size:,} bytes"
    measure = told[0].measures[0]
    return f"{name}: {size:,} bytes, {measure.characters:,} characters, {measure.words:,} words"


def _table(told: Sequence[Measured]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model", overflow="fold")
    table.add_column("windows")
    for name in ("tokens", "perplexity", "bits/byte", "bits/character", "word perplexity"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in told:
        for place, measure in enumerate(each.measures):
            name = each.model if not place else ""
            marked = name if each.certificate.sound or not name else f"{name} (UNSOUND)"
            per_word = measure.nats_per_word and measure.nats_per_word.map(_exp)
            numbers = (measure.perplexity, measure.bits_per_byte, measure.bits_per_character, per_word)
            windows = _windows(measure) + (", bfloat16" if each.precision == "bfloat16" else "")
            table.add_row(Text(marked), windows, f"{measure.tokens:,}", *map(in_words, numbers))
    return table


def _windows(measure: Measure) -> str:
    if not measure.windowed:
        return f"sees {measure.context:,} token{'s' * (measure.context > 1)}"
    if measure.stride == measure.context:
        return f"disjoint, {measure.context:,}"
    return f"strided, {measure.context:,} by {measure.stride:,}"


def in_words(found: Estimate | None) -> str:
    """A number with the ends of its interval, in as many digits as the interval leaves certain, and one more.

    >>> from attnlab.evaluation.tallies import Estimate
    >>> in_words(Estimate(5.77123, 5.3123, 6.2456)), in_words(Estimate(2710980, 2037950, 3624396))
    ('5.77 (5.31 to 6.25)', '2,710,000 (2,040,000 to 3,620,000)')
    >>> in_words(Estimate(2.30456)), in_words(None)
    ('2.305', '–')
    """
    if found is None:
        return "–"
    digits = _digits(found)
    if found.low is None or found.high is None or digits is None:
        return f"{found.value:.4g}"
    value, low, high = (f"{round(each, digits):,.{max(0, digits)}f}" for each in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"


def _digits(found: Estimate) -> int | None:
    """How many decimals the interval leaves certain, and one more; negative for tens."""
    if found.low is None or found.high is None or not 0 < found.high - found.low < math.inf:
        return None
    return 1 - math.floor(math.log10((found.high - found.low) / 2))


def _told(measure: Measure) -> list[str]:
    """Every number of a measure that is printed, in words."""
    known = measure.known_nats_per_token and measure.known_nats_per_token.map(_exp)
    per_word = measure.nats_per_word and measure.nats_per_word.map(_exp)
    numbers = (measure.perplexity, known, measure.spelled_nats_per_token.map(_exp), per_word)
    return [*map(in_words, (*numbers, measure.bits_per_byte, measure.bits_per_character)), _bases(measure)]


def reads_the_same(measure: Measure, drift: float) -> bool:
    """Whether all that is printed stays as it is when tokens cost `drift` nats more on average, or less."""
    return all(_told(measure.shifted(each)) == _told(measure) for each in (-drift, drift))


def _unknown(each: Measured) -> list[str]:
    """The three numbers of a model that has a token for what it does not know."""
    measure = each.measures[0]
    if not measure.unknown and not measure.surface_bits_per_byte:
        return []
    known = measure.known_nats_per_token and measure.known_nats_per_token.map(_exp)
    spelled = measure.spelled_nats_per_token.map(_exp)
    charged = f"{measure.spelling_bits_per_byte:.3f} bits/byte spell words, {measure.surface_bits_per_byte:.3f} tell"
    return [
        f"{each.model}: {measure.unknown:.1%} of its tokens are unknown words. Perplexity",
        f"  {in_words(measure.perplexity)} as the tokenizer sees it",
        f"  {in_words(known)} over known words only",
        f"  {in_words(spelled)} with each unknown word spelled, which compares ({charged} case and spaces)",
    ]


def _untold(each: Measured) -> list[str]:
    said = each.measures[0].untold
    return [f"{each.model}: bits per byte are too few, since {said}"] if said else []


def _bases(measure: Measure) -> str:
    nats = measure.nats_per_token.value
    bits, digits = nats / math.log(2), _digits(measure.nats_per_token)
    decimals = 4 if digits is None else max(0, digits)
    same = f"e^{nats:.{decimals}f} = 2^{bits:.{decimals}f} = {in_words(measure.perplexity).partition(' ')[0]}"
    return f"intervals: 95 %, by drawing blocks of tokens again. Perplexity has no base: {same}"


def _certified(each: Measured) -> list[str]:
    """The certificate in a line; where a check failed, what it said."""
    certificate = each.certificate
    if certificate.sound:
        first = next(check.said for check in certificate.checks if check.name == "first token")
        checks = ", ".join(check.name for check in certificate.checks)
        return [f"{each.model} is sound: {checks} ({first})"]
    failed = [f"{each.model}: {check.name} failed: {check.said}" for check in certificate.failed]
    return [*failed, f"{each.model} is unsound: its numbers are refused; --force prints them, marked"]


def preprocessed_lines(tried: Sequence[tuple[str, str, Mapping[str, Preprocessed]]]) -> list[RenderableType]:
    """What each step buys, and what it throws away."""
    lines: list[Any] = []
    for model, text, rows in tried:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("after")
        for name in (
            "tokens",
            "perplexity",
            "bits/byte if it were free",
            "charge",
            "bits/byte of the raw file",
            "buys",
        ):
            table.add_column(name, justify="right", no_wrap=True)
        base = next(iter(rows.values())).bits_per_byte
        for name, found in rows.items():
            charge = found.charge / math.log(2) / found.raw_bytes
            table.add_row(
                name,
                f"{len(found.costs.nats):,}",
                f"{found.perplexity:.4g}",
                f"{found.bits_per_byte_uncharged:.4f}",
                f"{charge:.4f}" if charge else "–",
                f"{found.bits_per_byte:.4f}",
                f"{base - found.bits_per_byte:+.4f}",
            )
        lines += ["", f"what preprocessing {text} buys {model}, in bits per byte of the raw file", table]
    return lines


def _exp(nats: float) -> float:
    return math.exp(nats) if nats < 700 else math.inf
