"""The steps of every run: its folder, the hash of its data, checkpoints, resuming, divergence, interrupts, result."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from attnlab.errors import ArgumentError, FileError, StoppedError
from attnlab.progress import SILENT, Observer, Task
from attnlab.runs.folder import KEEP, Run, check_new, free_path, new_run, open_run
from attnlab.runs.loading import TOKENIZER, TOKENIZER_HASH
from attnlab.text.tokenizers import Tokenizer, save_tokenizer, tokenizer_hash
from attnlab.training.loop import DivergedError, Hooks, Look
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.speed import share_of_peak
from attnlab.training.state import State
from attnlab.training.threads import ThreadWatch


def run_path(out: Path | str | None, stem: str, advice: str = "; --resume continues an old one") -> Path:
    """The folder of a new run: `out`, which must be new or empty, or a folder under runs/, named after the time."""
    if out is None:
        return free_path(Path("runs") / f"{stem}-{datetime.now():%Y-%m-%d-%H%M%S}")
    check_new(Path(out), advice)
    return Path(out)


def begin(path: Path, config: Mapping[str, Any], process: Process, tokenizer: Tokenizer) -> Run:
    """The run in a new folder, with its tokenizer. Of several processes, the first one creates it."""
    if process.leads:
        new_run(path, {**config, TOKENIZER_HASH: tokenizer_hash(tokenizer)})
        save_tokenizer(tokenizer, path / TOKENIZER)
    return Run(path)


def stopped_run(path: Path | str) -> Run:
    """The stopped run in a folder. Raises if the run is finished."""
    run = open_run(Path(path))
    if run.finished:
        model = run.config().get("model")
        counted = isinstance(model, dict) and model.get("kind") == "ngram"  # counts have no steps
        longer = "" if counted else "; to train longer, start a new run with more --steps"
        raise FileError(run.path, f"expected a stopped run; this run is finished{longer}")
    return run


def check_data(run: Run, noted: Any, found: str, name: str) -> None:
    """Raise if the data of a run has another hash than when the run started."""
    if noted != found:
        raise FileError(run.path, f"{name} has changed since the run started; restore the old data, or start a new run")


def restore(state: State, run: Run) -> None:
    """Load the last checkpoint of a run into a state, if there is a checkpoint."""
    checkpoint = run.last()
    if checkpoint is None:
        return
    try:
        state.load(checkpoint.tensors(), checkpoint.step, float(checkpoint.notes["seconds"]))
    except (ArgumentError, KeyError) as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error


@contextmanager
def going(run: Run, resume: str = "", rates: str = "--rate or --muon-rate") -> Iterator[None]:
    """While a run trains, add advice to its errors: to a divergence error the last good checkpoint and the learning
    `rates` that may be too high, to an interrupt the command `resume`. Without `resume`, the run has no checkpoints
    before its end."""
    try:
        yield
    except DivergedError as error:
        last = run.last()
        where = f"the last good checkpoint is {last.path}; " if last else "there is no checkpoint yet; "
        error.args = (f"{error}; {where if resume else ''}a lower {rates} may help",)
        raise
    except KeyboardInterrupt as error:
        if not resume:
            raise
        last = run.last()
        where = f" at step {last.step}" if last else ""
        raise StoppedError(f"stopped{where}; to continue: attnlab {resume}") from error


def watched(
    run: Run,
    training: Training,
    process: Process,
    task: Task,
    model: Any,
    before: int = 0,
    observer: Observer = SILENT,
) -> Hooks:
    """Hooks that record and show the loss, and save checkpoints. Only the first of several processes does so. `before`
    is the number of steps in earlier lessons. The observer is told if threads wait for one another."""
    if not process.leads:
        return Hooks()
    threads = ThreadWatch()

    def looked(look: Look) -> None:
        share = share_of_peak(model, look.tokens_per_second / process.ranks, process.device)
        peak = f", {share:.0%} of the peak" if share is not None else ""
        speed = f"{look.tokens_per_second:,.0f} tokens/s{peak}"
        task.reach(look.progress, f"step {look.step}: loss {look.loss:.4f}, {speed}")
        more = {"share_of_peak": share} if share is not None else {}
        run.append(asdict(look) | {"step": before + look.step} | more)
        if process.device.type == "cpu" and (advice := threads.advice()):
            observer.say(advice)

    def save(state: State) -> None:
        notes = {"seconds": state.seconds, KEEP: training.keeps(state.step)}
        run.save(before + state.step, state.tensors(), notes)

    return Hooks(looked=looked, save=save)


def training_task(observer: Observer, training: Training, process: Process) -> Any:
    """The task of training. Only the first of several processes shows it."""
    shown = observer if process.leads else Observer()
    steps = f"{training.steps:,} step{'s' * (training.steps != 1)}" if training.steps else ""
    minutes = f"{training.minutes:g} minute{'s' * (training.minutes != 1)}" if training.minutes else ""
    return shown.task(f"training for {' or '.join(filter(None, (steps, minutes)))}", total=1.0)
