"""Labelled texts with a file each: in a folder for each class, or in IMDB's archive, which is such a folder packed."""

import gzip
import re
import tarfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from attnlab.data.labelled.tables import Row, Rows, Skipped, row_of
from attnlab.errors import FileError

HALVES = ("train", "test")
UNLABELLED = "unsup"
"""The folder of IMDB's training half whose reviews have no labels."""


def read_folder(folder: Path) -> Rows:
    """The texts of a folder's subfolders, each of them a class, by their names; numbers in those of files go by value.

    Of a half of IMDB, as it comes when it is unpacked, the reviews without labels are left out.
    """
    found: list[Row | Skipped] = []
    try:
        classes = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
        if not classes:
            raise FileError(folder, "expected a folder in it for each class, got none")
        for each in classes:
            if each.name == UNLABELLED and folder.resolve().name in HALVES:
                found.append(Skipped(str(each), "the whole folder is left out, as its texts have no labels"))
                continue
            paths = [path for path in each.iterdir() if path.is_file() and not path.name.startswith(".")]
            for path in sorted(paths, key=lambda path: _by_value(path.name)):
                found.append(row_of(each.name, _text(path.read_bytes()), str(path)))
    except OSError as error:
        raise FileError.unreadable(Path(error.filename or folder), error) from error
    return _parted(found)


def read_archive(path: Path, half: str) -> Rows:
    """The reviews of a half of IMDB's archive, aclImdb/HALF/CLASS/ID_RATING.txt, by class and id."""
    wanted = re.compile(rf"(?:.*/)?{half}/(pos|neg)/(\d+)_\d+\.txt")
    found: list[tuple[str, int, str, bytes]] = []
    try:
        # gzip by itself says where a file is cut short, which tarfile takes for its end; a stream is read in one pass.
        with gzip.open(path) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as archive:
            for member in archive:
                match = wanted.fullmatch(member.name)
                if match and (file := archive.extractfile(member)):
                    found.append((match[1], int(match[2]), member.name, file.read()))
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise FileError(path, f"not IMDB's .tar.gz archive, or one that is cut short: {error}") from error
    return _parted(row_of(name, _text(content), f"{path.name}, {member}") for name, _, member, content in sorted(found))


def _text(content: bytes) -> str:
    """The text of a file; <br /> is an end of line, as it is in IMDB's reviews. Bytes that are not UTF-8 are kept as
    half surrogates, for `row_of` to find."""
    return content.decode("utf-8-sig", "surrogateescape").replace("<br />", "\n")


def _by_value(name: str) -> tuple[list[str | int], str]:
    """What sorts names with numbers in them by their value.

    >>> sorted(["10_2.txt", "9_7.txt", "b.txt"], key=_by_value)
    ['9_7.txt', '10_2.txt', 'b.txt']
    """
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", name))], name


def _parted(found: Iterable[Row | Skipped]) -> Rows:
    """The rows, and those that cannot be used."""
    rows: list[Row] = []
    skipped: list[Skipped] = []
    for each in found:
        if isinstance(each, Row):
            rows.append(each)
        else:
            skipped.append(each)
    return rows, skipped
