"""Whether wrong answers are the places of people with similar names, more often than chance would have it.

For each wrong answer the people whose names resemble most the name that was asked are looked up: the k most similar,
and all who are as similar as the last of them; nobody who does not resemble at all, nor of the very same name. The
statistic is the share of wrong answers that are the place of one of these. What chance makes of it is found by giving
the wrong answers to the wrongly answered people in any other order (Fisher 1935), so that common places are as common
as before. A place that is true of the person is not counted in either. A small p says that names and answers go
together, be it by the name itself or by what a name tells of a country.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import Answer
from attnlab.evaluation.knowledge.names import resemblances
from attnlab.evaluation.shares import Share

NEAREST = 3
SHUFFLES = 9999
AS_SIMILAR = 1e-9
"""Resemblances that differ by less are the same but for rounding."""
AT_ONCE = 2_000_000
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
    """The test on the wrong ones of some answers, by the names and places of all people who are known; nothing where no
    answer is wrong."""
    for option, value in (("nearest", nearest), ("shuffles", shuffles)):
        if value < 1:
            raise ArgumentError(option, f"expected at least 1, got {value}")
    if not known:
        raise ArgumentError("known", "expected at least one person whose place is known, got none")
    wrong = [each for each in answers if not each.right]
    if not wrong:
        return None
    similar = _similar(wrong, [name for name, _ in known], nearest)
    places, given = np.unique([each.answer.strip() for each in wrong], return_inverse=True)
    hits = _hits(wrong, similar > 0, [place.strip() for _, place in known], places.tolist())
    rows = np.arange(len(wrong))
    found = int(hits[rows, given].sum())
    counts = _shuffled(hits, given, shuffles, seed)
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
    wrong: Sequence[Answer], similar: Bool[np.ndarray, "wrong known"], homes: Sequence[str], places: Sequence[str]
) -> Bool[np.ndarray, "wrong places"]:
    """Whether each place would be, for each wrongly answered person, a place of somebody similar and not their own."""
    number = {place: column for column, place in enumerate(places)}
    columns = np.array([number.get(home, len(places)) for home in homes])
    hits = np.zeros((len(wrong), len(places) + 1), bool)
    people, others = np.nonzero(similar)
    hits[people, columns[others]] = True
    hits[np.arange(len(wrong)), [number.get(each.truth.strip(), len(places)) for each in wrong]] = False
    return hits[:, : len(places)]


def _shuffled(
    hits: Bool[np.ndarray, "wrong places"], given: Int[np.ndarray, " wrong"], shuffles: int, seed: int
) -> Int[np.ndarray, " shuffles"]:
    """How many answers hit when they are given to the people in any order, time and again."""
    draws = np.random.default_rng(seed)
    rows, counts = np.arange(len(given)), []
    most = max(1, AT_ONCE // len(given))
    for start in range(0, shuffles, most):
        orders = draws.permuted(np.tile(given, (min(most, shuffles - start), 1)), axis=1)
        counts.append(hits[rows, orders].sum(1))
    return np.concatenate(counts)


def _example(answer: Answer, known: Sequence[tuple[str, str]], similar: Float[np.ndarray, " known"]) -> Example:
    """The answer with the most similar person whose place it is."""
    there = np.array([place.strip() == answer.answer.strip() for _, place in known])
    best = int(np.where(there, similar, -1.0).argmax())
    said = (answer.name, answer.truth, answer.answer.strip(), min(answer.probability, 1.0))
    return Example(*said, known[best][0], float(similar[best]))
