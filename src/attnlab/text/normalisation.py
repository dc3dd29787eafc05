"""How a text is split into words, and which words count as equal."""

import re
import unicodedata
from functools import cached_property, lru_cache
from typing import Any, Literal

from attnlab.errors import ArgumentError
from attnlab.settings import check_complete, read, settings

Split = Literal["words", "whitespace"]
Punctuation = Literal["keep", "drop"]
Form = Literal["as-is", "NFC", "NFKC"]

NUMBER = "<number>"
LINE_END = "<eol>"
A_NUMBER = r"\d+(?:[.,]\d+)*"


@settings
class Normalisation:
    """How a text is split into words, and which words count as equal; saved with the tokenizer.

    >>> rule = Normalisation(lower=True, numbers=True)
    >>> [rule.word(part) for part in rule.parts("Don't pay $3,000 to well-known café-owners.")]
    ["don't", 'pay', '$', '<number>', 'to', 'well-known', 'café-owners', '.']
    >>> Normalisation(split="whitespace").parts("the <unk> , and")
    ['the ', '<unk> ', ', ', 'and']
    """

    split: Split = "words"
    """words: split into words (with inner ' and -), numbers and punctuation; whitespace: only at whitespace."""
    lower: bool = False
    """Make all letters lower case."""
    numbers: bool = False
    """Replace every number (digits, with . or , between them) by <number>."""
    punctuation: Punctuation = "keep"
    """keep: each punctuation mark is a token; drop: marks are skipped, and the word before covers their bytes."""
    form: Form = "as-is"
    """The Unicode normal form of words, so that é is the same word however it was typed."""
    lines: bool = False
    """The end of a line is a token of its own, <eol>, as is usual for WikiText."""

    def __post_init__(self) -> None:
        if self.split == "whitespace" and self.punctuation == "drop":
            raise ArgumentError("punctuation", "must be keep if the text is split at whitespace; got drop")

    def parts(self, text: str) -> list[str]:
        """The tokens of a text, each with all characters up to the next token; what precedes the first is left out."""
        return (self._ascii_part if text.isascii() else self._part).findall(text)

    @cached_property
    def token(self) -> re.Pattern[str]:
        """The pattern of a token. No token contains whitespace, except the end of a line."""
        return re.compile(self._token(letter()))

    @cached_property
    def after_space(self) -> re.Pattern[str]:
        """The pattern of a token after a space or an end of line, where a token always begins."""
        return re.compile(rf"(?<=[ \n])(?:{self._token(letter())})")

    @cached_property
    def _part(self) -> re.Pattern[str]:
        return self._part_of(letter())

    @cached_property
    def _ascii_part(self) -> re.Pattern[str]:
        """The same pattern for ASCII, which has no combining marks: twice as fast."""
        return self._part_of(r"\w")

    def _part_of(self, letter: str) -> re.Pattern[str]:
        space = r"[^\S\n]" if self.lines else r"\s"
        skipped = space if self.punctuation == "keep" else rf"(?:{space}|(?!{letter})[^\w\s])"
        # Possessive (*+): no backtracking, so that long runs stay fast.
        return re.compile(rf"(?:{self._token(letter)}){skipped}*+")

    def _token(self, letter: str) -> str:
        line = r"\n|" if self.lines else ""
        if self.split == "whitespace":
            return rf"{line}\S+"
        word = rf"{letter}+(?:['’\-]{letter}+)*"
        sign = r"|[^\w\s]" if self.punctuation == "keep" else ""
        return rf"{line}{A_NUMBER}(?!{letter})|{word}{sign}"

    def word(self, part: str) -> str:
        """The normalised word of one of the parts."""
        found = self.token.match(part)
        return self.normalised(found[0] if found else part)

    def normalised(self, word: str) -> str:
        """The normalised word of a token."""
        if word == "\n" and self.lines:
            return LINE_END
        if self.numbers and re.fullmatch(A_NUMBER, word):
            return NUMBER
        if self.form != "as-is":
            word = unicodedata.normalize(self.form, word)
        return word.lower() if self.lower else word

    @classmethod
    def from_json(cls, value: Any) -> "Normalisation":
        """The normalisation from its `dataclasses.asdict`."""
        found = read(cls, value, "normalisation")
        check_complete(found, value, "normalisation")
        return found


@lru_cache(maxsize=1)
def letter() -> str:
    """The class of characters in words: letters, digits and combining marks, which \\w does not include."""
    ranges: list[list[int]] = []
    for point in (*range(0x20000), *range(0xE0000, 0xE0200)):  # the planes between have only ideographs
        if unicodedata.category(chr(point))[0] != "M":
            continue
        if ranges and point == ranges[-1][1] + 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return rf"[\w{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"
