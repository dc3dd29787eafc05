"""Checkpoints: tensors in a safetensors file, and a small JSON file with its hash, its step and notes.

The JSON file is written last. So a checkpoint without a JSON file is unfinished, and one with another hash is damaged.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from attnlab.errors import FileError
from attnlab.files import write_whole

VERSION = 1


@dataclass(frozen=True)
class Checkpoint:
    """A finished checkpoint: its file, its step, and notes such as the validation loss."""

    path: Path
    step: int
    notes: Mapping[str, Any]

    def tensors(self) -> dict[str, Tensor]:
        """The tensors; raises if the file is damaged."""
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise FileError.unreadable(self.path, error) from error
        if hashlib.sha256(content).hexdigest() != self.notes["sha256"]:
            raise FileError(self.path, "the checkpoint is damaged: its bytes differ from those that were written")
        try:
            return load(content)
        except SafetensorError as error:
            raise FileError(self.path, f"expected a safetensors file: {error}") from error


def write_checkpoint(folder: Path, step: int, tensors: Mapping[str, Tensor], notes: Mapping[str, Any]) -> Checkpoint:
    """Write a checkpoint; it is finished when its JSON file is written."""
    content = save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})
    path = folder / f"step-{step:08d}.safetensors"
    noted = {**notes, "version": VERSION, "step": step, "sha256": hashlib.sha256(content).hexdigest()}
    write_whole(path, content)
    write_whole(path.with_suffix(".json"), (json.dumps(noted, indent=2, allow_nan=False) + "\n").encode())
    return Checkpoint(path, step, noted)


def checkpoints(folder: Path) -> list[Checkpoint]:
    """The finished checkpoints in a folder, the oldest first."""
    return [_read_notes(path) for path in sorted(folder.glob("step-*.json"))]


def last_checkpoint(folder: Path) -> Checkpoint | None:
    """The last checkpoint, or None."""
    found = checkpoints(folder)
    return found[-1] if found else None


def remove_checkpoint(checkpoint: Checkpoint) -> None:
    """Remove a checkpoint. The JSON file goes first, so that a half-removed checkpoint counts as unfinished."""
    checkpoint.path.with_suffix(".json").unlink(missing_ok=True)
    checkpoint.path.unlink(missing_ok=True)


def _read_notes(path: Path) -> Checkpoint:
    try:
        notes = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(notes, dict) or notes.get("version") != VERSION:
            raise FileError(path, f"expected an attnlab checkpoint of version {VERSION}")
        return Checkpoint(path.with_suffix(".safetensors"), int(notes["step"]), notes)
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(path, "expected the JSON file of an attnlab checkpoint, got something else") from error
    except OSError as error:
        raise FileError.unreadable(path, error) from error
