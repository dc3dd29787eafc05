"""What it costs to tell the raw text if another form of each piece is known, for example lower case, without spaces.

Each piece of raw text is told as three strings, given the seen piece: the text before it, its letter case, and the text
after it. All texts after pieces are told first, then all texts before them. Both can then tell whether a piece begins a
sentence. The code is fixed: it is learnt from a training text, and the price of a piece does not depend on the length
of the text that is measured. One piece in 256 is expected to be told by its raw bytes, so no piece costs more than 11
bits and 8.2 bits for each of its bytes.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Integer

from attnlab.text.case_and_spaces.parts import openings, piece_kind, piece_parts, turn
from attnlab.text.string_code import StringCode, raw_nats

RAW = 1 / 256
"""The probability that a piece is told by its raw bytes."""
MOST = 1 << 17
"""The most places whose costs are remembered: a long text has ever new words."""
JOINED, APART = "joined", "apart"
"""The sorts of pieces: whether a piece continues the word before it."""
Piece = tuple[str, str, str]
"""A token: its text (decoded, or spelled if unknown), the raw text that it covers, and its sort."""
Place = tuple[str, str, str, str, int]
"""A piece as it is seen, the raw piece, its kind, the kind of the next piece, and whether it opens a sentence."""


@dataclass(frozen=True)
class Pieces:
    """The pieces of a text. Most have come before, so each different one is here once."""

    different: list[Piece]
    numbers: Integer[np.ndarray, " pieces"]
    """Which of the different pieces each piece of the text is."""

    @classmethod
    def of(cls, pieces: Sequence[Piece]) -> "Pieces":
        """The pieces of a text, one after the other."""
        numbers = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
        return cls([*numbers], np.fromiter(map(numbers.__getitem__, pieces), np.int64, len(pieces)))

    def __len__(self) -> int:
        """The number of pieces in the text."""
        return len(self.numbers)

    def __getitem__(self, place: int) -> Piece:
        """A piece of the text."""
        return self.different[self.numbers[place]]


@dataclass(frozen=True)
class CaseAndSpacesCode:
    """A code for the text before pieces, for their forms, and for the text after them."""

    before: StringCode
    form: StringCode
    after: StringCode

    @classmethod
    def learn(cls, *texts: Pieces) -> "CaseAndSpacesCode":
        """The code of training texts in pieces.

        >>> line = [(word, raw, APART) for word, raw in (("the", "The "), ("cat", "cat "), ("sat", "sat\\n"))]
        >>> code = CaseAndSpacesCode.learn(Pieces.of(line * 9))
        >>> told = Pieces.of([("the", "The ", APART), ("cat", "Cat ", APART)])
        >>> CaseAndSpacesTeller(code).add(told).round(1).tolist()
        [0.1, 4.5]
        """
        counts: tuple[Counter[Any], ...] = (Counter(), Counter(), Counter())
        for pieces in texts:
            places, numbers, _ = _places(pieces)
            for place, count in zip(places, np.bincount(numbers).tolist(), strict=True):
                for column, each in zip(counts, _strings(place), strict=True):
                    column[each] += count
        return cls(*map(StringCode.learn, counts))

    def nats(self, place: Place) -> float:
        """−ln p of a raw piece in its place."""
        codes = zip((self.before, self.form, self.after), _strings(place), strict=True)
        return or_raw(sum(code.nats(string, contexts) for code, (contexts, string) in codes), place[1])

    def to_json(self) -> dict[str, Any]:
        """The code as JSON."""
        return {name: getattr(self, name).to_json() for name in ("before", "form", "after")}

    @classmethod
    def from_json(cls, value: Any) -> "CaseAndSpacesCode":
        """The code from its `to_json`."""
        if not isinstance(value, dict) or set(value) != {"before", "form", "after"}:
            raise ValueError("expected a code of case and spaces with before, form and after")
        return cls(**{name: StringCode.from_json(each) for name, each in value.items()})


def or_raw(nats: float, string: str) -> float:
    """−ln p of a string that is told by some code or, one time in 256, by its raw bytes."""
    return -float(np.logaddexp(math.log1p(-RAW) - nats, math.log(RAW) - raw_nats(string)))


class CaseAndSpacesTeller:
    """Tells pieces that come in batches; the batches do not change the costs."""

    def __init__(self, code: CaseAndSpacesCode) -> None:
        self._code, self._opening = code, 2
        self._known: dict[Place, float] = {}

    def add(self, pieces: Pieces, ahead: Piece | None = None) -> Float[np.ndarray, " pieces"]:
        """−ln p of a batch of pieces; `ahead` is the next piece, if there is one."""
        places, numbers, self._opening = _places(pieces, ahead, self._opening)
        for each in set(places) - self._known.keys():
            self._known[each] = self._code.nats(each)
        found = np.array([self._known[each] for each in places])[numbers]
        if len(self._known) > MOST:
            self._known.clear()
        return found


def _places(
    pieces: Pieces, ahead: Piece | None = None, opening: int = 2
) -> tuple[list[Place], Int[np.ndarray, " pieces"], int]:
    """The different places, in the order of the text; the number of the place of each piece; and whether the next piece
    opens a sentence or a line."""
    different, ids = pieces.different, pieces.numbers
    opens, opening = openings([turn(seen, piece_parts(seen, raw)) for seen, raw, _ in different], ids, opening)
    names = [_kind(seen, sort) for seen, _, sort in different]
    last = _kind(ahead[0], ahead[2]) if ahead else ""
    kinds = list(dict.fromkeys([*names, last]))
    kind = np.array([kinds.index(each) for each in names], np.int64)[ids]
    following = np.append(kind[1:], kinds.index(last))[: ids.size]
    _, firsts, found = np.unique((ids * len(kinds) + following) * 3 + opens, return_index=True, return_inverse=True)
    order = np.argsort(firsts)  # of the text
    ranks = np.empty_like(order)
    ranks[order] = np.arange(order.size)
    columns = (each[firsts[order]].tolist() for each in (ids, kind, following, opens))
    places = [
        (*different[number][:2], kinds[own], kinds[after], opened)
        for number, own, after, opened in zip(*columns, strict=True)
    ]
    return places, ranks[found], opening


def _strings(place: Place) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The three strings of a piece, each with its contexts from wide to narrow."""
    seen, raw, kind, following, opens = place
    parts = piece_parts(seen, raw)
    return (
        ((kind,), parts.before),
        ((f"{kind} {opens}", f"{seen} {opens}"), parts.form),
        ((f"{kind} {following}", f"{seen} {following}"), parts.after),
    )


def _kind(piece: str, sort: str) -> str:
    return f"+{piece_kind(piece)}" if sort == JOINED else piece_kind(piece)
