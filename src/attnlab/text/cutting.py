"""A text cut into tokens: each different part of the text once, and which of them each token is.

A text repeats its words, so whatever a word is asked is asked once.
"""

import re
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from jaxtyping import Integer, UInt

from attnlab.text.encoding import utf8
from attnlab.text.normalisation import Normalisation, letter

LETTER, DIGIT, VISIBLE = 1, 2, 4
"""The kinds of characters, as bits."""
SHORT = 1 << 16
"""Texts of fewer characters are cut by a pattern: importing numba takes longer."""


@dataclass(frozen=True)
class CutText:
    """The tokens of a text. A part is a token with all characters up to the next token.

    >>> cut = cut_text("- to be, or  to be", Normalisation(punctuation="drop"))
    >>> cut.parts, cut.words, cut.numbers.tolist(), cut.before
    (['to ', 'be, ', 'or  ', 'be'], ['to', 'be', 'or', 'be'], [0, 1, 2, 0, 3], '- ')
    """

    content: bytes
    """The different parts, one after the other."""
    ends: Integer[np.ndarray, " ends"]
    """0, and where each different part ends in the content."""
    words: list[str]
    """The word of each different part, normalised."""
    numbers: Integer[np.ndarray, " tokens"]
    """The number of the part of each token."""
    before: str
    """The text before the first token; all of it if there is no token."""

    @cached_property
    def parts(self) -> list[str]:
        """The different parts."""
        return _pieces(self.content, self.ends[:-1], self.ends[1:])


def cut_text(text: str, rule: Normalisation) -> CutText:
    """The tokens of a text; raises on half a surrogate pair."""
    raw = utf8(text)
    return _cut_by_pattern(text, rule) if len(text) < SHORT else _cut_by_loops(raw, rule)


def _cut_by_pattern(text: str, rule: Normalisation) -> CutText:
    first, found = rule.token.search(text), rule.parts(text)
    parts = {part: number for number, part in enumerate(dict.fromkeys(found))}
    ends = np.cumsum([0, *(len(part.encode()) for part in parts)])
    numbers = np.fromiter(map(parts.__getitem__, found), np.int64, len(found))
    before = text[: first.start()] if first else text
    return CutText("".join(parts).encode(), ends, [*map(rule.word, parts)], numbers, before)


def _cut_by_loops(raw: bytes, rule: Normalisation) -> CutText:
    from attnlab.text import cutting_loops as loops

    text, content = np.frombuffer(bytearray(raw), np.uint8), np.empty(len(raw), np.uint8)
    starts, stops = np.empty((2, len(raw) + 1), np.int64)
    splits = rule.split == "words", rule.punctuation == "keep", rule.lines
    count = loops.find_tokens(text, _kinds(raw.isascii()), *splits, starts, stops)
    starts[count] = len(raw)
    numbers = np.empty(count, np.int64)
    ends, firsts = loops.number_parts(text, starts[: count + 1], numbers, content)
    different = content[: ends[-1]].tobytes()
    words = _pieces(different, ends[:-1], ends[:-1] + stops[firsts] - starts[firsts])
    return CutText(different, ends, [*map(rule.normalised, words)], numbers, raw[: starts[0]].decode())


def _pieces(content: bytes, starts: Integer[np.ndarray, " pieces"], ends: Integer[np.ndarray, " pieces"]) -> list[str]:
    return [content[start:end].decode() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


@cache
def _kinds(ascii: bool) -> UInt[np.ndarray, " points"]:
    """The kinds of each code point, as the patterns of `Normalisation` see them."""
    points = np.arange(0x80 if ascii else 0x110000, dtype="<u4")
    everything, kinds = points.tobytes().decode("utf-32-le", "surrogatepass"), np.zeros(len(points), np.uint8)
    for kind, pattern in ((LETTER, letter()), (DIGIT, r"\d"), (VISIBLE, r"\S")):
        for found in re.finditer(f"{pattern}+", everything):
            kinds[found.start() : found.end()] |= kind
    return kinds
