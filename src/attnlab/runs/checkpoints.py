"""Checkpoints: tensors in a safetensors file, and a small JSON file with its hash, its step and notes.

The JSON file is written last. So a checkpoint without a JSON file is unfinished, and one with another hash is damaged.
The JSON file holds its own hash too, its seal: the SHA-256 of its bytes with 64 zeros in the seal's place. Files of
version 1 have no seal.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
from jaxtyping import Float, Num

from attnlab.errors import FileError
from attnlab.files import content_of, files_in, open_file, read_json, remove, write_whole
from attnlab.mapped import pieces_of
from attnlab.settings import Range, read_file, settings, write

if TYPE_CHECKING:  # a classifier has checkpoints, and does without torch
    from torch import Tensor

    Arrays = Mapping[str, Tensor] | Mapping[str, Num[np.ndarray, "..."]]

MAPPED = 1 << 28
"""A larger file of tensors is memory-mapped, in bytes."""
KINDS = {"float32": ("F32", "<f4"), "float64": ("F64", "<f8"), "int64": ("I64", "<i8")}
"""The types of arrays in a safetensors file: their names there, and their numbers."""
Found = TypeVar("Found")
TRIES = 9
"""So often a reader begins again. Training saves far fewer checkpoints in the meantime."""
OPEN = "0" * 64
"""Stands in the place of the seal while it is computed."""


@settings
class Finished:
    """The entries of the JSON file of every checkpoint; the notes beside them differ."""

    step: Annotated[int, Range(0)]
    sha256: str
    version: Literal[1, 2] = 2


@dataclass(frozen=True)
class Checkpoint:
    """A finished checkpoint: its file, its step, and notes such as the validation loss."""

    path: Path
    step: int
    notes: Mapping[str, Any]

    def tensors(self) -> "dict[str, Tensor]":
        """The tensors; raises if the file is damaged."""
        from safetensors.torch import load, load_file

        return self._loaded(load, load_file)

    def arrays(self) -> dict[str, Float[np.ndarray, "..."]]:
        """The tensors as numpy arrays; raises if the file is damaged."""
        from safetensors.numpy import load, load_file

        return self._loaded(load, load_file)

    def mapped_arrays(self) -> dict[str, Num[np.ndarray, "..."]]:
        """The tensors as numpy arrays that are only read: those of a large file stay in the file."""
        from safetensors.numpy import load

        return self._loaded(load, _mapped)

    def _loaded(
        self, load: Callable[[bytes], dict[str, Any]], load_file: Callable[[Path], dict[str, Any]]
    ) -> dict[str, Any]:
        """The content of the file. A large file is read once to check it, and then memory-mapped."""
        from safetensors import SafetensorError

        content = b""
        try:
            with open_file(self.path) as file:
                mapped = os.fstat(file.fileno()).st_size > MAPPED
                content = b"" if mapped else file.read()
                hashed = hashlib.file_digest(file, "sha256") if mapped else hashlib.sha256(content)
        except OSError as error:
            raise FileError.unreadable(self.path, error) from error
        if hashed.hexdigest() != self.notes["sha256"]:
            raise FileError(self.path, "the checkpoint is damaged: its bytes differ from those that were written")
        try:
            return load_file(self.path) if mapped else load(content)
        except SafetensorError as error:
            raise FileError(self.path, f"expected a safetensors file: {error}") from error


def write_checkpoint(folder: Path, step: int, tensors: "Arrays", notes: Mapping[str, Any]) -> Checkpoint:
    """Write a checkpoint; it is finished when its JSON file is written."""
    content = _content(tensors)
    hashed = hashlib.sha256()
    for each in _pieces(content):
        hashed.update(each)
    path = folder / f"step-{step:08d}.safetensors"
    noted = {**notes, **write(Finished(step, hashed.hexdigest())), "seal": OPEN}
    unsealed = (json.dumps(noted, indent=2, allow_nan=False) + "\n").encode()
    noted["seal"] = hashlib.sha256(unsealed).hexdigest()
    write_whole(path, _pieces(content))
    write_whole(path.with_suffix(".json"), noted["seal"].encode().join(unsealed.rsplit(OPEN.encode(), 1)))
    return Checkpoint(path, step, noted)


def _pieces(content: Sequence[bytes | np.ndarray]) -> Iterator[bytes | memoryview]:
    for each in content:
        yield from [each] if isinstance(each, bytes) else pieces_of(each)


def _content(tensors: "Arrays") -> list[bytes | np.ndarray]:
    """The content of a safetensors file. Arrays, which may be larger than memory, are not copied."""
    arrays = {name: each for name, each in sorted(tensors.items()) if isinstance(each, np.ndarray)}
    if len(arrays) < len(tensors):
        from safetensors.torch import save

        own: Any = tensors
        return [save({name: each.detach().cpu().contiguous() for name, each in own.items()})]
    header, content, end = {}, [], 0
    for name, array in arrays.items():
        kind, numbers = KINDS[array.dtype.name]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [end, end + array.nbytes]}
        content.append(np.asanyarray(array, numbers, order="C"))
        end += array.nbytes
    said = json.dumps(header, separators=(",", ":")).encode()
    said += b" " * (-len(said) % 8)  # the numbers begin at a multiple of 8 bytes
    return [len(said).to_bytes(8, "little") + said, *content]


def _mapped(path: Path) -> dict[str, Num[np.ndarray, "..."]]:
    """The arrays of a safetensors file as `write_checkpoint` writes it, memory-mapped."""
    from safetensors import safe_open

    kinds, found = dict(KINDS.values()), {}
    with safe_open(path, "numpy"), open_file(path) as file:  # safe_open checks the header
        begins = 8 + int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(begins - 8))
    for name, each in header.items():
        if each.get("dtype") not in kinds:
            raise FileError(path, f"expected arrays of {', '.join(kinds)}; {name} is {each.get('dtype')}")
        kind, shape, place = kinds[each["dtype"]], tuple(each["shape"]), begins + each["data_offsets"][0]
        found[name] = np.empty(shape, kind) if 0 in shape else np.memmap(path, kind, "r", place, shape)
    return found


def checkpoints(folder: Path) -> list[Checkpoint]:
    """The finished checkpoints in a folder, the oldest first."""
    return again_if_removed(lambda: [_read_notes(path) for path in files_in(folder, "step-*.json")])


def again_if_removed(read: Callable[[], Found]) -> Found:
    """What a reader of checkpoints finds. A process that trains the run may remove an old one just after it was listed:
    then the reader begins again."""
    for _ in range(TRIES):
        try:
            return read()
        except FileError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
    return read()


def last_checkpoint(folder: Path) -> Checkpoint | None:
    """The last checkpoint, or None."""
    found = checkpoints(folder)
    return found[-1] if found else None


def remove_checkpoint(checkpoint: Checkpoint) -> None:
    """Remove a checkpoint. The JSON file goes first, so that a half-removed checkpoint counts as unfinished."""
    remove(checkpoint.path.with_suffix(".json"))
    remove(checkpoint.path)


def remove_unfinished(folder: Path) -> None:
    """Remove tensors without a JSON file: a killed process wrote or removed them only in part."""
    finished = {each.stem for each in files_in(folder, "step-*.json")}
    for each in files_in(folder, "step-*.safetensors"):
        if each.stem not in finished:
            remove(each)


def _read_notes(path: Path) -> Checkpoint:
    """The notes of a checkpoint; raises if they are not those that were written."""
    what = "the JSON file of a checkpoint"
    finished, notes = read_file(Finished, path, what), read_json(path, what)
    sealed = finished.version > 1 or "seal" in notes
    if (sealed and not _intact(content_of(path), notes.get("seal"))) or path.stem != f"step-{finished.step:08d}":
        raise FileError(path, "the checkpoint is damaged: its notes differ from those that were written")
    return Checkpoint(path.with_suffix(".safetensors"), finished.step, notes)


def _intact(content: bytes, seal: object) -> bool:
    """Whether a file is the one that was sealed."""
    if not isinstance(seal, str) or len(seal) != len(OPEN) or not seal.isascii():
        return False
    return hashlib.sha256(OPEN.encode().join(content.rsplit(seal.encode(), 1))).hexdigest() == seal
