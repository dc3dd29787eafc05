"""How a comparison of models and an audit are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attnlab.report.blocks import Drawing, Presentation, borderless
from attnlab.report.perplexity.explained import explained_blocks
from attnlab.report.perplexity.measured import compared_blocks, easier_blocks, measured_blocks, preprocessed_blocks

if TYPE_CHECKING:
    from attnlab.benches.perplexity import Audited, Comparison, MeasuredText
    from attnlab.evaluation.scoring.measures import Measure

COUNTS = ("context", "stride", "tokens", "raw_bytes", "characters", "words", "unknown")
ESTIMATES = ("perplexity", "nats_per_token", "bits_per_byte", "bits_per_character", "word_perplexity")


def comparison(found: Comparison) -> Presentation:
    """The numbers text by text, which model is better, and the explanation."""
    blocks = [
        *measured_blocks(found),
        *compared_blocks(found),
        *easier_blocks(found),
        *preprocessed_blocks(found),
        *explained_blocks(found),
    ]
    page = (lambda: _surprise(found)) if found.explained is not None else None
    return Presentation(blocks, lambda: _drawing(found), page, [row for each in found.measured for row in _rows(each)])


def audited(found: Audited) -> Presentation:
    """The certificate: a row for each check, and the verdict."""
    checks = found.certificate.checks
    cells = [("ok" if each.passed else "failed", each.name, each.said) for each in checks]
    strong = [place for place, each in enumerate(checks) if not each.passed]
    failed = ", ".join(each.name for each in found.certificate.failed)
    verdict = f"unsound: {failed}" if failed else "sound: every check passed"
    rows = [{"check": each.name, "passed": each.passed, "said": each.said} for each in checks]
    return Presentation([borderless(("", "check", "finding"), cells, words=3, strong=strong), verdict], rows=rows)


def _rows(each: MeasuredText) -> list[dict[str, Any]]:
    """A row of numbers for each way to cut windows; a row without numbers for a model that is not shown."""
    named = {"model": each.model, "text": each.text, "sound": each.sound, "precision": each.precision}
    return [{**named, **_numbers(measure)} for measure in each.measures] or [named]


def _numbers(measure: Measure) -> Mapping[str, Any]:
    row = {name: getattr(measure, name) for name in COUNTS}
    for name in ESTIMATES:
        estimate = getattr(measure, name)
        if estimate is not None:
            row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return row


def _surprise(found: Comparison) -> str:
    from attnlab.report.perplexity.page import surprise_page

    return surprise_page(found)


def _drawing(found: Comparison) -> Drawing:
    """The parts of each gap that is explained, otherwise the bits per byte of every model on every text."""
    if not found.gaps:
        return _bars(found)
    from attnlab.report.perplexity.waterfall import pairs_drawing, parts_drawing

    return parts_drawing(found.gap) if found.gap else pairs_drawing(found.gaps)


def _bars(found: Comparison) -> Drawing:
    """A bar for each model and text, with its interval."""
    from attnlab.charts import Bar, Bars
    from attnlab.report.charts.bars import draw_bars

    shown = [each for each in found.measured if each.measures and each.measures[0].finite]
    bars = tuple(Bar(_name(each, found), **vars(each.measures[0].bits_per_byte)) for each in shown)
    title = f"Bits per byte of {' and '.join(found.texts)}"
    told = ", ".join(f"{bar.name} {bar.value:.4g}" for bar in bars) or "no model has a sound number"
    said = (
        f"Bits per byte of the raw text, in disjoint windows: {told}. Fewer are better. The lines are 95 % intervals."
    )
    chart = Bars(title, "bits per byte of the raw text (fewer are better)", bars, said)
    return Drawing(draw_bars(chart), title if bars else f"{title}: no model has a sound number", said)


def _name(each: MeasuredText, found: Comparison) -> str:
    """The name that tells a measurement from the others."""
    if len(found.texts) == 1:
        name = each.model
    else:
        name = each.text if len(found.models) == 1 else f"{each.model} on {each.text}"
    return name if each.sound else f"{name} (UNSOUND)"
