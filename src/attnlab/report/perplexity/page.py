"""The page of a text: each token shaded by its surprise, and why two measurements of it differ."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from attnlab.numbers import format_signed, percent
from attnlab.report.page.fragments import paragraphs
from attnlab.report.page.pages import figure, render
from attnlab.report.perplexity import shades
from attnlab.report.perplexity.measured import compared_blocks, easier_blocks, warnings, windows_in_words
from attnlab.report.perplexity.shades import shade, shade_between
from attnlab.report.writing.estimates import estimate_in_words
from attnlab.report.writing.lines import SEEN, visible

if TYPE_CHECKING:
    from attnlab.benches.perplexity import Comparison, Measured
    from attnlab.benches.perplexity.comparison import Expected
    from attnlab.evaluation.explanation.cells import Cell
    from attnlab.evaluation.explanation.gaps import Costliest
    from attnlab.report.page.pages import Figure

MOST = 20_000
"""How many cells of a text are shown at most: a page with more would open slowly."""


def surprise_page(found: Comparison) -> str:
    """The page of one or two models on a text, or of one model on two texts. The page needs no network; the shades need
    no script."""
    explained = found.explained
    assert explained is not None  # only an explanation has cells
    models, names = found.models, found.short_texts
    title = f"How {' and '.join(names)} {'surprises' if len(names) == 1 else 'surprise'} {' and '.join(models)}"
    expected = found.expecting(MOST) if found.expecting else []
    groups = [[each] for each in expected] if len(names) > 1 else [expected] * len(names)
    shown = zip(names, found.cells(MOST), explained.costliest, explained.costs, groups, strict=False)
    return render(
        "surprise.html",
        _figures(found),
        scripts=["surprise.js"],
        title=title,
        models=models,
        measured=[_numbers(*each) for each in zip(models if len(names) == 1 else names, found.measured, strict=True)],
        warnings=paragraphs(
            [line for each in found.measured for line in warnings(each)] + compared_blocks(found) + easier_blocks(found)
        ),
        certificates=list(dict.fromkeys(map(_certificate, found.measured))),
        texts=[
            shaded_text(number, name, cells, len(costs.text), best, instead)
            for number, (name, cells, best, costs, instead) in enumerate(shown)
        ],
        notes=explained.notes,
        shades=shades,
        seen=lambda text: text.strip(" ").translate(SEEN | {ord("\n"): "⏎"}),
        signed=lambda bits: format_signed(bits, 1),
    )


def _figures(found: Comparison) -> list[Figure]:
    """The chart of the gap's parts, if two measurements are compared."""
    if found.gap is None:
        return []
    from attnlab.report.perplexity.waterfall import describe_parts, draw_parts, parts_title

    return [figure(draw_parts(found.gap).to_dict(), describe_parts(found.gap), parts_title(found.gap))]


def _numbers(name: str, each: Measured) -> list[str]:
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


def _certificate(each: Measured) -> str:
    failed = ", ".join(check.name for check in each.certificate.failed)
    if failed:
        return f"{each.model} is unsound, do not trust its numbers: {failed} failed"
    return f"{each.model} is sound: every check of its audit passed"


@dataclass(frozen=True)
class ShadedText:
    """A text on the page: its markup, its costliest words and passages, and where their links lead."""

    name: str
    number: int
    body: Markup
    unknown: bool
    """Whether the tokenizer does not know some of the shown text."""
    count: int
    share: float
    """How many cells are shown, and their share of the text."""
    costliest: Costliest
    anchors: dict[int, str]
    """The place on the page of each word or passage that is shown, by the character where it begins."""


def shaded_text(
    number: int,
    name: str,
    cells: Sequence[Cell],
    length: int,
    costliest: Costliest,
    expected: Sequence[Sequence[Expected]] = (),
) -> ShadedText:
    """The text with these cells shown; `length` is the length of the whole text in characters. `expected` has, for each
    model, the likeliest tokens in place of each token."""
    ends = [0, *accumulate(len(each.text) for each in cells)]
    anchors = {
        each.start: f"t{number}-{bisect_right(ends, each.start) - 1}"
        for each in (*costliest.words, *costliest.passages)
        if each.start < ends[-1]
    }
    wanted = set(anchors.values())
    places = (f"t{number}-{place}" for place in range(len(cells)))
    body = Markup("").join(
        _shaded(each, place if place in wanted else "", instead)
        for each, place, instead in zip(cells, places, _instead(cells, expected), strict=True)
    )
    unknown = any(any(each.unknown) for each in cells)
    return ShadedText(name, number, body, unknown, len(cells), ends[-1] / length, costliest, anchors)


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
