"""The steps of every run: its folder, the hash of its data, checkpoints, resuming, divergence, interrupts, result."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from attnlab.errors import ArgumentError, FileError, StoppedError
from attnlab.files import new_folder
from attnlab.locks import writing_in
from attnlab.progress import SILENT, Observer, Task
from attnlab.runs.folder import KEEP, Run, check_new, new_run, open_run
from attnlab.runs.loading import TOKENIZER, TOKENIZER_HASH, check_finite
from attnlab.text.tokenizers import Tokenizer, tokenizer_file, tokenizer_hash
from attnlab.training.loop import DivergedError, Hooks, Look
from attnlab.training.processes import ALONE, Process
from attnlab.training.settings import Training
from attnlab.training.speed import share_of_peak
from attnlab.training.state import State
from attnlab.training.threads import ThreadWatch

PLAN = "plan.json"
"""The plan of several runs, in the folder above theirs."""


@dataclass(frozen=True)
class Place:
    """The folder of a new run. A folder that nobody named gets the next free name if it is taken."""

    path: Path
    or_beside: bool = False


def new_place(out: Path | str | None, stem: str, process: Process = ALONE) -> Place:
    """The place of a new run: `out`, which must be new or empty, or a folder under runs/, named after the time."""
    if out is None:
        return Place(Path("runs") / f"{stem}-{datetime.now():%Y-%m-%d-%H%M%S}", or_beside=True)
    check_new(Path(out))
    process.wait()  # all processes have looked before the first one makes the folder
    return Place(Path(out))


@contextmanager
def beginning(
    place: Place, config: Mapping[str, Any], process: Process = ALONE, tokenizer: Tokenizer | None = None
) -> Iterator[Run]:
    """A new run with its tokenizer, whose folder this process holds while the block runs. Of several processes, the
    first one creates it. If the block ends in an error before anything was measured, the folder is removed."""
    with ExitStack() as held:
        path = place.path
        if process.leads:
            whole = {**config, TOKENIZER_HASH: tokenizer_hash(tokenizer)} if tokenizer else config
            files = {TOKENIZER: tokenizer_file(tokenizer)} if tokenizer else {}
            path = new_run(path, whole, files, or_beside=place.or_beside).path
            held.enter_context(writing_in(path))
        run = Run(Path(process.agreed(str(path))))
        try:
            yield run
        except BaseException:
            if process.leads and not run.begun:
                shutil.rmtree(run.path, ignore_errors=True)
            raise


@contextmanager
def planning(place: Place, plan: Mapping[str, Any], process: Process = ALONE) -> Iterator[Path]:
    """A new folder for several runs, with their plan.json, which this process holds while the block runs. If the block
    ends in an error before a run has begun, the folder is removed."""
    with ExitStack() as held:
        path = place.path
        if process.leads:
            with new_folder(path, or_beside=place.or_beside) as folder:
                folder.write(PLAN, (json.dumps(plan, indent=2, ensure_ascii=False) + "\n").encode())
            path = folder.path
            held.enter_context(writing_in(path))
        path = Path(process.agreed(str(path)))
        try:
            yield path
        except Exception:
            if process.leads and not any(each.is_dir() for each in path.iterdir()):
                shutil.rmtree(path, ignore_errors=True)
            raise


@contextmanager
def continuing(run: Run, process: Process = ALONE) -> Iterator[None]:
    """Hold the folder of a stopped run while the block runs, and remove what a killed process left in it. Of several
    processes, the first one does so."""
    if not process.leads:
        yield
        return
    with writing_in(run.path):
        run.tidy()
        yield


def say_finished(run: Run, observer: Observer) -> None:
    """Tell that a run is finished already, so that nothing is left to train."""
    observer.warn(f"{run.path} is finished already: nothing is left to train{_longer(run)}")


def _longer(run: Run) -> str:
    model = run.config().get("model")
    counted = isinstance(model, dict) and model.get("kind") == "ngram"  # counts have no steps
    return "" if counted else "; to train longer, start a new run with more --steps"


def stopped_run(path: Path | str) -> Run:
    """The stopped run in a folder. Raises if the run is finished."""
    run = open_run(Path(path))
    if run.finished:
        raise FileError(run.path, f"expected a stopped run; this run is finished{_longer(run)}")
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
        tensors = checkpoint.tensors()
        check_finite(checkpoint, tensors)
        state.load(tensors, checkpoint.step, float(checkpoint.notes["seconds"]))
    except (ArgumentError, KeyError, TypeError, ValueError) as error:
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
        error.args = (f"{error}; {where if resume and run.begun else ''}a lower {rates} may help",)
        raise
    except KeyboardInterrupt as error:
        planned = any((each / PLAN).exists() for each in (run.path, run.path.parent))
        if not resume or not (run.begun or planned):
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
