"""The pictures of an explanation: a page with the text shaded, and a chart of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from attnlab.files import write_whole

if TYPE_CHECKING:
    from attnlab.evaluation.costs import Costs
    from attnlab.evaluation.explanation.records import Gap
    from attnlab.report.parts import Parts
    from attnlab.report.surprise import Shown


def write_surprise(
    path: Path, models: Sequence[str], texts: Sequence[str], found: Sequence[Costs], gap: Gap | None = None
) -> None:
    """Write the page of one or two models on a text, or of one model on two texts; `found` has a text or model each."""
    from attnlab.evaluation.explanation.records import Side
    from attnlab.report.surprise import Measured, surprise_page

    groups = [found] if len(texts) == 1 else [[each] for each in found]
    shown = [_shown(*each) for each in zip(texts, groups, strict=True)]
    names = models if len(texts) == 1 else texts
    measured = [
        Measured(side.name, side.perplexity, side.bits_per_byte, side.tokens, side.raw_bytes)
        for side in map(Side.of, names, found)
    ]
    title = f"How {' and '.join(texts)} {'surprises' if len(texts) == 1 else 'surprise'} {' and '.join(models)}"
    parts, notes = (None, ()) if gap is None else (_parts(gap), gap.notes)
    write_whole(path, surprise_page(title, models, measured, shown, parts, notes).encode())


def write_parts(path: Path, gap: Gap) -> None:
    """Write the chart of a gap's parts: .png, .svg or .html."""
    from attnlab.report.parts import save_parts

    save_parts(_parts(gap), path)


def _shown(name: str, found: Sequence[Costs]) -> Shown:
    """A text under its models, with what stands out."""
    from attnlab.evaluation.explanation.dearest import dearest, differing
    from attnlab.evaluation.explanation.pieces import pieces
    from attnlab.report.surprise import MOST, Mention, Shaded, Shown

    best = dearest(found[0]) if len(found) == 1 else differing(found[0], found[1])
    words, passages = ([Mention(**asdict(each)) for each in some] for some in (best.words, best.passages))
    shaded = [Shaded(**asdict(each)) for each in pieces(found, MOST)]
    return Shown(name, shaded, len(found[0].text), best.what, words, passages)


def _parts(gap: Gap) -> Parts:
    from attnlab.report.parts import PartBar, Parts

    bars = (PartBar(each.name, each.nats_per_token, each.bits_per_byte) for each in gap.parts)
    return Parts(gap.first.name, gap.second.name, tuple(bars))
