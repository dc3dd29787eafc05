"""What all routes share: the folders that may be read, the opened models, and the jobs."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from attnlab.errors import AttnlabError, FileError
from attnlab.evaluation.external.names import HUGGING_FACE
from attnlab.files import read_json
from attnlab.studio.checkers import Checkers
from attnlab.studio.jobs import Jobs
from attnlab.studio.kept import keep, read_kept
from attnlab.studio.places import Places


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
    """The state of the studio. A new server has all of it again: results are files, and so is the list of what the user
    opened."""

    places: Places
    jobs: Jobs
    kept: Path | None = None
    """The file with what the user opened, a path in each line; None: it lasts as long as the server."""
    opened: list[Opened] = field(default_factory=list)
    checkers: Checkers = field(default_factory=Checkers)
    ending: Callable[[], bool] = lambda: False
    """Whether the server is about to end: streams of events then end, too."""

    def __post_init__(self) -> None:
        for path in read_kept(self.kept).splitlines():
            with suppress(AttnlabError):  # it was moved or removed meanwhile
                self.open(path)

    def open(self, given: str) -> Opened:
        """Open a folder or a model of Hugging Face, "hf:FOLDER"."""
        known = list(self.places.opened)
        try:
            made = self._model(given) if given.startswith(HUGGING_FACE) else self._folder(given)
        except AttnlabError:
            self.places.opened[:] = known  # what is refused stays closed
            raise
        if made not in self.opened:
            self.opened.append(made)
            self._keep()
        return made

    def close(self, path: str) -> None:
        """Close what was opened: no page may read it any more, unless it lies in a folder that is still open."""
        left = [each for each in self.opened if each.path != path]
        if len(left) == len(self.opened):
            raise FileError(path if path.isprintable() else repr(path), "is not open")
        self.opened[:] = left
        kept = {Path(each.path.removeprefix(HUGGING_FACE)) for each in self.opened}
        self.places.opened[:] = [each for each in self.places.opened if each in kept]
        self._keep()

    def _keep(self) -> None:
        keep(self.kept, "".join(f"{each.path}\n" for each in self.opened))

    def _model(self, given: str) -> Opened:
        folder = self.places.open(given.removeprefix(HUGGING_FACE))
        about = read_json(folder / "config.json", "the config.json of a model of Hugging Face")
        return Opened(f"{HUGGING_FACE}{folder}", "model", str(about.get("model_type", "")))

    def _folder(self, given: str) -> Opened:
        folder = self.places.open(given)
        if not (folder / "config.json").is_file():
            return Opened(str(folder), "runs", "")
        about = read_json(folder / "config.json", "the config.json of a run")
        if "model_type" in about:
            raise FileError(given, f"is a model of Hugging Face: write {HUGGING_FACE}{given}")
        model = about.get("model")
        return Opened(str(folder), "run", str(model.get("kind", "")) if isinstance(model, dict) else "")


def _lab(request: Request) -> Lab:
    return request.app.state.lab


TheLab = Annotated[Lab, Depends(_lab)]


def shown_path(path: Path, root: Path) -> str:
    """A path as one types it in the folder of the studio."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
