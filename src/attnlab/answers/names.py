"""The names of symbols: one name for every way to type or typeset it."""

import re
import unicodedata

GREEK = {unicodedata.name(letter).split()[-1].lower(): letter for letter in "αβγδεζηθκμνξπρστφχψω" if letter != "ς"} | {
    "lambda": "λ",
    "varepsilon": "ε",
}
DECORATION = re.compile(r"\\(?:mathbf|mathrm|mathit|mathbb|mathcal|boldsymbol|bm|vec|bold|text)\s*")
SMALL_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ", "0123456789aeoxhklmnpstijruv")
SAME_LETTER = {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u00b5": "μ", "“": " ", "”": " ", "`": " ", '"': " "}


def plain_letter(letter: str) -> str:
    """The plain letter for full-width and mathematical letters and the micro sign; other letters stay."""
    wide = "\uff01" <= letter <= "\uff5e" or "\U0001d400" <= letter <= "\U0001d7ff"
    return unicodedata.normalize("NFKC", letter) if wide else SAME_LETTER.get(letter, letter)


def symbol(written: str) -> str:
    """The name of a symbol: \\mu_{a}, μₐ, mu_a and \\boldsymbol{\\mu}_a are all μ_a."""
    text = re.sub(r"[\s{}]|\\(?=[a-z])", "", DECORATION.sub("", written))
    base, _, below = text.partition("_")
    if not below:
        base, below = _split(base)
    base, below = GREEK.get(base, base), GREEK.get(below, below)
    if base in ("I", "Id", "1"):
        return "I"  # any size: I_d, Id
    return f"{base}_{below}" if below else base


def _split(base: str) -> tuple[str, str]:
    """A name and its index, if the index is written without _: q1, q₁."""
    if base in GREEK or base == "Id":
        return base, ""
    place = next(
        (n for n in range(1, len(base)) if base[n].translate(SMALL_DIGITS) != base[n] or base[n].isdigit()), len(base)
    )
    return base[:place], base[place:].translate(SMALL_DIGITS)
