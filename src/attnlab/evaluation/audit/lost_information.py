"""Counts the information of a text that its tokens lose."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from attnlab.text import Encoding, Tokenizer
from attnlab.text.encoding import utf8


@dataclass(frozen=True)
class LostInformation:
    """The number of unknown tokens, and of characters of known tokens that decoding does not give back."""

    unknown: int
    """Unknown tokens."""
    case: int
    """Capitals that come back as small letters."""
    whitespace: int
    """Spaces, tabs and line ends that are missing or were added."""
    signs: int
    """Punctuation and other signs."""
    others: int
    """Letters and digits."""

    def __add__(self, other: "LostInformation") -> "LostInformation":
        """The losses of two texts together."""
        return LostInformation(
            *(mine + theirs for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True))
        )

    def __str__(self) -> str:
        """In words, for example: 2 unknown tokens, 1 capital."""
        words = {
            "unknown": "unknown token",
            "case": "capital",
            "whitespace": "whitespace character",
            "signs": "sign",
            "others": "other character",
        }
        found = {words[name]: count for name, count in vars(self).items() if count}
        return ", ".join(f"{count:,} {name}{'s' if count > 1 else ''}" for name, count in found.items())


NOTHING_LOST = LostInformation(0, 0, 0, 0, 0)


def what_is_lost(tokenizer: Tokenizer, text: str, encoding: Encoding, unknown: int | None = None) -> LostInformation:
    """Counts the information of a text that its tokens lose.

    >>> from attnlab.text import Normalisation, train_tokenizer
    >>> tokens = train_tokenizer("words", "the cat sat", normalisation=Normalisation(lower=True))
    >>> str(what_is_lost(tokens, "The cat  ran", tokens.encode("The cat  ran"), unknown=0))
    '1 unknown token, 1 capital, 2 whitespace characters'
    """
    known = np.ones(len(encoding), bool) if unknown is None else encoding.ids != unknown
    before, after = Counter(_covered(text, encoding, known)), Counter(tokenizer.decode(encoding.ids[known]))
    missing, added = before - after, after - before
    counts = Counter({"whitespace": sum(count for sign, count in added.items() if sign.isspace())})
    for sign, count in missing.items():
        small = min(count, added[sign.lower()]) if sign.lower() != sign else 0
        counts["case"] += small
        counts[_kind(sign)] += count - small
    return LostInformation(int((~known).sum()), counts["case"], counts["whitespace"], counts["signs"], counts["others"])


def _covered(text: str, encoding: Encoding, known: np.ndarray) -> str:
    """The part of the text that known tokens cover; the whole text if bytes are miscounted."""
    raw = np.frombuffer(utf8(text), np.uint8)
    held = np.repeat(known, encoding.raw_bytes)
    return raw[held].tobytes().decode("utf-8", errors="ignore") if len(held) == len(raw) else text


def _kind(sign: str) -> str:
    if sign.isspace():
        return "whitespace"
    return "others" if sign.isalnum() else "signs"
