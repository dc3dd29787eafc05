"""What an answer means: how the coefficient of every key grows with C. SymPy decides, by exact limits."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import sympy as sp

C, n = sp.Symbol("C", positive=True), sp.Symbol("n", positive=True)
ZERO = sp.Integer(0)
Expr = Any
"""A formula or a matrix of SymPy, whose functions do not say which of their many types they return."""
SIZES = range(2, 13)

Keys = tuple[tuple[int, str], ...]
"""Keys with signs: "a", "b", "all" (Σ_i) or "others" (Σ over all keys without a name)."""
Query = tuple[tuple[Expr, Keys], ...]
"""A coefficient for each sum of keys."""


def query(*terms: tuple[Expr, str]) -> Query:
    """A query from coefficients and words such as "a + b", "a - b", "others"."""
    return tuple(
        (sp.sympify(share), tuple((-1 if sign == "-" else 1, key) for sign, key in _signed(words)))
        for share, words in terms
    )


def _signed(words: str) -> Iterator[tuple[str, str]]:
    sign = "+"
    for word in words.split():
        if word in "+-":
            sign = word
        else:
            yield sign, word


def logits(made: Query) -> tuple[Expr, Expr, Expr]:
    """The logits of a, of b and of any other key."""
    found: dict[str, Expr] = {"a": ZERO, "b": ZERO, "others": ZERO}
    for share, keys in made:
        for sign, key in keys:
            for each in found if key == "all" else (key,):
                found[each] += sign * share
    return found["a"], found["b"], found["others"]


@cache
def limit(expression: Expr, variable: sp.Symbol = C) -> Expr:
    """The limit as the constant grows."""
    return sp.limit(sp.expand(expression), variable, sp.oo)


def weights(at: tuple[Expr, ...], counts: tuple[int, ...]) -> tuple[Expr, ...] | None:
    """The limits of softmax's weights: each of `counts` keys has its logit. None if there is no limit."""
    found = []
    for own in at:
        apart = [(count, limit(other - own)) for count, other in zip(counts, at, strict=True) if count]
        if not all(each.is_number or each in (sp.oo, -sp.oo) for _, each in apart):
            return None
        total = sum((count * sp.exp(each) for count, each in apart), ZERO)
        found.append(ZERO if total == sp.oo else 1 / total)
    return tuple(found)


def _sizes(expressions: Sequence[Expr]) -> Sequence[int]:
    """The numbers of keys to try: all of them if an answer names n, otherwise a few."""
    return SIZES if any(n in each.free_symbols for each in expressions) else (2, 3, 7)


Aim = Callable[[Sequence[tuple[Expr, ...]]], bool]
"""Whether the weights that each head puts on a and b are what the problem asks for."""


def even(heads: Sequence[tuple[Expr, ...]]) -> bool:
    """The average over all heads is half a and half b."""
    return all(sp.simplify(sum(found[key] for found in heads) / len(heads) - sp.Rational(1, 2)) == 0 for key in (0, 1))


def only_a(heads: Sequence[tuple[Expr, ...]]) -> bool:
    """Every head copies a."""
    return all(found[:2] == (1, 0) for found in heads)


def one_each(heads: Sequence[tuple[Expr, ...]]) -> bool:
    """One head copies a, and the other b."""
    return {found[:2] for found in heads} == {(1, 0), (0, 1)}


def gives(heads: Sequence[Query], aim: Aim, draws: Sequence[Expr] = (ZERO,)) -> bool | None:
    """Whether the weights of the heads are those wanted, for all n and draws.

    Wrong for one n is wrong. None if it is right for some draws only.
    """
    found: bool | None = True
    for size in _sizes([each for head in heads for each in logits(head)]):
        told = {_gives(heads, aim, size, draw) for draw in draws}
        if told == {False}:
            return False
        found = found if told == {True} else None
    return found


def _gives(heads: Sequence[Query], aim: Aim, size: int, draw: Expr) -> bool:
    found = []
    for head in heads:
        a, b, other = (each.subs(n, size) for each in logits(head))
        found.append(weights(((1 + draw) * a, b, other), (1, 1, size - 2)))
    return None not in found and aim(found)
