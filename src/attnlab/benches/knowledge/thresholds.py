"""What a finetuned model answers at several thresholds: those that `evaluate` picks for several wanted precisions."""

from pathlib import Path
from typing import Any, ClassVar

from attnlab.benches.knowledge.answers import ask_all, strangers_to_report
from attnlab.benches.knowledge.models import KnownModel, open_known
from attnlab.calls import Call
from attnlab.contents import Content, OneOf
from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.coverage import AnswerCounts
from attnlab.evaluation.knowledge.measuring import Confidence, confidence
from attnlab.evaluation.settings import PRECISION, PRECISIONS
from attnlab.models.devices import find_device
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record
from attnlab.statistics import Share


@record
class Thresholds(Record):
    """The threshold of each wanted precision, and what it gives on people and strangers who did not pick it."""

    shown_by: ClassVar[str] = "knowledge.thresholds.thresholds"

    run: str
    rows: tuple[Confidence, ...]

    @Content(
        "run",
        thresholds=[
            Content(AnswerCounts, precision_wanted=float, threshold=float | None, strangers=OneOf(Share, None))
        ],
    )
    def to_dict(self) -> dict[str, Any]:
        """A row for each wanted precision."""
        return {"run": self.run, "thresholds": [_row_dict(each) for each in self.rows]}

    @property
    def call(self) -> Call:
        """The call that measures them again."""
        return Call("knowledge thresholds", (self.run,))

    def evaluation(self, row: Confidence) -> Call:
        """The call of the whole evaluation at the threshold of a row."""
        precision = row.threshold.precision
        return Call("knowledge evaluate", (self.run,), {"precision": precision} if precision != PRECISION else {})


def thresholds(run: Path | str | KnownModel, observer: Observer = SILENT) -> Thresholds:
    """Ask a finetuned model once about all held-out facts and about strangers, and count its answers at the threshold
    of each wanted precision."""
    model = run if isinstance(run, KnownModel) else open_known(run, find_device("auto"))
    if not model.kept_out:
        raise ArgumentError("run", "expected a run that kept people out of finetuning, to pick thresholds on")
    held_out, strangers = model.facts.facts.held_out, strangers_to_report(model.facts, model.kept_out)
    answers = ask_all(model.knower, [*held_out, *strangers], observer)
    known, unseen = answers[: len(held_out)], answers[len(held_out) :]
    rows = (confidence(known, model.kept_out, unseen, precision=each) for each in PRECISIONS)
    return Thresholds(model.name, tuple(rows))


def _row_dict(row: Confidence) -> dict[str, Any]:
    return {
        "precision_wanted": row.threshold.precision,
        "threshold": row.threshold.probability,
        **row.given.as_json(),
        "strangers": row.confident_wrong and row.confident_wrong.as_json(),
    }
