"""The evaluation of a classifier on labelled texts."""

from typing import Any, ClassVar

from attnlab.benches.sentiment.texts import half_option, skipped_rows
from attnlab.calls import Call
from attnlab.data.labelled.loading import Half
from attnlab.data.labelled.tables import Skipped
from attnlab.evaluation.classification.scores import Classification
from attnlab.records import Record, record


@record
class EvaluatedClassifier(Record):
    """The scores of a classifier on labelled texts: accuracy, scores of each class, and calibration."""

    shown_by: ClassVar[str] = "sentiment.classifiers.evaluated"

    run: str
    data: str
    part: Half
    scores: Classification
    without_known_words: int
    """The number of texts in which the classifier knows no word; it treats them as empty texts."""
    skipped: tuple[Skipped, ...] = ()
    """Rows of the data that could not be used."""
    trained_on_them: bool | None = None
    """Whether these are the texts that it was trained on, by their hash; None if the run does not hold the hash."""
    seen_in_training: int | None = None
    """The number of these texts that it has seen in training, in any file and order; the texts of the validation split
    count, as they chose its epoch. None if the run holds no hashes of them."""

    @property
    def accuracy(self) -> float:
        """The share of the texts that it classifies correctly."""
        return self.scores.accuracy.value

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {
            "run": self.run,
            "data": self.data,
            **self.scores.to_dict(),
            "without_known_words": self.without_known_words,
            "trained_on_them": self.trained_on_them,
            "seen_in_training": self.seen_in_training,
            **skipped_rows(self.skipped),
        }

    @property
    def call(self) -> Call:
        """The call that evaluates it again."""
        return Call("classify evaluate", (self.run, self.data), half_option(self.part))
