"""The pictures of an explanation: a page with the text shaded, and a chart of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from attnlab.errors import ArgumentError
from attnlab.files import write_whole

if TYPE_CHECKING:
    from attnlab.cli.measuring import Measured
    from attnlab.evaluation.explanation.gaps import Account, Costliest, Gap
    from attnlab.evaluation.scoring.costs import Costs
    from attnlab.report.parts import Parts
    from attnlab.report.surprise import Numbers, Shown


def write_surprise(path: Path, explained: Account | Gap, measured: Sequence[Measured], texts: Sequence[str]) -> None:
    """Write the page of one or two models on a text, or of one model on two; `texts` has the names of these."""
    from attnlab.evaluation.explanation.gaps import Gap
    from attnlab.report.surprise import surprise_page

    models = list(dict.fromkeys(each.model for each in measured))
    several = len(texts) > 1
    groups = [[each] for each in explained.costs] if several else [explained.costs]
    shown = [_shown(*each) for each in zip(texts, groups, explained.costliest, strict=True)]
    rows = [_numbers(*each) for each in zip(texts if several else models, measured, strict=True)]
    title = f"How {' and '.join(texts)} {'surprise' if several else 'surprises'} {' and '.join(models)}"
    parts = _parts(explained) if isinstance(explained, Gap) else None
    write_whole(path, surprise_page(title, models, rows, shown, parts, explained.notes).encode())


def write_parts(path: Path, explained: Account | Gap) -> None:
    """Write the chart of a gap's parts: .png, .svg or .html."""
    from attnlab.evaluation.explanation.gaps import Gap
    from attnlab.report.parts import save_parts

    if not isinstance(explained, Gap):
        raise ArgumentError("plot", "expected two models or two texts, whose gap has parts")
    save_parts(_parts(explained), path)


def _numbers(name: str, found: Measured) -> Numbers:
    """The measurement that is explained, which is the first, as the terminal has it."""
    from attnlab.cli.perplexity_table import in_words
    from attnlab.report.surprise import Numbers

    measure, failed = found.measures[0], ", ".join(each.name for each in found.certificate.failed)
    said = f"unsound, not to be believed: {failed} failed" if failed else "sound: every check of its audit passed"
    return Numbers(
        name=name,
        bits_per_byte=in_words(measure.bits_per_byte),
        perplexity=in_words(measure.perplexity),
        windows=f"disjoint, {measure.context:,}"
        if measure.windowed
        else f"sees {measure.context:,} token{'s' * (measure.context > 1)}",
        tokens=measure.tokens,
        raw_bytes=measure.raw_bytes,
        certificate=f"{found.model} is {said}",
    )


def _shown(name: str, found: Sequence[Costs], best: Costliest) -> Shown:
    """A text under its models, with what stands out."""
    from attnlab.evaluation.explanation.cells import cells
    from attnlab.report.surprise import MOST, Mention, Shaded, Shown

    words, passages = ([Mention(**asdict(each)) for each in some] for some in (best.words, best.passages))
    shaded = [Shaded(**asdict(each)) for each in cells(found, MOST)]
    return Shown(name, shaded, len(found[0].text), best.what, words, passages)


def _parts(gap: Gap) -> Parts:
    from attnlab.report.parts import PartBar, Parts

    bars = (PartBar(each.name, each.nats_per_token, each.bits_per_byte) for each in gap.parts)
    return Parts(gap.first.name, gap.second.name, tuple(bars))
