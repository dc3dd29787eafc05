"""The runs of a task in the folders that the studio may read, and models that were opened from them."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnlab.errors import AttnlabError
from attnlab.files import HIDDEN
from attnlab.studio.lab import Lab, shown_path

if TYPE_CHECKING:
    from attnlab.runs.folder import Run

DEEP = ("config.json", "*/config.json", "*/*/config.json")
"""Where runs are, from an opened folder on: itself, in it, and those of several seeds or of a sweep."""


def trained_runs(lab: Lab, task: str, ready: "Callable[[Run], bool]") -> list[tuple[str, dict[str, Any]]]:
    """The path of each run of a task that is ready, as one types it, and its config.json. The newest run is first."""
    from attnlab.runs.folder import Run

    found: dict[Path, dict[str, Any]] = {}
    for place in _places(lab):
        run = Run(place)
        try:
            if (config := run.config()).get("task") == task and ready(run):
                found[place.resolve()] = config
        except AttnlabError:  # Home tells which runs are damaged
            continue
    newest = sorted(found, key=lambda place: -(place / "config.json").stat().st_mtime_ns)
    return [(shown_path(place, lab.places.root), found[place]) for place in newest]


def _places(lab: Lab) -> Iterator[Path]:
    root = lab.places.root
    folders = [root / "runs", root, *(Path(each.path) for each in lab.opened if each.kind != "model")]
    for folder in folders:
        for deep in DEEP if folder != root else DEEP[:2]:
            yield from (path.parent for path in folder.glob(deep) if not path.parent.name.startswith(HIDDEN))


def opened_model(lab: Lab, given: str, opener: Callable[[str], Any]) -> Any:
    """The model of a run below the folders of the studio. It stays open until the run changes."""
    place = lab.places.folder(given)
    config = place / "config.json"
    stamp = config.stat().st_mtime_ns if config.is_file() else 0
    return _opened(opener, shown_path(place, lab.places.root), str(place), stamp)


@lru_cache(maxsize=4)
def _opened(opener: Callable[[str], Any], shown: str, place: str, stamp: int) -> Any:
    return opener(shown)
