"""Explanations of predictions, and the kinds of errors."""

from typing import Any, ClassVar

from attnlab.benches.sentiment.texts import half_option, skipped_rows
from attnlab.calls import Call
from attnlab.contents import Content, OneOf
from attnlab.data.labelled.loading import Half
from attnlab.data.labelled.tables import Skipped
from attnlab.evaluation.classification.reasons import KindCounts, Misread, Reasons
from attnlab.records import Record, record

SHOWN = 5


@record
class Explained(Record):
    """Why a classifier predicts a class: the contribution of each word and, for an error, experiments on its kind."""

    shown_by: ClassVar[str] = "sentiment.classifiers.explained"

    run: str
    reasons: Reasons
    misread: Misread | None = None
    """The error, if the true class differs."""

    @OneOf(Content("run", Reasons), Content("run", Misread))
    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {"run": self.run, **(self.misread or self.reasons).to_dict()}

    @property
    def call(self) -> Call:
        """The call that explains it again."""
        label = self.reasons.label
        return Call("classify explain", (self.run,), {"text": self.reasons.text} | ({"label": label} if label else {}))


@record
class ExplainedErrors(Record):
    """The explained errors of a classifier on labelled texts, those with the highest probability first, and the counts
    of their kinds."""

    shown_by: ClassVar[str] = "sentiment.classifiers.explained_errors"

    run: str
    data: str
    part: Half
    errors: tuple[Misread, ...]
    counts: KindCounts
    shown: int = SHOWN
    """The number of errors to show."""
    skipped: tuple[Skipped, ...] = ()
    """Rows of the data that could not be used."""

    @Content("run", "data", skipped_rows, kinds=KindCounts, errors=[Misread])
    def to_dict(self) -> dict[str, Any]:
        """The counts of the kinds, and the errors to show."""
        return {
            "run": self.run,
            "data": self.data,
            "kinds": self.counts.to_dict(),
            "errors": [each.to_dict() for each in self.errors[: self.shown]],
            **skipped_rows(self.skipped),
        }

    @property
    def call(self) -> Call:
        """The call that explains them again."""
        shown = {"errors": self.shown} if self.shown != SHOWN else {}
        return Call("classify explain", (self.run, self.data), shown | half_option(self.part))
