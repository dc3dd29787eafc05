"""Train: what can be chosen, the plan with its time, starting and continuing runs, and following them."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Query, Request

from attnlab.errors import ArgumentError
from attnlab.records import presentation
from attnlab.studio.configured import Field, TrainingRequest, config_of, fields
from attnlab.studio.following import Followed, follow, look, run_jobs
from attnlab.studio.jobs import ToldJob
from attnlab.studio.lab import Lab, TheLab
from attnlab.studio.news import Events, news
from attnlab.studio.schemas import ContentOf
from attnlab.studio.warming import warm

if TYPE_CHECKING:
    from attnlab.benches.language import RunTable
    from attnlab.training.language.config import Config

router = APIRouter(tags=["train"], prefix="/train", dependencies=[Depends(warm)])

POLL = 1.0
"""The time between two looks at the runs, in seconds. Looks of 20 open pages must not slow the training down."""
MOST_RUNS = 8
"""More curves on one chart cannot be told apart."""
Runs = Annotated[list[str], Query(alias="run")]
_MEASURING = CapacityLimiter(1)


@dataclass(frozen=True)
class Choice:
    """A text, a model, tokens or a recipe that can be chosen."""

    name: str
    about: str = ""


@dataclass(frozen=True)
class Choices:
    """What can be chosen for a training. Texts that are not on this machine are left out."""

    texts: list[Choice]
    recipes: list[Choice]
    models: list[Choice]
    tokens: list[Choice]


@dataclass(frozen=True)
class Plan:
    """A training that could be started: its kinds, the options that the page shows, and how to start it elsewhere."""

    text: str
    model: str
    tokens: str
    fields: list[Field]
    command: str
    python: str


@dataclass(frozen=True)
class Time:
    """The estimate of the time of a training on this machine; without seconds for a model that only counts."""

    seconds: float | None
    words: str
    command: str


@dataclass(frozen=True)
class ToStart(TrainingRequest):
    """A training to start, the name of its folder below runs/, and whether an n-gram model is trained before it."""

    name: str = ""
    baseline: bool = True


@dataclass(frozen=True)
class ToContinue:
    """The folder of a run."""

    run: str


@dataclass(frozen=True)
class Started:
    """A run, the n-gram run to compare it with (empty if there is none), and the job that trains them."""

    run: str
    baseline: str
    job: str


@dataclass(frozen=True)
class ComparedRuns:
    """Runs side by side: the record of `attnlab runs`, and how to make it again."""

    record: Annotated[dict[str, Any], ContentOf("benches.language.runs_table:RunTable")]
    command: str
    python: str


@router.get("/choices")
def choices() -> Choices:
    """What can be chosen."""
    from attnlab.models.kinds import CONFIGS
    from attnlab.text.settings import TOKENS

    return Choices(_texts(), _recipes(), [Choice(kind) for kind in CONFIGS], [Choice(kind) for kind in TOKENS])


@router.post("/plan")
def plan(lab: TheLab, asked: TrainingRequest) -> Plan:
    """The training that is asked for, checked."""
    from attnlab.benches.language.configuring import training_call

    config = config_of(asked, lab.places)
    kinds, call = (config.text, config.model.kind, config.tokens.kind), training_call(config)
    return Plan(*kinds, fields(config), call.command, call.python)


@router.post("/estimate")
async def estimate(lab: TheLab, asked: TrainingRequest, request: Request) -> Time:
    """The time that a training takes on this machine, from a burst of about a second; one burst at a time. A page that
    has changed its settings meanwhile has closed the connection: then nothing is measured."""
    config = await run_sync(config_of, asked, lab.places)
    async with _MEASURING:
        if await request.is_disconnected():
            raise ArgumentError("estimate", "nobody waits for it any more")
        return await run_sync(_measured, config)


@router.post("/start")
def start(lab: TheLab, asked: ToStart) -> Started:
    """Start a job that trains a run, in a folder below runs/."""
    from attnlab.settings import write

    config = config_of(asked, lab.places)
    run = _new_run(lab, asked.name)
    baseline = f"{run}-ngram" if asked.baseline and config.model.kind != "ngram" else ""
    if baseline:
        _check_new(lab, baseline)
    job = lab.jobs.start("train", {"config": write(config), "run": run, "baseline": baseline})
    return Started(run, baseline, job.id)


@router.post("/resume")
def resume(lab: TheLab, asked: ToContinue) -> Started:
    """Start a job that continues a stopped run."""
    from attnlab.benches.lifecycle import stopped_run

    (found,) = follow(lab, [asked.run])
    if found.job is not None and found.job.state == "running":
        raise ArgumentError("run", f"{found.run} is being trained already; stop it first")
    if task := stopped_run(found.folder).config().get("task"):
        raise ArgumentError("run", f"{found.run} is no language model, but a run of attnlab {task}; continue it there")
    return Started(found.run, "", lab.jobs.start("resume", {"run": found.run}).id)


@router.post("/heads")
def heads(lab: TheLab, asked: ToContinue) -> ToldJob:
    """Start a job that scores the heads of a run at its checkpoints, unless that is done already."""
    (found,) = follow(lab, [asked.run])
    job = lab.jobs.find(found.scored) if found.scored else lab.jobs.start("heads-over-time", {"run": found.run})
    return job.told()


@router.get("/runs")
def compared(lab: TheLab, runs: Runs) -> ComparedRuns:
    """Some runs side by side: their settings, scores and states."""
    found = _table(lab, runs)
    return ComparedRuns(found.to_dict(), found.command, found.python)


@router.get("/watch", response_class=Events)
def watch(lab: TheLab, runs: Runs) -> Events:
    """What is new of some runs, as events, until none of them is trained any more."""
    return Events(news(lab, partial(_look, _followed(lab, runs)), POLL))


def _look(followed: list[Followed]) -> tuple[dict[str, Any], bool]:
    """What is new of some runs, and whether any is trained or has more to tell."""
    found = look(followed)
    more = any(each["state"] == "running" or each["training"] or each["validation"] for each in found)
    return {"runs": found, "live": any(each["state"] == "running" for each in found)}, more


def _followed(lab: Lab, runs: list[str]) -> list[Followed]:
    if not 1 <= len(runs) <= MOST_RUNS:
        raise ArgumentError("run", f"expected 1 to {MOST_RUNS} runs, got {len(runs)}")
    return follow(lab, dict.fromkeys(runs))


def _names(lab: Lab, runs: list[str]) -> list[str]:
    return [each.run for each in _followed(lab, runs)]


def _table(lab: Lab, runs: list[str]) -> "RunTable":
    from attnlab.benches import language

    names = _names(lab, runs)
    return language.compare(*names) if len(names) > 1 else language.runs(names[0])


def _texts() -> list[Choice]:
    """The texts on this machine."""
    from attnlab.benches.data import BUILT_IN_TEXTS
    from attnlab.data.sets import find_set, locate
    from attnlab.data.texts.loading import TEXTS

    named = {name: BUILT_IN_TEXTS.get(name) or (find_set(name).about if locate(name) else "") for name in TEXTS}
    return [Choice(name, about) for name, about in named.items() if about]


def _recipes() -> list[Choice]:
    """The recipes whose texts and sizes are possible here."""
    from attnlab.studio.configured import fits
    from attnlab.training.language.recipes import RECIPES

    here = {text.name for text in _texts()}
    found = {name: RECIPES.find(name) for name in RECIPES}
    return [Choice(name, RECIPES.about(name)) for name, each in found.items() if each.text in here and fits(each)]


@lru_cache(maxsize=64)
def _measured(config: "Config") -> Time:
    from attnlab.benches.language.plans import plan

    found = plan(config)
    words = presentation(found).blocks[-1]
    return Time(found.estimate.seconds, words, found.command)


def _new_run(lab: Lab, name: str) -> str:
    """The folder of a new run: the name that was given, or one after the time."""
    if not name:
        jobs, stem, number = run_jobs(lab.jobs), f"runs/train-{datetime.now():%Y-%m-%d-%H%M%S}", 1
        run = stem
        while run in jobs or (lab.places.root / run).exists():
            number += 1
            run = f"{stem}-{number}"
        return run
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", name) or name == "jobs":
        wanted = "expected a name of at most 60 letters, digits, dots, hyphens and underscores"
        raise ArgumentError("name", f"{wanted}, other than jobs; got {name[:80]!r}")
    _check_new(lab, f"runs/{name}")
    return f"runs/{name}"


def _check_new(lab: Lab, run: str) -> None:
    job = run_jobs(lab.jobs).get(run)
    if (lab.places.root / run).exists() or (job and job.state == "running"):
        raise ArgumentError("name", f"the folder {run} exists already; choose another name")
