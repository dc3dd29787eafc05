"""The plan of a sweep. It is in the folder of the sweep, so that a stopped sweep can be continued."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnlab.benches.knowledge.sweeps.settings import SweepSettings
from attnlab.benches.lifecycle import PLAN, PLAN_VERSION, check_plan
from attnlab.data.facts.sources import FactSource
from attnlab.data.worlds.biographies.biographies import World
from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json
from attnlab.runs.seals import SEAL
from attnlab.settings import Word, changed_values, read, write
from attnlab.training.facts.recipes import RECIPES


@dataclass(frozen=True)
class SweepPlan:
    """The settings of a sweep, and the hash of its facts."""

    settings: SweepSettings
    sha256: str

    def to_dict(self) -> dict[str, Any]:
        """The content of plan.json, without its version and its seal."""
        return {"sha256": self.sha256, **write(self.settings)}


def read_plan(place: Path) -> SweepPlan:
    """The plan in a folder, of this version or an older one. Raises if it was changed: the finished models of the sweep
    follow the old plan."""
    path = place / PLAN
    if not path.is_file():
        raise FileError(place, "expected the folder of attnlab knowledge run, with a plan.json in it")
    written = read_json(path, "the plan of attnlab knowledge run")
    value = {name: each for name, each in written.items() if name != SEAL}
    version, sha256 = value.pop("version", 1), value.pop("sha256", None)
    if version not in range(1, PLAN_VERSION + 1) or not isinstance(sha256, str):
        raise FileError(path, f"expected a plan of version {PLAN_VERSION} with sha256, got version {version!r}")
    try:
        found = SweepPlan(_first_version(value) if version == 1 else read(SweepSettings, value), sha256)
    except ArgumentError as error:
        raise FileError(path, str(error)) from error
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise FileError(path, f"expected the plan of attnlab knowledge run: {error!r}") from error
    check_plan(place)
    return found


def _first_version(value: Mapping[str, Any]) -> SweepSettings:
    """The settings of a plan of version 1. It held the typed options of the command, and models were always trained in
    bfloat16."""
    options = value["options"]
    numbers = {name: options[name] for name in ("seeds", "seed", "effort", "precision", "device")}
    names = {
        name: [part.strip() for part in options[name].split(",") if part.strip()]
        for name in ("recipes", "variants", "mixers")
    }
    typed = {group: {name: Word(word) for name, word in words.items()} for group, words in options["dotted"].items()}
    world = changed_values(World(), typed.get("world"), "world")
    facts = FactSource.of(options["facts"], options["people"], options["distractors"] or None, world)
    model = changed_values(RECIPES.find(names["recipes"][0]).model, typed.get("model"), "model")
    changed = {"facts": write(facts), "model": model, "training": {"precision": "bfloat16"}}
    return read(SweepSettings, {**numbers, **names, **changed})
