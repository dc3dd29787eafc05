"""Measurements as a person reads them: a table a text, what unknown words do to it, and the certificates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from attnlab.evaluation.scoring.tallies import FEWEST, SHORTEST
from attnlab.evaluation.scoring.units import bits

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attnlab.cli.measuring import Compared, Measured
    from attnlab.evaluation.scoring.measures import Measure
    from attnlab.evaluation.scoring.preprocessed import Preprocessed
    from attnlab.evaluation.scoring.tallies import Estimate


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
            lines += [line for each in told for line in (*_unknown(each), *_untold(each), *_seen(each))]
            lines.append(_footnote(told[0]))
        lines += [line for each in here for line in _certified(each)]
    return lines


def _heading(name: str, size: int, told: Sequence[Measured]) -> str:
    if not told:
        return f"{name}: {size:,} bytes"
    measure = told[0].measures[0]
    counts = {"byte": size, "character": measure.characters, "word": measure.words}
    said = (f"{count:,} {unit}" + "s" * (count != 1) for unit, count in counts.items())
    return f"{name}: {', '.join(said)}"


def _table(told: Sequence[Measured]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model", overflow="fold", min_width=8)
    table.add_column("windows", min_width=8)
    table.add_column("tokens", justify="right", no_wrap=True)
    for name in ("perplexity", "bits/byte", "bits/character", "word perplexity"):
        table.add_column(name, justify="right")  # on a narrow terminal the interval stands below
    for each in told:
        for place, measure in enumerate(each.measures):
            name = each.model if not place else ""
            marked = name if each.certificate.sound or not name else f"{name} (UNSOUND)"
            numbers = (
                measure.perplexity,
                measure.bits_per_byte,
                measure.bits_per_character,
                measure.word_perplexity,
            )
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

    >>> from attnlab.evaluation.scoring.tallies import Estimate
    >>> in_words(Estimate(5.77123, 5.3123, 6.2456)), in_words(Estimate(271098, 203795, 362439))
    ('5.77 (5.31 to 6.25)', '271,000 (204,000 to 362,000)')
    >>> in_words(Estimate(9.025e8, 3.5e7, 3.9e11)), in_words(Estimate(2.30456)), in_words(None)
    ('9.0e8 (3.5e7 to 3.9e11)', '2.30', '–')
    """
    if found is None:
        return "–"
    value, *ends = _numbers(found)
    return f"{value} ({ends[0]} to {ends[1]})" if ends else value


def _numbers(found: Estimate) -> list[str]:
    """The number, and the ends of its interval where it has one, all in one style."""
    numbers = [each for each in (found.value, found.low, found.high) if each is not None]
    if not all(math.isfinite(each) for each in numbers):
        return [f"{each:.3g}" for each in numbers]
    if max(map(abs, numbers)) >= 1e7:
        return [f"{each:.1e}".replace("e+0", "e").replace("e+", "e") for each in numbers]
    decimals = _decimals(found)
    return [f"{round(each, decimals):,.{max(0, decimals)}f}" for each in numbers]


def _decimals(found: Estimate) -> int:
    """How many decimals the interval leaves certain, and one more; negative for tens. At least two digits stay."""
    if found.low is None or found.high is None or found.high <= found.low:
        return 2 - _magnitude(found.value)
    return max(1 - _magnitude((found.high - found.low) / 2), 1 - _magnitude(min(abs(found.low), abs(found.value))))


def _magnitude(number: float) -> int:
    """The power of ten of its first digit."""
    return math.floor(math.log10(abs(number))) if number and math.isfinite(number) else 0


def _told(measure: Measure) -> list[str]:
    """Every number of a measure that is printed, in words."""
    of_words = (measure.known_perplexity, measure.spelled_perplexity, measure.word_perplexity)
    numbers = (measure.perplexity, *of_words)
    return [*map(in_words, (*numbers, measure.bits_per_byte, measure.bits_per_character)), _bases(measure)]


def reads_the_same(measure: Measure, drift: float) -> bool:
    """Whether all that is printed stays as it is when tokens cost `drift` nats more on average, or less."""
    return all(_told(measure.shifted(each)) == _told(measure) for each in (-drift, drift))


