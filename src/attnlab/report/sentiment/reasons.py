"""How reasons are shown: each word in the colour of the class that it pushed towards, darker for a stronger push; the
strongest words with their numbers; and the kinds of an error."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attnlab.numbers import format_signed, percent
from attnlab.report.blocks import Block, Drawing, Marked, borderless
from attnlab.report.writing.estimates import typed_signed
from attnlab.report.writing.lines import SEEN, on_one_line

if TYPE_CHECKING:
    from markupsafe import Markup

    from attnlab.evaluation.classification.reasons import Misread, Reasons

SHARES = (0.05, 0.15, 0.35, 0.65)
"""Each shade begins at this share of the strongest push."""
LONGEST = 400
"""How many words of a text are shown in a terminal and a notebook."""
MOST = 20_000
"""How many words are shown on a page; more would make it slow to open."""
STRONGEST, STRONGEST_ON_PAGE = 8, 12
HOW_OFTEN = "How often each kind of error occurs"
UNKNOWN = "no word of the text is known: this is the answer for an empty text"


def shade_of_push(push: float, farthest: float) -> str:
    """The mark of a push: `for1` to `for4` towards the predicted class, `against1` to `against4` away from it, or ''.

    >>> [shade_of_push(push, 2.0) for push in (0.01, 0.5, -2.0)]
    ['', 'for2', 'against4']
    """
    number = bisect_right(SHARES, abs(push) / farthest) if farthest else 0
    return f"{'for' if push > 0 else 'against'}{number}" if number else ""


def reasons_blocks(found: Reasons) -> list[Block]:
    """The predicted class, the text with its colours, and the strongest words with their numbers."""
    label = f", but the label is {on_one_line(str(found.label))}" if found.label not in (None, found.said) else ""
    numbers = f"probability {found.probability:.4f}, log-odds {typed_signed(found.log_odds, 2)}"
    heading = f"{on_one_line(found.said)}{label}: {numbers}"
    if found.unknown == len(found.words):
        return [heading, UNKNOWN, marked_text(found)]
    unknown = [f"{found.unknown:,} of {len(found.words):,} words are unknown"] if found.unknown else []
    strongest = [
        (word.name, typed_signed(word.removal, 2), typed_signed(word.gradients, 2))
        for word in found.strongest(STRONGEST)
    ]
    table = borderless(("strongest words", "removal", "gradients"), strongest)
    return [heading, *unknown, marked_text(found), table]


def error_blocks(found: Misread) -> list[Block]:
    """The blocks of an error: its reasons, its kinds and the numbers that decided them."""
    place = [on_one_line(found.place)] if found.place else []
    why = f" ({found.why_first})" if found.why_first else ""
    rows = [(each.kind, "yes" if each.holds else "no", each.told) for each in found.experiments]
    table = borderless(("kind", "holds", "what decided it"), rows, words=3)
    return [*place, *reasons_blocks(found.reasons), f"first kind: {found.first}{why}", table]


def marked_text(found: Reasons) -> Marked:
    """The text with a mark for each word, without control characters."""
    farthest = _farthest(found)
    pieces, place = [], 0
    for word, push in zip(found.words[:LONGEST], found.removal.tolist(), strict=False):
        mark = shade_of_push(push, farthest) if word.known else "unknown"
        pieces += [(_visible(found.text[place : word.start]), ""), (_visible(word.text), mark)]
        place = word.stop
    rest = _visible(found.text[place:]) if len(found.words) <= LONGEST else " …"
    legend = {"for3": f"+ pushes towards {on_one_line(found.said)}"} if farthest else {}
    legend |= {"against3": f"- pushes towards {on_one_line(found.against)}"} if farthest else {}
    legend |= {"unknown": "? unknown"} if found.unknown else {}
    return Marked([each for each in (*pieces, (rest, "")) if each[0]], legend)


def reasons_page(
    title: str,
    texts: Sequence[tuple[Reasons, Misread | None]],
    kinds: Drawing | None = None,
    warnings: Sequence[str] = (),
) -> str:
    """The page of some texts, each with its error if it is misread, and of warnings. The page needs no network."""
    from attnlab.report.page.fragments import SHADES, SIDES
    from attnlab.report.page.pages import figure, render

    figures = []
    if kinds is not None:
        spec = kinds.chart.to_dict()
        del spec["title"]  # it would be wider than a narrow window
        figures.append(figure(spec, kinds.description, HOW_OFTEN))
    return render(
        "reasons.html",
        figures,
        title=title,
        warning="\n".join(warnings),
        texts=[(reasons, error, page_text(reasons)) for reasons, error in texts],
        sides=SIDES,
        opacity=SHADES,
        signed=lambda value: format_signed(float(value), 2),
        percent=percent,
        seen=_seen,
        line=on_one_line,
        most=MOST,
        strongest=STRONGEST_ON_PAGE,
    )


def page_text(found: Reasons) -> Markup:
    """The text for a page, with a mark and a tooltip for each word."""
    from markupsafe import Markup, escape

    made = (escape(text) if mark is None else _cell(text, mark, told) for text, mark, told in cells(found))
    return Markup("").join(made)


def cells(found: Reasons) -> list[tuple[str, str | None, str]]:
    """The text in pieces: the piece as it is shown, its mark, and its tooltip. Between words, the mark is None."""
    words, farthest = found.words[:MOST], _farthest(found)
    pushes = zip(words, found.removal.tolist(), found.gradients.tolist(), strict=False)
    pieces: list[tuple[str, str | None, str]] = []
    place = 0
    for word, removal, gradients in pushes:
        mark = shade_of_push(removal, farthest) if word.known else "unknown"
        numbers = f"removal {format_signed(removal, 2)}, gradients {format_signed(gradients, 2)}"
        pieces.append((_seen(found.text[place : word.start]), None, ""))
        pieces.append((_seen(word.text), mark, numbers if word.known else "unknown"))
        place = word.stop
    end = found.text[place:] if len(words) == len(found.words) else "…"
    return [*pieces, (_seen(end), None, "")]


def _cell(text: str, mark: str, told: str) -> Markup:
    from markupsafe import Markup

    shade = Markup(' class="{}"').format(mark) if mark else ""
    return Markup('<i{} title="{}">{}</i>').format(shade, told, text)


def darkest_push(found: Reasons) -> float:
    """The push from which on a word has the darkest shade; 0 if no word pushes."""
    return SHARES[-1] * _farthest(found)


def _farthest(found: Reasons) -> float:
    """The push of the strongest known word."""
    return max((abs(word.removal) for word in found.strongest(1)), default=0.0)


def _seen(text: str) -> str:
    """A text for a page, with invisible characters made visible."""
    return text.translate(SEEN)


def _visible(text: str) -> str:
    """A text of several lines without control characters."""
    return "\n".join(map(on_one_line, text.replace("\t", " ").split("\n")))
