"""The runs of a task in the folders that the studio may read, and models that were opened from them."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnlab.errors import AttnlabError
from attnlab.studio.lab import Lab, shown_path

if TYPE_CHECKING:
    from attnlab.runs.folder import Run


def run_places(lab: Lab) -> list[Path]:
    """The folder of the studio and those that were opened: the pages offer the runs in them, and nothing else."""
    return [lab.places.root, *(Path(each.path) for each in lab.opened if each.kind != "model")]


def trained_runs(lab: Lab, task: str, ready: "Callable[[Run], bool]") -> list[tuple[str, dict[str, Any]]]:
    """The path of each run of a task that is ready, as one types it, and its config.json. The newest run is first."""
    from attnlab.benches.language.runs_table import run_folders
    from attnlab.runs.folder import Run

    found: dict[Path, dict[str, Any]] = {}
    for place in (each for folder in run_places(lab) for each in run_folders(folder)):
        run = Run(place)
        try:
            if (config := run.config()).get("task") == task and ready(run):
                found[place.resolve()] = config
        except AttnlabError:  # Home tells which runs are damaged
            continue
    newest = sorted(found, key=lambda place: -(place / "config.json").stat().st_mtime_ns)
    return [(shown_path(place, lab.places.root), found[place]) for place in newest]


def opened_model(lab: Lab, given: str, opener: Callable[[str], Any]) -> Any:
    """The model of a run below the folders of the studio. It stays open until the run changes."""
    place = lab.places.folder(given)
    config = place / "config.json"
    stamp = config.stat().st_mtime_ns if config.is_file() else 0
    return _opened(opener, shown_path(place, lab.places.root), str(place), stamp)


@lru_cache(maxsize=4)
def _opened(opener: Callable[[str], Any], shown: str, place: str, stamp: int) -> Any:
    return opener(shown)
