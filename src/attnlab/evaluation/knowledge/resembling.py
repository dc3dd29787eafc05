"""Whether wrong answers are the places of people with similar names, more often than chance.

For each wrong answer, the people with the most similar names are looked up: the k most similar, and everyone as similar
as the last of these; people with the very same name, or without any resemblance, do not count. The statistic is the
share of wrong answers that are the place of one of these people. A permutation test (Fisher 1935) gives the chance
level: the wrong answers are dealt out again to the wrongly answered people, in any order in which nobody's answer is
right. So common places stay as common as before. A small p says that names and answers go together, through the name
itself or through the country that a name suggests. An empty text is not an answer.

Such an order is found step by step: answers are exchanged within pairs, or passed round within threes; a step that
would make an answer right is rejected. A step and its reverse are equally likely, so all allowed orders are. From the
observed order the steps go backwards to a hub, and from the hub forwards again for each shuffle. If names and answers
are independent, the observed order relates to the hub as the shuffles do. Then its rank among them is pure chance,
however few the steps (Besag and Clifford 1989, "Generalized Monte Carlo significance tests").
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.names import resemblances
from attnlab.settings import Range
from attnlab.statistics import Share

NEAREST = 3
SHUFFLES = 9999
AS_SIMILAR = 1e-9
"""Resemblances that differ by less are equal up to rounding."""
SWEEPS, FOR_FEW = 12, 1_000
"""Everybody is put into pairs or threes 12 times, plus 1,000 / (number of people) times, because few people can
exchange little: after that, little of the hub is left."""
AT_ONCE = 250_000
"""This many numbers are shuffled at once, to keep memory small."""


@dataclass(frozen=True)
class Example:
    """A wrong answer that is the place of somebody with a similar name."""

    name: str
    truth: str
    answer: str
    probability: float
    similar: str
    """The most similar person among those with this place."""
    resemblance: float


@dataclass(frozen=True)
class Resembling:
    """How often wrong answers are places of people with similar names, and how often by chance."""

    share: Share
    """The share of all wrong answers."""
    expected: float
    """The mean share over the shuffles."""
    p_value: float
    """(1 + shuffles with at least this share) / (1 + shuffles)."""
    shuffles: int
    nearest: int
    """How many similar people are looked up (k)."""
    examples: tuple[Example, ...]
    """The most similar names first."""

    def as_json(self) -> dict[str, Any]:
        """All fields."""
        numbers = {"expected": self.expected, "p_value": self.p_value, "shuffles": self.shuffles}
        examples = [asdict(each) for each in self.examples]
        return {"share": self.share.as_json(), **numbers, "nearest": self.nearest, "examples": examples}


def resembling(
    answers: Sequence[ModelAnswer],
    known: Sequence[tuple[str, str]],
    *,
    nearest: int = NEAREST,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> Resembling | None:
    """Tests the wrong ones among the answers; `known` has the names and places of all known people. None if no answer
    is wrong."""
    for option, value in (("nearest", nearest), ("shuffles", shuffles)):
        Range(1).require(option, value)
    if not known:
        raise ArgumentError("known", "expected at least one person with a place, got no people")
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


def _similar(wrong: Sequence[ModelAnswer], names: Sequence[str], nearest: int) -> Float[np.ndarray, "wrong known"]:
    """The resemblance of each wrongly answered name to its most similar names, and 0 for the others."""
    found = resemblances([each.name for each in wrong], names)
    asked, theirs = np.array([each.name.strip() for each in wrong]), np.array([name.strip() for name in names])
    found[asked[:, None] == theirs] = 0.0
    last = min(nearest, len(names))
    bounds = np.partition(found, -last, axis=1)[:, [-last]]
    return np.where(found >= bounds - AS_SIMILAR, found, 0.0)


def _hits(
    similar: Bool[np.ndarray, "wrong known"], homes: Sequence[int], places: int
) -> Bool[np.ndarray, "wrong places"]:
    """For each wrongly answered person and each place: whether somebody similar comes from there. Homes that nobody
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
    """For each shuffle: how many answers hit if they are dealt out in a random order in which no answer is right."""
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
    """The orders after some sweeps. A sweep puts the people into groups and passes the answers of each group on by 0, 1
    or 2 places, at random; a group stays unchanged if an answer would become right.

    Pairs alone would not do: of three people who each have the place of the next, no two can exchange answers, but all
    three can pass them on.
    """
    for groups in sweeps:
        before = passed = orders[groups]
        steps = draws.integers(len(groups), size=before.shape[1:], dtype=np.int8)
        for step in range(1, len(groups)):
            passed = np.where(steps == step, np.roll(before, step, axis=0), passed)
        wrong = (passed != truths[groups][..., None]).all(0)
        orders[groups] = np.where(wrong, passed, before)
    return orders


def _example(answer: ModelAnswer, known: Sequence[tuple[str, str]], similar: Float[np.ndarray, " known"]) -> Example:
    """The answer, with the most similar person who has that place."""
    there = np.array([place.strip() == answer.answer.strip() for _, place in known])
    best = int(np.where(there, similar, -1.0).argmax())
    said = (answer.name, answer.truth, answer.answer.strip(), min(answer.probability, 1.0))
    return Example(*said, known[best][0], float(similar[best]))
