"""Word vectors from a file in GloVe's format: one line per word, with its numbers (Pennington et al. 2014)."""

import gzip
import io
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from jaxtyping import Float

from attnlab.errors import FileError
from attnlab.files import open_file
from attnlab.text.archives import reading_archive

LONGEST_LINE = 1 << 20
"""In bytes. A small packed file can hold a line that fills the memory."""


@dataclass(frozen=True)
class Vectors:
    """The vectors of the wanted words that are in the file."""

    words: tuple[str, ...]
    values: Float[np.ndarray, "words dim"]

    @property
    def dim(self) -> int:
        """The width of each vector."""
        return self.values.shape[1]


def read_vectors(path: Path | str, wanted: Collection[str], dim: int | None = None) -> Vectors:
    """The vectors of the wanted words, from a .txt, .txt.gz or .zip file (from its .txt file with `dim` in the name).

    Only lines of wanted words are parsed, so thousands of words take seconds from a file of gigabytes.
    """
    path = Path(path)
    keys = {word.encode(): word for word in wanted}
    words: list[str] = []
    rows: list[np.ndarray] = []
    with _opened(path, dim) as file:
        for number, line in enumerate(_lines(path, file), start=1):
            word, _, numbers = line.partition(b" ")
            if word in keys:
                row = _row(path, number, numbers, len(rows[0]) if rows else dim)
                words.append(keys.pop(word))
                rows.append(row)
    if not rows:
        raise FileError(path, f"expected vectors for at least one of {len(wanted)} words, got 0")
    return Vectors(tuple(words), np.stack(rows))


def vector_width(path: Path | str, usual: int) -> int:
    """The width of the vectors in a file; of a .zip file with several widths, the usual one."""
    path = Path(path)
    with _opened(path, usual) as file:
        first = next(_lines(path, file), b"")
    return len(_row(path, 1, first.partition(b" ")[2], None))


def _lines(path: Path, file: BinaryIO | io.BufferedIOBase) -> Iterator[bytes]:
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=1):
        if len(line) == LONGEST_LINE:
            raise FileError(path, "expected a word and its numbers, got a line of more than a megabyte", number)
        yield line


def _row(path: Path, number: int, numbers: bytes, dim: int | None) -> Float[np.ndarray, " dim"]:
    try:
        with np.errstate(over="ignore"):
            row = np.array(numbers.split(), np.float32)
    except ValueError:
        raise FileError(path, "expected a word and its numbers, got other text", number) from None
    if not len(row) or (dim is not None and len(row) != dim):
        raise FileError(path, f"expected {dim or 'some'} numbers after the word, got {len(row)}", number)
    if not np.isfinite(row).all():
        raise FileError(path, "expected finite numbers of 32 bits", number)
    return row


@contextmanager
def _opened(path: Path, dim: int | None) -> Iterator[BinaryIO | io.BufferedIOBase]:
    """The unpacked bytes of the file; every error names the file."""
    with reading_archive(path, "a file of word vectors"):
        if path.suffix == ".zip":
            with (
                open_file(path) as packed,
                zipfile.ZipFile(packed) as archive,
                archive.open(_member(path, archive, dim)) as file,
            ):
                # typeshed does not know that a zip's member is a raw stream
                yield io.BufferedReader(file, 1 << 20)  # pyright: ignore[reportArgumentType]
        elif path.suffix == ".gz":
            with open_file(path) as packed, gzip.open(packed) as file:
                yield file
        else:
            with open_file(path) as file:
                yield file


def _member(path: Path, archive: zipfile.ZipFile, dim: int | None) -> str:
    names = [name for name in archive.namelist() if name.endswith(".txt")]
    fitting = [name for name in names if dim is not None and f".{dim}d." in name] or names
    if len(fitting) != 1:
        got = ", ".join(names) or "no .txt file"
        raise FileError(path, f"expected one .txt file of {dim} dimensions in it, got {got}")
    return fitting[0]
