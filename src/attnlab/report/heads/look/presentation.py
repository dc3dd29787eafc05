"""How the attention of heads on a text is shown: shaded text, a matrix, a grid of all heads, a chart and a page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64

from attnlab.numbers import percent, whole_percent
from attnlab.report.blocks import Block, Drawing, Marked, Presentation, Table, borderless
from attnlab.report.writing.lines import SEEN, shortened, visible

if TYPE_CHECKING:
    from attnlab.benches.heads.look import HeadPatterns

SHARES = {0.1: "for2", 0.4: "for4"}
"""Each mark of the text begins at this weight."""
DARKNESS = (0.05, 0.25, 0.5, 0.75)
SQUARES = "·░▒▓█"
"""The signs of a matrix: each of the last four begins at a weight of DARKNESS."""
MOST_NUMBERS, MOST_SQUARES = 16, 64
"""The most tokens of a text whose matrix of weights is shown in numbers, and in signs."""
STRONGEST = 5
"""How many keys are listed with their numbers."""
ACROSS = 12
"""How many heads stand side by side."""
LONGEST_TOKEN = 8
"""How many characters of a token are shown in a grid."""
MOST_SHADED = 400
"""How many tokens of the text are shown in a terminal and a notebook."""


def looked(found: HeadPatterns) -> Presentation:
    """One head as shaded text and a matrix; several heads as a grid with the strongest key of each."""
    from attnlab.report.heads.look.page import look_page

    blocks = one_head(found) if len(found.heads) == 1 else all_heads(found)
    return Presentation([*notes(found), *blocks], lambda: _drawing(found), lambda: look_page(found), Rows(found))


def notes(found: HeadPatterns) -> list[Block]:
    """What was looked at, and what a reader must know of the tokens."""
    count = "1 head" if len(found.heads) == 1 else f"{len(found.heads)} heads"
    lines: list[Block] = [f"{found.model}: {count} on {len(found.tokens):,} tokens"]
    if found.started:
        lines.append(f"position 0 is the model's start token, {seen(found.tokens[0])}, which stands before every text")
    if found.unknown:
        places = ", ".join(map(str, found.unknown[:8])) + (", …" if len(found.unknown) > 8 else "")
        lines.append(f"the model does not know {len(found.unknown):,} of the tokens (positions {places})")
    return lines


def one_head(found: HeadPatterns) -> list[Block]:
    """The text in the shades of what one token attends to, the strongest keys, and the matrix of a short text."""
    (head,), query = found.heads, found.query
    weights, logits = found.pattern(head).of_query(query)
    strongest = np.argsort(-weights, kind="stable")[:STRONGEST]
    rows = [(key, seen(found.tokens[key]), f"{weights[key]:.4f}", f"{logits[key]:.3f}") for key in strongest.tolist()]
    left = 1 - float(weights.sum())
    sink = [f"{percent(left)} of its attention goes to no token: the sink takes it"] if left > 1e-4 else []
    return [
        f"head {head}: the attention of position {query}, {seen(found.tokens[query])}, on each token up to it",
        _shaded(found, weights),
        borderless(("key", "token", "weight", "logit"), rows, words=2),
        *sink,
        *_matrix(found, head),
    ]


def all_heads(found: HeadPatterns) -> list[Block]:
    """A grid of layers and heads: the token that each head attends to most, from one token."""
    query = found.query
    title = f"the token that each head attends to most from position {query}, {seen(found.tokens[query])}, in per cent"
    cells = {each: _strongest(found, each) for each in found.heads}
    layers = list(dict.fromkeys(each.partition(".")[0] for each in found.heads))
    columns = sorted({int(each.partition(".")[2]) for each in found.heads})
    grids = [
        borderless(
            ("layer", *(f"head {each}" for each in some)),
            [(layer, *(cells.get(f"{layer}.{each}", "") for each in some)) for layer in layers],
            words=1 + len(some),
        )
        for some in (columns[first : first + ACROSS] for first in range(0, len(columns), ACROSS))
    ]
    return [title, *grids, f"one head with its numbers: --head {found.heads[-1]}; every head as a page: --html FILE"]


def seen(token: str) -> str:
    """A token in quotation marks, on one line, with invisible characters written out."""
    return f"“{visible(token)}”"


def _strongest(found: HeadPatterns, head: str) -> str:
    weights, _ = found.pattern(head).of_query(found.query)
    key = int(weights.argmax())
    token = visible(found.tokens[key])
    return f"{token if len(token) <= LONGEST_TOKEN else token[: LONGEST_TOKEN - 1] + '…'} {100 * weights[key]:.0f}"


def _shaded(found: HeadPatterns, weights: Float64[np.ndarray, " keys"]) -> Marked:
    """The tokens with a mark for their weight; of a long text, those before the query."""
    first = max(0, min(len(found.tokens), found.query + 1) - MOST_SHADED)
    shown = found.tokens[first : first + MOST_SHADED]
    marks = [next((mark for least, mark in reversed(SHARES.items()) if each >= least), "") for each in weights[first:]]
    marks += [""] * (len(shown) - len(marks))
    pieces = [(token.translate(SEEN), mark) for token, mark in zip(shown, marks, strict=False)]
    if first:
        pieces.insert(0, ("… ", ""))
    if first + len(shown) < len(found.tokens):
        pieces.append((" …", ""))
    signs = dict(zip(SHARES.values(), ("+", "++"), strict=True))
    return Marked(pieces, {mark: f"{signs[mark]} from {whole_percent(least)}" for least, mark in SHARES.items()})


def _matrix(found: HeadPatterns, head: str) -> list[Block]:
    """The weights of a short text: a row for each query, a column for each key."""
    if len(found.tokens) > MOST_SQUARES:
        return []
    weights, names = found.weights(head), [shortened(visible(each)) for each in found.tokens]
    if len(names) <= MOST_NUMBERS:
        rows = [
            (str(at), name, *(f"{100 * each:.0f}" for each in weights[at, : at + 1])) for at, name in enumerate(names)
        ]
        columns = ("query", "key:", *map(str, range(len(names))))
        filled = [row + ("",) * (len(columns) - len(row)) for row in rows]
        return ["", "all weights in per cent: a row for each query, a column for each key", Table(columns, filled, 2)]
    signs = [
        "".join(SQUARES[bisect_right(DARKNESS, float(each))] for each in row[: at + 1])
        for at, row in enumerate(weights)
    ]
    legend = ", ".join(f"{sign} from {whole_percent(edge)}" for sign, edge in zip(SQUARES[1:], DARKNESS, strict=True))
    table = Table(
        ("query", "", f"keys 0 to {len(names) - 1}"),
        [(str(at), *row) for at, row in enumerate(zip(names, signs, strict=True))],
        3,
    )
    return ["", f"all weights: a row for each query, a sign for each key ({legend})", table]


def _drawing(found: HeadPatterns) -> Drawing:
    from attnlab.report.heads.look.chart import draw_heads, draw_map

    return draw_map(found, found.heads[0]) if len(found.heads) == 1 else draw_heads(found)


class Rows(Sequence[Mapping[str, Any]]):
    """The rows of a .csv file, made one by one: all at once would fill the memory."""

    def __init__(self, found: HeadPatterns):
        self.found = found

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return self.found.rows()

    def __len__(self) -> int:
        return sum(len(each.past) for each in self.found.patterns.values())

    def __getitem__(self, place: Any) -> Any:
        return list(self.found.rows())[place]
