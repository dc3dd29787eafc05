"""Preprocessing steps that people apply to a text before they measure it: lower case, no punctuation, plain quotes.

A step replaces the matches of its pattern. Most steps cannot be undone: a model then need not predict what was lost,
and looks better than it is.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attnlab.errors import ArgumentError
from attnlab.text.normalisation import A_NUMBER

MARK = "↑"


@dataclass(frozen=True)
class PreprocessingStep:
    """A named step: it replaces the matches of its pattern. `undo` restores the text, if that is possible."""

    name: str
    pattern: re.Pattern[str]
    replace: Callable[[str], str]
    undo: Callable[[str], str] | None = None

    def __call__(self, text: str) -> str:
        """The text after the step."""
        return self.pattern.sub(lambda match: self.replace(match[0]), text)


def preprocess(text: str, steps: Sequence[str]) -> str:
    """The text after some steps, applied in order.

    >>> preprocess("“Māori”  came in 1,250.", ["quotes", "accents", "lower", "numbers", "punctuation", "whitespace"])
    'maori came in 0'
    >>> preprocess("The DNA of New Zealand", ["case-marks"])
    '↑the ↑d↑n↑a of ↑new ↑zealand'
    """
    for step in find_steps(steps):
        text = step(text)
    return text


def find_steps(names: Sequence[str]) -> list[PreprocessingStep]:
    """The steps of these names."""
    for name in names:
        if name not in STEPS:
            raise ArgumentError.unknown("preprocess", name, STEPS)
    return [STEPS[name] for name in names]


def _only_marks(signs: str) -> str:
    """Only the combining marks, which are part of a letter."""
    return "".join(sign for sign in signs if unicodedata.category(sign)[0] == "M")


def _plain(text: str) -> str:
    """The text without accents and other marks on letters."""
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(sign for sign in parts if unicodedata.category(sign) != "Mn"))


def _marked(capital: str) -> str:
    """A mark and the small letter; an original mark is doubled. Letters without a single small form stay."""
    small = capital.lower()
    if capital == MARK:
        return MARK + MARK
    return MARK + small if small != capital and small.upper() == capital and len(small) == 1 else capital


def _unmarked(text: str) -> str:
    return re.sub(f"{MARK}(.)", lambda match: match[1].upper(), text, flags=re.DOTALL)


STEPS = {
    step.name: step
    for step in (
        PreprocessingStep("lower", re.compile(r"\w+"), str.lower),
        # Punctuation inside words stays.
        PreprocessingStep("punctuation", re.compile(r"(?<!\w)[^\w\s]+|[^\w\s]+(?!\w)"), _only_marks),
        PreprocessingStep("numbers", re.compile(A_NUMBER), lambda number: "0"),
        PreprocessingStep("quotes", re.compile("[“”„‟«»‘’‚‛]"), lambda quote: "'" if quote in "‘’‚‛" else '"'),
        PreprocessingStep("dashes", re.compile("[‐‑‒–—―−]|--+"), lambda dash: "-"),
        PreprocessingStep("accents", re.compile(r"[^\x00-\x7f]+"), _plain),
        PreprocessingStep("whitespace", re.compile(r"\s+"), lambda space: "\n" if "\n" in space else " "),
        PreprocessingStep("lines", re.compile(r"(?<!\s)[^\S\n]*+\n\s*+"), lambda space: " "),
        PreprocessingStep("case-marks", re.compile(rf"[^\W\d_a-z]|{MARK}"), _marked, _unmarked),
    )
}
