"""A record as a file to download."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from starlette.responses import Response

from attnlab.records import Record, presentation

Ending = Literal[".html", ".csv", ".svg", ".png"]
TYPES = {".html": "text/html", ".csv": "text/csv", ".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True)
class ShownRecord:
    """What a page gets beside a record: the two ways to make it again, and the endings of the files that it can be
    saved as."""

    command: str
    python: str
    downloads: list[str]


def file_endings(found: Record) -> list[str]:
    """The files that a record can be saved as."""
    shown = presentation(found)
    return [".html", *([".csv"] if shown.rows else []), *([".svg", ".png"] if shown.draw else [])]


def shown_record(found: Record) -> dict[str, Any]:
    """A record as the page gets it: its content, the two ways to make it again, and the files that it can be saved
    as."""
    again = {"command": found.command, "python": found.python}
    return {"record": found.to_dict(), **again, "downloads": file_endings(found)}


def record_file(found: Record, ending: Ending) -> Response:
    """The file of a record. It is saved, never shown on the page's own origin."""
    with TemporaryDirectory() as folder:
        content = found.save(Path(folder) / f"result{ending}").read_bytes()
    named = {"Content-Disposition": f'attachment; filename="attnlab{ending}"'}
    return Response(content, media_type=TYPES[ending], headers=named)
