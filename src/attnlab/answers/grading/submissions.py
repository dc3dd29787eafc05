"""Reads the answers of a class from a CSV file."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from attnlab.errors import FileError
from attnlab.files import check_is_text, content_of

NEEDED = ("student", "problem", "answer")
MOST_BYTES = 100_000_000
MOST_FIELD = 20_000_000


def read_submissions(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The line and the columns of each row, in any order. An answer in the last column may have commas without quotes.
    A row of several lines has the number of its first line."""
    text = _text(path)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    before = csv.field_size_limit(MOST_FIELD)  # a huge answer must not stop the other rows
    try:
        heading = [each.strip() for each in next(reader, [])]
        names = [each.lower() if each.lower() in NEEDED else each for each in heading]
        _check_columns(path, names)
        before_row = reader.line_num
        for row in reader:
            line, before_row = before_row + 1, reader.line_num
            if any(each.strip() for each in row):
                if len(row) > len(names) and names[-1] == "answer":
                    row[len(names) - 1 :] = [delimiter.join(row[len(names) - 1 :])]
                yield line, dict(zip(names, [*row, *[""] * len(names)], strict=False))
    except csv.Error as error:
        raise FileError(path, f"expected a CSV file: {error}", line=reader.line_num) from error
    finally:
        csv.field_size_limit(before)


def _check_columns(path: Path, names: list[str]) -> None:
    missing = [name for name in NEEDED if name not in names]
    if missing:
        found = ", ".join(names)[:80] or "nothing"
        wanted = f"expected a first row with the columns {', '.join(NEEDED)}, got {found}"
        lacking = "" if len(missing) == len(NEEDED) else f"; {' and '.join(missing)} is missing"
        raise FileError(path, wanted + lacking, line=1)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(path, f"expected each column once, got {twice[0]} twice", line=1)


def _text(path: Path) -> str:
    content = content_of(path, MOST_BYTES)
    check_is_text(path, content)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileError(path, "expected UTF-8 text", line=line) from error
