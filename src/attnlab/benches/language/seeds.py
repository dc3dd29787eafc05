"""Train one configuration with several seeds, each run in its own folder: how much of a score is luck?"""

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from attnlab.benches.language.configuring import training_call
from attnlab.benches.language.finished import TrainedRun, finished_run
from attnlab.benches.language.texts import PreparedText, prepare
from attnlab.benches.language.training import check_same_data, device_of, resume, resume_in, start, train_in
from attnlab.benches.lifecycle import PLAN, Place, check_plan, continuing, new_place, planning
from attnlab.benches.several import MOST_SEEDS, finished_runs, is_plan, seeded, train_the_others
from attnlab.benches.stepwise import device_again
from attnlab.calls import Call
from attnlab.errors import ArgumentError, FileError
from attnlab.models.kinds import expected_parameters
from attnlab.parallel import ONE_CORE, ONE_WORKER, Task, Workers
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record
from attnlab.runs.folder import Run, task_of
from attnlab.runs.loading import run_tokenizer
from attnlab.settings import Range, read_file, settings, write
from attnlab.statistics import FEWEST_SEEDS, mean_and_half_width
from attnlab.training.language.config import Config
from attnlab.training.language.counting import NoTraining
from attnlab.training.language.feeding import sequence_length
from attnlab.training.processes import Process, this_process
from attnlab.training.settings import Training
from attnlab.training.threads import threads_of, torch_threads, using_threads

COUNTED = 2e5
"""The bytes of text per second that a model which only counts takes, by order of magnitude."""
UNITS = ("nats_per_token", "perplexity", "bits_per_byte")


@settings
class SeedPlan:
    """The plan in the folder of the runs: the configuration with the first seed, and the number of seeds."""

    config: Config
    seeds: Annotated[int, Range(1, MOST_SEEDS)]

    def __post_init__(self):
        if isinstance(self.config.training, NoTraining):
            raise ArgumentError("seeds", "a model of kind ngram only counts, so it is the same for every seed")

    def configs(self) -> dict[str, Config]:
        """The configuration of each run, by the name of its folder: consecutive seeds."""
        return seeded(self.config, self.seeds)


