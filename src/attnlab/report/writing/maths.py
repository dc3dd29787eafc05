"""Formulas in plain text as HTML: subscripts after _, superscripts after ^."""

import re

from markupsafe import Markup, escape

SCRIPT = re.compile(
    r"""
    (?P<digits>\b\d+(?:\.\d+)?)e(?P<power>[+-]?\d+)\b           # 2.2e-16
    | (?<=\b[^\W\d_])_(?P<word>[A-Za-zΑ-ω0-9]+)(?!_)           # v_a, μ_other
    | (?<=[^\W\d_])_(?P<low>\w(?![A-Za-zΑ-ω0-9_])|\{[^{}]*\})  # log_b, Σ_{i≠j}; but no name_of_a_thing
    | (?<=[\w)\]|‖])\^(?P<high>
        [−-]?\w+(?:\.\d+)?                                      # e^C, x^0.5
        | \{[^{}]*\}
        | \((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)              # e^(−C(1 + γ)); without the parentheses
      )
    """,
    re.VERBOSE,
)


def set_formulas(text: str) -> Markup:
    """The text as escaped HTML with subscripts and superscripts.

    >>> print(set_formulas("k_a < e^(−C(1+γ)) to 1e-06"))
    k<sub>a</sub> &lt; e<sup>−C(1+γ)</sup> to 1×10<sup>−6</sup>
    """
    parts, end = [], 0
    for found in SCRIPT.finditer(text):
        parts += [escape(text[end : found.start()]), _set(found)]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def _set(found: re.Match[str]) -> Markup:
    if found["power"]:
        return Markup("{}×10<sup>{}</sup>").format(found["digits"], str(int(found["power"])).replace("-", "−"))
    if low := found["word"] or found["low"]:
        return Markup("<sub>{}</sub>").format(set_formulas(low.strip("{}")))
    high = found["high"]
    return Markup("<sup>{}</sup>").format(set_formulas(high[1:-1] if high[0] in "({" else high))
