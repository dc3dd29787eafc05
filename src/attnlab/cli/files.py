"""The files that a command writes beside what it prints: a chart with --plot, a page with --html."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.records import Record, presentation


def check_files(command: Any) -> None:
    """Raise where a file cannot be written, or would be written over what is read, before time is spent."""
    asked = _asked(command)
    for option, path in asked.items():
        if option == "html" and path.suffix.lower() not in (".html", ".htm"):
            raise ArgumentError("html", f"expected a file that ends in .html, got '{path}'")
        if option == "plot":
            from attnlab.report.charts import check_plot_path

            check_plot_path(path)
        for read in _read(command):
            if path.resolve() == read.resolve() or (read.is_dir() and path.resolve().is_relative_to(read.resolve())):
                raise ArgumentError(option, f"expected a file that is no part of what is read, got '{path}'")
    if len({path.resolve() for path in asked.values()}) < len(asked):
        raise ArgumentError("plot", f"expected another file than that of --html, got '{asked['plot']}'")


def write_files(command: Any, found: Record) -> list[str]:
    """Write the files, and say where they are."""
    said = []
    for option, path in _asked(command).items():
        shown = presentation(found)
        if option == "plot":
            shown.save_chart(path)
            said.append(f"the chart is in {path}")
        else:
            shown.save(path, found)
            said.append(f"the page is in {path}")
    return said


def _asked(command: Any) -> dict[str, Path]:
    names = {each.name for each in dataclasses.fields(command)} & {"html", "plot"}
    return {name: path for name in sorted(names) if (path := getattr(command, name)) is not None}


def _read(command: Any) -> Iterator[Path]:
    """The files and folders that a command reads, as far as its options name them."""
    for field in dataclasses.fields(command):
        value = getattr(command, field.name)
        if field.name in ("html", "plot", "out", "words"):
            continue
        for each in value if isinstance(value, tuple) else (value,):
            try:
                if isinstance(each, str | Path) and str(each) and Path(each).exists():
                    yield Path(each)
            except OSError:  # a text that is no path
                continue
