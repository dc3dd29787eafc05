"""Columns of numbers that are written to temporary files and moved into place when all are complete."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from jaxtyping import UInt

from attnlab.errors import FileError

BLOCK = 1 << 20


class Column:
    """A file of numbers that grows; its type widens when a number does not fit."""

    def __init__(self, folder: Path, dtype: np.dtype):
        self.dtype = dtype
        self.path, self._file = _new_file(folder)

    def add(self, numbers: UInt[np.ndarray, " numbers"]) -> None:
        """Write more numbers."""
        largest = int(numbers.max(initial=0))
        while largest > np.iinfo(self.dtype).max:
            self._widen()
        self._file.write(np.ascontiguousarray(numbers, self.dtype).data)

    def finish(self) -> None:
        """Flush everything to disk; a full disk may be noticed only here."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def drop(self) -> None:
        """Delete the file."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def _widen(self) -> None:
        """Rewrite the file with twice the bytes per number."""
        narrow, old = self.dtype, self.path
        self._file.close()
        self.dtype = np.dtype(f"u{2 * narrow.itemsize}")
        self.path, self._file = _new_file(old.parent)
        try:
            with old.open("rb") as file:
                while block := file.read(BLOCK):
                    self._file.write(np.frombuffer(block, narrow).astype(self.dtype).data)
        finally:
            old.unlink()


def _new_file(folder: Path) -> tuple[Path, IO[bytes]]:
    path = folder / f".attnlab-{secrets.token_hex(8)}"
    return path, path.open("xb")


@contextmanager
def writing_columns(said: Path, *wanted: tuple[Path, np.dtype]) -> Iterator[list[Column]]:
    """Columns to add to. They are moved into place at the end, or deleted if anything goes wrong before."""
    columns: list[Column] = []
    try:
        said.parent.mkdir(parents=True, exist_ok=True)
        try:
            for path, dtype in wanted:
                columns.append(Column(path.parent, dtype))
            yield columns
            for column in columns:
                column.finish()
            for column, (path, _) in zip(columns, wanted, strict=True):
                os.replace(column.path, path)
        except BaseException:  # also on an interrupt
            for column in columns:
                column.drop()
            raise
    except OSError as error:
        raise FileError.unwritable(said, error) from error
