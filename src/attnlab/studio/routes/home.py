"""Home: the runs in the folder of the studio, and opening another folder or a model."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Depends

from attnlab import __version__
from attnlab.studio.lab import Opened, TheLab, shown_path
from attnlab.studio.warming import warm

router = APIRouter(tags=["home"])


@dataclass(frozen=True)
class Home:
    """The folder of the studio, and what the user opened."""

    version: str
    folder: str
    opened: list[Opened]


@dataclass(frozen=True)
class Runs:
    """The runs of a folder: the record of `attnlab runs`, and how to make it again."""

    folder: str
    record: dict[str, Any]
    command: str
    python: str


@dataclass(frozen=True)
class ToOpen:
    """The path of a folder or a model: FOLDER or hf:FOLDER."""

    path: str


@router.get("/home")
def home(lab: TheLab) -> Home:
    """The folder of the studio, and what was opened."""
    return Home(__version__, str(lab.places.root), lab.opened)


@router.get("/runs", dependencies=[Depends(warm)])
def runs(lab: TheLab, folder: str = "") -> Runs:
    """The runs in a folder; by default, those in `runs` of the studio's folder, or in that folder itself."""
    from attnlab.benches import language

    usual = "runs" if (lab.places.root / "runs").is_dir() else "."
    place = shown_path(lab.places.folder(folder or usual), lab.places.root)
    found = language.runs(place)
    called = "" if place == "runs" else repr(place)
    return Runs(place, found.to_dict(), found.command, f"import attnlab as al\nal.list_runs({called})")


@router.post("/open")
def open_path(lab: TheLab, asked: ToOpen) -> Opened:
    """Open a folder or a model, so that other pages may read it."""
    return lab.open(asked.path)
