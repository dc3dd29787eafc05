"""Answers: the problems, the verdict on an answer, a problem of the user's own, and the grades of a class."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import TypeAdapter
from starlette.responses import FileResponse, Response

from attnlab.errors import ArgumentError, AttnlabError
from attnlab.files import write_whole
from attnlab.studio.checkers import LateError
from attnlab.studio.files import TYPES
from attnlab.studio.jobs import Job, ToldJob
from attnlab.studio.lab import Lab, TheLab
from attnlab.studio.schemas import ContentOf

router = APIRouter(tags=["answers"], prefix="/answers")

CLASSES = Path("runs") / "classes"
"""The files of classes, so that the command line can grade them again."""
MOST_FORMULAS = 20


@dataclass(frozen=True)
class SampleAnswer:
    """An answer whose verdict the author of a problem knows."""

    answer: str
    verdict: str


@dataclass(frozen=True)
class Unknown:
    """An unknown that a problem asks for, and its name with subscripts."""

    name: str
    set: str
    optional: bool


@dataclass(frozen=True)
class ShownProblem:
    """A problem. `question`, `form`, `symbols` and `names` are escaped HTML with subscripts and superscripts."""

    name: str
    title: str
    question: str
    form: str
    """The form of an answer: q_1 = … and q_2 = …"""
    asked: list[Unknown]
    symbols: list[dict[str, str]]
    names: list[str]
    samples: list[SampleAnswer]
    command: str
    python: str


@dataclass(frozen=True)
class ShownProblems:
    """The lab's own problems."""

    problems: list[ShownProblem]
    command: str
    python: str


@dataclass(frozen=True)
class Own:
    """A problem of the user's own: the content of its TOML file, and the file's name without the ending."""

    name: str
    toml: str


@dataclass(frozen=True)
class ReadOwn:
    """A problem of the user's own, or what is wrong with its file."""

    problem: ShownProblem | None
    error: str


@dataclass(frozen=True)
class ToRead:
    """Formulas to read."""

    formulas: list[str]


@dataclass(frozen=True)
class Reading:
    """How the lab reads each formula: {"set": escaped HTML, "error": what was expected}."""

    formulas: list[dict[str, str]]


@dataclass(frozen=True)
class ToCheck:
    """An answer: its formulas, and the name of one of the lab's problems or a problem of the user's own."""

    formulas: list[str]
    problem: str = ""
    own: Own | None = None


@dataclass(frozen=True)
class ShownVerdict:
    """The verdict on an answer. The texts are escaped HTML with subscripts and superscripts."""

    verdict: str
    """holds, holds if, fails, undecided; unreadable; late if a job must check it."""
    words: str
    answer: str = ""
    """The answer as the lab has read it."""
    reason: str = ""
    example: str = ""
    suggestion: str = ""
    corrected: list[str] = field(default_factory=list)
    """The suggestion as formulas to type."""
    slip: str = ""
    record: Annotated[dict[str, Any], ContentOf("answers.checking:Verdict")] | None = None
    command: str = ""
    python: str = ""


@dataclass(frozen=True)
class VerdictToSave(ToCheck):
    """An answer whose verdict is wanted as a file."""

    ending: Literal[".html", ".csv"] = ".html"


@dataclass(frozen=True)
class ToGrade:
    """The CSV file of a class, and a problem of the user's own that its rows may name."""

    name: str
    text: str
    own: Own | None = None


@router.get("")
def problems(lab: TheLab) -> ShownProblems:
    """The lab's own problems."""
    return _told(lab, ShownProblems, "problems")


@router.post("/own")
def own(lab: TheLab, asked: Own) -> ReadOwn:
    """Read a problem of the user's own."""
    return _told(lab, ReadOwn, "own", own=_own(asked))


@router.post("/reading")
def reading(lab: TheLab, asked: ToRead) -> Reading:
    """How the lab reads formulas."""
    return _told(lab, Reading, "reading", formulas=_formulas(asked.formulas))


