"""The words of many texts at once, with a cache of pieces: the text between two spaces or punctuation marks.

No word contains a space or such a mark, so the words of a text are the words of its pieces. Texts repeat their pieces,
and looking up the hash of a piece is about ten times faster than searching it for words.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import compress
from threading import Lock

import numpy as np
from jaxtyping import Integer, UInt

from attnlab.parallel.ahead import ahead
from attnlab.text.bags import Bags, bounds
from attnlab.text.normalisation import Normalisation

MOST = 1 << 20
"""The most pieces in the cache: an endless stream of texts must not fill the memory."""


@dataclass(frozen=True)
class CutTexts:
    """Texts cut into pieces."""

    content: bytes
    """The texts, one after the other."""
    starts: Integer[np.ndarray, " pieces"]
    ends: Integer[np.ndarray, " pieces"]
    hashes: UInt[np.ndarray, " pieces"]
    """The hash of each piece, never 0. If hashes are as good as random, any two of a million pieces share one with a
    probability of 3 in 100 million."""
    offsets: Integer[np.ndarray, " bounds"]
    """The first piece of each text, and at last the number of pieces."""


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
        cut = self._cut_texts(texts)
        with self.alone:
            return self._words(cut)

    def of_each(self, batches: Sequence[Sequence[str]]) -> Iterator[Bags]:
        """The `words` of each batch of texts; a thread cuts the next batch while the last is looked up."""
        with ThreadPoolExecutor(1) as beside:
            for cut in ahead(beside, self._cut_texts, batches):
                with self.alone:
                    found = self._words(cut)
                yield found

    def _cut_texts(self, texts: Sequence[str]) -> CutTexts:
        """The pieces of texts. It does not look into the cache, so a thread may do it beside another."""
        from attnlab.text import loops

        raw = [text.encode("utf-8", "surrogatepass") for text in texts]
        content = b"\n" + b"\n".join(raw) + b"\n"
        if self.rule.lower:  # ASCII letters now, so that fewer pieces differ; the rule does the others
            content = content.lower()
        starts, ends = np.empty((2, len(content)), np.int64)
        hashes = np.empty(len(content), np.uint64)
        signs = self.rule.split == "words"
        count = loops.find_pieces(np.frombuffer(bytearray(content), np.uint8), signs, starts, ends, hashes)
        starts, ends, hashes = starts[:count], ends[:count], hashes[:count]
        lines = 1 + np.cumsum([len(each) + 1 for each in raw])  # the end of each text, with its end of line
        offsets = np.concatenate([[0], np.searchsorted(starts, lines)])
        return CutTexts(content, starts, ends, hashes, offsets)

    def _words(self, cut: CutTexts) -> Bags:
        from attnlab.text import loops

        if len(self.ends) > MOST:
            self.forget()
        rows = self._look_up(cut.hashes)
        new = np.flatnonzero(rows == 0)
        if len(new):
            _, first = np.unique(cut.hashes[new], return_index=True)
            chosen = new[np.sort(first)]
            places = zip(cut.starts[chosen].tolist(), cut.ends[chosen].tolist(), strict=True)
            self._learn(cut.hashes[chosen], [cut.content[start:end] for start, end in places])
            rows[new] = self._look_up(cut.hashes[new])
        words, held = np.frombuffer(self.found, np.int32), np.frombuffer(self.ends, np.int64)
        offsets = bounds((held[1:] - held[:-1])[rows])
        found = np.empty(offsets[-1], np.int32)
        loops.write_lists(words, held, rows, found)
        return Bags(found, offsets[cut.offsets])

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
