"""The steps of every run: its folder, the hash of its data, resuming, divergence, interrupts. Without torch."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnlab.errors import DivergedError, FileError, StoppedError
from attnlab.files import new_folder, read_json
from attnlab.locks import writing_in
from attnlab.progress import Observer
from attnlab.runs.folder import CLASSIFIER, TOKENIZER, TOKENIZER_HASH, Run, check_new, new_run, open_run
from attnlab.runs.seals import sealed, unsealed
from attnlab.text.tokenizers import Tokenizer, tokenizer_file, tokenizer_hash

if TYPE_CHECKING:  # a classifier has a lifecycle, and does without torch
    from attnlab.training.processes import Process

PLAN = "plan.json"
"""The plan of several runs, in the folder above theirs."""
PLAN_VERSION = 3
"""Since this version every plan has a seal. Plans of `knowledge run` had one before, those of seeds had no version."""


class OnlyProcess:
    """The only process, as a `Process` of torchrun that needs no torch."""

    leads = True

    def agreed(self, text: str) -> str:
        """The text."""
        return text

    def wait(self) -> None:
        """Wait for nobody."""


ONLY_PROCESS = OnlyProcess()


@dataclass(frozen=True)
class Place:
    """The folder of a new run. A folder that nobody named gets the next free name if it is taken."""

    path: Path
    or_beside: bool = False


def new_place(out: Path | str | None, stem: str, process: "Process | OnlyProcess" = ONLY_PROCESS) -> Place:
    """The place of a new run: `out`, which must be new or empty, or a folder under runs/, named after the time."""
    if out is None:
        return Place(Path("runs") / f"{stem}-{datetime.now():%Y-%m-%d-%H%M%S}", or_beside=True)
    check_new(Path(out))
    process.wait()  # all processes have looked before the first one makes the folder
    return Place(Path(out))


@contextmanager
def beginning(
    place: Place,
    config: Mapping[str, Any],
    process: "Process | OnlyProcess" = ONLY_PROCESS,
    tokenizer: Tokenizer | None = None,
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
def planning(place: Place, plan: Mapping[str, Any], process: "Process | OnlyProcess" = ONLY_PROCESS) -> Iterator[Path]:
    """A new folder for several runs, with their plan.json, which this process holds while the block runs. If the block
    ends in an error before a run has begun, the folder is removed."""
    with ExitStack() as held:
        path = place.path
        if process.leads:
            with new_folder(path, or_beside=place.or_beside) as folder:
                written = sealed({"version": PLAN_VERSION, **plan})
                folder.write(PLAN, (json.dumps(written, indent=2, ensure_ascii=False) + "\n").encode())
            path = folder.path
            held.enter_context(writing_in(path))
        path = Path(process.agreed(str(path)))
        try:
            yield path
        except Exception:
            if process.leads and not any(each.is_dir() for each in path.iterdir()):
                shutil.rmtree(path, ignore_errors=True)
            raise


def check_plan(place: Path) -> None:
    """Raise if the plan in a folder was changed: the finished runs follow the old plan, and what is told of them would
    follow the new one. Older labs wrote plans without a seal."""
    path = place / PLAN
    written = read_json(path, "the plan of several runs")
    version = written.get("version", 1)
    if version not in range(1, PLAN_VERSION + 1):
        raise FileError(path, f"expected a plan of version 1 to {PLAN_VERSION}, got {version!r}")
    unsealed(written, path, "restore it, or start new runs with --out", needed=version >= PLAN_VERSION)


@contextmanager
def continuing(run: Run, process: "Process | OnlyProcess" = ONLY_PROCESS) -> Iterator[None]:
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
    config = run.config()
    model = config.get("model")
    counted = isinstance(model, dict) and model.get("kind") == "ngram"  # counts have no steps
    option = "--epochs" if config.get("task") == CLASSIFIER else "--steps"
    return "" if counted else f"; to train longer, start a new run with more {option}"


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


@contextmanager
def going(run: Run, command: str = "", rates: str = "--rate or --muon-rate") -> Iterator[None]:
    """While a run trains, add advice to its errors: to a divergence error the last good checkpoint and the learning
    `rates` that may be too high, to an interrupt the `command` that resumes the run, or the plan that it belongs to.
    Without a command, nothing of the run is kept before its end."""
    try:
        yield
    except DivergedError as error:
        last = run.last()
        where = f"the last good checkpoint is {last.path}; " if last else "there is no checkpoint yet; "
        error.args = (f"{error}; {where if command and run.begun else ''}a lower {rates} may help",)
        raise
    except KeyboardInterrupt as error:
        planned = (run.path.parent / PLAN).exists()
        if not command or not (run.begun or planned):
            raise
        last = run.last()
        where = f" at step {last.step}" if last else ""
        place = run.path.parent if planned else run.path
        raise StoppedError(f"stopped{where}; to continue: attnlab {command} --resume {place}") from error
