"""Tables of labelled texts, row by row; a row that cannot be used is recorded and skipped."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from attnlab.errors import FileError
from attnlab.files import check_is_text, content_of

LONGEST = 1 << 30
"""The most characters of a field; the csv module's default is 131,072."""
HEADERS = {"label", "class", "category", "sentiment", "target"}
TEXT_HEADERS = {"text", "review", "sentence", "content", "document"}
NAMED = 5
"""How many skipped rows are named in a message."""


@dataclass(frozen=True)
class LabelledRow:
    """A text, the name of its class, and its place in the file."""

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


Rows = tuple[list[LabelledRow], list[Skipped]]


@dataclass(frozen=True)
class Columns:
    """The columns of the label and the text, and the most fields of a row."""

    label: int = 0
    text: int = 1
    count: int = 2


def read_table(path: Path) -> Rows:
    """The rows of a file: label, then text, separated by tabs (.csv: commas), or as a header line says.

    Without a header, everything after a line's first tab is its text.
    """
    content = _content(path)
    rows: list[LabelledRow] = []
    skipped: list[Skipped] = []
    columns, first = Columns(), True
    for line, fields in _csv_rows(path, content) if path.suffix.lower() == ".csv" else _tab_rows(content):
        place = f"{path}, line {line}"
        if first and _is_header(fields):
            columns = _named(fields, place)
        elif isinstance(row := _row(fields, columns, place), LabelledRow):
            rows.append(row)
        else:
            skipped.append(row)
        first = False
    return rows, skipped


def _content(path: Path) -> bytes:
    """The content of a file, without a byte-order mark."""
    content = content_of(path)
    check_is_text(path, content)
    if (zero := content.find(b"\0")) >= 0:
        raise FileError(path, "expected text in UTF-8, got a zero byte", content.count(b"\n", 0, zero) + 1)
    return content.removeprefix(codecs.BOM_UTF8)


def _decoded(content: bytes) -> str:
    """The text of a row or a file. Bytes that are not UTF-8 become surrogates, which `row_of` finds."""
    return content.decode(errors="surrogateescape")


def _tab_rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yields the fields of each row that is not empty, with its line number."""
    # One row per line, whatever quotes it has: a stray quote in a review must not swallow the next lines.
    cuts = None
    # Each line is decoded by itself: one character beyond ASCII makes every character of a text take two or four bytes.
    for line, row in enumerate(map(_decoded, io.BytesIO(content)), start=1):
        if row and not row.isspace():
            whole = row.rstrip("\r\n")
            if cuts is None:
                cuts = -1 if _is_header(whole.split("\t")) else 1
            yield line, [_unquoted(field) for field in whole.split("\t", cuts)]


def _csv_rows(path: Path, content: bytes) -> list[tuple[int, list[str]]]:
    """The same for a .csv file, with the line on which each row begins."""
    rows = io.StringIO(_decoded(content), newline="")
    reader = csv.reader(rows, strict=True)  # else an open quote would swallow the rest
    begins, found = 1, []
    usual = csv.field_size_limit(LONGEST)  # a global setting, restored below
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


def _row(fields: list[str], columns: Columns, place: str) -> LabelledRow | Skipped:
    got = f"got {len(fields)}"
    if len(fields) <= max(columns.label, columns.text):
        return Skipped(place, f"expected a label and a text, {got} column{'s' * (len(fields) != 1)}")
    if len(fields) > columns.count:  # a text with a comma or tab: half of it must not count as the text
        return Skipped(place, f"expected {columns.count} columns, {got}")
    return row_of(fields[columns.label], fields[columns.text], place)


def row_of(label: str, text: str, place: str) -> LabelledRow | Skipped:
    """The row of a label and a text, or why it cannot be used."""
    label = label.strip()
    for what, value in (("label", label), ("text", text)):
        if not value or value.isspace():
            return Skipped(place, f"expected a {what}, got none")
        if "\0" in value:
            return Skipped(place, f"expected a {what} in UTF-8, got a zero byte")
        if not value.isascii() and (wrong := re.search("[\udc80-\udcff]", value)):
            return Skipped(place, f"expected a {what} in UTF-8, got the byte 0x{ord(wrong[0]) - 0xDC00:02x}")
    return LabelledRow(text, label, place)


def _unquoted(field: str) -> str:
    """A field without the quotes that its writer put around it.

    >>> _unquoted('"a ""good"" film"'), _unquoted('"Yes" or "no"')
    ('a "good" film', '"Yes" or "no"')
    """
    if len(field) < 2 or not field[0] == field[-1] == '"':
        return field
    inner = field[1:-1]
    return field if '"' in inner.replace('""', "") else inner.replace('""', '"')


def _is_header(fields: list[str]) -> bool:
    """Whether a first line is a header."""
    return not (HEADERS | TEXT_HEADERS).isdisjoint(_names(fields))


def _named(fields: list[str], place: str) -> Columns:
    """The columns that a header names."""
    names = _names(fields)
    label = next((place for place, name in enumerate(names) if name in HEADERS), None)
    text = next((place for place, name in enumerate(names) if name in TEXT_HEADERS), None)
    if label is None or text is None:
        raise FileError(place, f"expected the columns label and text, got {', '.join(names)}")
    for name in (names[label], names[text]):
        if names.count(name) > 1:
            raise FileError(place, f"expected one column {name}, got {names.count(name)}: {', '.join(names)}")
    return Columns(label, text, len(names))


def _names(fields: list[str]) -> list[str]:
    return [_unquoted(field).strip().lower() for field in fields]
