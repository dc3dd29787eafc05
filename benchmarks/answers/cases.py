"""Answers to the lab's problems, right and wrong, made from their meaning and written as people write."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from meanings import ZERO, Aim, C, Expr, Keys, Query, even, gives, n, one_each, only_a, query
from notations import CONSTANTS, phrase, with_constant, written

DRAWS = (-sp.Rational(1, 2), sp.Rational(1, 4), sp.Integer(1))
GROWING = [
    C, 2 * C, C / 2, C**2, sp.sqrt(C), sp.exp(C), sp.log(C), C + sp.log(C), C - 5, (n + 1) * C, 1000 * C, C**3, C / 10,
    C * sp.log(C), n * C, C ** sp.Rational(1, 10), sp.log(sp.log(C)), C**2 + C, sp.exp(sp.sqrt(C)), 3 * C / 7,
]  # fmt: skip
ANY = [C, -C, C**2, sp.exp(C), sp.Integer(1), -sp.Integer(3), sp.log(C), -2 * C, 1 / C]
VANISHING = [1 / C, sp.exp(-C), sp.log(C) / C]
EXTRA = [sp.Integer(1), sp.log(C), C ** sp.Rational(1, 10), sp.sqrt(C), C, -sp.log(C), sp.Rational(1, 2), -C / 3]


@dataclass(frozen=True)
class Case:
    """An answer as a person wrote it, whether it is right, and a right answer in the same letters."""

    problem: str
    text: str
    right: bool
    reference: str
    conditional: bool = False
    """Whether it is right under a relation that it does not state, so that it must not hold without a condition."""


def right_averages() -> Iterator[Query]:
    """Queries that average a and b."""
    for grows in GROWING:
        yield query((grows, "a + b"))
        yield query((-grows, "others"))
    for at, grows in enumerate(GROWING):
        yield query((grows, "a + b"), (ANY[at % len(ANY)], "all"))
        yield query((grows, "a"), (grows + VANISHING[at % 3], "b"))
    for grows in GROWING[:8]:
        yield query((grows, "a + b"), (-C, "others"))


def right_copies() -> Iterator[Query]:
    """Queries that copy a."""
    for at, grows in enumerate(GROWING):
        yield query((grows, "a"))
        yield query((grows, "a"), (ANY[at % len(ANY)], "all"))
        yield query((grows, "all"), (GROWING[(at + 3) % 20], "a"))


def mutated(made: Query, rng: random.Random) -> Query:
    """A query with one or two slips."""
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(made))
        made = (*made[:at], *_slips(*made[at], rng), *made[at + 1 :])
    return made


def _slips(share: Expr, keys: Keys, rng: random.Random) -> Query:
    """A term with a slip, or the term and another that does not belong there."""
    match rng.randrange(9):
        case 0:
            return ((-share, keys),)
        case 1:
            return ((share, ((-keys[0][0], keys[0][1]), *keys[1:])),)
        case 2:
            return ((share, tuple((sign, "b" if key == "a" else key) for sign, key in keys)),)
        case 3 if len(keys) > 1:
            return ((share, keys[:-1]),)
        case 4:
            return ((sp.Integer(rng.choice([1, 2, 3])), keys),)
        case 5:
            return ((rng.choice([1 / C, 1 - 1 / C, sp.log(1 + 1 / C), sp.exp(-C)]), keys),)
        case 6:
            return ((share * rng.choice([(n - 5) ** 2, n - 4, (n - 3) ** 2]), keys),)
    return (share, keys), (rng.choice(EXTRA), ((1, rng.choice(["a", "b"])),))


@dataclass(frozen=True)
class Kind:
    """A problem that asks for queries."""

    name: str
    lefts: tuple[str, ...]
    letters: tuple[str, ...]
    right: Callable[[], Iterator[tuple[Query, ...]]]
    reference: tuple[Query, ...]
    aim: Aim = even
    draws: tuple[Expr, ...] = (ZERO,)


def _alone(made: Callable[[], Iterator[Query]]) -> Callable[[], Iterator[tuple[Query, ...]]]:
    return lambda: ((each,) for each in made())


def _quiet() -> Iterator[tuple[Query, ...]]:
    """Queries that keep away from the noisy key."""
    for grows in GROWING:
        yield (query((-grows, "others")),)
        yield (query((-grows, "others"), (1 / C, "a")),)


def _two() -> Iterator[tuple[Query, ...]]:
    """Two heads: a and b, b and a, or both the average, which is wrong where each value needs its own head."""
    for at, grows in enumerate(GROWING):
        other = GROWING[(at + 5) % 20]
        yield query((grows, "a")), query((other, "b"))
        yield query((grows, "b")), query((other, "a"))
        yield query((grows, "a + b")), query((other, "a + b"))


def _two_under_noise() -> Iterator[tuple[Query, ...]]:
    for at, grows in enumerate(GROWING):
        yield query((grows, "a")), query((GROWING[(at + 5) % 20], "b"))
        yield query((-grows, "others")), query((-C, "others"))


A, A_AND_B = query((C, "a")), query((C, "a + b"))
KINDS = (
    Kind("copy", ("q",), ("k", "mu"), _alone(right_copies), (A,), only_a),
    Kind("average", ("q",), ("k", "u", "mu"), _alone(right_averages), (A_AND_B,)),
    Kind("average-noisy", ("q",), ("mu",), lambda: ((query((each, "a + b")),) for each in GROWING[:6]), (A_AND_B,)),
    Kind("average-norm-noise", ("q",), ("mu",), _quiet, (query((-C, "others")),), draws=DRAWS),
    Kind("two-heads", ("q_1", "q_2"), ("mu", "k"), _two, (A, query((C, "b"))), one_each),
    Kind("two-heads-norm-noise", ("q_1", "q_2"), ("mu",), _two_under_noise, (A, query((C, "b"))), draws=DRAWS),
)


def query_cases(kind: Kind, rng: random.Random, wrong_each: int = 2) -> Iterator[Case]:
    """Right answers, and wrong answers made from them by slips; SymPy decides which is which."""
    for heads in kind.right():
        told = gives(heads, kind.aim, kind.draws)
        if told is not None:
            yield _case(kind, heads, told, rng)
        for _ in range(wrong_each):
            at = rng.randrange(len(heads))
            changed = (*heads[:at], mutated(heads[at], rng), *heads[at + 1 :])
            if gives(changed, kind.aim, kind.draws) is False:
                yield _case(kind, changed, False, rng)


def family_cases(kind: Kind, rng: random.Random) -> Iterator[Case]:
    """Right answers with values where keys belong. They are wrong: a problem says nothing about how its keys lie to its
    values, and where v_a is another key than k_a, the query finds that key."""
    for heads in kind.right():
        if any(len(head) > 1 for head in heads) or gives(heads, kind.aim, kind.draws) is False:
            continue
        style, letter, at = (
            rng.choice(["plain", "unicode", "latex"]),
            rng.choice(kind.letters),
            rng.randrange(len(heads)),
        )
        bodies = [_with_value(head, letter, style, rng) if place == at else written(head, letter, style, rng)
                  for place, head in enumerate(heads)]  # fmt: skip
        text = ", ".join(f"{left} = {body}" for left, body in zip(kind.lefts, bodies, strict=True))
        plainly = [written(head, letter, "latex", First()) for head in kind.reference]
        reference = ", ".join(f"{left} = {body}" for left, body in zip(kind.lefts, plainly, strict=True))
        yield Case(kind.name, _with_j(text, kind), False, _with_j(reference, kind))


def _with_value(head: Query, letter: str, style: str, rng: random.Random) -> str:
    """A query with values in place of all keys, or of one key of a sum."""
    ((share, keys),) = head
    if len(keys) == 1 or rng.random() < 0.5:
        return written(head, "v", style, rng)
    first, *rest = [written(((share, (key,)),), rng.choice([letter, "v"]), style, rng) for key in keys[:-1]]
    return " + ".join([first, *rest, written(((share, keys[-1:]),), "v", style, rng)])


class First(random.Random):
    """Chooses the simplest notation each time, for reference answers."""

    def choice(self, seq: Any) -> Any:
        """The first of them."""
        return seq[0]

    def random(self) -> float:
        """Never below a chance."""
        return 1.0


def _case(kind: Kind, heads: Sequence[Query], right: bool, rng: random.Random) -> Case:
    style, letter = rng.choice(["plain", "unicode", "latex"]), rng.choice(kind.letters)
    at = rng.randrange(len(CONSTANTS["latex"]))
    constant, typeset = CONSTANTS[style][at], CONSTANTS["latex"][at]
    bodies = [with_constant(written(head, letter, style, rng), style, constant) for head in heads]
    text = phrase(kind.lefts, bodies, style, constant, rng)
    plainly = [with_constant(written(head, letter, "latex", First()), "latex", typeset) for head in kind.reference]
    reference = ", ".join(f"{left} = {body}" for left, body in zip(kind.lefts, plainly, strict=True))
    return Case(kind.name, _with_j(text, kind), right, _with_j(reference, kind))


def _with_j(text: str, kind: Kind) -> str:
    """The text with j for a, as the problem of copying calls its key."""
    if kind.name != "copy":
        return text
    return text.replace("a,b", "j").replace("ₐ", "_j").replace("_a", "_j").replace("_{a}", "_{j}")
