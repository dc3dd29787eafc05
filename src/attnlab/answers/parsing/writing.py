"""A tree as people write it."""

from decimal import Context, Decimal, Inexact
from fractions import Fraction

from attnlab.answers.parsing.nodes import Node

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# How tightly an operation binds: a looser operation inside a tighter one needs brackets.
BINDING = {
    "add": 0,
    "negate": 1,
    "hadamard": 1.5,
    "each": 2,
    "product": 2,
    "times": 2,
    "over": 2,
    "power": 4,
    "transpose": 4,
}
ATOM = 5
VULGAR = {(1, 2): "½", (1, 3): "⅓", (2, 3): "⅔", (1, 4): "¼", (3, 4): "¾"}
EXACTLY = Context(prec=2_000, traps=[Inexact])
PLAIN_DIGITS = 10
"""Numbers with more zeros than this are written with an exponent: 1e-30."""


def text(node: Node) -> str:
    """The node as people write it."""
    return _WRITERS[node.op](node)


def _number(node: Node) -> str:
    """All digits of a number; a fraction if they never end."""
    value: Fraction = node.leaf
    try:
        decimal = EXACTLY.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(EXACTLY)
    except Inexact:
        return f"({value})"
    if abs(decimal.adjusted()) < PLAIN_DIGITS:
        return f"{decimal:f}"
    return f"{decimal:e}".replace("e+", "e")


def _sum(node: Node) -> str:
    first, *rest = node.args
    return _inside(first, 1) + "".join(
        f" − {_inside(each.args[0], 2)}" if each.op == "negate" else f" + {_inside(each, 1)}" for each in rest
    )


def _quotient(node: Node) -> str:
    if all(each.op == "number" for each in node.args):
        simple = VULGAR.get((node.args[0].leaf, node.args[1].leaf))
        if simple:
            return simple
    return f"{_inside(node.args[0], 3, top=True)}/{_inside(node.args[1], 3)}"


def _inside(node: Node, binding: float, top: bool = False) -> str:
    """The text of an argument, in brackets if it binds less tightly than `binding`."""
    written = text(node)
    own = ATOM if written in VULGAR.values() else BINDING.get(node.op, ATOM)
    if node.op == "number" and node.leaf < 0:
        own = 1
    if top and node.op == "times" and not any(factor.op in ("over", "each", "product") for factor in node.args):
        own = 3  # 2C/3 needs no brackets
    return written if own >= binding else f"({written})"


def _norm_or_call(node: Node) -> str:
    inner = text(node.args[0])
    if node.leaf == "pinv":
        return f"{_inside(node.args[0], ATOM)}⁺"
    return f"‖{inner}‖" if node.leaf == "norm" else f"{node.leaf.replace('sigmoid', 'σ')}({inner})"


def _product(node: Node) -> str:
    """Factors side by side, with a space only between letters or digits."""
    written = ""
    for place, factor in enumerate(node.args):
        last = place == len(node.args) - 1
        # Without brackets it would be unclear what a division in a product divides.
        fraction = factor.op == "over" and str(factor) not in VULGAR.values()
        loose = factor.op == "negate" or (factor.op in ("each", "product") and not last) or fraction
        piece = f"({text(factor)})" if loose else _inside(factor, 2)
        digit = piece[:1].isdigit() and bool(written)
        written += "·" * digit + " " * (not digit and bool(written) and piece[0] != "(" and written[-1] != "(") + piece
    return _tight(written)


def _tight(written: str) -> str:
    """The text without the space between a number and the name after it: 2C."""
    head, space, tail = written.partition(" ")
    number_first = head.replace(".", "", 1).isdigit() and tail[:1].isalpha() and tail[:1] not in "eE"
    return head + tail if space and number_first else written


def _raised(node: Node) -> str:
    base, exponent = node.args
    plain = exponent.args[0] if exponent.op == "negate" else exponent
    whole = plain.op == "number" and plain.leaf >= 0 and plain.leaf.denominator == 1
    if whole:
        raised = f"{'-' * (exponent.op == 'negate')}{plain.leaf.numerator}".translate(SUPERSCRIPTS)
    else:
        bare = exponent.op == "name" and "/" not in exponent.leaf  # a derivative needs brackets: e^{∂J/∂x}
        raised = f"^{text(exponent)}" if bare else f"^{{{text(exponent)}}}"
    return f"{_inside(base, ATOM)}{raised}"


def _sigma(node: Node) -> str:
    index, left_out = node.leaf
    under = f"{{{index}≠{','.join(left_out)}}}" if left_out else index
    return f"{'Σ' if node.op == 'each' else 'Π'}_{under} {_inside(node.args[0], 2)}"


_WRITERS = {
    "number": _number,
    "name": lambda node: node.leaf,
    "call": _norm_or_call,
    "add": _sum,
    "negate": lambda node: f"−{_inside(node.args[0], 2)}",
    "times": _product,
    "hadamard": lambda node: " ⊙ ".join(_inside(each, 2) for each in node.args),
    "over": _quotient,
    "transpose": lambda node: f"{_inside(node.args[0], ATOM)}ᵀ",
    "power": _raised,
    "each": _sigma,
    "product": _sigma,
    "same": lambda node: f"δ_{''.join(node.leaf)}",
    "entries": lambda node: text(node.args[0]),
}