@router.post("/check")
def check(lab: TheLab, asked: ToCheck) -> ShownVerdict:
    """The verdict on an answer; `late` if it takes more than a few seconds."""
    try:
        return ShownVerdict(**lab.checkers.ask("answer", **_asked(asked)))
    except LateError:
        return ShownVerdict("late", "takes longer", reason=f"No verdict within {lab.checkers.patience:g} seconds.")


@router.post("/file", response_class=Response)
def save(lab: TheLab, asked: VerdictToSave) -> Response:
    """The verdict on an answer as a file."""
    content = _told(lab, dict[str, str], "file", ending=asked.ending, **_asked(asked))["content"]
    return Response(content, media_type=TYPES[asked.ending], headers={"Content-Disposition": "attachment"})


@router.post("/job")
def check_in_a_job(lab: TheLab, asked: ToCheck) -> ToldJob:
    """Start a job that checks an answer, however long it takes."""
    return lab.jobs.start("answer", _asked(asked)).told()


@router.post("/class")
def grade(lab: TheLab, asked: ToGrade) -> ToldJob:
    """Start a job that grades a class. Its files are kept in runs/classes, so that the command can grade them again."""
    own, content = _own(asked.own), asked.text.encode()
    name = re.sub(r"[^\w-]+", "-", Path(asked.name).stem)[:40].strip("-") or "class"
    mark = hashlib.sha256(content + str(own).encode()).hexdigest()[:8]
    folder = CLASSES / mark
    write_whole(lab.places.root / folder / f"{name}.csv", content)
    arguments = {"path": str(folder / f"{name}.csv"), "problem": None}
    if own:
        arguments["problem"] = str(folder / f"{own['name']}.toml")
        write_whole(lab.places.root / arguments["problem"], own["toml"].encode())
    return lab.jobs.start("grade", arguments).told()


@router.get("/class/{id}", response_class=FileResponse)
def graded(lab: TheLab, id: str) -> FileResponse:
    """The graded file of a class: all its rows and columns, and the verdicts."""
    job = lab.jobs.find(id)
    out = _graded_file(lab, job)
    if job.state != "done" or not out.is_file():
        raise ArgumentError("job", f"has no graded file: it is {job.state}")
    return FileResponse(out, filename=out.name, media_type="text/csv", content_disposition_type="attachment")


def _graded_file(lab: Lab, job: Job) -> Path:
    """The graded file of a job. A job's folder is the user's to change, so its path is not trusted."""
    asked = job.asked()
    path = asked.arguments.get("path")
    if asked.work != "grade" or not isinstance(path, str):
        raise ArgumentError("job", f"{job.id} graded no class")
    return lab.places.within(str(Path(path).with_name(f"{Path(path).stem}-graded.csv")))


def _told(lab: Lab, kind: Any, question: str, **asked: Any) -> Any:
    try:
        return TypeAdapter(kind).validate_python(lab.checkers.ask(question, **asked))
    except LateError:
        raise AttnlabError(f"this takes longer than {lab.checkers.patience:g} seconds; make it shorter") from None


def _asked(asked: ToCheck) -> dict[str, Any]:
    formulas = _formulas(asked.formulas)
    if not any(each.strip() for each in formulas):
        raise ArgumentError("formulas", "expected at least one formula")
    return {"problem": asked.problem, "own": _own(asked.own), "formulas": formulas}


def _formulas(formulas: list[str]) -> list[str]:
    if len(formulas) > MOST_FORMULAS:
        raise ArgumentError("formulas", f"expected at most {MOST_FORMULAS} formulas, got {len(formulas)}")
    return formulas


def _own(own: Own | None) -> dict[str, str] | None:
    if own is None:
        return None
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", own.name):
        raise ArgumentError("name", f"expected up to 40 letters, digits, - and _, got {own.name[:60]!r}")
    return {"name": own.name, "toml": own.toml}
