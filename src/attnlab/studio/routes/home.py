"""Home: the runs in the folder of the studio, and opening another folder or a model."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from attnlab import __version__
from attnlab.studio.files import Ending, ShownRecord, file_endings, record_file
from attnlab.studio.lab import Opened, TheLab, shown_path
from attnlab.studio.schemas import ContentOf
from attnlab.studio.warming import warm

router = APIRouter(tags=["home"])


@dataclass(frozen=True)
class Home:
    """The folder of the studio, and what the user opened."""

    version: str
    folder: str
    opened: list[Opened]


@dataclass(frozen=True)
class Runs(ShownRecord):
    """The runs of a folder: the record of `attnlab runs`."""

    folder: str
    record: Annotated[dict[str, Any], ContentOf("benches.language.runs_table:RunTable")]


@dataclass(frozen=True)
class ToOpen:
    """The path of a folder or a model, to open or to close: FOLDER or hf:FOLDER."""

    path: str


@router.get("/home")
def home(lab: TheLab) -> Home:
    """The folder of the studio, and what was opened."""
    return Home(__version__, str(lab.places.root), lab.opened)


@router.get("/runs", dependencies=[Depends(warm)])
def runs(lab: TheLab, folder: str = "") -> Runs:
    """The runs in a folder; by default, those in the studio's folder."""
    from attnlab.benches import language

    place = shown_path(lab.places.folder(folder or "."), lab.places.root)
    found = language.runs(place)
    drawn = any(row.bits_per_byte is not None for row in found.rows)
    endings = file_endings(found) if drawn else [".csv"]
    return Runs(found.command, found.python, endings, place, found.to_dict())


@router.get("/runs{ending}", response_class=Response, dependencies=[Depends(warm)])
def runs_file(lab: TheLab, ending: Ending, folder: str) -> Response:
    """The runs in a folder, as a file."""
    from attnlab.benches import language

    return record_file(language.runs(shown_path(lab.places.folder(folder), lab.places.root)), ending)


@router.post("/open")
def open_path(lab: TheLab, asked: ToOpen) -> Opened:
    """Open a folder or a model, so that other pages may read it."""
    return lab.open(asked.path)


@router.post("/close")
def close_path(lab: TheLab, asked: ToOpen) -> Home:
    """Close what was opened."""
    lab.close(asked.path)
    return home(lab)
