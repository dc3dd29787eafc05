"""How measurements are shown: a table for each text, the effect of unknown words, and the certificates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from attnlab.evaluation.scoring.nats_to_units import bits, bits_per_byte
from attnlab.numbers import percent, whole_percent
from attnlab.report.blocks import Block, Table, borderless
from attnlab.report.writing.estimates import NONE, decimals, estimate_in_words, value_in_words

if TYPE_CHECKING:
    from attnlab.benches.perplexity import Comparison, MeasuredText, PreprocessedText
    from attnlab.evaluation.scoring.measures import Measure

SEEN = 0.1
"""Warn if the training text contains at least this share of a text; a smaller share may be common phrases."""
COLUMNS = ("model", "windows", "tokens", "perplexity", "bits/byte", "bits/character", "word perplexity")


def measured_blocks(found: Comparison) -> list[Block]:
    """The measurements, text by text."""
    blocks: list[Block] = []
    for name in found.texts:
        here = [each for each in found.measured if each.text == name]
        shown = [each for each in here if each.measures]
        blocks += [""] if blocks else []
        blocks.append(_heading(here, shown))
        if shown:
            blocks.append(_table(shown))
            blocks += [line for each in shown for line in warnings(each)]
            blocks.append(_footnote(shown[0]))
            blocks += _rounded(shown)
        blocks += [line for each in here for line in _certified(each)]
    return blocks


def warnings(each: MeasuredText) -> list[str]:
    """Why numbers of a model may mislead: unknown words, a lower bound, a text that the model was trained on."""
    return [*_unknown(each), *_lower_bound(each), *_seen(each)] if each.measures else []


def compared_blocks(found: Comparison) -> list[Block]:
    """Which model is better on each text, by how much, and whether this holds for more text of the kind."""
    lines = []
    for each in found.compared or ():
        where = f"{each.text}: " if len(found.texts) > 1 else ""
        saved = f"{estimate_in_words(each.saved)} bits/byte"
        if each.saved.value <= each.rounding:
            said = f"{each.better} and {each.worse} cost the same on this text"
            said += ", as far as bfloat16 can tell" if each.rounding else ""
        elif each.saved.low is None:
            said = f"{each.better} is better than {each.worse} on this text: it saves {saved}"
            said += "; this text alone cannot tell whether that holds for others of its kind"
        elif each.saved.low <= 0:
            said = f"{each.better} saves {saved} against {each.worse} on this text"
            said += f"; on more text of this kind, {each.worse} may be better"
        else:
            said = f"{each.better} is better than {each.worse} on this kind of text: it saves {saved}"
        lines.append(where + said)
    return ["", *lines] if lines else []


def easier_blocks(found: Comparison) -> list[Block]:
    """A model's perplexities on two texts mislead if the text that looks easier has more unknown words: where the order
    turns once unknown words are spelled out."""
    lines = []
    for model in found.models:
        shown = [each for each in found.measured if each.model == model and each.measures and each.measures[0].finite]
        for one, other in combinations(sorted(shown, key=lambda each: each.measures[0].perplexity.value), 2):
            easy, hard = one.measures[0], other.measures[0]
            if easy.unknown > hard.unknown and easy.spelled_perplexity.value > hard.spelled_perplexity.value:
                low, high = (value_in_words(each.perplexity) for each in (easy, hard))
                shares = [percent(each.unknown) for each in (easy, hard)]
                spelled = [value_in_words(each.spelled_perplexity) for each in (easy, hard)]
                lines.append(
                    f"{one.text} looks easier for {model} than {other.text} ({low} against {high}) only because "
                    f"{shares[0]} of its tokens stand for unknown {one.unit} ({shares[1]} there); "
                    f"with unknown {one.unit} spelled out, the perplexities are {spelled[0]} and {spelled[1]}"
                )
    return ["", *lines] if lines else []


def preprocessed_blocks(found: Comparison) -> list[Block]:
    """The gain of each preprocessing step and the cost of the lost information, a table for each model and text."""
    blocks: list[Block] = []
    for model, text in dict.fromkeys((each.model, each.text) for each in found.preprocessed):
        rows = [each for each in found.preprocessed if (each.model, each.text) == (model, text)]
        heading = f"gain of {model} from preprocessing {text}, in bits per byte of the raw file"
        blocks += ["", heading, _preprocessed(rows)]
    return blocks


def windows_in_words(measure: Measure) -> str:
    """How much of the text the model saw before each token."""
    if not measure.windowed:
        return f"sees {measure.context:,} token{'s' * (measure.context > 1)}"
    if measure.stride == measure.context:
        return f"disjoint, {measure.context:,}"
    return f"strided, {measure.context:,} by {measure.stride:,}"


def _heading(here: Sequence[MeasuredText], shown: Sequence[MeasuredText]) -> str:
    name, size = here[0].text, here[0].certificate.ledger.file_bytes
    if not shown:
        return f"{name}: {size:,} bytes"
    measure = shown[0].measures[0]
    counts = {"byte": size, "character": measure.characters, "word": measure.words}
    return f"{name}: {', '.join(f'{count:,} {unit}' + 's' * (count != 1) for unit, count in counts.items())}"


def _table(shown: Sequence[MeasuredText]) -> Table:
    rows = []
    for each in shown:
        for place, measure in enumerate(each.measures):
            name = each.model if not place else ""
            marked = name if each.sound or not name else f"{name} (UNSOUND)"
            windows = windows_in_words(measure) + (", bfloat16" if each.precision == "bfloat16" else "")
            estimates = (
                measure.perplexity,
                measure.bits_per_byte,
                measure.bits_per_character,
                measure.word_perplexity,
            )
            rows.append((marked, windows, f"{measure.tokens:,}", *map(estimate_in_words, estimates)))
    return borderless(COLUMNS, rows, words=len(COLUMNS))  # left-aligned, so that intervals wrap in a narrow window


def _unknown(each: MeasuredText) -> list[str]:
    """The perplexities of a model whose tokens leave out information, and what to learn from them."""
    measure = each.measures[0]
    parts = {"spelling": measure.spelling_bits_per_byte, "capitals and spaces": measure.case_and_spaces_bits_per_byte}
    beside = ", ".join(
        f"{bits_per_byte:.3f} bits/byte for {name}" for name, bits_per_byte in parts.items() if bits_per_byte
    )
    spelled = estimate_in_words(measure.spelled_perplexity)
    if not measure.unknown:
        said = f"{each.model}: perplexity {spelled} if it also pays for capitals and spaces ({beside})"
        return [said] if measure.case_and_spaces_bits_per_byte else []
    low, high = value_in_words(measure.perplexity), value_in_words(measure.spelled_perplexity)
    reason = f"the model need not spell out the {each.unit} that it does not know"
    reason += ", nor predict capitals and spaces" if measure.case_and_spaces_bits_per_byte else ""
    return [
        f"{each.model}: {percent(measure.unknown)} of the tokens stand for unknown {each.unit}. The perplexity is",
        f"  {estimate_in_words(measure.perplexity)} as the tokenizer counts it",
        f"  {estimate_in_words(measure.known_perplexity)} over known {each.unit} only",
        f"  {spelled} with unknown {each.unit} spelled out; comparable across vocabularies ({beside})",
        f"  {low} looks better than {high} only because {reason}",
    ]


def _lower_bound(each: MeasuredText) -> list[str]:
    said = each.measures[0].untold
    return [f"{each.model}: its bits per byte are a lower bound, since {said}"] if said else []


def _seen(each: MeasuredText) -> list[str]:
    """A warning if the model was trained on the text."""
    if each.seen is None or each.seen < SEEN:
        return []
    share = f"{whole_percent(each.seen)} of this text stands word for word in the training text of {each.model}"
    return [f"{share}: its numbers say little about new text"]


def _footnote(each: MeasuredText) -> str:
    """The meaning of the brackets, and that the base of a perplexity does not matter."""
    measure = each.measures[0]
    intervals = f"in brackets: 95 % intervals for more text of this kind, from {measure.interval_from}"
    if measure.no_interval_because:
        intervals = f"no intervals: {measure.no_interval_because}"
    nats = measure.nats_per_token
    digits = max(0, decimals(nats)) + 1  # so that the powers give the printed perplexity
    powers = f"e^{nats.value:.{digits}f} = 2^{bits(nats.value):.{digits}f} = {value_in_words(measure.perplexity)}"
    return f"{intervals}. A perplexity does not depend on the base of the logarithm: {each.model} has {powers}"


def _rounded(shown: Sequence[MeasuredText]) -> list[str]:
    """How far bfloat16 may have moved the numbers of each model."""
    rounded = [each for each in shown if each.precision == "bfloat16"]
    told = "bfloat16 may have moved the mean by about {:.2g} nats per token, measured on the beginning of the text"
    return [f"{each.model}: {told.format(each.rounding)}" for each in rounded]


def _certified(each: MeasuredText) -> list[str]:
    """The certificate in a line; the failed checks with their messages."""
    if each.sound:
        checks = each.certificate.checks
        names = (f"{check.name} ({check.said})" if check.name == "first token" else check.name for check in checks)
        return [f"{each.model} is sound: {', '.join(names)}"]
    failed = [f"{each.model}: {check.name} failed: {check.said}" for check in each.certificate.failed]
    if each.measures:
        return [*failed, f"{each.model} is unsound: do not trust its numbers"]
    return [*failed, f"{each.model} is unsound: its numbers are not shown; --force shows them, marked"]


def _preprocessed(rows: Sequence[PreprocessedText]) -> Table:
    names = ("after", "tokens", "perplexity", "text alone", "lost information", "both", "gain")
    base = rows[0].found.bits_per_byte
    cells = []
    for each in rows:
        found = each.found
        lost = bits_per_byte(found.charge, found.raw_bytes)
        cells.append(
            (
                each.after,
                f"{len(found.costs.nats):,}",
                f"{found.perplexity:.4g}",
                f"{found.bits_per_byte_uncharged:.4f}",
                f"{lost:.4f}" if lost else NONE,
                f"{found.bits_per_byte:.4f}",
                f"{base - found.bits_per_byte:+.4f}",
            )
        )
    return borderless(names, cells)
