"""How well a classifier does: how often it is right, class by class, and whether its probabilities are."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError
from attnlab.evaluation.reliability import BINS, Bin, calibration_error, reliability
from attnlab.statistics import Share


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
class Classification:
    """The result of a classifier on labelled texts.

    >>> scored = classify_scores(np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), np.array([0, 1, 1]), ("neg", "pos"))
    >>> scored.accuracy.count, scored.examples, round(scored.macro_f1, 3), scored.confusion
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
        """The mean of the classes' f1, each class counting the same, without those that are neither there nor said."""
        there = [each.f1 for each in self.classes if each.examples or each.predicted]
        return sum(there) / len(there)

    @property
    def calibration_error(self) -> float:
        """How far confidence is from accuracy: the mean over the bins, each weighing as many texts as it has."""
        return calibration_error(self.reliability)

    def to_dict(self) -> dict[str, Any]:
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
        reliability(probabilities.max(1), said == labels, bins),
    )


def _per_class(name: str, table: Int[np.ndarray, "classes classes"], place: int) -> PerClass:
    found, examples, predicted = (
        int(each) for each in (table[place, place], table[place].sum(), table[:, place].sum())
    )
    # 2·found / (examples + predicted) is the harmonic mean of both shares, and is defined where one of them is not.
    f1 = 2 * found / max(examples + predicted, 1)
    return PerClass(name, found / max(predicted, 1), found / max(examples, 1), f1, examples, predicted)
