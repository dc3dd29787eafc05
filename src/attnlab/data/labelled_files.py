"""The files that labelled texts come in, row by row; a row that cannot be used is noted and the rest goes on."""

import csv
import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from attnlab.errors import FileError

LONGEST = 1 << 30
"""Characters that a field of a table may have; csv itself stops at 131,072."""
HEADERS = {"label", "class", "category", "sentiment", "target", "y"}
TEXT_HEADERS = {"text", "review", "sentence", "content", "document"}


@dataclass(frozen=True)
class Row:
    """A text, the name of its class, and where it stands."""

    text: str
    label: str
    place: str


@dataclass(frozen=True)
class Skipped:
    """A row that could not be used, and why."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


Rows = tuple[list[Row], list[Skipped]]


def read_table(path: Path) -> Rows:
    """The rows of a file: label, then text, with tabs between them (.csv: commas), or as a header line says."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    rows: list[Row] = []
    skipped: list[Skipped] = []
    label, text, first = 0, 1, True
    for line, fields in _fields(path, content):
        place = f"{path}, line {line}"
        if first and (named := _named(fields, place)):
            label, text = named
        elif isinstance(row := _row(fields, label, text, place), Row):
            rows.append(row)
        else:
            skipped.append(row)
        first = False
    return rows, skipped


def _fields(path: Path, content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The fields of each row that is not empty, with the line that it begins on. Bytes that are not UTF-8 are kept as
    half surrogates, for `_row` to find."""
    text = content.decode("utf-8-sig", errors="surrogateescape")
    if path.suffix.lower() != ".csv":
        # One row a line, whatever quotes are in it: a stray quote in a review must not swallow the next ones.
        for line, row in enumerate(text.split("\n"), start=1):
            if row and not row.isspace():
                yield line, [_unquoted(field) for field in row.rstrip("\r").split("\t")]
        return
    yield from _csv_rows(path, text)


def _csv_rows(path: Path, text: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)  # else an open quote swallows the rest of the file
    begins, found = 1, []
    usual = csv.field_size_limit(LONGEST)  # which is the whole program's
    try:
        for fields in reader:
            if fields:
                found.append((begins, fields))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise FileError(path, f"expected a row of a .csv file: {error}", begins) from error
    finally:
        csv.field_size_limit(usual)
    return found


def _row(fields: list[str], label: int, text: int, place: str) -> Row | Skipped:
    if len(fields) <= max(label, text):
        return Skipped(place, f"expected a label and a text, got {len(fields)} column{'s' * (len(fields) != 1)}")
    found = fields[label].strip(), fields[text]
    for what, value in zip(("label", "text"), found, strict=True):
        if not value or value.isspace():
            return Skipped(place, f"expected a {what}, got none")
        if not value.isascii() and (wrong := re.search("[\udc80-\udcff]", value)):
            return Skipped(place, f"expected a {what} in UTF-8, got the byte 0x{ord(wrong[0]) - 0xDC00:02x}")
    return Row(found[1], found[0], place)


def _unquoted(field: str) -> str:
    """A field without the quotes around it, where whoever wrote it has put them.

    >>> _unquoted('"a ""good"" film"'), _unquoted('"Yes" or "no"')
    ('a "good" film', '"Yes" or "no"')
    """
    if len(field) < 2 or not field[0] == field[-1] == '"':
        return field
    inner = field[1:-1]
    return field if '"' in inner.replace('""', "") else inner.replace('""', '"')


def _named(fields: list[str], place: str) -> tuple[int, int] | None:
    """The columns of the label and the text, where the first line names them."""
    names = [field.strip().lower() for field in fields]
    label = next((place for place, name in enumerate(names) if name in HEADERS), None)
    text = next((place for place, name in enumerate(names) if name in TEXT_HEADERS), None)
    if label is None and text is None:
        return None
    if label is None or text is None:
        raise FileError(place, f"expected the columns label and text, got {', '.join(names)}")
    return label, text


def read_folder(folder: Path) -> Rows:
    """The texts of a folder's subfolders, each of them a class, in the order of their names."""
    found: list[Row | Skipped] = []
    try:
        classes = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
        if not classes:
            raise FileError(folder, "expected a folder in it for each class, got none")
        for each in classes:
            for path in sorted(path for path in each.iterdir() if path.is_file() and not path.name.startswith(".")):
                text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
                found.append(_row([each.name, text], 0, 1, str(path)))
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
    rows = []
    for name, _, member, content in sorted(found):
        text = content.decode("utf-8", "surrogateescape").replace("<br />", "\n")  # which is an end of line there
        rows.append(_row([name, text], 0, 1, f"{path.name}, {member}"))
    return _parted(rows)


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
