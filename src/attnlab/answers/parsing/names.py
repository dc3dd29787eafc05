"""The names of symbols: one name for every way to type or typeset it."""

import re
import unicodedata

CAPITALS = ("gamma", "delta", "theta", "lambda", "xi", "phi", "psi", "omega")
GREEK = {
    unicodedata.name(letter).split()[-1].lower(): letter for letter in "αβγδεζηθικμνξπρστυφχψω" if letter != "ς"
} | {"lambda": "λ", "varepsilon": "ε", "vartheta": "θ", "varphi": "φ", "varrho": "ρ", "ϕ": "φ", "ϵ": "ε", "ell": "ℓ"}
GREEK |= {word.capitalize(): letter.upper() for word, letter in GREEK.items() if word in CAPITALS}
DECORATION = re.compile(
    r"\\(?:mathbf|mathrm|mathit|mathbb|mathcal|mathsf|boldsymbol|bm|vec|bold|text|operatorname)(?![a-z])\s*"
)
SMALL_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ", "0123456789aeoxhklmnpstijruv")
SAME_LETTER = {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u00b5": "μ", "“": " ", "”": " ", "`": " ", '"': " "}
HAT = "\u0302"
LAYER = re.compile(r"\^[(\[](\d+)[)\]]$")
HATTED = re.compile(r"^\\(?:wide)?hat\\?(.+)$|^(.+?)hat$")


def plain_letter(letter: str) -> str:
    """The plain letter for full-width and mathematical letters and the micro sign; other letters stay."""
    wide = "\uff01" <= letter <= "\uff5e" or "\U0001d400" <= letter <= "\U0001d7ff"
    return unicodedata.normalize("NFKC", letter) if wide else SAME_LETTER.get(letter, letter)


def symbol(written: str) -> str:
    """The name of a symbol: \\mu_{a}, μₐ, mu_a and \\boldsymbol{\\mu}_a are all μ_a; \\hat{y}, yhat are ŷ."""
    text = LAYER.sub(r"_\1", re.sub(r"[\s{}]", "", DECORATION.sub("", written)))
    text = re.sub(r"_hat(?![A-Za-z])", "hat", text)
    base, _, below = text.partition("_")
    if not below:
        base, below = _split(base)
    hatted = HATTED.match(base)
    letter = (hatted[1] or hatted[2] if hatted else base).removeprefix("\\")
    letter, below = GREEK.get(letter, letter), below.removeprefix("\\")
    base = unicodedata.normalize("NFC", letter + HAT * bool(hatted))
    if base in ("I", "Id", "1"):
        return "I"  # any size: I_d, Id
    below = GREEK.get(below, below)
    return f"{base}_{below}" if below else base


def derivative(written: str) -> str:
    """The name of a derivative: ∂J/∂x, \\frac{\\partial J}{\\partial x}, ∇_x J and dJ/dx are all ∂J/∂x."""
    text = re.sub(r"\s*\([^()\d][^()]*\)", "", written)  # without arguments: CE(y, ŷ)
    gradient = re.match(r"(?:∇|\\nabla)\s*_\s*(\{.*\}|\\[a-z]+|.)\s*(.+)$", text)
    if gradient:
        below, above = gradient.groups()
    else:
        above, below = re.split(r"\}\s*\{|/", re.sub(r"^\\[cdt]?frac\s*", "", text), maxsplit=1)
    above, below = (re.sub(r"^[\s{]*(?:∂|\\partial(?![a-z])|d)", "", each) for each in (above, below))
    return f"∂{symbol(above)}/∂{symbol(below)}"


def _split(base: str) -> tuple[str, str]:
    """A name and its index, if the index is written without _: q1, q₁."""
    if base in GREEK or base == "Id":
        return base, ""
    place = next(
        (n for n in range(1, len(base)) if base[n].translate(SMALL_DIGITS) != base[n] or base[n].isdigit()), len(base)
    )
    return base[:place], base[place:].translate(SMALL_DIGITS)
