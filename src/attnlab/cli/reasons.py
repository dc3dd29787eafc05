"""Reasons as a person reads them: coloured text and signed numbers in a terminal, and the page of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from attnlab.evaluation.classification.reasons import Misread, Reasons
from attnlab.files import write_whole
from attnlab.numbers import format_signed
from attnlab.report.lines import on_one_line
from attnlab.report.pushes import shade_of_push

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attnlab.evaluation.classification.reasons import KindCounts
    from attnlab.report.kinds_of_errors import KindsOfErrors
    from attnlab.report.reasons import Explained

LONGEST = 400
"""So many words of a text are shown in a terminal."""
STRONGEST = 8
STYLES = ("", "", "bold", "bold reverse")
"""On top of its side's colour, how each shade is set; the weakest pushes have no colour."""
COLOURS = {"for": "blue", "against": "dark_orange"}


def reasons_lines(found: Reasons) -> list[RenderableType]:
    """What was said, the text with its colours, and the strongest words with their numbers."""
    said, against = on_one_line(found.said), on_one_line(found.against)
    label = f", but it is {on_one_line(str(found.label))}" if found.label not in (None, found.said) else ""
    heading = Text(f"{said}{label}: probability {found.probability:.4f}, log-odds {_signed(found.log_odds)}", "bold")
    legend = Text.assemble(
        (f"pushes towards {said}", COLOURS["for"]), "   ", (f"pushes towards {against}", COLOURS["against"])
    )
    lines: list[RenderableType] = [heading]
    if found.unknown == len(found.words):
        lines.append("no word of it is known: this is what is said of no words at all")
        return [*lines, coloured(found)]
    if found.unknown:
        lines.append(f"{found.unknown:,} of {len(found.words):,} words are unknown")
    return [*lines, legend, coloured(found), _strongest(found)]


def misread_lines(found: Misread) -> list[RenderableType]:
    """The same of an error, with its kinds and the numbers that decided them."""
    place = [Text(on_one_line(found.place))] if found.place else []
    why = f" ({found.why_first})" if found.why_first else ""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("kind", "holds", "what decided it"):
        table.add_column(name, overflow="fold")
    for each in found.experiments:
        table.add_row(each.kind, "yes" if each.holds else "no", Text(_printable(each.told)))
    return [*place, *reasons_lines(found.reasons), f"first kind: {found.first}{why}", table]


def coloured(found: Reasons) -> Text:
    """The text, each word in the colour of the side it pushed to, the stronger the farther it did."""
    farthest = max(
        (abs(push) for push, word in zip(found.removal, found.words, strict=True) if word.known), default=0.0
    )
    shown, place = Text(), 0
    for word, push in zip(found.words[:LONGEST], found.removal.tolist(), strict=False):
        shown.append(_printable(found.text[place : word.start]))
        shown.append(_printable(word.text), _style(push, farthest) if word.known else "underline")
        place = word.stop
    return shown.append(_printable(found.text[place:]) if len(found.words) <= LONGEST else " …")


def kinds_table(counts: KindCounts) -> Table:
    """How often each kind is the first, and how often it is one at all."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("kind")
    for name in ("first", "share", "in all", "share"):
        table.add_column(name, justify="right")
    for kind, first in counts.first.items():
        held = counts.any[kind]
        table.add_row(kind, f"{first:,}", f"{first / counts.errors:.1%}", f"{held:,}", f"{held / counts.errors:.1%}")
    return table


def kinds_chart(counts: KindCounts, name: str, data: str) -> KindsOfErrors:
    """The record of the chart of kinds."""
    from attnlab.report.kinds_of_errors import KindBar, KindsOfErrors

    bars = tuple(KindBar(kind, first, counts.any[kind]) for kind, first in counts.first.items())
    return KindsOfErrors(name, data, counts.texts, counts.errors, bars)


def write_page(path: Path, title: str, found: Sequence[Reasons | Misread], chart: KindsOfErrors | None = None) -> None:
    """Write the page of some texts, and of how often each kind is."""
    from attnlab.report.reasons import reasons_page

    write_whole(path, reasons_page(title, [_explained(each) for each in found], chart).encode("utf-8", "replace"))


def _explained(found: Reasons | Misread) -> Explained:
    from attnlab.report.reasons import Explained, PushedWord, Tried

    reasons = found.reasons if isinstance(found, Misread) else found
    words = [
        PushedWord(word.start, word.stop, word.known, off, along)
        for word, off, along in zip(reasons.words, reasons.removal.tolist(), reasons.gradients.tolist(), strict=True)
    ]
    shown = Explained(
        reasons.text,
        on_one_line(reasons.said),
        on_one_line(reasons.against),
        reasons.probability,
        reasons.log_odds,
        reasons.empty,
        words,
        None if reasons.label is None else on_one_line(reasons.label),
    )
    if isinstance(found, Reasons):
        return shown
    tried = [Tried(each.kind, each.holds, each.told) for each in found.experiments]
    return replace(shown, place=on_one_line(found.place), first=found.first, why_first=found.why_first, tried=tried)


def _strongest(found: Reasons) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("strongest words", overflow="fold")
    for name in ("removal", "gradients"):
        table.add_column(name, justify="right", no_wrap=True)
    for place in found.strongest(STRONGEST):
        push = float(found.removal[place])
        side = COLOURS["for" if push > 0 else "against"]
        table.add_row(Text(_printable(found.words[place].text), side), _signed(push), _signed(found.gradients[place]))
    return table


def _style(push: float, farthest: float) -> str:
    number = shade_of_push(push, farthest)
    colour = COLOURS["for" if number > 0 else "against"]
    return f"{STYLES[abs(number) - 1]} {colour}".strip() if number else ""


def _signed(value: float) -> str:
    return format_signed(float(value), 2).replace("−", "-")  # a hyphen, so that it can be copied into a calculation


def _printable(text: str) -> str:
    """A text with nothing in it that a terminal would obey."""
    return "".join(
        each if each.isprintable() or each == "\n" else " " if each == "\t" else repr(each)[1:-1] for each in text
    )
