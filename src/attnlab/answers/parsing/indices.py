"""The indices of sums and of "for all": Σ_{i≠a,b}, \\prod_{i=1}^n, for all i ≠ j."""

import re
from collections.abc import Iterable
from typing import Any

from attnlab.answers.parsing.complaints import FormulaError, shown
from attnlab.answers.parsing.nodes import Node

SIGNS = {
    r"\\neq?(?![A-Za-z])|\\not\s*=|!=|∉|\\notin(?![A-Za-z])": "≠",
    r"\\in(?![A-Za-z])": "∈",
    r"\\setminus(?![A-Za-z])|\\backslash(?![A-Za-z])|(?<=\])\s*\\(?=\s*\\?\{)": "∖",
    r"\\[lcd]?dots(?![A-Za-z])|\.\.\.?": "…",
    r"\\\\": ",",
    r"\\(?:substack|text|mathrm|limits|nolimits)(?![A-Za-z])|\band\b|\\[,;:!]|\s|\\(?=[{}])": "",
}
"""The signs of an index as LaTeX and people write them, and one character for each."""
DOMAIN = r"(?:=1|∈(?:\[[A-Za-z\d]\]|1,?…,?[A-Za-z]|[A-Z]))"
WITHOUT = re.compile(rf"(?P<index>[A-Za-z])'?{DOMAIN}?(?:[∖-](?P<minus>.+)|[,:;|]?(?P<rest>.+))?")
MEMBERS = re.compile(r"[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*")
Index = tuple[str, tuple[str, ...]]
"""The letter, and the members that it leaves out."""


class Bounds(tuple[str, tuple[str, ...]]):
    """An index that knows the letter or the digit that a sum ends at. Σ_i and Σ_{i=1}^n are equal formulas."""

    last: str

    def __new__(cls, index: Iterable[Any], last: str = "") -> "Bounds":
        """The index, with its end."""
        made = super().__new__(cls, index)
        made.last = last
        return made


def sum_index(sign: str, body: Node) -> Index:
    """The index of a sum or a product: ("i", ("a", "b")) for Σ_{i≠a,b}; Σ k_i has the only index of its body."""
    text = _plain(sign)
    bounds = re.findall(r"([_^])(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|.)", text)
    lower, upper = "".join(text for at, text in bounds if at == "_"), [text for at, text in bounds if at == "^"]
    if not bounds:
        found = {each.partition("_")[2] for each in body.names()} - {""}
        letters = sorted(each for each in found if len(each) == 1 and each.isalpha())
        if len(letters) == 1:
            return letters[0], ()
    index = _without(lower)
    if index is None or any(not re.fullmatch(r"\{?[A-Za-z]\}?", each) for each in upper):
        raise FormulaError(f"expected a sum over all members, such as Σ_i or Σ_{{i≠a,b}}, got {shown(sign)}")
    last = re.search(r"∈(?:\[(\w)\]|\{?1?,?…,?([A-Za-z]))", lower)
    return Bounds(index, upper[0].strip("{}") if upper else (last[1] or last[2]) if last else "")


def quantified_index(written: str) -> Index:
    """The index of "for all i ≠ j": ("i", ("j",))."""
    bare = re.sub(r"^(?:for\s+)?(?:(?:all|every|each|any)(?![A-Za-z])|∀|\\forall)", "", written)
    index = _without(_plain(bare))
    if index is None:
        raise FormulaError(f"expected a condition such as: for all i ≠ j, got {shown(written)}")
    return index


def _without(lower: str) -> Index | None:
    """The letter and the members left out: i≠a,b or i ∈ [n] \\ {a,b}; None if it is something else."""
    found = WITHOUT.fullmatch(re.sub("[{}]", "", lower))
    if not found:
        return None
    index, members = found["index"], found["minus"] or ""
    if found["rest"]:
        pieces = re.split(f"(?:,?{index})?≠", found["rest"])
        if pieces[0] or len(pieces) == 1:
            return None
        members = ",".join(piece.strip(",") for piece in pieces[1:])
    if members and not MEMBERS.fullmatch(members):
        return None
    return index, tuple(members.split(",")) if members else ()


def _plain(written: str) -> str:
    """An index without spaces, and with one character for each sign."""
    for sign, plain in SIGNS.items():
        written = re.sub(sign, plain, written)
    return written
