"""What every run goes through, whatever it trains: its folder, the hash of its data, checkpoints, going on from the
last one, divergence, an interrupt, and the result at its end."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from attnlab.errors import ArgumentError, FileError, StoppedError
from attnlab.progress import Observer, Task
from attnlab.runs.folder import Run, check_new, free_path, new_run, open_run
from attnlab.training.loop import DivergedError, Hooks, Look
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.speed import share_of_peak
from attnlab.training.state import State


def run_path(out: Path | str | None, stem: str, advice: str = "; --resume goes on with an old one") -> Path:
    """Where a new run goes: a new or empty folder that was asked for, else one under runs/ that has the time in its
    name."""
    if out is None:
        return free_path(Path("runs") / f"{stem}-{datetime.now():%Y-%m-%d-%H%M%S}")
    check_new(Path(out), advice)
    return Path(out)


def begin(path: Path, config: Mapping[str, Any], process: Process) -> Run:
    """The run in a new folder; of several processes, the first makes it."""
    return new_run(path, config) if process.leads else Run(path)


def stopped_run(path: Path | str) -> Run:
    """The run in a folder, which must have been stopped before its end."""
    run = open_run(Path(path))
    if run.finished:
        raise FileError(run.path, "expected a run that was stopped; this one came to its end")
    return run


def check_data(run: Run, noted: Any, found: str, name: str) -> None:
    """Raise unless the data of a run has the hash that was noted when it started."""
    if noted != found:
        raise FileError(run.path, f"expected {name} as it was; it has changed since the run began")


def restore(state: State, run: Run) -> None:
    """Bring a state to where its run was stopped, if it was."""
    checkpoint = run.last()
    if checkpoint is None:
        return
    try:
        state.load(checkpoint.tensors(), checkpoint.step, float(checkpoint.notes["seconds"]))
    except (ArgumentError, KeyError) as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error


@contextmanager
def going(run: Run, resume: str = "", rates: str = "--rate or --muon-rate") -> Iterator[None]:
    """As long as a run trains: to an error of divergence the last good checkpoint is added and the `rates` that may be
    too high, to an interrupt how to go on, which is to type `resume`. A run without `resume` has no checkpoints before
    its end."""
    try:
        yield
    except DivergedError as error:
        last = run.last()
        where = f"the last good checkpoint is {last.path}; " if last else "there was no checkpoint yet; "
        error.args = (f"{error}; {where if resume else ''}a lower {rates} may help",)
        raise
    except KeyboardInterrupt as error:
        if not resume:
            raise
        last = run.last()
        where = f" at step {last.step}" if last else ""
        raise StoppedError(f"stopped{where}; go on: attnlab {resume}") from error


def watched(run: Run, process: Process, task: Task, model: Any, before: int = 0) -> Hooks:
    """What is written and shown while a model learns, the first of several processes alone: every look at the loss, and
    checkpoints. `before` is how many steps there were in earlier lessons."""
    if not process.leads:
        return Hooks()

    def looked(look: Look) -> None:
        share = share_of_peak(model, look.tokens_per_second / process.ranks, process.device)
        peak = f", {share:.0%} of the peak" if share is not None else ""
        speed = f"{look.tokens_per_second:,.0f} tokens/s{peak}"
        task.reach(look.progress, f"step {look.step}: loss {look.loss:.4f}, {speed}")
        more = {"share_of_peak": share} if share is not None else {}
        run.append(asdict(look) | {"step": before + look.step} | more)

    def save(state: State) -> None:
        run.save(before + state.step, state.tensors(), {"seconds": state.seconds})

    return Hooks(looked=looked, save=save)


def training_task(observer: Observer, training: Training, process: Process) -> Any:
    """The task of training, which the first of several processes shows."""
    shown = observer if process.leads else Observer()
    return shown.task(f"training for {training.steps or f'{training.minutes:g} minutes of'} steps", total=1.0)
