"""Names as people write them: one letter, one symbol, however it was typed or typeset."""

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
    """A letter as the grammar knows it: full-width and mathematical alphabets and the micro sign are plain letters."""
    wide = "\uff01" <= letter <= "\uff5e" or "\U0001d400" <= letter <= "\U0001d7ff"
    return unicodedata.normalize("NFKC", letter) if wide else SAME_LETTER.get(letter, letter)


def symbol(written: str) -> str:
    """A symbol's one name, however it was written: \\mu_{a}, μₐ, mu_a and \\boldsymbol{\\mu}_a are all μ_a."""
    text = re.sub(r"[\s{}]|\\(?=[a-z])", "", DECORATION.sub("", written))
    base, _, below = text.partition("_")
    if not below:
        base, below = _split(base)
    base, below = GREEK.get(base, base), GREEK.get(below, below)
    if base in ("I", "Id", "1"):
        return "I"  # of whatever size: I_d, Id
    return f"{base}_{below}" if below else base


def _split(base: str) -> tuple[str, str]:
    """A name and what stands small below it without a mark: q1, q₁."""
    if base in GREEK or base == "Id":
        return base, ""
    place = next(
        (n for n in range(1, len(base)) if base[n].translate(SMALL_DIGITS) != base[n] or base[n].isdigit()), len(base)
    )
    return base[:place], base[place:].translate(SMALL_DIGITS)
