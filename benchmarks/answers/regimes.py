"""Answers with two large constants: right on every path, right only where one is far above the other, or wrong.

SymPy decides along concrete paths, t = C/2, t = C², t = ln C and others: an answer that fails on one of them is wrong.
"""

import random
from collections.abc import Iterator

import sympy as sp

from cases import KINDS, Case, Kind
from meanings import C, Expr, Query, gives, query
from notations import written

t = sp.Symbol("t", positive=True)
ALIKE = [C / 2, C, 2 * C, 3 * C]
REGIMES = {
    "C ≫ t": [sp.sqrt(C), C ** sp.Rational(9, 10), sp.log(C)],
    "t ≫ C": [C**2, C ** sp.Rational(10, 9)],
}
"""Relations, and t as a function of C on some paths with that relation."""
SPELLINGS = {
    "plain": [", {} >> {}", " where {} >> {}"],
    "unicode": [", {} ≫ {}", " ({} ≫ {})"],
    "latex": [r", {} \gg {}", r" \text{{ where }} {} \gg {}"],
}
GROWING = [
    C * t, C + t, sp.sqrt(C * t), C * t - 1, C * sp.log(t), sp.exp(C) * t, C**2 + t, C * t - C - t, C + sp.log(t),
    C + 1 / t,
]  # fmt: skip
UNEVEN = [C - t, C / t, sp.log(C / t) ** 2, C**2 - t**2, (C - t) ** 3, C**2 / t - t]
EXTRA = [sp.log(C / t) ** 2, C / t + t / C, sp.log(t), sp.Integer(1), t, C * t, sp.sqrt(C) + sp.sqrt(t), 2 * C - t]
PROBLEMS = ("copy", "average", "two-heads")


def two_constant_cases(rng: random.Random) -> Iterator[Case]:
    """Answers in both constants, without a relation and with each of both."""
    squares = [(C - share * t) ** 2 for share in rng.sample(range(1, 8), 3)]
    squares += [sp.expand((C - share * t) ** 2) for share in rng.sample(range(1, 8), 2)]
    for kind in (each for each in KINDS if each.name in PROBLEMS):
        for grows in GROWING:
            yield _case(kind, _queries(kind, grows, rng), "", rng)
            yield _case(kind, _queries(kind, grows, rng, rng.choice(EXTRA)), "", rng)
        for grows in [*UNEVEN, *squares]:
            yield _case(kind, _queries(kind, grows, rng), rng.choice(["", *REGIMES]), rng)
    average = next(each for each in KINDS if each.name == "average")
    for relation in ("", *REGIMES):
        yield _case(average, (query((C, "a + b"), (t, "others")),), relation, rng)
        yield _case(average, (query((C, "a + b"), (t / C, "a")),), relation, rng)
        yield _case(average, (query((C, "a"), (t, "b")),), relation, rng)


def _queries(kind: Kind, grows: Expr, rng: random.Random, extra: Expr | None = None) -> tuple[Query, ...]:
    """A query for each head, with that coefficient; an extra term may spoil the first."""
    if kind.name == "average":
        made = [rng.choice([query((grows, "a + b")), query((-grows, "others")), query((grows, "a + b"), (1 / t, "a"))])]
    else:
        made = [query((grows, "a")), query((C, "b"))][: len(kind.lefts)]
    if extra is not None:
        made[0] = (*made[0], *query((extra, "b") if kind.name == "average" else (-rng.choice(GROWING), "a")))
    return tuple(made)


def _right_on(kind: Kind, heads: tuple[Query, ...], at: list[Expr]) -> bool:
    """Whether the heads are right on all of some paths."""
    return all(
        gives(tuple(tuple((share.subs(t, path), keys) for share, keys in head) for head in heads), kind.aim) is True
        for path in at
    )


def _case(kind: Kind, heads: tuple[Query, ...], relation: str, rng: random.Random) -> Case:
    style, letter = rng.choice(["plain", "unicode", "latex"]), rng.choice(kind.letters)
    bodies = [written(head, letter, style, rng) for head in heads]
    text = ", ".join(f"{left} = {body}" for left, body in zip(kind.lefts, bodies, strict=True))
    reference = ", ".join(
        f"{left} = {written(head, letter, style, rng)}" for left, head in zip(kind.lefts, kind.reference, strict=True)
    )
    if kind.name == "copy":
        text, reference = (
            each.replace("a,b", "j").replace("ₐ", "_j").replace("_a", "_j") for each in (text, reference)
        )
        text, reference = (each.replace("_{a}", "_{j}") for each in (text, reference))
    in_regimes = [_right_on(kind, heads, at) for at in REGIMES.values()]
    right = in_regimes[list(REGIMES).index(relation)] if relation else all(in_regimes) and _right_on(kind, heads, ALIKE)
    if relation:
        larger, _, smaller = relation.split()
        text += rng.choice(SPELLINGS[style]).format(larger, smaller)
    return Case(kind.name, text, right, reference, conditional=not right and not relation and any(in_regimes))
