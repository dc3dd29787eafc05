"""The folder of a run: making, reading and adding to it."""

import json
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from attnlab.errors import ArgumentError, FileError, shortened
from attnlab.files import HIDDEN, files_in, is_empty, new_folder, open_file, parse_json, read_json, write_whole
from attnlab.locks import is_held
from attnlab.runs.checkpoints import (
    Checkpoint,
    checkpoints,
    last_checkpoint,
    remove_checkpoint,
    remove_unfinished,
    write_checkpoint,
)
from attnlab.runs.seals import sealed, unsealed
from attnlab.runs.versions import SEALED, VERSION, upgraded
from attnlab.settings import check_complete, option_names, read

RESULT = "result.json"
METRICS = "metrics.jsonl"
LONGEST_LINE = 1 << 24
"""In bytes, of the metrics."""
NUMBERS = ("loss", "rate", "progress", "seconds", "tokens_per_second", "validation_nats", "validation_accuracy")
"""The entries of a line of metrics that are numbers, if they are there."""
SCORES = ("nats_per_token", "perplexity", "bits_per_byte")
"""The entries of a validation, all of them numbers."""
KINDS = {
    "classify": "the run of a classifier; open it with attnlab classify",
    "knowledge": "a run of attnlab knowledge; open it with attnlab knowledge",
}
"""The kinds of runs by the `task` in their config.json; the run of a language model has no task."""
CLASSIFIER = "classify"
"""The `task` in the config.json of a classifier's run; a language model's run has no task."""
TOKENIZER = "tokenizer.json"
TOKENIZER_HASH = "tokenizer_sha256"
"""The entry of config.json with the hash of the tokenizer. Runs of version 1 have none."""
KEPT = 2
"""The number of last checkpoints to keep, in addition to the best."""
KEEP = "keep"
"""The note of a checkpoint that is never removed."""


@dataclass(frozen=True)
class Run:
    """A run on disk."""

    path: Path

    @property
    def checkpoint_folder(self) -> Path:
        """The folder of the checkpoints."""
        return self.path / "checkpoints"

    def config(self) -> dict[str, Any]:
        """Every setting of the run."""
        path = self.path / "config.json"
        return upgraded(read_json(path, "a run's config.json"), path)

    def settings(self, cls: Any, part: str = "") -> Any:
        """Read settings of a class from the configuration, or from one part of it; other entries are ignored. Raises if
        a setting is missing: today's default may not be what the run used."""
        value = self.config()
        try:
            given: Any = value.get(part) if part else {each: value[each] for each in option_names(cls) if each in value}
            found = read(cls, given, part)
            check_complete(found, given, part)
            return found
        except ArgumentError as error:
            raise FileError(self.path / "config.json", str(error)) from error

    @property
    def described(self) -> str:
        """The kind of the run and the command that opens it, for errors about a run of another kind."""
        return KINDS.get(str(self.config().get("task")), "the run of a language model; open it with attnlab sample")

    @property
    def kind(self) -> str:
        """The kind of the run in words, without the command that opens it."""
        return self.described.partition(";")[0]

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return (self.path / RESULT).exists()

    @property
    def state(self) -> Literal["finished", "running", "stopped"]:
        """Whether the run has ended, a process of this machine holds its folder, or it can be continued."""
        if self.finished:
            return "finished"
        held = is_held(self.path)
        return "finished" if self.finished else "running" if held else "stopped"  # it may end between two questions

    def result(self) -> dict[str, Any]:
        """The result of a finished run. Raises if the file was changed after the run wrote it."""
        path = self.path / RESULT
        again = f"remove {path} and continue the run, which measures it again"
        several = not (self.path / "config.json").exists()  # the folder of several runs has a plan.json
        needed = not several and self.config()["version"] >= SEALED
        return unsealed(read_json(path, "a run's result.json"), path, again, needed=needed)

    def finish(self, value: Mapping[str, Any]) -> None:
        """Write the result, which marks the run as finished."""
        write_whole(self.path / RESULT, (json.dumps(sealed(value), indent=2) + "\n").encode())

    @property
    def begun(self) -> bool:
        """Whether there is anything to continue: a measurement or a checkpoint."""
        return (self.path / METRICS).exists() or bool(files_in(self.checkpoint_folder))

    def tidy(self) -> None:
        """Remove what a killed process left behind: unfinished files, and checkpoints that are unfinished or that no
        longer count. Only the process that holds the folder may do this."""
        for folder in (self.path, self.checkpoint_folder, self.path / "tokens"):
            for each in files_in(folder, f"{HIDDEN}*"):
                shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink(missing_ok=True)
        remove_unfinished(self.checkpoint_folder)
        self._remove_old()

    def append(self, measured: Mapping[str, Any]) -> None:
        """Append a line to the metrics."""
        line = json.dumps(measured, allow_nan=False)
        try:
            with (self.path / METRICS).open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as error:
            raise FileError.unwritable(self.path / METRICS, error) from error

    def metrics(self) -> list[dict[str, Any]]:
        """The lines of the metrics; an incomplete last line is ignored."""
        return list(self.measured())

    def measured(self) -> Iterator[dict[str, Any]]:
        """The same, one after the other: there may be millions."""
        path, broken = self.path / METRICS, 0
        try:
            with open_file(path) as file:
                for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE), b""), start=1):
                    if broken:
                        raise FileError(path, "expected a JSON value", line=broken)
                    try:
                        value = parse_json(line.decode("utf-8", "replace"))
                    except ValueError:
                        broken = number
                        continue
                    _check_measured(value, path, number)
                    yield value
        except FileNotFoundError:
            return
        except OSError as error:
            raise FileError.unreadable(path, error) from error

    def forget_after(self, step: int) -> None:
        """Remove the metrics after a step: a run that goes on from there measures them again."""
        kept = [json.dumps(each) for each in self.measured() if each["step"] <= step]
        write_whole(self.path / METRICS, "".join(f"{line}\n" for line in kept).encode())

    def save(self, step: int, tensors: Mapping[str, Any], notes: Mapping[str, Any]) -> Checkpoint:
        """Write a checkpoint, then remove old ones: all but the last few, the best, and those to keep."""
        self._sync_metrics()
        written = write_checkpoint(self.checkpoint_folder, step, tensors, notes)
        self._remove_old()
        return written

    def _sync_metrics(self) -> None:
        """Write the metrics to the disk: a checkpoint must not outlive the measurements before it."""
        try:
            with (self.path / METRICS).open("r+b") as file:
                os.fsync(file.fileno())
        except FileNotFoundError:
            return  # nothing was measured
        except OSError as error:
            raise FileError.unwritable(self.path / METRICS, error) from error

    def _remove_old(self) -> None:
        found = checkpoints(self.checkpoint_folder)
        best = best_of(found)
        for each in found[:-KEPT]:
            if not each.notes.get(KEEP) and (best is None or each.path != best.path):
                remove_checkpoint(each)

    def last(self) -> Checkpoint | None:
        """The last checkpoint, if there is one."""
        return last_checkpoint(self.checkpoint_folder)

    def checkpoints(self) -> list[Checkpoint]:
        """All checkpoints, the oldest first."""
        return checkpoints(self.checkpoint_folder)

    def best(self) -> Checkpoint:
        """The checkpoint with the lowest validation loss, or the last checkpoint if there was no validation."""
        found = checkpoints(self.checkpoint_folder)
        if not found:
            raise FileError(self.checkpoint_folder, "the run has no checkpoint yet")
        return best_of(found) or found[-1]


