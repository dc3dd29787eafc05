"""The cost of the raw text if another form of each piece is known, for example in lower case, without spaces.

Each piece of raw text is encoded as three strings, given the seen piece: the text before it, its letter case, and the
text after it. All texts after pieces are encoded first, then all texts before them. Both can then tell whether a piece
begins a sentence. `restore` is the decoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnlab.evaluation.coding.adaptive_code import encoded_nats, numbered

AS_SEEN, CAPITALISED, CAPITALS, OTHERWISE = "=", "^", "!", '"'
SENTENCE_ENDS = frozenset(".!?…")
USUAL_BEFORE = {"": 60}
USUAL_FORMS = {AS_SEEN: 50, CAPITALISED: 8, CAPITALS: 2}
USUAL_AFTER = {"": 28, " ": 28, "\n": 4}
"""Counts that both sides agree on in advance: a text with nothing odd about it costs next to nothing."""
BLOCK = 1 << 20
"""The code restarts after this many pieces, so that memory stays bounded."""


@dataclass(frozen=True)
class SurfaceParts:
    """A piece of raw text, given the seen piece: the text before it, its form, and the text after it."""

    before: str
    form: str
    after: str


def surface_parts(seen: str, raw: str) -> SurfaceParts:
    """The information in a raw piece beyond the seen piece.

    >>> surface_parts("zealand", "Zealand, "), surface_parts("<number>", "1642 ")
    (SurfaceParts(before='', form='^', after=', '), SurfaceParts(before='', form='"1642', after=' '))
    """
    for form in (AS_SEEN, CAPITALISED, CAPITALS) if seen else ():
        before, found, after = raw.partition(_formed(seen, form))
        if found:
            return SurfaceParts(before, form, after)
    bare = raw.strip()
    before, _, after = raw.partition(bare) if bare else ("", "", raw)
    return SurfaceParts(before, OTHERWISE + bare, after)


def restore(seen: str, parts: SurfaceParts) -> str:
    """The raw piece, from the seen piece and the rest.

    >>> restore("zealand", SurfaceParts("", "^", ", "))
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


def surface_nats(seen: Sequence[str], raw: Sequence[str], sorts: Sequence[str] = ()) -> Float[np.ndarray, " pieces"]:
    """−ln p of each raw piece, given all seen pieces and the raw pieces encoded so far.

    `sorts` is further information about each seen piece, if there is any.

    >>> surface_nats(["the", "cat", "sat"], ["The ", "cat ", "sat"]).round(1).tolist()
    [2.8, 0.5, 0.9]
    """
    pairs: dict[tuple[str, str], SurfaceParts] = {}
    parts = [pairs.get(pair) or pairs.setdefault(pair, surface_parts(*pair)) for pair in zip(seen, raw, strict=True)]
    if not parts:
        return np.empty(0)
    words, kinds = numbered(seen)[0], _kinds(seen)
    if sorts:
        kinds = _both(kinds, numbered(sorts)[0])
    following = np.append(kinds[1:], -1)
    opens = _opens(seen, parts)
    return (
        encoded_nats([each.before for each in parts], (kinds,), USUAL_BEFORE)
        + encoded_nats([each.after for each in parts], (_both(kinds, following), _both(words, following)), USUAL_AFTER)
        + encoded_nats([each.form for each in parts], (_both(kinds, opens), words, _both(words, opens)), USUAL_FORMS)
    )


class SurfaceCode:
    """`surface_nats` for pieces that come in batches: the batches do not change the costs."""

    def __init__(self) -> None:
        self._begun: list[list[str]] = [[], [], []]  # the block that is not full yet

    def add(self, batch: Sequence[list[str]], ahead: Sequence[str] = ()) -> Float[np.ndarray, " pieces"]:
        """−ln p of a batch (seen pieces, raw pieces, sorts). `ahead` is the next piece, if there is one."""
        nats, done = [np.empty(0)], 0
        while done < len(batch[0]):
            before = len(self._begun[0])
            room = done + BLOCK - before
            block = [begun + new[done:room] for begun, new in zip(self._begun, batch, strict=True)]
            done, length = min(room, len(batch[0])), len(block[0])
            full = length == BLOCK
            self._begun = [[], [], []] if full else block
            # The cost of the text after a piece depends on the next piece, so that piece is added and its own cost
            # dropped.
            if ahead and not full:
                block = [[*column, piece] for column, piece in zip(block, ahead, strict=True)]
            nats.append(surface_nats(*block)[before:length])
        return np.concatenate(nats)


def _kinds(seen: Sequence[str]) -> Int[np.ndarray, " pieces"]:
    """The kind of each piece: a word (by the case of its first letter), a number, or the sign itself."""
    kinds = {piece: _kind(piece) for piece in set(seen)}
    return numbered([kinds[piece] for piece in seen])[0]


def _kind(piece: str) -> str:
    first = piece[:1]
    if first.isalpha():
        return "a" if first.islower() else "A"
    return "0" if first.isdigit() else piece


def _opens(seen: Sequence[str], parts: Sequence[SurfaceParts]) -> Int[np.ndarray, " pieces"]:
    """2 for a piece after a line end, 1 for a piece after the end of a sentence, else 0."""
    found, now = [], 2
    for piece, each in zip(seen, parts, strict=True):
        found.append(2 if "\n" in each.before else now)
        if not piece.isspace():  # a space changes nothing
            now = int(piece in SENTENCE_ENDS)
        now = 2 if "\n" in piece or "\n" in each.after else max(now, int(not SENTENCE_ENDS.isdisjoint(each.after)))
    return np.array(found, np.int64)


def _both(one: Int[np.ndarray, " pieces"], other: Int[np.ndarray, " pieces"]) -> Int[np.ndarray, " pieces"]:
    """A number for each pair of contexts."""
    return one * (int(other.max()) + 2) + other + 1
