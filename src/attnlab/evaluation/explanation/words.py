"""A text as words with positions, to compare with the tokens of any tokenizer."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, Int

from attnlab.errors import ArgumentError
from attnlab.text.encoding import code_points, utf8
from attnlab.text.normalisation import Normalisation

LARGEST = 16 << 20
"""The largest text that can be explained, in bytes: it is held in memory whole."""
RULE = Normalisation(lines=True)
"""The lab's rule for words: words, numbers, signs and line ends, whatever a model's tokens are."""


@dataclass(frozen=True)
class TextWords:
    """The words of a text in order, and their positions.

    Some tokenizers put the space before a word into its token, others the space after it. So positions count only bytes
    that are not spaces (line ends count). `place_of_byte` has that count for each byte of the text, and for its end.

    >>> words = words_of("To be, or")
    >>> words.forms, words.starts.tolist(), words.places.tolist()
    (['To', 'be', ',', 'or'], [0, 3, 5, 7], [0, 2, 4, 5])
    """

    text: str
    forms: list[str]
    starts: Int[np.ndarray, " words"]
    """The character at which each word begins."""
    places: Int[np.ndarray, " words"]
    place_of_byte: Int[np.ndarray, " ends"]
    byte_of_character: Int[np.ndarray, " stops"]
    """The byte at which each character begins, and the end of the text."""

    def cut(self, first: int, stop: int) -> str:
        """The text from one word up to another, without the space after it."""
        end = self.starts[stop] if stop < len(self.starts) else len(self.text)
        return self.text[self.starts[first] : end].strip() or self.forms[first]


def words_of(text: str) -> TextWords:
    """Splits a text of at most 16 MiB into words."""
    points = code_points(text).astype(np.int32)
    lengths = 1 + (points >= 0x80) + (points >= 0x800) + (points >= 0x10000).astype(np.int64)
    if lengths.sum() > LARGEST:
        size = f"{len(utf8(text)) / (1 << 20):.1f}"
        raise ArgumentError("explain", f"expected a text of at most {LARGEST >> 20} MiB, got {size} MiB; use a part")
    spaces = np.repeat(_spaces()[np.minimum(points, len(_spaces()) - 1)], lengths)
    place_of_byte = _ends(~spaces)
    byte_of_character = _ends(lengths)
    first = RULE.token.search(text)
    if first is None:  # only spaces: they count as one word
        nowhere = np.zeros(1, np.int64)
        return TextWords(text, [text], nowhere, nowhere, place_of_byte, byte_of_character)
    parts = RULE.parts(text)
    starts = first.start() + _ends(np.fromiter(map(len, parts), np.int64, len(parts)))[:-1]
    places = place_of_byte[byte_of_character[starts]]
    forms = [part.rstrip() or "\n" for part in parts]
    return TextWords(text, forms, starts, places, place_of_byte, byte_of_character)


def _ends(lengths: np.ndarray) -> Int[np.ndarray, " ends"]:
    """0, and the cumulative sums of the lengths."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


@cache
def _spaces() -> Bool[np.ndarray, " points"]:
    """Which of the first Unicode characters are spaces (line ends do not count); no later character is one."""
    return np.array([chr(point).isspace() and chr(point) != "\n" for point in range(0x3002)])