def _check_measured(value: Any, path: Path, line: int) -> None:
    """Raise unless the value of a line of metrics has a step, and finite numbers wherever others count on numbers."""
    if not isinstance(value, dict) or not isinstance(value.get("step"), int):
        raise FileError(path, "expected a JSON object with a step, a whole number", line=line)
    validation = value.get("validation", {})
    if not isinstance(validation, dict):
        raise FileError(path, "expected a JSON object as validation", line=line)
    numbers = {name: value[name] for name in NUMBERS if name in value}
    if "validation" in value:
        numbers |= {f"validation.{name}": validation.get(name) for name in SCORES}
    for name, number in numbers.items():
        if not isinstance(number, int | float) or not math.isfinite(number):
            raise FileError(path, f"expected a finite number as {name}, got {shortened(number)}", line=line)


def best_of(found: list[Checkpoint]) -> Checkpoint | None:
    """The checkpoint with the lowest validation loss, or None."""
    measured = [each for each in found if each.notes.get("validation_nats") is not None]
    for each in measured:
        if not isinstance(each.notes["validation_nats"], int | float):
            raise FileError(each.path.with_suffix(".json"), "expected a number as validation_nats")
    return min(measured, key=lambda each: each.notes["validation_nats"]) if measured else None


def new_run(
    path: Path, config: Mapping[str, Any], files: Mapping[str, bytes] | None = None, *, or_beside: bool = False
) -> Run:
    """Make the folder of a run with its config.json and other files, completely or not at all; an existing folder must
    be empty. With `or_beside`, if the path is taken, the next free one of path-2, path-3, … is used."""
    if not or_beside:
        check_new(path)
    content = json.dumps({"version": VERSION, **config}, indent=2, ensure_ascii=False)
    with new_folder(path, or_beside=or_beside) as folder:
        folder.make("checkpoints")
        for name, each in (files or {}).items():
            folder.write(name, each)
        folder.write("config.json", f"{content}\n".encode())
    return Run(folder.path)


def check_new(path: Path, advice: str = "; --resume continues an old one") -> None:
    """Raise if the path of a new run is taken, before any work is done."""
    try:
        if path.exists() and not (path.is_dir() and is_empty(path)):
            raise FileError(path, f"expected a new or empty folder for the run{advice}")
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def task_of(path: Path) -> str:
    """The `task` of the run in a folder, or of the runs that its plan.json describes; empty for language models."""
    if (path / "config.json").is_file() or not (path / "plan.json").is_file():
        return str(open_run(path).config().get("task", ""))
    plan = read_json(path / "plan.json", "the plan of several runs")
    return "" if "config" in plan else "classify" if "validation" in plan else "knowledge"


def similar_run(path: Path) -> str:
    """The end of an error about a folder that is not there: the run beside it that was probably meant."""
    from difflib import get_close_matches

    runs = [each.parent.name for each in path.parent.glob("*/config.json") if not each.parent.name.startswith(HIDDEN)]
    close = get_close_matches(path.name, runs, n=1, cutoff=0.75)
    return f"; did you mean {path.with_name(close[0])}?" if close else ""


def open_run(path: Path) -> Run:
    """The run in a folder."""
    if not path.exists():
        raise FileError(path, f"there is no such folder; expected the folder of a run{similar_run(path)}")
    if not (path / "config.json").is_file():
        within = sorted(each for each in path.glob("*/config.json") if not each.parent.name.startswith(HIDDEN))
        hint = f"; there is one in {within[0].parent}" if within else ""
        if path.is_dir() and is_empty(path):
            hint = f"; the folder is empty: make a run first, for example: attnlab train TEXT --out {path}"
        raise FileError(path, f"expected the folder of a run, with a config.json in it{hint}")
    return Run(path)
