"""Formulas whose form depends on two indices, and sums with dots, written as one formula each.

ŷ_i(1 − ŷ_i) if i = j, −ŷ_i ŷ_j otherwise, is (ŷ_i(1 − ŷ_i)) 1[i=j] + (−ŷ_i ŷ_j)(1 − 1[i=j]); a_1 a_1ᵀ + … + a_m a_mᵀ is
Σ_{i=1}^m a_i a_iᵀ.
"""

import re

WORDS = (
    r"(?:[,&~\s]|\\q?quad(?![A-Za-z])|\\[,;:! ]|\b(?:if|for|when|where)\b"
    r"|\\(?:text|mathrm|textrm)\s*+\{\s*+(?:if|for|when|where)?\s*+\})*+"
)
ALIKE = re.compile(rf"{WORDS}\b(?P<i>[a-z])\s*+=\s*+(?P<j>[a-z])\s*+[.,;]?\s*+$")
UNLIKE = re.compile(
    rf"{WORDS}(?:\b(?P<i>[a-z])\s*+(?:≠|!=|\\neq?(?![A-Za-z])|\\not\s*+=)\s*+(?P<j>[a-z])"
    r"|\b(?:otherwise|else)\b|\\(?:text|mathrm|textrm)\s*+\{\s*+(?:otherwise|else)\s*+\})\s*+[.,;]?\s*+$"
)
CASES = re.compile(
    r"(?:\\left\s*\\\{\s*)?\\begin\{cases\}(?P<inside>(?:(?!\\(?:begin|end)\{).)*+)\\end\{cases\}(?:\s*\\right\s*\.)?",
    re.S,
)
ROW = re.compile(r"\\\\|\n")
IN_A_LINE = re.compile(r"(?<=[a-z])\s*[,;]\s*")
DOTS = re.compile(r"\s*(?:…|\.\.\.|\\[lcd]?dots(?![A-Za-z]))\s*")


def in_one_formula(text: str) -> str:
    """The text with cases as a sum of two parts, and sums with dots as Σ."""
    text = CASES.sub(lambda found: _joined(ROW.split(found["inside"])) or found[0], text)
    left, equals, right = text.partition("=")
    if "\\begin" not in right and (written := _joined(IN_A_LINE.split(right, maxsplit=1))):
        text = f"{left}{equals} {written}"
    return re.sub(r"(?<==)[^=\n,;]*", lambda found: _summed(found[0]), text) if DOTS.search(text) else text


def _joined(rows: list[str]) -> str:
    """Two rows, one for i = j and one for i ≠ j, as a sum; empty if the rows are something else."""
    rows = [row for row in rows if row.strip()]
    if len(rows) != 2:
        return ""
    for one, other in (rows, rows[::-1]):
        alike, unlike = ALIKE.search(one), UNLIKE.search(other)
        if alike and unlike and {alike["i"], alike["j"]} == {unlike["i"] or alike["i"], unlike["j"] or alike["j"]}:
            same = f"1[{alike['i']}={alike['j']}]"
            return f"({one[: alike.start()]}) {same} + ({other[: unlike.start()]})(1 - {same})"
    return ""


def _summed(side: str) -> str:
    """a_1 a_1ᵀ + a_2 a_2ᵀ + … + a_m a_mᵀ as a sum; another side as it is."""
    *first, dots, last = re.split(r"\+", side) if side.count("+") > 1 else ["", "", ""]
    ends = {found[1] for found in re.finditer(r"_\s*\{?\s*([A-Za-z])\s*\}?(?![A-Za-z])", last)}
    if not DOTS.fullmatch(dots) or len(ends) != 1 or not first:
        return side
    (end,) = ends
    terms = [_at(last, end, str(place)) for place in range(1, len(first) + 1)]
    if [_bare(each) for each in first] != [_bare(each) for each in terms]:
        return side
    index = "i" if end != "i" else "l"
    return f" Σ_{{{index}=1}}^{{{end}}} ({_at(last, end, index)})"


def _at(term: str, end: str, index: str) -> str:
    """A term with another index."""
    return re.sub(rf"_\s*\{{?\s*{end}\s*\}}?(?![A-Za-z])", f"_{{{index}}}", term)


def _bare(term: str) -> str:
    return re.sub(r"[\s{}]", "", term)
