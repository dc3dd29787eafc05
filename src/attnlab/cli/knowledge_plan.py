"""What attnlab knowledge run was asked for, kept in its folder: with it, and with the models that were finished, it can
go on where it was stopped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnlab.errors import FileError
from attnlab.files import read_json, write_whole
from attnlab.runs.folder import Run

OPTIONS: dict[str, type | tuple[type, ...]] = {
    "facts": str,
    "recipes": str,
    "variants": str,
    "mixers": str,
    "seeds": int,
    "seed": int,
    "people": (int, type(None)),
    "distractors": int,
    "effort": (int, float),
    "precision": (int, float),
    "device": str,
    "dotted": dict,
}
"""The options that say what is trained and measured; the others say where it is told."""
DEVICES = ("auto", "cpu", "cuda")
MEASURED = ("seed", "parameters", "seconds", "asides", "accuracy", "calibration", "confidence", "extraction")
"""What a row of the table needs of a model."""


@dataclass(frozen=True)
class Plan:
    """The options by name, and the hash of the facts."""

    options: dict[str, Any]
    sha256: str

    def save(self, place: Path) -> None:
        """Write it into the folder of the runs."""
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError.unwritable(place, error) from error
        value = {"options": self.options, "sha256": self.sha256}
        write_whole(_path(place), (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def read_plan(place: Path) -> Plan:
    """The plan in a folder."""
    if not _path(place).is_file():
        raise FileError(place, "expected the folder of attnlab knowledge run, with a plan.json in it")
    value = read_json(_path(place), "the plan of attnlab knowledge run")
    options, sha256 = value.get("options"), value.get("sha256")
    if not isinstance(options, dict) or options.keys() != OPTIONS.keys() or not isinstance(sha256, str):
        raise FileError(_path(place), f"expected sha256, and as options {', '.join(OPTIONS)}")
    for name, kind in OPTIONS.items():
        if not isinstance(options[name], kind) or (name == "device" and options[name] not in DEVICES):
            raise FileError(_path(place), f"expected another {name} than {options[name]!r}")
    for group in options["dotted"].values():
        if not isinstance(group, dict) or not all(isinstance(word, str) for word in group.values()):
            raise FileError(_path(place), f"expected words by name in dotted, got {group!r}")
    return Plan(options, sha256)


def finished(run: Run, seed: int) -> dict[str, Any] | None:
    """What a model came to, if it was finished."""
    path = run.path / "result.json"
    if not path.exists():
        return None
    value = read_json(path, "what was measured of a model")
    if value.get("seed") != seed or any(name not in value for name in MEASURED):
        raise FileError(path, f"expected what was measured of a model with seed {seed}: {', '.join(MEASURED)}")
    return value | {"run": str(run.path)}


def _path(place: Path) -> Path:
    return place / "plan.json"
