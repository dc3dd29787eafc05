"""A piece of raw text, beside the piece that a token tells: the text before it, its letter case, the text after it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

AS_SEEN, CAPITALISED, CAPITALS, OTHERWISE = "=", "^", "!", '"'
SENTENCE_ENDS = frozenset(".!?…")
Turn = tuple[bool, bool, int]
"""What a piece does to what follows it (`turn`)."""


@dataclass(frozen=True)
class PieceParts:
    """A piece of raw text, given the seen piece: the text before it, its form, and the text after it."""

    before: str
    form: str
    after: str


def piece_parts(seen: str, raw: str) -> PieceParts:
    """The information in a raw piece beyond the seen piece.

    >>> piece_parts("zealand", "Zealand, "), piece_parts("<number>", "1642 ")
    (PieceParts(before='', form='^', after=', '), PieceParts(before='', form='"1642', after=' '))
    """
    for form in (AS_SEEN, CAPITALISED, CAPITALS) if seen else ():
        before, found, after = raw.partition(_formed(seen, form))
        if found:
            return PieceParts(before, form, after)
    bare = raw.strip()
    before, _, after = raw.partition(bare) if bare else ("", "", raw)
    return PieceParts(before, OTHERWISE + bare, after)


def restore(seen: str, parts: PieceParts) -> str:
    """The raw piece, from the seen piece and the rest.

    >>> restore("zealand", PieceParts("", "^", ", "))
    'Zealand, '
    """
    return parts.before + _formed(seen, parts.form) + parts.after


def _formed(seen: str, form: str) -> str:
    match form:
        case "=":
            return seen
        case "^":
            return seen[:1].upper() + seen[1:]
        case "!":
            return seen.upper()
    return form[1:]


def piece_kind(piece: str) -> str:
    """The kind of a piece: a word (by the case of its first letter), a number, or the sign itself.

    >>> piece_kind("sat"), piece_kind("Sat"), piece_kind("1642"), piece_kind(",")
    ('a', 'A', '0', ',')
    """
    first = piece[:1]
    if first.isalpha():
        return "a" if first.islower() else "A"
    return "0" if first.isdigit() else piece


def openings(
    turns: Sequence[Turn], ids: Int[np.ndarray, " pieces"], now: int = 2
) -> tuple[Int[np.ndarray, " pieces"], int]:
    """2 for a piece after a line end, 1 for a piece after the end of a sentence, else 0; and the same for the next
    piece. `turns` has what each different piece does, and `ids` the number of each piece. `now` is what was found for
    the piece after those before these."""
    begins, keeps, after = np.array(turns, np.int64).reshape(-1, 3)[ids].T
    # Between two pieces that keep nothing, it is the largest: their number, counted in steps of 3, restarts it.
    steps = 3 * np.cumsum(np.append(1, 1 - keeps))
    nows = np.maximum.accumulate(steps + np.append(now, after)) - steps
    return np.where(begins, 2, nows[:-1]), int(nows[-1])


def turn(piece: str, parts: PieceParts) -> Turn:
    """Whether a piece begins a line, whether it keeps what was before it (a space does), and what opens after it."""
    after = 2 if "\n" in piece or "\n" in parts.after else int(not SENTENCE_ENDS.isdisjoint(parts.after))
    return "\n" in parts.before, piece.isspace(), max(after, int(piece in SENTENCE_ENDS))
