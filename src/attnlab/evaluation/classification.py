"""How well a classifier does: how often it is right, class by class, and whether its probabilities are."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError

BINS = 15
NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


@dataclass(frozen=True)
class Share:
    """A share of some examples, with its 95 % interval (Wilson 1927), which stays within 0 and 1 and holds for few.

    >>> share = Share(9, 10)
    >>> share.value, round(share.low, 3), round(share.high, 3)
    (0.9, 0.596, 0.982)
    """

    right: int
    examples: int

    @property
    def value(self) -> float:
        """The share itself."""
        return self.right / self.examples

    @property
    def low(self) -> float:
        """The interval's lower end."""
        return self._centre - self._half

    @property
    def high(self) -> float:
        """The interval's upper end."""
        return self._centre + self._half

    @property
    def _spread(self) -> float:
        return NORMAL**2 / self.examples

    @property
    def _centre(self) -> float:
        return (self.value + self._spread / 2) / (1 + self._spread)

    @property
    def _half(self) -> float:
        inside = self._spread * (self.value * (1 - self.value) + self._spread / 4)
        return math.sqrt(inside) / (1 + self._spread)


@dataclass(frozen=True)
class PerClass:
    """One class: of the texts said to be of it, how many are (precision); of those that are, how many are found
    (recall); their harmonic mean (f1). A share of no texts is 0."""

    name: str
    precision: float
    recall: float
    f1: float
    examples: int
    """How many texts are of this class."""
    predicted: int
    """How many are said to be."""


@dataclass(frozen=True)
class Bin:
    """The texts whose likeliest class has a probability in one bin: how sure they are, and how often they are right."""

    low: float
    high: float
    examples: int
    confidence: float
    """The mean probability of the class that was said."""
    accuracy: float
    """The share of them that is right."""


@dataclass(frozen=True)
class Classification:
    """The result of a classifier on labelled texts.

    >>> scored = classify_scores(np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), np.array([0, 1, 1]), ("neg", "pos"))
    >>> scored.accuracy.right, scored.examples, round(scored.macro_f1, 3), scored.confusion
    (2, 3, 0.667, ((1, 0), (1, 1)))
    """

    classes: tuple[PerClass, ...]
    confusion: tuple[tuple[int, ...], ...]
    """Rows: what texts are; columns: what was said."""
    accuracy: Share
    nats: float
    """The mean −ln p of the right class."""
    reliability: tuple[Bin, ...]
    """The bins that hold a text."""

    @property
    def examples(self) -> int:
        """How many texts there were."""
        return self.accuracy.examples

    @property
    def macro_f1(self) -> float:
        """The mean of the classes' f1, each class counting the same; a class that is neither there nor said is none."""
        there = [each.f1 for each in self.classes if each.examples or each.predicted]
        return sum(there) / len(there)

    @property
    def calibration_error(self) -> float:
        """How far confidence is from accuracy: the mean over the bins, each weighing as many texts as it has."""
        return sum(each.examples * abs(each.confidence - each.accuracy) for each in self.reliability) / self.examples

    def as_json(self) -> dict[str, Any]:
        """All of it, and the number of examples that each is of."""
        return {
            "accuracy": self.accuracy.value,
            "accuracy_interval": [self.accuracy.low, self.accuracy.high],
            "macro_f1": self.macro_f1,
            "examples": self.examples,
            "calibration_error": self.calibration_error,
            "nats": self.nats,
            "classes": [asdict(each) for each in self.classes],
            "confusion": [list(row) for row in self.confusion],
            "reliability": [asdict(each) for each in self.reliability],
        }


def classify_scores(
    probabilities: Float[np.ndarray, "texts classes"],
    labels: Int[np.ndarray, " texts"],
    classes: tuple[str, ...],
    bins: int = BINS,
) -> Classification:
    """What a classifier's probabilities are worth on texts whose classes are known."""
    if not len(labels):
        raise ArgumentError("data", "expected at least one labelled text, got none")
    said = probabilities.argmax(1)
    table = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(table, (labels, said), 1)
    right = probabilities[np.arange(len(labels)), labels]
    return Classification(
        tuple(_per_class(name, table, place) for place, name in enumerate(classes)),
        tuple(tuple(row) for row in table.tolist()),
        Share(int(table.trace()), len(labels)),
        float(-np.log(right.clip(np.finfo(float).tiny)).mean()),
        _reliability(probabilities.max(1), said == labels, bins),
    )


def _per_class(name: str, table: Int[np.ndarray, "classes classes"], place: int) -> PerClass:
    found, examples, predicted = (
        int(each) for each in (table[place, place], table[place].sum(), table[:, place].sum())
    )
    # 2·found / (examples + predicted) is the harmonic mean of both shares, and is defined where one of them is not.
    f1 = 2 * found / max(examples + predicted, 1)
    return PerClass(name, found / max(predicted, 1), found / max(examples, 1), f1, examples, predicted)


def _reliability(confidence: Float[np.ndarray, " texts"], right: np.ndarray, bins: int) -> tuple[Bin, ...]:
    places = np.minimum((confidence * bins).astype(np.int64), bins - 1)
    counts = np.bincount(places, minlength=bins)
    sure = np.bincount(places, confidence, bins) / counts.clip(1)
    hit = np.bincount(places, right, bins) / counts.clip(1)
    return tuple(
        Bin(each / bins, (each + 1) / bins, int(counts[each]), float(sure[each]), float(hit[each]))
        for each in np.flatnonzero(counts).tolist()
    )
