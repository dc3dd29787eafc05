"""The folder of a run: made once, read by whoever has the path."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json, write_whole
from attnlab.runs.checkpoints import Checkpoint, checkpoints, last_checkpoint, remove_checkpoint, write_checkpoint
from attnlab.settings import option_names, read

RESULT = "result.json"
KEPT = 2
"""How many of the last checkpoints stay, beside the best."""


@dataclass(frozen=True)
class Run:
    """A run on disk."""

    path: Path

    @property
    def checkpoint_folder(self) -> Path:
        """Where its checkpoints are."""
        return self.path / "checkpoints"

    def config(self) -> dict[str, Any]:
        """Every setting, as it was."""
        return read_json(self.path / "config.json", "a run's config.json")

    def settings(self, cls: Any, part: str = "") -> Any:
        """Settings of a class from the configuration, or from one part of it; what else stands there is left."""
        value = self.config()
        try:
            if part:
                return read(cls, value.get(part), part)
            return read(cls, {name: each for name, each in value.items() if name in option_names(cls)})
        except ArgumentError as error:
            raise FileError(self.path / "config.json", str(error)) from error

    @property
    def finished(self) -> bool:
        """Whether it came to its end."""
        return (self.path / RESULT).exists()

    def result(self) -> dict[str, Any]:
        """What it came to."""
        return read_json(self.path / RESULT, "a run's result.json")

    def finish(self, value: Mapping[str, Any]) -> None:
        """Say that it came to its end, and to what."""
        write_whole(self.path / RESULT, (json.dumps(value, indent=2) + "\n").encode())

    def append(self, measured: Mapping[str, Any]) -> None:
        """Add a line to the metrics."""
        line = json.dumps(measured, allow_nan=False)
        try:
            with (self.path / "metrics.jsonl").open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as error:
            raise FileError.unwritable(self.path / "metrics.jsonl", error) from error

    def metrics(self) -> list[dict[str, Any]]:
        """The lines of the metrics; a last one that was cut off does not count."""
        path = self.path / "metrics.jsonl"
        if not path.exists():
            return []
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        found = []
        for number, line in enumerate(lines, start=1):
            try:
                found.append(json.loads(line))
            except ValueError as error:
                if number < len(lines):
                    raise FileError(path, "expected a JSON value", line=number) from error
        return found

    def forget_after(self, step: int) -> None:
        """Drop the metrics past a step: a run that goes on from there will measure them again."""
        kept = [json.dumps(each) for each in self.metrics() if each["step"] <= step]
        write_whole(self.path / "metrics.jsonl", "".join(f"{line}\n" for line in kept).encode())

    def save(self, step: int, tensors: Mapping[str, Any], notes: Mapping[str, Any]) -> Checkpoint:
        """Write a checkpoint, and only then remove those no longer needed: all but the last ones and the best."""
        written = write_checkpoint(self.checkpoint_folder, step, tensors, notes)
        found = checkpoints(self.checkpoint_folder)
        best = best_of(found)
        for each in found[:-KEPT]:
            if best is None or each.path != best.path:
                remove_checkpoint(each)
        return written

    def last(self) -> Checkpoint | None:
        """The last checkpoint, if there is one."""
        return last_checkpoint(self.checkpoint_folder)

    def best(self) -> Checkpoint:
        """The checkpoint with the least validation loss, or the last if none was measured."""
        found = checkpoints(self.checkpoint_folder)
        if not found:
            raise FileError(self.checkpoint_folder, "expected a checkpoint, found none")
        return best_of(found) or found[-1]


def best_of(found: list[Checkpoint]) -> Checkpoint | None:
    """The checkpoint with the least validation loss."""
    measured = [each for each in found if each.notes.get("validation_nats") is not None]
    return min(measured, key=lambda each: each.notes["validation_nats"]) if measured else None


def new_run(path: Path, config: Mapping[str, Any]) -> Run:
    """Make the folder of a run; one that is there already must be empty."""
    check_new(path)
    try:
        (path / "checkpoints").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError.unwritable(path, error) from error
    write_whole(path / "config.json", (json.dumps(config, indent=2, ensure_ascii=False) + "\n").encode())
    return Run(path)


def check_new(path: Path, advice: str = "; --resume goes on with an old one") -> None:
    """Refuse the path of a run where something is already, before anything is done for it."""
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise FileError(path, f"expected a new or empty folder for the run{advice}")
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def free_path(path: Path) -> Path:
    """The path, or the next one beside it that is not taken."""
    number, found = 2, path
    while found.exists():
        found, number = path.with_name(f"{path.name}-{number}"), number + 1
    return found


def open_run(path: Path) -> Run:
    """The run in a folder."""
    if not (path / "config.json").is_file():
        within = sorted(path.glob("*/config.json"))
        hint = f"; there is one in {within[0].parent}" if within else ""
        raise FileError(path, f"expected the folder of a run, with a config.json in it{hint}")
    return Run(path)
