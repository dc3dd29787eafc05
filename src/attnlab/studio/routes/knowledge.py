"""Knowledge: the people of a model's world, questions to the model, and what it answers at a threshold."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from attnlab.errors import ArgumentError
from attnlab.evaluation.settings import PRECISION
from attnlab.studio.files import Ending, ShownRecord, record_file, shown_record
from attnlab.studio.jobs import ToldJob
from attnlab.studio.lab import Lab, TheLab
from attnlab.studio.newest import newest_jobs
from attnlab.studio.schemas import ContentOf, ResultOf
from attnlab.studio.trained import opened_model, trained_runs
from attnlab.studio.warming import warm_knowledge

if TYPE_CHECKING:
    from attnlab.benches.knowledge import KnownModel, Replies

router = APIRouter(tags=["knowledge"], prefix="/knowledge", dependencies=[Depends(warm_knowledge)])

LONGEST = 1_000
"""The most characters of a question."""


@dataclass(frozen=True)
class KnowledgeRuns:
    """The finetuned models of the folder, the newest first, and the job that makes one now."""

    runs: list[str]
    running: str


@dataclass(frozen=True)
class Question:
    """A question to a model, and the share of given answers that should be right, which picks the threshold."""

    run: str
    question: str
    precision: float = PRECISION


@dataclass(frozen=True)
class QuestionFile(Question):
    """A question, and the ending of the file to save the reply in."""

    ending: Ending = ".html"


@dataclass(frozen=True)
class ToMeasure:
    """The run of a finetuned model."""

    run: str


@dataclass(frozen=True)
class People(ShownRecord):
    """The people of a model's world with the true answers; some questions about strangers, a question to begin with,
    and the precision to ask at."""

    record: Annotated[dict[str, Any], ContentOf("benches.knowledge.people:KnownPeople")]
    example: str
    precision: float
    strangers: list[str]


@dataclass(frozen=True)
class ShownReply(ShownRecord):
    """The reply of a model."""

    record: Annotated[dict[str, Any], ContentOf("benches.knowledge.models:Replies")]


@dataclass(frozen=True)
class MeasuredThresholds:
    """What the model answers at each threshold, if a job has measured it; that job, and the one that measures now."""

    result: Annotated[dict[str, Any], ResultOf("knowledge-evaluate")] | None
    job: str
    running: str


@router.get("")
def models(lab: TheLab) -> KnowledgeRuns:
    """The finetuned models of the folder."""
    found = trained_runs(lab, "knowledge", lambda run: run.finished and run.config().get("stage") == "finetune")
    return KnowledgeRuns([run for run, _ in found], newest_jobs(lab, "knowledge-make", {})[1])


@router.post("/make")
def make(lab: TheLab) -> ToldJob:
    """Start a job that pretrains and finetunes a small model on a generated world."""
    return lab.jobs.start("knowledge-make", {}).told()


@router.get("/people")
def people(lab: TheLab, run: str) -> People:
    """The people of a model's world with the true answers, some strangers, and a question to begin with."""
    model = _model(lab, run)
    asked = [fact.question for fact in model.facts.strangers[:5]]
    shown = shown_record(model.people)
    return People(**shown, example=model.example, precision=model.reached or PRECISION, strangers=asked)


@router.get("/people{ending}", response_class=Response)
def people_file(lab: TheLab, run: str, ending: Ending) -> Response:
    """The people of a model's world, as a file."""
    return record_file(_model(lab, run).people, ending)


@router.post("/ask")
def ask(lab: TheLab, asked: Question) -> ShownReply:
    """The reply of a model: its answer or that it does not know, what it recites, and the runners-up."""
    return ShownReply(**shown_record(_replies(lab, asked)))


@router.post("/ask/file", response_class=Response)
def ask_file(lab: TheLab, asked: QuestionFile) -> Response:
    """The reply of a model as a file."""
    return record_file(_replies(lab, asked), asked.ending)


@router.get("/thresholds")
def thresholds(lab: TheLab, run: str) -> MeasuredThresholds:
    """What a model answers at each threshold, if a job has measured it."""
    done, running = newest_jobs(lab, "knowledge-evaluate", {"run": _model(lab, run).name})
    return MeasuredThresholds(done.result() if done else None, done.id if done else "", running)


@router.post("/thresholds")
def measure(lab: TheLab, asked: ToMeasure) -> ToldJob:
    """Start a job that evaluates a model at each threshold."""
    return lab.jobs.start("knowledge-evaluate", {"run": _model(lab, asked.run).name}).told()


def _model(lab: Lab, run: str) -> "KnownModel":
    from attnlab.benches.knowledge import open_known

    return opened_model(lab, run, open_known)


def _replies(lab: Lab, asked: Question) -> "Replies":
    if len(asked.question) > LONGEST:
        raise ArgumentError("question", f"expected at most {LONGEST:,} characters, got {len(asked.question):,}")
    return _model(lab, asked.run).ask(asked.question, precision=asked.precision)
