"""Runs as they are trained: what is new in their folders since the last look."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from attnlab.errors import AttnlabError, FileError
from attnlab.files import files_in
from attnlab.studio.jobs import Job, Jobs, Progress
from attnlab.studio.lab import Lab, shown_path

MOST_BYTES = 1 << 20
"""The most bytes of measurements that are read at a time."""


@dataclass
class Measurements:
    """The measurements of a run, read as their file grows."""

    path: Path
    offset: int = 0
    file: int = -1
    """The number of the file; a run that goes on writes a new one."""

    def news(self) -> tuple[bool, list[dict[str, Any]]]:
        """Whether those read before are void, and the measurements since."""
        try:
            about = self.path.stat()
        except FileNotFoundError:
            return False, []
        again = about.st_ino != self.file or about.st_size < self.offset
        if again:
            self.file, self.offset = about.st_ino, 0
        if about.st_size == self.offset:
            return again, []
        with self.path.open("rb") as file:
            file.seek(self.offset)
            content = file.read(MOST_BYTES)
        whole = content[: content.rfind(b"\n") + 1]  # the last line may be half written
        self.offset += len(whole)
        return again, [self._read(line) for line in whole.splitlines()]

    def _read(self, line: bytes) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FileError(self.path, "expected a JSON value in each line") from error
        if not isinstance(found, dict) or not isinstance(found.get("step"), int):
            raise FileError(self.path, "expected a JSON object with a step in each line")
        return found


@dataclass(frozen=True)
class RunNews:
    """The news of a run since the page was last told."""

    run: str
    again: bool
    """Whether what was told before is void."""
    state: str
    """running, finished, stopped or failed."""
    job: str
    """The job that trains it; empty if no job does."""
    now: str
    """What the job does now, or how it failed."""
    progress: float | None
    """The share of the training that is done."""
    about: dict[str, str]
    """The text, the model and the tokens."""
    heads: bool
    """Whether its heads can be scored along the training: a Transformer with two checkpoints."""
    scored: str
    """The job that scores or has scored its heads, since it was last trained."""
    training: list[tuple[int, float]]
    """Steps and nats per token of the training text."""
    validation: list[tuple[int, float, float, bool]]
    """Steps, nats per token and bits per byte of the validation split, and whether these bits are a lower bound."""
    samples: list[tuple[int, str]]
    """Steps and texts."""


@dataclass
class Followed:
    """A run that somebody looks at."""

    run: str
    folder: Path
    job: Job | None
    scoring: Job | None
    measurements: Measurements = field(init=False)
    about: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.measurements = Measurements(self.folder / "metrics.jsonl")

    def news(self) -> RunNews:
        """What is new since the last look."""
        state = self._state()
        again, found = self.measurements.news()
        told = self.job.told() if self.job else None
        progress = told.progress if told else None
        about = self.about = self.about or _about(self.folder)
        return RunNews(
            self.run,
            again,
            state,
            self.job.id if self.job and state == "running" else "",
            told.error if told and state == "failed" else progress.what if progress and state == "running" else "",
            _share(progress) if state == "running" else None,
            about,
            about.get("model") == "transformer" and state != "running" and _checkpoints(self.folder) > 1,
            self.scored,
            [(each["step"], each["loss"]) for each in found if _is_number(each.get("loss"))],
            [_validation(each) for each in found if isinstance(each.get("validation"), dict)],
            [(each["step"], each["sample"]) for each in found if isinstance(each.get("sample"), str)],
        )

    @property
    def scored(self) -> str:
        """The job that scores or has scored its heads; empty if the run was trained after that."""
        job = self.scoring
        if job is None or job.state not in ("running", "done"):
            return ""
        began, trained = (job.folder / "job.json").stat().st_mtime, self.measurements.path
        return job.id if not trained.exists() or trained.stat().st_mtime <= began else ""

    def _state(self) -> str:
        from attnlab.runs.folder import Run

        found, job = Run(self.folder).state, self.job.state if self.job else ""
        if found != "stopped":
            return found
        return job if job in ("running", "failed") else "stopped"


def follow(lab: Lab, runs: Iterable[str]) -> list[Followed]:
    """The runs with these paths. A run that a job is about to make has no folder yet."""
    jobs, scoring = run_jobs(lab.jobs), run_jobs(lab.jobs, ("heads-over-time",))
    found = []
    for run in runs:
        name, folder = run, lab.places.within(run) if run in jobs else lab.places.folder(run)
        if run not in jobs:
            if not (folder / "config.json").is_file():
                raise FileError(run, "expected the folder of a run, with a config.json in it")
            name = shown_path(folder, lab.places.root)
        found.append(Followed(name, folder, jobs.get(name), scoring.get(name)))
    return found


def run_jobs(jobs: Jobs, works: Sequence[str] = ("train", "resume")) -> dict[str, Job]:
    """The newest job of each run, of some kinds of work, by the path of the run."""
    found: dict[str, Job] = {}
    for job, asked in jobs.ordered():
        if asked.work in works:
            for run in (asked.arguments.get("run"), asked.arguments.get("baseline")):
                if isinstance(run, str) and run:
                    found.setdefault(run, job)
    return found


def look(followed: Iterable[Followed]) -> list[dict[str, Any]]:
    """What is new of some runs. A damaged run has failed, and says why."""
    return [_looked(each) for each in followed]


def _looked(each: Followed) -> dict[str, Any]:
    try:
        return asdict(each.news())
    except (AttnlabError, KeyError, TypeError) as error:
        return asdict(RunNews(each.run, True, "failed", "", str(error), None, {}, False, "", [], [], []))


def _about(folder: Path) -> dict[str, str]:
    from attnlab.runs.folder import Run

    if not (folder / "config.json").is_file():
        return {}
    config = Run(folder).config()
    return {
        "text": str(config["text"]),
        "model": config["model"]["kind"],
        "tokens": config["tokens"]["kind"],
        "data": str(config.get("data", {}).get("sha256", "")),
        "task": str(config.get("task", "")),
    }


def _checkpoints(folder: Path) -> int:
    return len(files_in(folder / "checkpoints", "*.json"))


def _share(progress: Progress | None) -> float | None:
    return progress.done / progress.total if progress and progress.total else None


def _validation(each: Mapping[str, Any]) -> tuple[int, float, float, bool]:
    from attnlab.benches.language.runs_table import only_a_bound

    found = each["validation"]
    return each["step"], found["nats_per_token"], found["bits_per_byte"], only_a_bound(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
