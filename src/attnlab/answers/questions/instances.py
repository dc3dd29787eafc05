"""Instances of a problem: numbers for its symbols.

On the first instances numbers are plain, so that a counterexample is easy to read: small fractions, and orthonormal
vectors that are signed coordinate axes. A problem says nothing about how its keys lie to its values, so families of
vectors lie to each other in several ways. On further instances, numbers are drawn from a large range and directions are
arbitrary, by a seed that depends on the answer: no answer can be made to fit them. All numbers are fractions, so equal
logits stay equal however large C is.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attnlab.answers.parsing.shapes import NoValueError, Symbols
from attnlab.answers.questions.problem import EULER, Kind, Problem, Symbol
from attnlab.answers.values.evaluation import Value, evaluate, exactly
from attnlab.answers.values.exact import ONE, PI, Exact, exponential

Lie = Literal["alike", "opposed", "crossed", "apart", "anyhow"]
"""How independent families lie: the i-th vectors of all are alike, or opposed; each is like another vector of the other
families; all are at right angles; or they lie anyhow, in directions drawn at random."""
FINE = 1 << 19
"""The denominator of numbers that are drawn from a large range. Factors of numbers this small are found at once."""
FAR = 10**6
"""The largest whole number that is drawn."""
STEEP = 4
"""The largest entry of a vector at which a family is reflected; fractions stay short."""


@dataclass(frozen=True)
class Instance:
    """A choice of sizes, the seed of its random numbers, and how families of vectors lie to each other."""

    sizes: Mapping[str, int]
    seed: int
    written: Mapping[str, int] = field(default_factory=dict)
    """Sizes that are too large to make vectors for: only where a formula names the size does it have this value."""
    lie: Lie = "alike"


@lru_cache(maxsize=64)
def instances(problem: Problem) -> list[Instance]:
    """The instances with plain numbers that an answer is tested on, the simplest first."""
    lies: tuple[Lie, ...] = ("alike", "opposed", "crossed")
    found = [Instance(sizes, 0, lie=lies[min(place, 2)]) for place, sizes in enumerate(problem.sizes)]
    found.append(Instance(problem.sizes[0], 1, lie="crossed"))
    apart = [Instance(_with_room(problem, problem.sizes[0]), 0, lie="apart")] if problem.independent() > 1 else []
    return [*found, *apart]


def drawn_instances(problem: Problem, seed: int) -> list[Instance]:
    """Instances with numbers from a large range, and families that lie anyhow; none if nothing in a problem can be
    chosen but the sizes."""
    if problem.independent() < 2 and not problem.drawn():
        return []
    scalar = not problem.independent() and all(symbol.shape == ("1", "1") for symbol in problem.symbols.values())
    ranked = sorted(problem.sizes[1:], key=lambda each: sum(each.values()), reverse=len(problem.sizes) < 3)
    chosen = [problem.sizes[0], *ranked[1:], *ranked[:1]][: 4 if scalar else 2]
    return [
        Instance(_with_room(problem, sizes), seed + place, lie="anyhow") for place, sizes in enumerate(chosen, start=2)
    ]


def _with_room(problem: Problem, sizes: Mapping[str, int]) -> Mapping[str, int]:
    """The sizes with room for all families at right angles, and one dimension more."""
    orthonormal = [each.shape for each in problem.symbols.values() if each.kind == "orthonormal"]
    fixed = {
        columns for _, columns in (symbol.shape for symbol in problem.symbols.values() if symbol.kind != "identity")
    }
    needed = {
        rows: 1 + sum(sizes.get(columns, 1) for other, columns in orthonormal if other == rows)
        for rows, _ in orthonormal
        if rows in sizes and rows not in fixed and rows not in problem.members
    }
    return {name: max(size, needed.get(name, 0)) for name, size in sizes.items()}


def values_of(
    problem: Problem,
    instance: Instance,
    constants: Mapping[str, Value],
    draws: Mapping[str, Value],
    *,
    exact: bool = False,
) -> dict[str, Value]:
    """The value of every symbol: sizes, constants, draws, and symbols made from the instance's seed. With `exact`, the
    constants and draws are exact too."""
    values: dict[str, Value] = {name: number(size) for name, size in {**instance.sizes, **instance.written}.items()}
    values |= _fixed(problem, tuple(instance.sizes.items()), instance.seed, instance.lie)
    if exact:
        values = {name: exactly(value) for name, value in values.items()}
        values |= {name: exact_number(value) for name, value in (("e", exponential(ONE)), ("π", PI))}
    else:
        values = {name: value.astype(float) for name, value in values.items()}
        values |= {name: number(value) for name, value in EULER.items()}
    values |= {**constants, **draws}
    for name, symbol in problem.symbols.items():
        if symbol.kind == "noise":
            rows, columns = (instance.sizes.get(size, 1) for size in symbol.shape)
            values[name] = draws[name][..., :rows, :columns]  # drawn for the largest instance
        elif symbol.norm:
            values[name] = values[name] * values[symbol.norm]
    return values


@lru_cache(maxsize=1024)
def _fixed(problem: Problem, sizes: tuple[tuple[str, int], ...], seed: int, lie: Lie) -> dict[str, Value]:
    """The symbols that depend on the instance alone."""
    random = np.random.default_rng(seed)
    found: dict[str, Value] = {}
    families = _Families(random, lie, shuffled=seed > 0)
    for name, symbol in problem.symbols.items():
        rows, columns = (dict(sizes).get(size, 1) for size in symbol.shape)
        if symbol.kind == "identity":
            found[name] = np.eye(rows)[None, None]
        elif symbol.kind == "orthonormal":
            found[name] = families.made(name, symbol, rows, columns)
        elif symbol.kind in ("integers", "prime", "numbers", "positive", "distribution"):
            made = _drawn if lie == "anyhow" else _plain
            found[name] = made(symbol.kind, random, rows * columns).reshape(1, 1, rows, columns)
    return found


def define(
    problem: Problem, table: Symbols, values: Mapping[str, Value], only: Collection[str] | None = None
) -> dict[str, Value]:
    """The values and those of the problem's definitions, or of some of them; `table` has their shapes."""
    values = dict(values)
    for name, formulas in problem.definitions.items():
        if only is not None and name not in only:
            continue
        found = [evaluate(formula, values, table) for formula in formulas]
        place = problem.replaces(name, table)
        if place is None:
            values[name] = np.concatenate(np.broadcast_arrays(*found), axis=-1)
        else:
            values[place[0]] = _with_column(values[place[0]], place[1], found[0])
    return values


