"""Whether wrong answers are the places of people with similar names, more often than chance would have it.

For each wrong answer the people whose names resemble most the name that was asked are looked up: the k most similar,
and all who are as similar as the last of them; nobody who does not resemble at all, nor of the very same name. The
statistic is the share of wrong answers that are the place of one of these. What chance makes of it is found by giving
the wrong answers to the wrongly answered people in another order (Fisher 1935), so that common places are as common as
before: in any order in which nobody's answer is right, since only wrong answers are here. A small p says that names and
answers go together, be it by the name itself or by what a name tells of a country. An empty text is no answer.

Such an order is found step by step: answers are exchanged within pairs, or passed round within threes, and what would
put somebody right is refused. Since a step and its way back are equally likely, all allowed orders are. From the order
that was seen the steps are gone backwards to a hub, and from there forwards anew for each shuffle. If names and answers
have nothing to do with each other, the order that was seen is to the hub what the shuffles are, and its rank among them
is pure chance, however few the steps (Besag and Clifford 1989, "Generalized Monte Carlo significance tests").
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import Answer
from attnlab.evaluation.knowledge.names import resemblances
from attnlab.statistics import Share

NEAREST = 3
SHUFFLES = 9999
AS_SIMILAR = 1e-9
"""Resemblances that differ by less are the same but for rounding."""
SWEEPS, FOR_FEW = 12, 1_000
"""Everybody is put into pairs or threes 12 times, and 1,000 over the number of people times more, since few people can
hardly exchange anything: after that little is left of the hub."""
AT_ONCE = 250_000
"""So many numbers are shuffled in one go, which keeps memory small."""


@dataclass(frozen=True)
class Example:
    """A wrong answer that is the place of somebody with a similar name."""

    name: str
    truth: str
    answer: str
    probability: float
    similar: str
    """The most similar of those whose place it is."""
    resemblance: float


@dataclass(frozen=True)
class Resembling:
    """How often wrong answers are places of people with similar names, and how often by chance."""

    share: Share
    """Of all wrong answers."""
    expected: float
    """The share in the mean over shuffles."""
    p_value: float
    """(1 + shuffles with as large a share) / (1 + shuffles)."""
    shuffles: int
    nearest: int
    """k."""
    examples: tuple[Example, ...]
    """The most similar first."""

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        numbers = {"expected": self.expected, "p_value": self.p_value, "shuffles": self.shuffles}
        examples = [asdict(each) for each in self.examples]
        return {"share": self.share.as_json(), **numbers, "nearest": self.nearest, "examples": examples}


def resembling(
    answers: Sequence[Answer],
    known: Sequence[tuple[str, str]],
    *,
    nearest: int = NEAREST,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> Resembling | None:
    """The test on the wrong ones of some answers, by the names and places of all people who are known; None if no
    answer is wrong."""
    for option, value in (("nearest", nearest), ("shuffles", shuffles)):
        if value < 1:
            raise ArgumentError(option, f"expected at least 1, got {value}")
    if not known:
        raise ArgumentError("known", "expected at least one person whose place is known, got none")
    wrong = [each for each in answers if each.said and not each.right]
    if not wrong:
        return None
    similar = _similar(wrong, [name for name, _ in known], nearest)
    places, given = np.unique([each.answer.strip() for each in wrong], return_inverse=True)
    number = {place: column for column, place in enumerate(places.tolist())}
    hits = _hits(similar > 0, [number.get(place.strip(), len(number)) for _, place in known], len(number))
    truths = np.array([number.get(each.truth.strip(), len(number)) for each in wrong])
    rows = np.arange(len(wrong))
    found = int(hits[rows, given].sum())
    counts = _shuffled(hits, given, truths, shuffles, seed)
    examples = [_example(wrong[row], known, similar[row]) for row in np.flatnonzero(hits[rows, given])]
    examples.sort(key=lambda each: (-each.resemblance, -each.probability, each.name))
    p_value = (1 + int((counts >= found).sum())) / (1 + shuffles)
    expected = float(counts.mean()) / len(wrong)
    return Resembling(Share(found, len(wrong)), expected, p_value, shuffles, nearest, tuple(examples))


def _similar(wrong: Sequence[Answer], names: Sequence[str], nearest: int) -> Float[np.ndarray, "wrong known"]:
    """How much each wrongly answered name resembles those that it resembles most, and 0 for the others."""
    found = resemblances([each.name for each in wrong], names)
    asked, theirs = np.array([each.name.strip() for each in wrong]), np.array([name.strip() for name in names])
    found[asked[:, None] == theirs] = 0.0
    last = min(nearest, len(names))
    bounds = np.partition(found, -last, axis=1)[:, [-last]]
    return np.where(found >= bounds - AS_SIMILAR, found, 0.0)


def _hits(
    similar: Bool[np.ndarray, "wrong known"], homes: Sequence[int], places: int
) -> Bool[np.ndarray, "wrong places"]:
    """Whether each place would be, for each wrongly answered person, a place of somebody similar; homes that nobody
    answered have a number beyond the places."""
    hits = np.zeros((len(similar), places + 1), bool)
    people, others = np.nonzero(similar)
    hits[people, np.array(homes)[others]] = True
    return hits[:, :places]


def _shuffled(
    hits: Bool[np.ndarray, "wrong places"],
    given: Int[np.ndarray, " wrong"],
    truths: Int[np.ndarray, " wrong"],
    shuffles: int,
    seed: int,
) -> Int[np.ndarray, " shuffles"]:
    """How many answers hit when they are given to the people in any order in which none is right, time and again."""
    draws = np.random.default_rng(seed)
    people, counts = len(given), []
    sizes = islice(cycle((2, 3)), SWEEPS + FOR_FEW // people)
    sweeps = [draws.permutation(people)[: people // size * size].reshape(size, -1) for size in sizes]
    hub = _passed(given.astype(np.int32)[:, None], truths, sweeps[::-1], draws)
    most = max(1, AT_ONCE // people)
    for start in range(0, shuffles, most):
        orders = _passed(np.repeat(hub, min(most, shuffles - start), axis=1), truths, sweeps, draws)
        counts.append(hits[np.arange(people)[:, None], orders].sum(0))
    return np.concatenate(counts)


def _passed(
    orders: Int[np.ndarray, "wrong shuffles"],
    truths: Int[np.ndarray, " wrong"],
    sweeps: Sequence[Int[np.ndarray, "_ _"]],
    draws: np.random.Generator,
) -> Int[np.ndarray, "wrong shuffles"]:
    """The orders after some sweeps, each of which puts the people into groups: the answers of a group are passed on by
    0, 1 or 2 places, whichever is drawn for the order, or stay where one would be right.

    Pairs alone would not do: of three people who each have the place of the next, none can exchange answers with
    another, but all three can pass them on.
    """
    for groups in sweeps:
        before = passed = orders[groups]
        steps = draws.integers(len(groups), size=before.shape[1:], dtype=np.int8)
        for step in range(1, len(groups)):
            passed = np.where(steps == step, np.roll(before, step, axis=0), passed)
        wrong = (passed != truths[groups][..., None]).all(0)
        orders[groups] = np.where(wrong, passed, before)
    return orders


def _example(answer: Answer, known: Sequence[tuple[str, str]], similar: Float[np.ndarray, " known"]) -> Example:
    """The answer with the most similar person whose place it is."""
    there = np.array([place.strip() == answer.answer.strip() for _, place in known])
    best = int(np.where(there, similar, -1.0).argmax())
    said = (answer.name, answer.truth, answer.answer.strip(), min(answer.probability, 1.0))
    return Example(*said, known[best][0], float(similar[best]))
