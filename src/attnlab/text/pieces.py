"""The words of many texts at once, with a cache of pieces: the text between two spaces or punctuation marks.

No word contains a space or such a mark, so the words of a text are the words of its pieces. Texts repeat their pieces,
and looking up the hash of a piece is about ten times faster than searching it for words.
"""

from array import array
from collections.abc import Callable, Sequence
from itertools import compress
from threading import Lock

import numpy as np
from jaxtyping import Integer, UInt

from attnlab.text.bags import Bags, bounds
from attnlab.text.normalisation import Normalisation

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
        self.alone = Lock()  # one thread at a time: the cache grows, and the studio reads texts in several threads
        self.forget()

    def forget(self) -> None:
        """Empty the cache."""
        self.found, self.ends = array("i", [0]), array("q", [0, 1])  # row 0 belongs to no piece
        self.keys, self.rows = np.zeros(1 << 12, np.uint64), np.zeros(1 << 12, np.int64)
        self.numbers = _Numbers(self.rule, self.number)

    def words(self, texts: Sequence[str]) -> Bags:
        """The numbers of the words of each text, in order; 0 for a word without a number."""
        with self.alone:
            return self._words(texts)

    def _words(self, texts: Sequence[str]) -> Bags:
        from attnlab.text import loops

        if len(self.ends) > MOST:
            self.forget()
        raw = [text.encode("utf-8", "surrogatepass") for text in texts]
        content = b"\n" + b"\n".join(raw) + b"\n"
        if self.rule.lower:  # ASCII letters now, so that fewer pieces differ; the rule does the others
            content = content.lower()
        starts, ends, hashes = _hashed_pieces(content, signs=self.rule.split == "words")
        rows = self._look_up(hashes)
        new = np.flatnonzero(rows == 0)
        if len(new):
            _, first = np.unique(hashes[new], return_index=True)
            chosen = new[np.sort(first)]
            self._learn(hashes[chosen], [content[starts[each] : ends[each]] for each in chosen.tolist()])
            rows[new] = self._look_up(hashes[new])
        words, held = np.frombuffer(self.found, np.int32), np.frombuffer(self.ends, np.int64)
        offsets = bounds((held[1:] - held[:-1])[rows])
        found = np.empty(offsets[-1], np.int32)
        loops.write_lists(words, held, rows, found)
        lines = 1 + np.cumsum([len(each) + 1 for each in raw])  # the end of each text, with its end of line
        return Bags(found, offsets[np.concatenate([[0], np.searchsorted(starts, lines)])])

    def renumber(self, numbers: Integer[np.ndarray, " words"], number: Callable[[str], int | None]) -> None:
        """Give every word another number: `numbers` has the new number of each old one, `number` that of new words."""
        with self.alone:
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
        """Put hashes into the table."""
        from attnlab.text import loops

        loops.insert(hashes, rows, self.keys, self.rows)

    def _look_up(self, hashes: UInt[np.ndarray, " pieces"]) -> Integer[np.ndarray, " pieces"]:
        """The row of each piece; 0 for a new piece."""
        from attnlab.text import loops

        found = np.empty(len(hashes), np.int64)
        loops.look_up(hashes, self.keys, self.rows, found)
        return found


class _Numbers(dict[str, int]):
    """A cache from the parts of a text to the numbers of their words."""

    def __init__(self, rule: Normalisation, number: Callable[[str], int | None]):
        super().__init__()
        self._rule, self._number = rule, number

    def __missing__(self, part: str) -> int:
        found = self[part] = self._number(self._rule.word(part)) or 0
        return found


def _hashed_pieces(
    content: bytes, *, signs: bool
) -> tuple[Integer[np.ndarray, " pieces"], Integer[np.ndarray, " pieces"], UInt[np.ndarray, " pieces"]]:
    """Where the pieces of a text begin and end, and the hash of each, never 0. If hashes are as good as random, any
    two of a million pieces share one with a probability of 3 in 100 million."""
    from attnlab.text import loops

    starts, ends = np.empty((2, len(content)), np.int64)
    hashes = np.empty(len(content), np.uint64)
    count = loops.find_pieces(np.frombuffer(bytearray(content), np.uint8), signs, starts, ends, hashes)
    return starts[:count], ends[:count], hashes[:count]
