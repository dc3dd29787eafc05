"""How well a classifier does: accuracy, precision and recall of each class, and calibration."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError
from attnlab.evaluation.reliability import Bin, calibration_error, reliability
from attnlab.statistics import Share


@dataclass(frozen=True)
class PerClass:
    """One class: precision (the share of texts predicted as this class that are of it), recall (the share of its texts
    that are found) and their harmonic mean (f1). A share of no texts is 0."""

    name: str
    precision: float
    recall: float
    f1: float
    examples: int
    """The number of texts of this class."""
    predicted: int
    """The number of texts predicted as this class."""


@dataclass(frozen=True)
class Classification:
    """The result of a classifier on labelled texts.

    >>> scored = classify_scores(np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), np.array([0, 1, 1]), ("neg", "pos"))
    >>> scored.accuracy.count, scored.examples, round(scored.macro_f1, 3), scored.confusion
    (2, 3, 0.667, ((1, 0), (1, 1)))
    """

    classes: tuple[PerClass, ...]
    confusion: tuple[tuple[int, ...], ...]
    """Rows: true class; columns: predicted class."""
    accuracy: Share
    nats: float
    """The mean −ln p of the right class."""
    reliability: tuple[Bin, ...]
    """The bins that hold at least one text."""

    @property
    def examples(self) -> int:
        """The number of texts."""
        return self.accuracy.examples

    @property
    def macro_f1(self) -> float:
        """The mean f1 over the classes that are present or predicted; each class counts the same."""
        there = [each.f1 for each in self.classes if each.examples or each.predicted]
        return sum(there) / len(there)

    @property
    def calibration_error(self) -> float:
        """The mean distance between confidence and accuracy; each bin is weighted by its number of texts."""
        return calibration_error(self.reliability)

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the number of examples."""
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
    probabilities: Float[np.ndarray, "texts classes"], labels: Int[np.ndarray, " texts"], classes: tuple[str, ...]
) -> Classification:
    """Scores a classifier's probabilities on labelled texts."""
    if not len(labels):
        raise ArgumentError("data", "expected at least one labelled text, got no texts")
    said = probabilities.argmax(1)
    table = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(table, (labels, said), 1)
    right = probabilities[np.arange(len(labels)), labels]
    return Classification(
        tuple(_per_class(name, table, place) for place, name in enumerate(classes)),
        tuple(tuple(row) for row in table.tolist()),
        Share(int(table.trace()), len(labels)),
        float(-np.log(right.clip(np.finfo(float).tiny)).mean()),
        reliability(probabilities.max(1), said == labels),
    )


def _per_class(name: str, table: Int[np.ndarray, "classes classes"], place: int) -> PerClass:
    found, examples, predicted = (
        int(each) for each in (table[place, place], table[place].sum(), table[:, place].sum())
    )
    # 2·found / (examples + predicted) is the harmonic mean of both shares, and is defined even if one of them is not.
    f1 = 2 * found / max(examples + predicted, 1)
    return PerClass(name, found / max(predicted, 1), found / max(examples, 1), f1, examples, predicted)
