"""The presentation of a record: sentences, tables and marked texts, one below the other, and a chart.

The terminal, notebooks and pages all show these blocks, so they say the same.
"""

import csv
import importlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnlab.errors import ArgumentError, either
from attnlab.files import write_whole
from attnlab.records import json_text
from attnlab.report.writing.lines import harmless, on_one_line

if TYPE_CHECKING:
    import altair as alt

    from attnlab.records import Record, Shown

ENDINGS = (".html", ".svg", ".png", ".json", ".csv")


@dataclass(frozen=True)
class Table:
    """A table. The first columns hold words; the others hold numbers, aligned right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    """How many columns hold words."""
    strong: Sequence[int] = ()
    """The indices of the highlighted rows."""
    note: str = ""


@dataclass(frozen=True)
class Marked:
    """A text in pieces, each with a mark: `for1` to `for4` by how strongly it pushes towards something, `against1` to
    `against4` by how strongly away from it, `unknown`, or ''. `legend` says what the marks mean."""

    pieces: Sequence[tuple[str, str]]
    legend: Mapping[str, str]


Block = str | Table | Marked


@dataclass(frozen=True)
class Drawing:
    """A chart with its title and a description in words."""

    chart: "alt.TopLevelMixin"
    title: str
    description: str


@dataclass(frozen=True)
class Presentation:
    """How a record is shown."""

    blocks: Sequence[Block]
    draw: Callable[[], Drawing] | None = None
    """Makes the chart, if there is one. It is made on demand, since altair takes half a second to import."""
    page: Callable[[], str] | None = None
    """Makes the page, if it is more than the blocks and the chart."""
    rows: Sequence[Mapping[str, Any]] = ()
    """The rows of a .csv file."""
    more_rows: Callable[[], Sequence[Mapping[str, Any]]] = tuple
    """Makes rows that follow them, and that take too long to compute for those who want no file."""

    def drawn(self) -> "alt.TopLevelMixin":
        """The chart."""
        return self._drawing().chart

    def as_text(self) -> str:
        """The blocks as plain text."""
        from attnlab.report.plain_text import plain_text

        return plain_text(self.blocks)

    def as_html(self) -> str:
        """The blocks and the chart as a part of a page: static, without scripts."""
        from attnlab.report.page.fragments import fragment

        return fragment(self.blocks, self.draw() if self.draw else None)

    def save(self, path: Path, found: "Record") -> Path:
        """Write the record to a file in the format that the ending names."""
        ending = path.suffix.lower()
        if ending not in ENDINGS:
            raise ArgumentError("path", f"expected a file that ends in {either(ENDINGS)}, got '{path}'")
        if ending == ".json":
            text = json_text(found.to_dict(), indent=2, ensure_ascii=False)
            write_whole(path, f"{text}\n".encode("utf-8", "backslashreplace"))
        elif ending == ".csv":
            write_whole(path, self._csv(path))
        elif ending == ".html":
            write_whole(path, self._page().encode("utf-8", "replace"))
        else:
            self.save_chart(path)
        return path

    def save_chart(self, path: Path) -> None:
        """Write the chart alone: .png, .svg, or .html for a page with tooltips."""
        from attnlab.report.charts.files import save_chart

        drawing = self._drawing()
        save_chart(drawing.chart, path, title=drawing.title, description=drawing.description)

    def _drawing(self) -> Drawing:
        if self.draw is None:
            raise ArgumentError("plot", "this result has no chart")
        return self.draw()

    def _page(self) -> str:
        from attnlab.report.page.fragments import record_page

        return self.page() if self.page else record_page(self.blocks, self.draw() if self.draw else None)

    def _csv(self, path: Path) -> bytes:
        if not self.rows:
            raise ArgumentError("path", "this result has no rows for a .csv file; save it as .json")
        rows = [*self.rows, *self.more_rows()]
        names = list(dict.fromkeys(name for row in rows for name in row))
        file = io.StringIO()
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return file.getvalue().encode("utf-8", "backslashreplace")


def present(found: "Shown") -> Presentation:
    """How a record or an opened model is shown, by the function that its `shown_by` names. Names and texts in it cannot
    steer a terminal."""
    module, _, function = found.shown_by.rpartition(".")
    made = getattr(importlib.import_module(f"attnlab.report.{module}"), function)(found)
    return replace(made, blocks=[_harmless(each) for each in made.blocks])


def _harmless(block: Block) -> Block:
    if isinstance(block, Table):
        rows = [[*map(harmless, row)] for row in block.rows]
        return replace(block, columns=[*map(harmless, block.columns)], rows=rows, note=harmless(block.note))
    if isinstance(block, Marked):
        pieces = [(harmless(text), mark) for text, mark in block.pieces]
        return Marked(pieces, {mark: harmless(text) for mark, text in block.legend.items()})
    return harmless(block)


def borderless(names: Sequence[str], rows: Sequence[Sequence[Any]], words: int = 1, **more: Any) -> Table:
    """A table of any values, each printed on one line."""
    return Table(names, [[on_one_line(str(cell)) for cell in row] for row in rows], words, **more)
