"""Instances of a problem: numbers for its symbols.

Orthonormal columns are signed unit vectors, in order for the first instances and shuffled for the others. These are
general enough: formulas consist of products, sums, transposes and inverses, so they rotate with the whole space. And
products of such vectors are exactly 0 or ±1: equal logits stay equal however large C is, and a counterexample is in
plain numbers.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from attnlab.answers.parsing.shapes import NoValueError, Symbols
from attnlab.answers.questions.problem import EULER, Kind, Problem, Symbol
from attnlab.answers.values.evaluation import Value, evaluate, exactly
from attnlab.answers.values.exact import ONE, PI, Exact, exponential


@dataclass(frozen=True)
class Instance:
    """A choice of sizes, and the seed of its random numbers."""

    sizes: Mapping[str, int]
    seed: int
    written: Mapping[str, int] = field(default_factory=dict)
    """Sizes that are too large to make vectors for: only where a formula names the size does it have this value."""


def instances(problem: Problem) -> list[Instance]:
    """The instances that an answer is tested on, the simplest first."""
    return [*(Instance(sizes, 0) for sizes in problem.sizes), Instance(problem.sizes[0], 1)]


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
    values |= _fixed(problem, tuple(instance.sizes.items()), instance.seed)
    if exact:
        values = {name: exactly(value) for name, value in values.items()}
        values |= {name: exact_number(value) for name, value in (("e", exponential(ONE)), ("π", PI))}
    else:
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
def _fixed(problem: Problem, sizes: tuple[tuple[str, int], ...], seed: int) -> dict[str, Value]:
    """The symbols that depend on the instance alone."""
    random = np.random.default_rng(seed)
    found: dict[str, Value] = {}
    taken: dict[str, list[int]] = {}
    for name, symbol in problem.symbols.items():
        rows, columns = (dict(sizes).get(size, 1) for size in symbol.shape)
        if symbol.kind == "identity":
            found[name] = np.eye(rows)[None, None]
        elif symbol.kind == "integers":
            found[name] = _integers(random, rows, columns)
        elif symbol.kind == "prime":
            found[name] = number(random.choice([2, 3, 5, 7]))
        elif symbol.kind in ("numbers", "positive", "distribution"):
            found[name] = _fractions(symbol.kind, random, rows, columns)
        elif symbol.kind == "orthonormal":
            found[name] = _orthonormal(name, symbol, rows, columns, random if seed else None, taken)
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


def _integers(random: np.random.Generator, rows: int, columns: int) -> Value:
    return (random.integers(1, 4, (1, 1, rows, columns)) * random.choice([-1, 1], (1, 1, rows, columns))).astype(float)


def _fractions(kind: Kind, random: np.random.Generator, rows: int, columns: int) -> Value:
    """Fractions with the denominator 16, which floating point holds exactly; the last of a distribution is the rest."""
    made = random.integers(1, 8, (1, 1, rows, columns)) / 16.0
    if kind == "numbers":
        return made * random.choice([-4, 4], made.shape)
    if kind == "distribution":
        made = random.permutation(np.arange(1, rows * columns + 1)) / 64.0
        made[-1] = 1 - made[:-1].sum()
    return made.reshape(1, 1, rows, columns)


def _orthonormal(
    name: str, symbol: Symbol, rows: int, columns: int, random: np.random.Generator | None, taken: dict[str, list[int]]
) -> Value:
    """Signed unit vectors, orthogonal to those of the symbol `orthogonal_to`."""
    away = taken.get(symbol.orthogonal_to, [])
    free = [row for row in range(rows) if row not in away]
    if len(free) < columns:
        raise NoValueError(f"{name}: {columns} orthogonal vectors do not fit into {len(free)} dimensions")
    places = random.permutation(free)[:columns].tolist() if random else free[:columns]
    signs = random.choice([-1.0, 1.0], columns) if random else np.ones(columns)
    taken[name] = [*away, *places]
    made = np.zeros((1, 1, rows, columns))
    made[0, 0, places, range(columns)] = signs
    return made


def _with_column(family: Value, place: int, column: Value) -> Value:
    """A family of vectors with one vector replaced."""
    lead = np.broadcast_shapes(family.shape[:2], column.shape[:2])
    changed = np.broadcast_to(family, (*lead, *family.shape[2:])).copy()
    changed[..., place : place + 1] = column
    return changed
