"""How well a classifier does on labelled texts."""

from typing import Any, ClassVar

from attnlab.benches.sentiment.texts import half_words, skipped_rows
from attnlab.data.labelled.loading import Half
from attnlab.data.labelled.tables import Skipped
from attnlab.evaluation.classification.scores import Classification
from attnlab.records import Record, command_line, record


@record
class Evaluated(Record):
    """A classifier on labelled texts: how often it is right, class by class, and whether its probabilities are."""

    shown_by: ClassVar[str] = "sentiment.evaluated"

    run: str
    data: str
    part: Half
    scores: Classification
    without_known_words: int
    """How many texts have no word that the classifier knows; it answers them as texts without words."""
    skipped: tuple[Skipped, ...] = ()
    """Rows of the data that could not be used."""

    @property
    def accuracy(self) -> float:
        """The share of the texts that it is right about."""
        return self.scores.accuracy.value

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        return {
            "run": self.run,
            "data": self.data,
            **self.scores.to_dict(),
            "without_known_words": self.without_known_words,
            **skipped_rows(self.skipped),
        }

    @property
    def command(self) -> str:
        """The command line that evaluates it again."""
        return command_line(["classify", "evaluate", self.run, self.data, *half_words(self.part)])