def _unknown(each: Measured) -> list[str]:
    """The three numbers of a model that has a token for what it does not know."""
    measure = each.measures[0]
    spelled = in_words(measure.spelled_perplexity)
    spelling = f"{measure.spelling_bits_per_byte:.3f} bits/byte spell {each.unit}"
    surface = f"{measure.surface_bits_per_byte:.3f} tell case and spaces"
    if not measure.unknown:
        told = f"{each.model}: perplexity {spelled} with case and spaces told, which compares ({surface[:5]} bits/byte)"
        return [told] if measure.surface_bits_per_byte else []
    charged = f"{spelling}, {surface}" if measure.surface_bits_per_byte else spelling
    return [
        f"{each.model}: {measure.unknown:.1%} of its tokens are unknown {each.unit}. Perplexity",
        f"  {in_words(measure.perplexity)} as the tokenizer sees it",
        f"  {in_words(measure.known_perplexity)} over known {each.unit} only",
        f"  {spelled} with each unknown one spelled, which compares, as bits/byte do ({charged})",
    ]


def _untold(each: Measured) -> list[str]:
    said = each.measures[0].untold
    return [f"{each.model}: bits per byte are too few, since {said}"] if said else []


SEEN = 0.1
"""Phrases that everybody uses do not count."""


def _seen(each: Measured) -> list[str]:
    """A warning where the text was trained on."""
    if each.seen is None or each.seen < SEEN:
        return []
    share = f"{each.seen:.0%} of this text stands word for word in what {each.model} was trained on"
    return [f"{share}: its numbers say little about new text"]


def _footnote(each: Measured) -> str:
    measure = each.measures[0]
    intervals = "intervals: 95 %, by drawing blocks of the text again"
    if measure.bits_per_byte.low is None:
        intervals = f"no intervals: they need {SHORTEST * FEWEST} bytes"
    return f"{intervals}. Perplexity has no base: for {each.model}, {_bases(measure)}"


def _bases(measure: Measure) -> str:
    nats = measure.nats_per_token
    decimals = max(0, _decimals(nats)) + 1  # so that the powers are what is printed
    return f"e^{nats.value:.{decimals}f} = 2^{bits(nats.value):.{decimals}f} = {_numbers(measure.perplexity)[0]}"


def _certified(each: Measured) -> list[str]:
    """The certificate in a line; where a check failed, what it said."""
    certificate = each.certificate
    if certificate.sound:
        said = [
            f"{check.name} ({check.said})" if check.name == "first token" else check.name
            for check in certificate.checks
        ]
        return [f"{each.model} is sound: {', '.join(said)}"]
    failed = [f"{each.model}: {check.name} failed: {check.said}" for check in certificate.failed]
    if each.measures:
        return [*failed, f"{each.model} is unsound: its numbers are not to be believed"]
    return [*failed, f"{each.model} is unsound: its numbers are refused; --force prints them, marked"]


def compared_lines(pairs: Sequence[Compared]) -> list[str]:
    """Which model is better on each text, and by how much, where that can be told."""
    several = len({each.text for each in pairs}) > 1
    lines = []
    for each in pairs:
        where = f"{each.text}: " if several else ""
        saved = in_words(each.saved)
        if each.saved.low is not None and each.saved.low <= 0:
            told = f"{each.better} and {each.worse} cannot be told apart on this text"
        else:
            told = f"{each.better} is better than {each.worse} on this text"
        lines.append(f"{where}{told}: it saves {saved} bits/byte")
    return ["", *lines] if lines else []


def preprocessed_lines(tried: Sequence[tuple[str, str, Mapping[str, Preprocessed]]]) -> list[RenderableType]:
    """What each step buys, and what it throws away."""
    lines: list[Any] = []
    for model, text, rows in tried:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("after", min_width=8)
        for name in (
            "tokens",
            "perplexity",
            "bits/byte if it were free",
            "charge",
            "bits/byte of the raw file",
            "buys",
        ):
            table.add_column(name, justify="right")
        base = next(iter(rows.values())).bits_per_byte
        for name, found in rows.items():
            charge = bits(found.charge) / found.raw_bytes
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
