"""The words of many texts at once, with numpy and a cache of pieces: the text between two spaces or punctuation marks.

No word contains a space or such a mark, so the words of a text are the words of its pieces. Texts repeat their pieces,
and looking up the hash of a piece is about ten times faster than searching it for words.
"""

import hashlib
from array import array
from collections.abc import Callable, Sequence
from itertools import compress

import numpy as np
from jaxtyping import Integer, UInt

from attnlab.text.bags import Bags
from attnlab.text.normalisation import Normalisation

SPACE, SIGN, POINT, DIGIT = 1, 2, 4, 8
KINDS = np.zeros(256, np.uint8)
"""The kind of each byte. Unicode has more spaces than these: they stay inside a piece, where the normalisation finds
them. A sign is a punctuation mark that is never in a word or a number. So is a point, unless a digit follows: 3.14,
1,000. A byte beyond ASCII may belong to a digit of another script, so it counts as a digit."""
for kind, members in (
    (SPACE, b"\t\n\v\f\r\x1c\x1d\x1e\x1f "),
    (SIGN, b'!"#$%&()*+/:;<=>?@[\\]^`{|}~'),
    (POINT, b".,"),
    (DIGIT, b"0123456789" + bytes(range(0x80, 0x100))),
):
    KINDS[list(members)] = kind
LONG = 64
"""Pieces with more bytes than this are hashed one by one."""
MOST = 1 << 20
"""The most pieces in the cache: an endless stream of texts must not fill the memory."""


class Pieces:
    """The words of texts as numbers. `number` returns the number of a word; it is called once for each new piece.

    >>> pieces = Pieces(Normalisation(lower=True), {"not": 1, "bad": 2, ".": 3}.get)
    >>> pieces.words(["Not bad.", "", "bad"]).ids.tolist()
    [1, 2, 3, 2]
    """

    def __init__(self, rule: Normalisation, number: Callable[[str], int | None]):
        self.rule, self.number = rule, number
        self.forget()

    def forget(self) -> None:
        """Empty the cache."""
        self.found, self.ends = array("i", [0]), array("q", [0, 1])  # row 0 belongs to no piece
        self.keys, self.rows = np.zeros(1 << 12, np.uint64), np.zeros(1 << 12, np.int64)
        self.numbers = _Numbers(self.rule, self.number)

    def words(self, texts: Sequence[str]) -> Bags:
        """The numbers of the words of each text, in order; 0 for a word without a number."""
        if len(self.ends) > MOST:
            self.forget()
        raw = [text.encode("utf-8", "surrogatepass") for text in texts]
        content = b"\n" + b"\n".join(raw) + b"\n" + bytes(8)
        if self.rule.lower:  # ASCII letters now, so that fewer pieces differ; the rule does the others
            content = content.lower()
        starts, ends = _edges(np.frombuffer(content, np.uint8)[:-8], signs=self.rule.split == "words")
        hashes = _hashes(content, starts, ends)
        rows = self._look_up(hashes)
        new = np.flatnonzero(rows == 0)
        if len(new):
            _, first = np.unique(hashes[new], return_index=True)
            chosen = new[np.sort(first)]
            self._learn(hashes[chosen], [content[starts[each] : ends[each]] for each in chosen.tolist()])
            rows[new] = self._look_up(hashes[new])
        taken = Bags(np.frombuffer(self.found, np.int32), np.frombuffer(self.ends, np.int64)).take(rows)
        lines = 1 + np.cumsum([len(each) + 1 for each in raw])  # the end of each text, with its end of line
        return Bags(taken.ids, taken.offsets[np.concatenate([[0], np.searchsorted(starts, lines)])])

    def renumber(self, numbers: Integer[np.ndarray, " words"], number: Callable[[str], int | None]) -> None:
        """Give every word another number: `numbers` has the new number of each old one, `number` that of new words."""
        self.found = array("i", numbers[np.frombuffer(self.found, np.int32)].astype(np.int32).tobytes())
        self.number, self.numbers = number, _Numbers(self.rule, number)

    def _learn(self, hashes: UInt[np.ndarray, " new"], pieces: list[bytes]) -> None:
        """Add new, different pieces to the cache."""
        row = len(self.ends) - 1
        plain = np.fromiter(map(bytes.isalpha, pieces), bool, len(pieces))  # ASCII letters alone are one word
        hashes = np.concatenate([hashes[plain], hashes[~plain]])
        words = [self.number(piece.decode()) or 0 for piece in compress(pieces, plain.tolist())]
        numbers, counts = self._cut(list(compress(pieces, (~plain).tolist())))
        counts = np.concatenate([np.ones(len(words), np.int64), counts])
        self.ends.frombytes((len(self.found) + np.cumsum(counts)).tobytes())
        self.found.frombytes(np.concatenate([np.array(words, np.int32), numbers]).tobytes())
        if 2 * len(self.ends) > len(self.keys):  # a table that is at most half full is fast
            held = np.flatnonzero(self.keys)
            keys, rows = self.keys[held], self.rows[held]
            size = 1 << (4 * len(self.ends)).bit_length()
            self.keys, self.rows = np.zeros(size, np.uint64), np.zeros(size, np.int64)
            self._insert(keys, rows)
        self._insert(hashes, np.arange(row, row + len(pieces)))

    def _cut(self, pieces: list[bytes]) -> tuple[Integer[np.ndarray, " words"], Integer[np.ndarray, " pieces"]]:
        """The numbers of the words of pieces, and how many words each piece has."""
        # All pieces as one text, one piece per line. A part goes on to the next word, so its ends of line tell how many
        # pieces end in it. The x before the first piece, which may have no word, is left out.
        first, *parts = self.rule.parts(
            "x\n" + b"".join(piece + b"\n" for piece in pieces).decode("utf-8", "surrogatepass")
        )
        numbers = np.fromiter(map(self.numbers.__getitem__, parts), np.int32, len(parts))
        ended = np.cumsum([part.count("\n") for part in (first, *parts)])
        return numbers, np.bincount(ended[:-1] - 1, minlength=len(pieces))

    def _insert(self, hashes: UInt[np.ndarray, " new"], rows: Integer[np.ndarray, " new"]) -> None:
        """Put hashes into the table, each at its place or the next free place after it."""
        place = (hashes & np.uint64(len(self.keys) - 1)).astype(np.int64)
        while len(hashes):
            free = self.keys[place] == 0
            self.keys[place[free]] = hashes[free]  # the last hash of a place stays, others go on
            done = self.keys[place] == hashes
            self.rows[place[done]] = rows[done]
            hashes, rows, place = hashes[~done], rows[~done], (place[~done] + 1) % len(self.keys)

    def _look_up(self, hashes: UInt[np.ndarray, " pieces"]) -> Integer[np.ndarray, " pieces"]:
        """The row of each piece; 0 for a new piece."""
        place = (hashes & np.uint64(len(self.keys) - 1)).astype(np.int64)
        held = self.keys[place]
        rows = np.where(held == hashes, self.rows[place], 0)
        open_ = np.flatnonzero((held != hashes) & (held != 0))
        while len(open_):
            place[open_] = (place[open_] + 1) % len(self.keys)
            held = self.keys[place[open_]]
            right = held == hashes[open_]
            rows[open_[right]] = self.rows[place[open_[right]]]
            open_ = open_[~right & (held != 0)]
        return rows


