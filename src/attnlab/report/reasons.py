"""The page of reasons: each word of a text shaded by how far it pushed, and of which kind an error is."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from attnlab.numbers import format_signed
from attnlab.report.kinds_of_errors import KindsOfErrors, draw_kinds
from attnlab.report.look import PALETTE
from attnlab.report.pages import figure, render
from attnlab.report.pushes import shade_of_push
from attnlab.report.surprise import SEEN

MOST = 20_000
"""So many words of a text are shown; more would make a page that is slow to open."""
STRONGEST = 12
HOW_OFTEN = "How often each kind of error is"
SIDES = {"for": PALETTE[0], "against": PALETTE[1]}
OPACITY = (14, 26, 40, 56)
"""How much of a side's colour each shade has, in per cent; the text stays readable on all of them."""


@dataclass(frozen=True)
class PushedWord:
    """A word at text[start:stop], how far it pushed the class that was said by removal and by integrated gradients."""

    start: int
    stop: int
    known: bool
    removal: float
    gradients: float


@dataclass(frozen=True)
class Tried:
    """An experiment: the kind that it is for, whether that holds, and the numbers in words."""

    kind: str
    holds: bool
    told: str


@dataclass(frozen=True)
class Explained:
    """A text to be shown: what was said of it, with which probability, and its words."""

    text: str
    said: str
    against: str
    """What a push below 0 is for."""
    probability: float
    log_odds: float
    empty: float
    words: Sequence[PushedWord]
    label: str | None = None
    place: str = ""
    first: str = ""
    why_first: str = ""
    tried: Sequence[Tried] = ()

    @property
    def unknown(self) -> int:
        """How many words are not known."""
        return sum(not word.known for word in self.words)

    @property
    def strongest(self) -> list[tuple[str, PushedWord]]:
        """The words that pushed farthest either way by removal."""
        known = sorted((word for word in self.words if word.known), key=lambda word: -abs(word.removal))
        return [(self.text[word.start : word.stop], word) for word in known[:STRONGEST]]


def reasons_page(title: str, texts: Sequence[Explained], kinds: KindsOfErrors | None = None) -> str:
    """The page of some texts; it needs no network, and no script."""
    figures = [] if kinds is None else [figure(draw_kinds(kinds).to_dict(), kinds.description, HOW_OFTEN)]
    return render(
        "reasons.html",
        figures,
        title=title,
        texts=[(each, marked(each)) for each in texts],
        sides=SIDES,
        opacity=OPACITY,
        signed=lambda value: format_signed(value, 2),
        seen=lambda text: text.translate(SEEN),
        most=MOST,
    )


def marked(found: Explained) -> Markup:
    """The text with a mark for each word, by its shade; a pointer brings up the numbers."""
    words = found.words[:MOST]
    farthest = max((abs(word.removal) for word in words if word.known), default=0.0)
    pieces, place = [], 0
    for word in words:
        pieces += [escape(found.text[place : word.start].translate(SEEN)), _cell(found, word, farthest)]
        place = word.stop
    end = found.text[place:] if len(words) == len(found.words) else "…"
    return Markup("").join([*pieces, escape(end.translate(SEEN))])


def _cell(found: Explained, word: PushedWord, farthest: float) -> Markup:
    shown = escape(found.text[word.start : word.stop].translate(SEEN))
    if not word.known:
        return Markup(f'<i class="unknown" title="unknown">{shown}</i>')
    shade = shade_of_push(word.removal, farthest)
    numbers = f"removal {format_signed(word.removal, 2)}, gradients {format_signed(word.gradients, 2)}"
    if not shade:
        return Markup(f'<i title="{numbers}">{shown}</i>')
    return Markup(f'<i class="{"for" if shade > 0 else "against"}{abs(shade)}" title="{numbers}">{shown}</i>')
