"""Answers as people write them: plain text, Unicode and LaTeX."""

import random
from collections.abc import Sequence

import sympy as sp

from meanings import Expr, Query


def plain(value: Expr, style: str) -> str:
    """A coefficient in the style "plain", "unicode" or "latex"."""
    if style == "latex":
        return sp.latex(value)
    text = str(value).replace("log(", "ln(").replace("exp(C)", "e^C" if style == "unicode" else "exp(C)")
    if style == "plain":
        return text.replace("**", "^")
    for power, high in (("**2", "²"), ("**3", "³"), ("**4", "⁴"), ("sqrt(C)", "√C")):
        text = text.replace(power, high)
    return text.replace("**", "^").replace("*", " ")


SUMS = {
    "plain": {"all": ["sum_i", "sum_{i}"], "others": ["sum_{i != a,b}"]},
    "unicode": {"all": ["Σ_i", "∑_{i}", "Σ_{i=1}^n"], "others": ["Σ_{i≠a,b}", "∑_{i∉{a,b}}", "Σ_{i≠a,i≠b}"]},
    "latex": {
        "all": [r"\sum_i", r"\sum_{i=1}^{n}", r"\sum\limits_{i}"],
        "others": [
            r"\sum_{i \neq a,b}",
            r"\sum_{i \notin \{a,b\}}",
            r"\sum_{i \in [n] \setminus \{a,b\}}",
            r"\sum_{\substack{i \ne a \\ i \ne b}}",
            r"\sum_{i=1, i \neq a, b}^{n}",
        ],
    },
}


def vector(key: str, letter: str, style: str, rng: random.Random) -> str:
    """A key, or a sum of keys."""
    greek = letter == "mu"
    bare = {"plain": letter, "unicode": "μ" if greek else letter, "latex": r"\mu" if greek else letter}[style]
    if key in ("all", "others"):
        return f"{rng.choice(SUMS[style][key])} {bare}_i"
    forms = {
        "plain": ["{0}_{1}"],
        "unicode": ["{0}_{1}", "{0}ₐ" if key == "a" else "{0}_{1}"],
        "latex": ["{0}_{1}", "{0}_{{{1}}}", r"\mathbf{{{0}}}_{1}", r"\vec{{{0}}}_{1}", r"\boldsymbol{{{0}}}_{{{1}}}"],
    }[style]
    return rng.choice(forms).format(bare, key)


def written(made: Query, letter: str, style: str, rng: random.Random) -> str:
    """A query as text: factors before or after the keys, brackets kept or multiplied out."""
    pieces: list[str] = []
    for share, keys in made:
        spread = len(keys) > 1 and rng.random() < 0.4
        for group in [(each,) for each in keys] if spread else [keys]:
            minus = share.could_extract_minus_sign()
            own = -share if minus else share
            if len(group) == 1:
                minus ^= group[0][0] < 0
                inside = vector(group[0][1], letter, style, rng)
            else:
                inside = f"({_signed_sum(group, letter, style, rng)})"
            pieces.append(("- " if minus else "+ ") + _multiplied(own, inside, style, rng))
    text = " ".join(pieces)
    return text[2:] if text.startswith("+ ") else f"-{text[2:]}"


def _signed_sum(keys: Sequence[tuple[int, str]], letter: str, style: str, rng: random.Random) -> str:
    terms = [f"{'-' if sign < 0 else '+'} {vector(key, letter, style, rng)}" for sign, key in keys]
    return " ".join(terms).removeprefix("+ ")


def _multiplied(share: Expr, inside: str, style: str, rng: random.Random) -> str:
    """A coefficient times a key or a sum of keys; the coefficient may come last."""
    if share == 1:
        return inside
    factor = plain(share, style)
    if share.is_Add or (style != "latex" and share.is_Mul and share.as_numer_denom()[1] != 1):
        factor = f"({factor})"
    joint = {"plain": "*", "unicode": " ", "latex": rng.choice([r" \cdot ", " ", r"\,"])}[style]
    is_sum = inside.startswith(("sum", "Σ", "∑", r"\sum"))
    last = not is_sum and factor[0] != "(" and rng.random() < 0.15
    return f"{inside}{joint}{factor}" if last else f"{factor}{joint}{inside}"


CONSTANTS = {
    "plain": ["C", "t", "lambda", "kappa"],
    "unicode": ["C", "t", "λ", "τ"],
    "latex": ["C", "t", r"\lambda", r"\tau"],
}
AROUND = {
    "plain": ["{0} = {1}", "{0} = {1}, {2} >> 0", "{0} = {1} where {2} is large", "{0}={1}", "{0} = {1} ({2} -> inf)"],
    "unicode": ["{0} = {1}", "{0} = {1}, {2} ≫ 0", "{0} = {1}, {2} → ∞", "{0} = {1} for large {2}"],
    "latex": ["{0} = {1}", "${0} = {1}$", r"{0} = {1}, {2} \gg 0", r"{0} = {1}, \quad {2} \to \infty",
              r"\[ {0} = {1} \]", r"{0} = {1} \text{{ with }} {2} \gg 1"],
}  # fmt: skip


def with_constant(text: str, style: str, letter: str) -> str:
    """The text with another letter for the constant C."""
    spaced = f"{letter} " if letter.startswith("\\") else letter
    return text.replace("C", spaced if style == "latex" else f" {letter} " if len(letter) > 1 else letter)


def phrase(lefts: Sequence[str], bodies: Sequence[str], style: str, constant: str, rng: random.Random) -> str:
    """The whole answer: one equation for each unknown."""
    if len(lefts) > 1:
        joint = {"plain": "; ", "unicode": ", ", "latex": rng.choice([", ", r" \\ ", r", \quad "])}[style]
        text = joint.join(f"{left} = {body}" for left, body in zip(lefts, bodies, strict=True))
        return rf"\begin{{cases}} {text} \end{{cases}}" if joint == r" \\ " else text
    around = rng.choice(AROUND[style])
    if around == "{0} = {1}" and rng.random() < 0.3:
        around = "{1}"
    return around.format(rng.choice([lefts[0], r"\mathbf{q}"]) if style == "latex" else lefts[0], bodies[0], constant)