class _Numbers(dict[str, int]):
    """A cache from the parts of a text to the numbers of their words."""

    def __init__(self, rule: Normalisation, number: Callable[[str], int | None]):
        super().__init__()
        self._rule, self._number = rule, number

    def __missing__(self, part: str) -> int:
        found = self[part] = self._number(self._rule.word(part)) or 0
        return found


def _edges(
    content: UInt[np.ndarray, " bytes"], *, signs: bool
) -> tuple[Integer[np.ndarray, " pieces"], Integer[np.ndarray, " pieces"]]:
    """Where pieces begin and end, in bytes that begin and end with a space. With `signs`, each sign is a piece."""
    kinds = KINDS[content]
    space = kinds == SPACE
    if not signs:
        edges = np.flatnonzero(space[1:] != space[:-1]) + 1
        return edges[0::2], edges[1::2]
    sign = kinds == SIGN
    sign[:-1] |= (kinds[:-1] == POINT) & (kinds[1:] != DIGIT)
    edge = space | sign
    begins = ~space[1:-1] & (edge[:-2] | sign[1:-1])
    ends = ~space[1:-1] & (edge[2:] | sign[1:-1])
    return np.flatnonzero(begins) + 1, np.flatnonzero(ends) + 2


def _hashes(
    content: bytes, starts: Integer[np.ndarray, " pieces"], ends: Integer[np.ndarray, " pieces"]
) -> UInt[np.ndarray, " pieces"]:
    """A hash for each piece, never 0, from its length and its bytes, eight at a time. The probability that any two of a
    million pieces share a hash is 3 in 100 million."""
    # The eight bytes from every place on, without a copy.
    eights = np.ndarray((len(content) - 7,), "<u8", content, strides=(1,))
    lengths = ends - starts
    hashes = _mixed_in(scattered(lengths.astype(np.uint64)), eights[starts], lengths)
    for done in range(8, LONG, 8):
        longer = np.flatnonzero(lengths > done)
        if not len(longer):
            break
        hashes[longer] = _mixed_in(hashes[longer], eights[starts[longer] + done], lengths[longer] - done)
    for each in np.flatnonzero(lengths > LONG).tolist():
        hashes[each] = int.from_bytes(hashlib.blake2b(content[starts[each] : ends[each]], digest_size=8).digest())
    return np.maximum(hashes, np.uint64(1))


def _mixed_in(
    hashes: UInt[np.ndarray, " pieces"], eights: UInt[np.ndarray, " pieces"], left: Integer[np.ndarray, " pieces"]
) -> UInt[np.ndarray, " pieces"]:
    """Mix the next eight bytes into the hashes, or as many as are left."""
    unused = np.uint64(8) * (8 - np.minimum(left, 8)).astype(np.uint64)
    return scattered(hashes + (eights << unused))


def scattered(number: UInt[np.ndarray, " n"]) -> UInt[np.ndarray, " n"]:
    """Numbers scattered over 64 bits, one to one (the finaliser of splitmix64; Steele et al. 2014); the same on every
    machine."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))
