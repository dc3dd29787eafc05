"""Reviews: a classifier, the reasons for the class that it predicts for a text, and the kinds of its errors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from attnlab.errors import ArgumentError
from attnlab.studio.files import Ending, ShownRecord, record_file, shown_record
from attnlab.studio.jobs import ToldJob
from attnlab.studio.lab import Lab, TheLab
from attnlab.studio.newest import newest_jobs
from attnlab.studio.schemas import ContentOf, ResultOf
from attnlab.studio.trained import opened_model, trained_runs
from attnlab.studio.warming import warm

if TYPE_CHECKING:
    from attnlab.benches.sentiment import ClassifierModel, Explained

router = APIRouter(tags=["reviews"], prefix="/reviews", dependencies=[Depends(warm)])

LONGEST = 10_000
"""The most characters of a text. Removing each of its words in turn then takes less than a second."""


@dataclass(frozen=True)
class ListedClassifier:
    """The run of a classifier, the data that it was trained on, and its classes."""

    run: str
    data: str
    classes: list[str]


@dataclass(frozen=True)
class Classifiers:
    """The classifiers of the folder, the newest first, and the job that trains one now."""

    runs: list[ListedClassifier]
    running: str


@dataclass(frozen=True)
class Review:
    """A text, the classifier that reads it, and its true class; empty if that is not known."""

    run: str
    text: str
    label: str = ""


@dataclass(frozen=True)
class ReviewFile(Review):
    """A text, and the ending of the file to save its explanation in."""

    ending: Ending = ".html"


@dataclass(frozen=True)
class ToExplain:
    """The run of a classifier."""

    run: str


@dataclass(frozen=True)
class ShownReasons(ShownRecord):
    """The reasons for a predicted class, and how the page shows them."""

    record: Annotated[dict[str, Any], ContentOf("benches.sentiment.reasons:Explained")]
    shown: Annotated[dict[str, Any], ContentOf("studio.reasons:shown_explanation")]


@dataclass(frozen=True)
class ErrorKinds:
    """The newest explanation of a classifier's errors, the job that made it, and the job that makes one now."""

    result: Annotated[dict[str, Any], ResultOf("classify-errors")] | None
    job: str
    running: str


@router.get("")
def classifiers(lab: TheLab) -> Classifiers:
    """The classifiers of the folder."""
    found = trained_runs(lab, "classify", lambda run: bool(run.checkpoints()))
    listed = [ListedClassifier(run, str(config["text"]), list(config["classes"])) for run, config in found]
    return Classifiers(listed, newest_jobs(lab, "classify-train", {})[1])


@router.post("/train")
def train(lab: TheLab) -> ToldJob:
    """Start a job that trains a classifier on generated reviews."""
    return lab.jobs.start("classify-train", {}).told()


@router.post("/explain")
def explain(lab: TheLab, asked: Review) -> ShownReasons:
    """Why a classifier predicts the class of a text: the push of each word."""
    from attnlab.studio.reasons import shown_explanation

    found = _explained(lab, asked)
    return ShownReasons(**shown_record(found), shown=shown_explanation(found))


@router.post("/explain/file", response_class=Response)
def explain_file(lab: TheLab, asked: ReviewFile) -> Response:
    """The explanation of a text as a file."""
    return record_file(_explained(lab, asked), asked.ending)


@router.get("/errors")
def errors(lab: TheLab, run: str) -> ErrorKinds:
    """The kinds of a classifier's errors on the generated reviews, if a job has found them."""
    done, running = newest_jobs(lab, "classify-errors", {"run": _classifier(lab, run).name})
    return ErrorKinds(done.result() if done else None, done.id if done else "", running)


@router.post("/errors")
def explain_errors(lab: TheLab, asked: ToExplain) -> ToldJob:
    """Start a job that explains the errors of a classifier on the generated reviews."""
    return lab.jobs.start("classify-errors", {"run": _classifier(lab, asked.run).name}).told()


def _classifier(lab: Lab, run: str) -> "ClassifierModel":
    from attnlab.benches.sentiment import open_classifier

    return opened_model(lab, run, open_classifier)


def _explained(lab: Lab, asked: Review) -> "Explained":
    if len(asked.text) > LONGEST:
        raise ArgumentError("text", f"expected at most {LONGEST:,} characters, got {len(asked.text):,}")
    return _classifier(lab, asked.run).explain(asked.text, asked.label or None)
