"""What all routes share: the folders that may be read, the opened models, and the jobs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from attnlab.errors import AttnlabError, FileError
from attnlab.files import read_json
from attnlab.studio.checkers import Checkers
from attnlab.studio.jobs import Jobs
from attnlab.studio.places import FOREIGN, Places


@dataclass(frozen=True)
class Opened:
    """Something that the user opened by its path: a folder with runs, one run, or a model of Hugging Face."""

    path: str
    """As the command line takes it."""
    kind: str
    """runs, run or model."""
    about: str
    """A word about a model: its architecture."""


@dataclass
class Lab:
    """The state of the studio. All of it can be opened again: results are files."""

    places: Places
    jobs: Jobs
    opened: list[Opened] = field(default_factory=list)
    checkers: Checkers = field(default_factory=Checkers)
    ending: Callable[[], bool] = lambda: False
    """Whether the server is about to end: streams of events then end, too."""

    def open(self, given: str) -> Opened:
        """Open a folder or a model of Hugging Face, "hf:FOLDER"."""
        known = list(self.places.opened)
        try:
            made = self._model(given) if given.startswith(FOREIGN) else self._folder(given)
        except AttnlabError:
            self.places.opened[:] = known  # what is refused stays closed
            raise
        if made not in self.opened:
            self.opened.append(made)
        return made

    def _model(self, given: str) -> Opened:
        folder = self.places.open(given.removeprefix(FOREIGN))
        about = read_json(folder / "config.json", "the config.json of a model of Hugging Face")
        return Opened(f"{FOREIGN}{folder}", "model", str(about.get("model_type", "")))

    def _folder(self, given: str) -> Opened:
        folder = self.places.open(given)
        if not (folder / "config.json").is_file():
            return Opened(str(folder), "runs", "")
        about = read_json(folder / "config.json", "the config.json of a run")
        if "model_type" in about:
            raise FileError(given, f"is a model of Hugging Face: write {FOREIGN}{given}")
        model = about.get("model")
        return Opened(str(folder), "run", str(model.get("kind", "")) if isinstance(model, dict) else "")


def _lab(request: Request) -> Lab:
    return request.app.state.lab


TheLab = Annotated[Lab, Depends(_lab)]


def shown_path(path: Path, root: Path) -> str:
    """A path as one types it in the folder of the studio."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
