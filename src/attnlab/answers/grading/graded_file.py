"""The file of a graded class, which grows row by row."""

import csv
import io
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from attnlab.answers.grading.submissions import NEEDED
from attnlab.errors import FileError
from attnlab.files import ordinary, sync_folder
from attnlab.locks import hold

ADDED = ("verdict", "reason", "suggestion")
"""The columns that grading adds. If the answers have columns of these names, those are replaced."""
OFTEN = 1.0
"""The rows are written at least this often, in seconds."""


class GradedFile:
    """A file of rows that are written as they come."""

    def __init__(self, file: IO[bytes], path: Path):
        self.file, self.path = file, path
        self.rows: list[bytes] = []
        self.written = time.monotonic()

    def add(self, row: bytes) -> None:
        """Add a row. It is written at once if the last one was written a while ago."""
        self.rows.append(row)
        if time.monotonic() - self.written > OFTEN:
            self.write()

    def write(self) -> None:
        """Write what was added."""
        self.file.write(b"".join(self.rows))
        self.file.flush()
        self.rows, self.written = [], time.monotonic()


def part_of(path: Path) -> Path:
    """The name of the file while it grows.

    >>> part_of(Path("class-graded.csv")).name
    'class-graded.csv.part'
    """
    return path.with_name(f"{path.name}.part")


def heading(came: Sequence[str]) -> bytes:
    """The first line of a graded class whose answers have these columns."""
    return as_line([*(name for name in came or NEEDED if name not in ADDED), *ADDED])


def graded_line(row: Mapping[str, str], verdict: Sequence[str]) -> bytes:
    """The line of one row: its columns, the verdict, the reason and the suggestion."""
    return as_line([*(value for name, value in row.items() if name not in ADDED), *verdict])


def as_line(cells: Sequence[str]) -> bytes:
    """A line of a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()


@contextmanager
def growing(path: Path, first: bytes) -> Iterator[GradedFile]:
    """A file that can be read while it grows: as NAME.part, which becomes NAME when the block is done. If the block is
    interrupted, the part stays, and the next process replaces it."""
    path = ordinary(path)
    part = part_of(path)
    number = -1
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        _check_ours(number, part, first)
        with part.open("r+b") as file:
            file.truncate()
            grown = GradedFile(file, part)
            grown.add(first)
            try:
                yield grown
            finally:
                grown.write()
            os.fsync(file.fileno())
        os.replace(part, path)
        sync_folder(path.parent)
    except (FileExistsError, NotADirectoryError) as error:
        raise FileError(path, "cannot be written: its folder is a file") from error
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True) if number >= 0 else None
        raise FileError.unwritable(path, error) from error
    finally:
        if number >= 0:
            os.close(number)


def _check_ours(number: int, part: Path, first: bytes) -> None:
    """Raise if another process grades into the file, or if it is not the part of a graded class."""
    hold(number, part, "this file")
    begun = os.pread(number, len(first), 0)
    if not first.startswith(begun):
        raise FileError(part, "expected no such file, or the part of a graded class; remove or rename it")
