"""The files that a command writes beside what it prints: a chart with --plot, a page with --html, data with --save."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attnlab.errors import ArgumentError, FileError, either
from attnlab.files import check_can_be_written, is_utf8
from attnlab.records import Record, presentation

WRITTEN = {"html": "the page is", "plot": "the chart is", "save": "the data are"}
"""The options that name a file to write, and how a line tells of it."""
DATA = (".csv", ".json", ".safetensors")


def check_files(command: Any) -> None:
    """Raise if an output file has a wrong name, cannot be written, or is one of the files that the command reads, or if
    a name is not UTF-8, which no JSON file and no page can hold. Checked before work."""
    asked = _asked(command)
    _check_names(*_read(command), *asked.values(), getattr(command, "out", None) or Path())
    for option, path in asked.items():
        if option == "html" and path.suffix.lower() not in (".html", ".htm"):
            raise ArgumentError("html", f"expected a file that ends in .html, got '{path}'")
        if option == "plot":
            from attnlab.report.charts.files import check_plot_path

            check_plot_path(path)
        if option == "save" and path.suffix.lower() not in DATA:
            raise ArgumentError("save", f"expected a file that ends in {either(DATA)}, got '{path}'")
        for read in _read(command):
            if path.resolve() == read.resolve() or (read.is_dir() and path.resolve().is_relative_to(read.resolve())):
                raise ArgumentError(option, f"expected another file than those that the command reads, got '{path}'")
        check_can_be_written(path)
    options = {path.resolve(): option for option, path in asked.items()}
    for option, path in asked.items():
        if (other := options[path.resolve()]) != option:
            raise ArgumentError(other, f"expected another file than --{option}, got '{path}' for both")


def _check_names(*paths: Path) -> None:
    for path in paths:
        if not is_utf8(str(path)):
            raise FileError(path, "expected a file name in UTF-8; rename the file or folder")


def write_files(command: Any, found: Record) -> list[str]:
    """Write the files. Returns lines that tell where they are."""
    lines = []
    for option, path in _asked(command).items():
        if option == "plot":
            presentation(found).save_chart(path)
        else:
            found.save(path)
        lines.append(f"{WRITTEN[option]} in {path}")
    return lines


def _asked(command: Any) -> dict[str, Path]:
    names = {each.name for each in dataclasses.fields(command)} & WRITTEN.keys()
    return {name: path for name in sorted(names) if (path := getattr(command, name)) is not None}


def _read(command: Any) -> Iterator[Path]:
    """The files and folders that a command reads and that its options name."""
    for field in dataclasses.fields(command):
        value = getattr(command, field.name)
        if field.name in (*WRITTEN, "out", "words"):
            continue
        for each in value if isinstance(value, tuple) else (value,):
            try:
                if isinstance(each, str | Path) and str(each) and Path(each).exists():
                    yield Path(each)
            except OSError:  # not a path
                continue
