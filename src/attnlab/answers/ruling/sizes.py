"""The sizes at which an answer must be tested beside the usual ones.

An answer may name a size: C(n − 5)²(k_a + k_b) is right for every n but 5. It is tested at the whole numbers around
each root, in that size, of each number in its value.
"""

import math
from dataclasses import replace

import numpy as np

from attnlab.answers.parsing.shapes import NoValueError
from attnlab.answers.questions.instances import Instance, drawn_instances, exact_number, instances, values_of
from attnlab.answers.questions.questions import Question
from attnlab.answers.questions.regimes import every_path
from attnlab.answers.questions.trials import given_values, standard_draws
from attnlab.answers.ruling.counted import counts_unseen
from attnlab.answers.ruling.limits import exact_constants, exact_draws
from attnlab.answers.values.effort import UndecidedError
from attnlab.answers.values.evaluation import evaluate
from attnlab.answers.values.exact import Exact
from attnlab.answers.values.size_roots import mixes_sizes, size_roots

USUAL = (*range(1, 14), 17)
"""An answer that names a size, or multiplies sums, is tested at each of these sizes."""
MOST_MADE = 24
"""Up to this size, vectors are made; beyond it only the number in the formula changes."""
MOST_FAR, FREE = 65, 8
"""An equality is tried at larger sizes up to the first, at some of so many that are no roots."""
FAR_SIZES, FAR_TRIED = (10_000, 1_000_000), 2
"""Sizes that are only numbers, and so can be as large as that."""


def tested_instances(question: Question) -> list[Instance]:
    """All instances that an answer is tested on, the simplest first."""
    problem = question.problem
    usual, drawn = instances(problem), drawn_instances(problem, question.seed)
    named = _named(question)
    nodes = [node for formula in question.answered.values() for _, node in formula.walk()]
    sums = sum((node.op in ("each", "product") or node.leaf == "norm") + (node.op == "product") for node in nodes)
    found: list[Instance] = []
    for size in question.problem.sizes[0]:
        least = min(each[size] for each in question.problem.sizes)
        if size in named or (sums > 1 and size in question.problem.members):
            found += [each for value in USUAL if value >= least for each in _sized(question, size, value)[:1]]
        if size in named:
            for base in usual[: len(problem.sizes)]:
                values = {value for value in _roots_at(question, base, size) if value >= least}
                found += [each for value in sorted(values) for each in _sized(question, size, value, base)]
            if question.exact or question.prediction:
                found += _far(question, size)
    further = [each for each in dict.fromkeys(map(_Same, found)) if each.instance not in usual]
    made = [each.instance for each in further if not (question.prediction and each.instance.written)]
    return [*usual, *made, *drawn]


def _far(question: Question, size: str) -> list[Instance]:
    """Larger instances on which an equality must hold, too: where the answer names the size, at sizes that are no root
    of a number in its value. An answer cannot have been made to fit them, since they are drawn by a seed of its own."""
    problem, random = question.problem, np.random.default_rng(question.seed)
    if not any(size in symbol.shape for symbol in problem.symbols.values()):  # a number, and no vectors
        return [
            Instance({**problem.sizes[0], size: int(random.integers(*FAR_SIZES))}, question.seed + place, lie="anyhow")
            for place in range(FAR_TRIED)
        ]
    roots = {root for base in instances(problem)[:2] for root in _roots_at(question, base, size)}
    free = [value for value in range(max(USUAL) + 1, MOST_FAR) if value not in roots][:FREE]
    if not free:
        raise UndecidedError(f"it is not known for which {size} a part of it vanishes")
    values = {free[0], int(random.choice(free))}
    return [each for value in sorted(values) for each in _sized(question, size, value, most=MOST_FAR)]


class _Same:
    """An instance that can be compared with others by its sizes."""

    def __init__(self, instance: Instance):
        self.instance = instance
        self._key = (*instance.sizes.items(), *instance.written.items())

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._key == other._key


def check_every_size(question: Question) -> None:
    """Raise `UndecidedError` if an answer may be wrong at sizes that no search finds."""
    if counts_unseen(question):
        raise UndecidedError("it depends on a number of vectors that it does not name")
    if question.exact or question.prediction:
        return
    named = frozenset(_named(question))
    entries = [each for base in instances(question.problem)[:1] for each in _entries(question, base, named)]
    doubtful = any(root is None for size in named for entry in entries for root in size_roots(entry, size))
    if doubtful or any(mixes_sizes(each, named) for each in entries):
        raise UndecidedError(f"it is not known for which {' and '.join(sorted(named))} a part of it vanishes")


def _named(question: Question) -> set[str]:
    """The sizes in the formulas of an answer."""
    used = {name for formula in question.answered.values() for name in formula.names()}
    return used & {*question.problem.sizes[0]}


def _sized(
    question: Question, size: str, value: int, base: Instance | None = None, most: int = MOST_MADE
) -> list[Instance]:
    """The instances with that size, or with one more room; if no vectors can be made for it, one where only the number
    in formulas changes."""
    ranked = sorted(question.problem.sizes, key=lambda each: sum(each.values()))
    found: list[Instance] = []
    if value <= most:
        for sizes in [base.sizes] if base else [question.problem.sizes[0], *ranked]:
            for more in (0, value):
                roomy = {name: each + more * (name not in question.problem.members) for name, each in sizes.items()}
                made = Instance({**roomy, size: value}, 0, lie="crossed")
                try:
                    values_of(question.problem, made, *_plain(question, made), exact=True)
                except NoValueError:
                    continue
                found.append(made)
                break
    return found or [replace(Instance(ranked[-1], 0), written={size: value})]


def _plain(question: Question, instance: Instance):
    """Growing constants, and draws."""
    constants = exact_constants(question, every_path(question))
    return constants, exact_draws(question, instance, standard_draws(question, 1), constants)


def _roots_at(question: Question, base: Instance, size: str) -> set[int]:
    """The whole numbers around each root, in that size, of each number in the answer's value; other sizes are fixed."""
    found: set[int] = set()
    for entry in _entries(question, base, frozenset([size])):
        for root in size_roots(entry, size):
            if root is not None:
                found |= {math.floor(root), math.ceil(root), math.floor(root) + 1}
    return found


def _entries(question: Question, instance: Instance, sizes: frozenset[str]) -> set[Exact]:
    """The numbers in the answer's value on an instance, with some sizes as unknown numbers."""
    _, values = given_values(question, instance, *_plain(question, instance), exact=True)
    values |= {size: exact_number(Exact.factor("size", size)) for size in sizes}
    table = question.problem.table(question.declared, random=question.prediction)
    found: set[Exact] = set()
    for formula in question.answered.values():
        try:
            found |= set(evaluate(formula, values, table).ravel().tolist())
        except NoValueError:
            continue
    return found
