"""What people do to a text before it is measured, step by step: small letters, no punctuation, plain quotes.

A step replaces whatever its pattern matches and leaves the rest. Few can be undone, and those that cannot throw away
what they replaced: that is no longer predicted, and looks like a better model.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from attnlab.errors import ArgumentError
from attnlab.text.normalisation import A_NUMBER

MARK = "↑"


@dataclass(frozen=True)
class Step:
    """A step by its name: what its pattern matches is replaced; `undo` has the text back, where that is possible."""

    name: str
    about: str
    pattern: re.Pattern[str]
    replace: Callable[[str], str]
    undo: Callable[[str], str] | None = None

    def __call__(self, text: str) -> str:
        """The text after the step."""
        return self.pattern.sub(lambda match: self.replace(match[0]), text)


def preprocess(text: str, steps: Sequence[str]) -> str:
    """The text after some steps, one after the other.

    >>> preprocess("“Māori”  came in 1,250.", ["quotes", "accents", "lower", "numbers", "punctuation", "whitespace"])
    'maori came in 0'
    >>> preprocess("The DNA of New Zealand", ["case-marks"])
    '↑the ↑d↑n↑a of ↑new ↑zealand'
    """
    for step in find_steps(steps):
        text = step(text)
    return text


def find_steps(names: Sequence[str]) -> list[Step]:
    """The steps of these names."""
    for name in names:
        if name not in STEPS:
            close = get_close_matches(name, STEPS, n=1)
            guess = f", did you mean {close[0]}?" if close else ""
            raise ArgumentError("preprocess", f"expected {', '.join(STEPS)}; got {name!r}{guess}")
    return [STEPS[name] for name in names]


def _only_marks(signs: str) -> str:
    """What combines with a letter is part of it and stays."""
    return "".join(sign for sign in signs if unicodedata.category(sign)[0] == "M")


def _plain(text: str) -> str:
    """The same without accents and other marks on letters."""
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(sign for sign in parts if unicodedata.category(sign) != "Mn"))


def _marked(capital: str) -> str:
    """A mark and the small letter; a mark that was there already is doubled. Letters of another kind stay."""
    small = capital.lower()
    if capital == MARK:
        return MARK + MARK
    return MARK + small if small != capital and small.upper() == capital and len(small) == 1 else capital


def _unmarked(text: str) -> str:
    return re.sub(f"{MARK}(.)", lambda match: match[1].upper(), text, flags=re.DOTALL)


STEPS = {
    step.name: step
    for step in (
        Step("lower", "small letters only", re.compile(r"\w+"), str.lower),
        Step(
            "punctuation",
            "signs go, but for those inside of words",
            re.compile(r"(?<!\w)[^\w\s]+|[^\w\s]+(?!\w)"),
            _only_marks,
        ),
        Step("numbers", "every number becomes 0", re.compile(A_NUMBER), lambda number: "0"),
        Step(
            "quotes",
            "curly and foreign quotation marks become straight ones",
            re.compile("[“”„‟«»‘’‚‛]"),
            lambda quote: "'" if quote in "‘’‚‛" else '"',
        ),
        Step("dashes", "every dash becomes a hyphen", re.compile("[‐‑‒–—―−]|--+"), lambda dash: "-"),
        Step("accents", "letters lose their accents and other marks", re.compile(r"[^\x00-\x7f]+"), _plain),
        Step(
            "whitespace",
            "a run of spaces becomes one, a run with an end of line becomes that",
            re.compile(r"\s+"),
            lambda space: "\n" if "\n" in space else " ",
        ),
        Step("lines", "ends of lines become spaces", re.compile(r"\s*\n\s*"), lambda space: " "),
        Step(
            "case-marks",
            f"a capital letter becomes {MARK} and the small one",
            re.compile(rf"[^\W\d_a-z]|{MARK}"),
            _marked,
            _unmarked,
        ),
    )
}