@record
class SeedRuns(Record):
    """Finished runs that differ by their seeds only."""

    shown_by: ClassVar[str] = "language.seeds.seed_runs"

    path: Path
    plan: SeedPlan
    runs: tuple[TrainedRun, ...]

    def scores(self, part: str, unit: str) -> list[float]:
        """The scores of all runs on the validation or test split; empty if there is no such split."""
        return [run.result[part][unit] for run in self.runs if run.result[part] is not None]

    def metrics(self) -> dict[str, list[dict[str, Any]]]:
        """The measurements of each run during training, by its folder."""
        return {run.path.name: run.metrics() for run in self.runs}

    @property
    def measured(self) -> bool:
        """Whether a run has measurements to draw."""
        return any(run.measured for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """The results of the runs, and the mean of each score with its 95 % interval."""
        parts = {part: {unit: _mean(self.scores(part, unit)) for unit in UNITS} for part in ("validation", "test")}
        found = {part: each if self.scores(part, UNITS[0]) else None for part, each in parts.items()}
        return {"run": str(self.path), "seeds": self.plan.seeds, **found, "runs": [run.to_dict() for run in self.runs]}

    @property
    def call(self) -> Call:
        """The call that trains them again."""
        return training_call(self.plan.config, seeds=self.plan.seeds)


Finished = TypeVar("Finished", bound=TrainedRun | SeedRuns)


def _mean(scores: list[float]) -> dict[str, Any] | None:
    if not scores:
        return None
    if len(scores) < FEWEST_SEEDS:
        return {"mean": sum(scores) / len(scores), "interval": None}
    middle, half = mean_and_half_width(scores)
    return {"mean": middle, "interval": [middle - half, middle + half]}


def train_seeds(
    config: Config,
    seeds: int,
    out: Path | str | None = None,
    observer: Observer = SILENT,
    workers: Workers = ONE_WORKER,
) -> SeedRuns:
    """Train runs with consecutive seeds, in folders below `out`, or below a new folder under runs/."""
    SeedPlan(config, seeds)  # raises before the text is read
    with this_process(device_of(config)) as process:
        place = new_place(out, "train", process)
        config, ready = start(config, process, observer)
        plan = SeedPlan(config, seeds)
        with planning(place, write(plan), process) as path:
            return _all(path, plan, ready, process, observer, workers)


def resume_any(path: Path | str, observer: Observer = SILENT, workers: Workers = ONE_WORKER) -> TrainedRun | SeedRuns:
    """Continue what is in a folder: a stopped run, or runs with several seeds, of which only the unfinished train."""
    place = Path(path)
    if not is_plan(place):
        return resume(path, observer)
    plan = _read(place)
    with this_process(device_again(device_of(plan.config), observer)) as process:
        ready = prepare(plan.config, observer=observer)
        with continuing(Run(place), process):
            return _all(place, plan, ready, process, observer, workers)


def _read(place: Path) -> SeedPlan:
    """The plan in a folder. Raises if it is that of another command."""
    if task := task_of(place):
        other = {"classify": "classify train", "knowledge": "knowledge run"}[task]
        raise FileError(place, f"expected a folder of attnlab train; continue it with attnlab {other} --resume")
    plan = read_file(SeedPlan, place / PLAN, "the plan of attnlab train --seeds")
    check_plan(place)
    return plan


def _all(
    place: Path, plan: SeedPlan, ready: PreparedText, process: Process, observer: Observer, workers: Workers
) -> SeedRuns:
    """Train or continue every run that is not finished. Under torchrun, its processes train each run together."""
    if process.ranks > 1 and (workers.jobs > 1 or workers.cluster):
        raise ArgumentError("jobs", "expected no --jobs and no --cluster under torchrun: its processes share each run")
    configs = plan.configs()
    done = finished_runs(place, configs, finished_run, lambda run: check_same_data(run, plan.config, ready))
    threads, seconds = _cost(plan.config, ready, process)
    tasks = [Task(name, (place / name, config, ready, threads), seconds, threads) for name, config in configs.items()]
    how = (observer, workers if process.ranks == 1 else ONE_WORKER)
    runs = train_the_others(place, "train", tasks, done, _one, *how, saves=True)
    found = SeedRuns(place, plan, tuple(runs))
    if process.leads:
        Run(place).finish(found.to_dict())
    return found


def _cost(config: Config, ready: PreparedText, process: Process) -> tuple[int | None, float]:
    """The threads that each run uses, whatever the number of processes, and about how many seconds it takes on one
    core."""
    parameters, training = expected_parameters(config.model, ready.tokenizer.size), config.training
    threads = threads_of(parameters, process.device.type) if process.ranks == 1 else torch_threads()
    if not isinstance(training, Training):
        return 1, ready.text.size("train") / COUNTED
    tokens = training.steps * training.batch * sequence_length(config.model)
    seconds = 6.0 * parameters * tokens / ONE_CORE
    return threads, min(seconds or math.inf, 60 * training.minutes or math.inf)


def _one(path: Path, config: Config, ready: PreparedText, threads: int | None, observer: Observer) -> TrainedRun:
    """Train the run of one seed to its end, in this process or in another one."""
    run = Run(path)
    ready = ready.with_vectors(config)
    with using_threads(threads), this_process(device_again(device_of(config), observer)) as process:
        if (path / "config.json").is_file():
            return resume_in(run, replace(ready, tokenizer=run_tokenizer(run)), process, observer)
        return train_in(Place(path), config, ready, process, observer)


def with_curves(found: Finished) -> Finished:
    """A finished run, or several, with the loss curves drawn into the folder: what every door does after training. If
    the measurements are gone, there are no curves."""
    if found.measured:
        found.save(found.path / "curves.svg")
    return found
