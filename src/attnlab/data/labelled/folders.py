"""Labelled texts with one file each: in one folder per class, or in IMDB's archive of such folders."""

import gzip
import re
import tarfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from attnlab.data.labelled.tables import LabelledRow, Rows, Skipped, row_of
from attnlab.errors import FileError
from attnlab.files import content_of, is_utf8, open_file

HALVES = ("train", "test")
UNLABELLED = "unsup"
"""The folder of IMDB's training half that holds reviews without labels."""


def read_folder(folder: Path) -> Rows:
    """The texts of a folder's subfolders, one class each, in order of name; numbers in file names sort by value.

    IMDB's reviews without labels are skipped.
    """
    found: list[LabelledRow | Skipped] = []
    try:
        classes = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
        if not classes:
            raise FileError(folder, "expected a subfolder for each class, got no subfolders")
        for each in classes:
            if not is_utf8(each.name):
                raise FileError(each, "expected the name of a class in UTF-8; rename the folder")
            if each.name == UNLABELLED and folder.resolve().name in HALVES:
                found.append(Skipped(str(each), "skipped the whole folder: its texts have no labels"))
                continue
            paths = [path for path in each.iterdir() if path.is_file() and not path.name.startswith(".")]
            for path in sorted(paths, key=lambda path: _by_value(path.name)):
                found.append(row_of(each.name, _text(content_of(path)), str(path)))
    except OSError as error:
        raise FileError.unreadable(Path(error.filename or folder), error) from error
    return _parted(found)


def read_archive(path: Path, half: str) -> Rows:
    """The reviews of one half of IMDB's archive, aclImdb/HALF/CLASS/ID_RATING.txt, sorted by class and id."""
    wanted = re.compile(rf"(?:.*/)?{half}/(pos|neg)/(\d+)_\d+\.txt")
    found: list[tuple[str, int, str, bytes]] = []
    try:
        # gzip reports a file that is cut short; tarfile alone would take the cut for the end. The stream is read in one
        # pass.
        with (
            open_file(path) as packed,
            gzip.open(packed) as unpacked,
            tarfile.open(fileobj=unpacked, mode="r|") as archive,
        ):
            for member in archive:
                match = wanted.fullmatch(member.name)
                if match and (file := archive.extractfile(member)):
                    found.append((match[1], int(match[2]), member.name, file.read()))
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise FileError(path, f"not IMDB's .tar.gz archive, or the file is cut short: {error}") from error
    return _parted(row_of(name, _text(content), f"{path.name}, {member}") for name, _, member, content in sorted(found))


def _text(content: bytes) -> str:
    """The text of a file; <br /> becomes a line end, as in IMDB's reviews. `row_of` finds bytes that are not UTF-8."""
    return content.decode("utf-8-sig", "surrogateescape").replace("<br />", "\n")


def _by_value(name: str) -> tuple[list[str | int], str]:
    """A sort key that sorts numbers inside names by value.

    >>> sorted(["10_2.txt", "9_7.txt", "b.txt"], key=_by_value)
    ['9_7.txt', '10_2.txt', 'b.txt']
    """
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", name))], name


def _parted(found: Iterable[LabelledRow | Skipped]) -> Rows:
    """The rows, and the skipped rows."""
    rows: list[LabelledRow] = []
    skipped: list[Skipped] = []
    for each in found:
        if isinstance(each, LabelledRow):
            rows.append(each)
        else:
            skipped.append(each)
    return rows, skipped