def number(value: float) -> Value:
    """A number as a value."""
    return np.full((1, 1, 1, 1), float(value))


def exact_number(value: Exact) -> Value:
    """An exact number as a value."""
    made = np.empty((1, 1, 1, 1), dtype=object)
    made[0, 0, 0, 0] = value
    return made


def _plain(kind: Kind, random: np.random.Generator, count: int) -> NDArray[Any]:
    """Numbers that are easy to read; fractions have the denominator 16, and the last of a distribution is the rest."""
    if kind == "prime":
        return random.choice([2.0, 3.0, 5.0, 7.0], count)
    if kind == "integers":
        return random.integers(1, 4, count) * random.choice([-1.0, 1.0], count)
    if kind == "distribution":
        return _to_one(random.permutation(np.arange(1, count + 1)) / 64.0)
    made = random.integers(1, 8, count) / 16.0
    return made * random.choice([-4, 4], count) if kind == "numbers" else made


def _drawn(kind: Kind, random: np.random.Generator, count: int) -> NDArray[Any]:
    """Numbers from a range larger than any formula has roots. Floating point holds them exactly."""
    if kind == "prime":
        return np.array([_prime(random) for _ in range(count)], dtype=float)
    if kind == "integers":
        return random.integers(1, FAR, count) * random.choice([-1.0, 1.0], count)
    if kind == "distribution":
        return _to_one(random.integers(1, FINE // count, count) / FINE)
    made = random.integers(1, FINE // 2, count) / FINE
    return made * random.choice([-4, 4], count) if kind == "numbers" else made


def _to_one(shares: NDArray[Any]) -> NDArray[Any]:
    """The shares, with the rest of 1 as the last."""
    shares[-1] = 1 - shares[:-1].sum()
    return shares


def _prime(random: np.random.Generator) -> int:
    """A prime number below `FINE`."""
    while True:
        found = int(random.integers(3, FINE)) | 1
        if all(found % divisor for divisor in range(3, int(found**0.5) + 1, 2)):
            return found


class _Families:
    """Makes orthonormal vectors. Those `orthogonal_to` others are of one family with them."""

    def __init__(self, random: np.random.Generator, lie: Lie, *, shuffled: bool):
        self._random, self._lie, self._shuffled = random, lie, shuffled
        self._axes: dict[str, list[int]] = {}
        self._taken: dict[str, list[int]] = {}
        self._turn: dict[str, NDArray[Any]] = {}
        self._count = self._columns = 0

    def made(self, name: str, symbol: Symbol, rows: int, columns: int) -> Value:
        """The vectors side by side."""
        if symbol.orthogonal_to:
            first, taken = self._axes[symbol.orthogonal_to], self._taken[symbol.orthogonal_to]
            self._turn[name] = self._turn[symbol.orthogonal_to]
        else:
            first, taken = self._next_axes(rows), []
            self._turn[name] = self._turned(rows)
            self._count += 1
        free = [row for row in first if row not in taken]
        if len(free) < columns:
            raise NoValueError(f"{name}: {columns} orthogonal vectors do not fit into {len(free)} dimensions")
        places = free[:columns]
        self._axes[name], self._taken[name] = first, [*taken, *places]
        self._columns += columns
        return self._turn[name][:, places].reshape(1, 1, rows, columns)

    def _next_axes(self, rows: int) -> list[int]:
        """The order in which the next family takes the axes."""
        shift = {"crossed": self._count, "apart": self._columns}.get(self._lie, 0)
        return [(row + shift) % rows for row in range(rows)]

    def _turned(self, rows: int) -> NDArray[Any]:
        """The axes of the next family: signed unit vectors, or fractions in any direction."""
        if self._lie == "anyhow":
            return _reflection(self._random, rows) @ _reflection(self._random, rows)
        signs = np.full(rows, -1.0 if self._lie == "opposed" and self._count else 1.0)
        return np.eye(rows) * (self._random.choice([-1.0, 1.0], rows) if self._shuffled else signs)


def _reflection(random: np.random.Generator, rows: int) -> NDArray[Any]:
    """The reflection I − 2 w wᵀ/(wᵀ w) at a vector of whole numbers: an orthogonal matrix of fractions."""
    across = [int(each) for each in random.integers(1, STEEP + 1, rows) * random.choice([-1, 1], rows)]
    square = sum(each * each for each in across)
    return np.array(
        [
            [Fraction(int(i == j)) - Fraction(2 * a * b, square) for j, b in enumerate(across)]
            for i, a in enumerate(across)
        ],
        dtype=object,
    )


def _with_column(family: Value, place: int, column: Value) -> Value:
    """A family of vectors with one vector replaced."""
    lead = np.broadcast_shapes(family.shape[:2], column.shape[:2])
    changed = np.broadcast_to(family, (*lead, *family.shape[2:])).copy()
    changed[..., place : place + 1] = column
    return changed
