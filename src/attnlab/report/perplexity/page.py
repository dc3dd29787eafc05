"""The page of a text: each token shaded by its surprise, and why two measurements of it differ."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from attnlab.numbers import format_signed, percent
from attnlab.report.page.fragments import html_of, paragraphs
from attnlab.report.page.pages import figure, render
from attnlab.report.perplexity import shades
from attnlab.report.perplexity.measured import compared_blocks, easier_blocks, warnings, windows_in_words
from attnlab.report.perplexity.shades import shade, shade_between
from attnlab.report.perplexity.steps import steps_blocks
from attnlab.report.writing.estimates import estimate_in_words
from attnlab.report.writing.lines import SEEN, visible

if TYPE_CHECKING:
    from attnlab.benches.perplexity import Comparison, MeasuredText
    from attnlab.benches.perplexity.comparison import Expected
    from attnlab.evaluation.explanation.cells import Cell
    from attnlab.evaluation.explanation.gaps import Costliest
    from attnlab.evaluation.scoring.costs import Costs
    from attnlab.report.page.pages import Figure

MOST = 20_000
"""How many cells of a text are shown at most: a page with more would open slowly."""


def surprise_page(found: Comparison) -> str:
    """The page of models on a text, or of one model on two texts. The page needs no network; the shades need no
    script."""
    models, names = found.models, found.short_texts
    title = f"How {' and '.join(models)} {'predicts' if len(models) == 1 else 'predict'} {' and '.join(names)}"
    explained = [found.account] if found.account else found.gaps
    return render(
        "surprise/page.html",
        _figures(found),
        scripts=["surprise/page.js"],
        title=title,
        measured=[_numbers(*each) for each in zip(models if len(names) == 1 else names, found.measured, strict=True)],
        warnings=paragraphs(
            [line for each in found.measured for line in warnings(each)] + compared_blocks(found) + easier_blocks(found)
        ),
        certificates=list(dict.fromkeys(map(_certificate, found.measured))),
        steps=html_of(steps_blocks(found.gaps)),
        texts=_texts(found),
        notes=list(dict.fromkeys(note for each in explained for note in each.notes)),
        shades=shades,
        seen=lambda text: text.strip(" ").translate(SEEN | {ord("\n"): "⏎"}),
        signed=lambda bits: format_signed(bits, 1),
    )


def _figures(found: Comparison) -> list[Figure]:
    """The chart of the parts of each gap."""
    if not found.gaps:
        return []
    from attnlab.report.perplexity.waterfall import describe_parts, draw_parts, parts_title

    return [figure(draw_parts(each).to_dict(), describe_parts(each), parts_title(each)) for each in found.gaps]


def _texts(found: Comparison) -> list[ShadedText]:
    """Each text with its shades; with three or more models, a shorter part of the text once for each pair."""
    assert found.explained is not None  # only an explanation has cells
    views = _views(found)
    most = MOST // len(views) if len(found.models) > 2 else MOST
    expected = found.expecting(most) if found.expecting else []
    instead = {id(costs): each for costs, each in zip(found.explained.costs, expected, strict=False)}
    return [
        shaded_text(number, view, cells, [instead[id(each)] for each in view.costs] if instead else ())
        for number, (view, cells) in enumerate(zip(views, found.cells(most), strict=True))
    ]


def _views(found: Comparison) -> list[TextView]:
    """What the page shows of each text: one view for each cut into cells."""
    names, models = found.short_texts, tuple(found.models)
    if found.account is not None:
        return [TextView(names[0], models, found.account.costs, found.account.costliest[0])]
    if len(names) > 1:
        (gap,) = found.gaps
        return [
            TextView(name, models, (costs,), best)
            for name, costs, best in zip(names, gap.costs, gap.costliest, strict=True)
        ]
    pairs = [(each.first.name, each.second.name) for each in found.gaps]
    titles = [f"{names[0]}: {' and '.join(each)}" for each in pairs] if len(pairs) > 1 else names
    return [
        TextView(title, pair, each.costs, each.costliest[0])
        for title, pair, each in zip(titles, pairs, found.gaps, strict=True)
    ]


def _numbers(name: str, each: MeasuredText) -> list[str]:
    """A row of the table at the top: the first measure, which the page explains."""
    measure = each.measures[0]
    return [
        name,
        estimate_in_words(measure.bits_per_byte),
        estimate_in_words(measure.perplexity),
        windows_in_words(measure),
        f"{measure.tokens:,}",
        f"{measure.raw_bytes:,}",
    ]


def _certificate(each: MeasuredText) -> str:
    failed = ", ".join(check.name for check in each.certificate.failed)
    if failed:
        return f"{each.model} is unsound, do not trust its numbers: {failed} failed"
    return f"{each.model} is sound: every check of its audit passed"


@dataclass(frozen=True)
class TextView:
    """A text for one model, or for two models that are compared: their costs, and what stands out."""

    name: str
    models: tuple[str, ...]
    costs: Sequence[Costs]
    costliest: Costliest


@dataclass(frozen=True)
class ShadedText:
    """A text on the page: its markup, its costliest words and passages, and where their links lead."""

    view: TextView
    number: int
    body: Markup
    unknown: bool
    """Whether the tokenizer does not know some of the shown text."""
    count: int
    share: float
    """How many cells are shown, and their share of the text."""
    anchors: dict[int, str]
    """The place on the page of each word or passage that is shown, by the character where it begins."""


def shaded_text(
    number: int, view: TextView, cells: Sequence[Cell], expected: Sequence[Sequence[Expected]] = ()
) -> ShadedText:
    """The text with these cells shown. `expected` has, for each model, the likeliest tokens in place of each token."""
    ends = [0, *accumulate(len(each.text) for each in cells)]
    anchors = {
        each.start: f"t{number}-{bisect_right(ends, each.start) - 1}"
        for each in (*view.costliest.words, *view.costliest.passages)
        if each.start < ends[-1]
    }
    wanted = set(anchors.values())
    places = (f"t{number}-{place}" for place in range(len(cells)))
    body = Markup("").join(
        _shaded(each, place if place in wanted else "", instead)
        for each, place, instead in zip(cells, places, _instead(cells, expected), strict=True)
    )
    unknown = any(any(each.unknown) for each in cells)
    share = ends[-1] / len(view.costs[0].text)
    return ShadedText(view, number, body, unknown, len(cells), share, anchors)


def _instead(cells: Sequence[Cell], expected: Sequence[Sequence[Expected]]) -> Iterator[list[str]]:
    """For each cell and model: the likeliest tokens in place of the cell's first token, in words."""
    firsts = [0] * len(expected)
    for cell in cells:
        here = [some[first] if first < len(some) else () for some, first in zip(expected, firsts, strict=True)]
        yield [", ".join(f"{visible(text)} {percent(share)}" for text, share in each) for each in here]
        firsts = [first + count for first, count in zip(firsts, cell.tokens, strict=False)]


def _shaded(cell: Cell, name: str, instead: Sequence[str] = ()) -> Markup:
    """A cell with its shades. Its data is for the tooltip: bits, extra bits, tokens, unknown; and the tokens that each
    model expected instead."""
    sums = [own + more for own, more in zip(cell.bits, cell.charged, strict=True)]
    kinds = [f"{letter}{shade(bits)}" for letter, bits in zip("ab", sums, strict=False)]
    if len(sums) == 2:
        kinds.append(f"d{shade_between(sums[0] - sums[1])}")
    kinds += [f"u{letter}" for letter, unknown in zip("ab", cell.unknown, strict=False) if unknown]
    columns = zip("ab", cell.bits, cell.charged, cell.tokens, cell.unknown, strict=False)
    data = "".join(
        f' data-{letter}="{bits:.2f} {more:.2f} {tokens} {int(unknown)}"'
        for letter, bits, more, tokens, unknown in columns
    )
    data += "".join(f' data-e{letter}="{escape(each)}"' for letter, each in zip("ab", instead, strict=False) if each)
    anchor = f' id="{name}"' if name else ""
    return Markup(f'<i class="{" ".join(kinds)}"{anchor}{data}>{escape(cell.text.translate(SEEN))}</i>')
