"""The picture of a text: each token shaded by its surprise, and why two measurements of it differ."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from markupsafe import Markup, escape

from attnlab.errors import ArgumentError
from attnlab.numbers import format_signed
from attnlab.report import shades
from attnlab.report.pages import figure, render
from attnlab.report.parts import Parts, draw_parts
from attnlab.report.shades import shade, shade_between

MOST = 20_000
"""So many pieces of a text are shown; more would make a page that is slow to open."""
SEEN = {ord("\n"): "⏎\n", ord("\r"): "␍", ord("\t"): "⇥\t", 0x7F: "␡"}
SEEN |= {code: chr(0x2400 + code) for code in range(32) if code not in SEEN}
SEEN |= {code: f"⟨U+{code:04X}⟩" for code in (*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
SEEN |= {code: f"⟨U+{code:04X}⟩" for code in (0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF)}
"""What stands for characters that cannot be seen, or would change how others are."""


@dataclass(frozen=True)
class Shaded:
    """A piece of a text, and for each model the bits of its tokens and those charged on top, how many tokens there are,
    and whether one of them is unknown."""

    text: str
    bits: tuple[float, ...]
    charged: tuple[float, ...]
    tokens: tuple[int, ...]
    unknown: tuple[bool, ...]


@dataclass(frozen=True)
class Mention:
    """A word or passage that stands out by some bits, and the character of the text where it begins."""

    text: str
    bits: float
    times: int
    start: int


@dataclass(frozen=True)
class Shown:
    """A text to be shown: its first pieces in order, and what stands out in all of it; `what` says what its bits are.

    `length` is how many characters the whole text has.
    """

    name: str
    pieces: Sequence[Shaded]
    length: int
    what: str
    words: Sequence[Mention]
    passages: Sequence[Mention]


@dataclass(frozen=True)
class Numbers:
    """A row of the numbers at the top, as a person reads them; `certificate` says whether they are to be believed."""

    name: str
    bits_per_byte: str
    perplexity: str
    windows: str
    tokens: int
    raw_bytes: int
    certificate: str = ""


def surprise_page(
    title: str,
    models: Sequence[str],
    measured: Sequence[Numbers],
    texts: Sequence[Shown],
    parts: Parts | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The page of one or two models on one or more texts; it needs no network, and no script for what it shows."""
    if not 1 <= len(models) <= 2 or not all(len(each.bits) == len(models) for text in texts for each in text.pieces):
        raise ArgumentError("models", f"expected one or two, with as many numbers a piece, got {len(models)}")
    figures = [] if parts is None else [figure(draw_parts(parts).to_dict(), parts.description, parts.title)]
    return render(
        "surprise.html",
        figures,
        title=title,
        models=models,
        measured=measured,
        texts=[_placed(number, each) for number, each in enumerate(texts)],
        notes=notes,
        shades=shades,
        seen=lambda text: text.strip(" ").translate(SEEN | {ord("\n"): "⏎"}),
        signed=lambda bits: format_signed(bits, 1),
    )


@dataclass(frozen=True)
class _Placed:
    """A text on the page: its markup, and where the links of what stands out lead."""

    shown: Shown
    number: int
    body: Markup
    unknown: bool
    """Whether anything shown is unknown."""
    count: int
    share: float
    """How many pieces are shown, and what share of the text they are."""
    anchors: dict[int, str]
    """By the character where a mention begins, the place on the page, where that is on it."""


def _placed(number: int, text: Shown) -> _Placed:
    pieces = text.pieces[:MOST]
    ends = [0, *accumulate(len(each.text) for each in pieces)]
    anchors = {
        each.start: f"t{number}-{bisect_right(ends, each.start) - 1}"
        for each in (*text.words, *text.passages)
        if each.start < ends[-1]
    }
    wanted = set(anchors.values())
    names = (f"t{number}-{place}" for place in range(len(pieces)))
    cells = (_cell(each, name if name in wanted else "") for each, name in zip(pieces, names, strict=True))
    unknown = any(any(each.unknown) for each in pieces)
    return _Placed(text, number, Markup("").join(cells), unknown, len(pieces), ends[-1] / text.length, anchors)


def _cell(piece: Shaded, name: str) -> Markup:
    """A piece with its shades; what a pointer brings up is in its data: bits, bits charged, tokens, unknown."""
    kinds = [f"{letter}{shade(sum(both))}" for letter, both in zip("ab", _both(piece), strict=False)]
    if len(piece.bits) == 2:
        first, second = map(sum, _both(piece))
        kinds.append(f"d{shade_between(first - second)}")
    kinds += [f"u{letter}" for letter, unknown in zip("ab", piece.unknown, strict=False) if unknown]
    data = "".join(
        f' data-{letter}="{bits:.2f} {charged:.2f} {tokens} {int(unknown)}"'
        for letter, bits, charged, tokens, unknown in zip(
            "ab", piece.bits, piece.charged, piece.tokens, piece.unknown, strict=False
        )
    )
    anchor = f' id="{name}"' if name else ""
    return Markup(f'<i class="{" ".join(kinds)}"{anchor}{data}>{escape(piece.text.translate(SEEN))}</i>')


def _both(piece: Shaded) -> list[tuple[float, float]]:
    """The bits of tokens and those charged, for each model."""
    return list(zip(piece.bits, piece.charged, strict=True))
