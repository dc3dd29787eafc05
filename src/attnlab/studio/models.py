"""The models that the pages look into. They stay in memory, and one thread at a time uses them."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from attnlab.evaluation.external.names import HUGGING_FACE
from attnlab.studio.lab import shown_path
from attnlab.studio.places import Places

if TYPE_CHECKING:
    from attnlab.benches.heads.look import HeadPatterns
    from attnlab.benches.language import LanguageModel

MOST = 3
"""The most models that are kept; the one that was used longest ago goes first."""


@dataclass
class Models:
    """The opened models, and the last text that was looked at with all heads."""

    places: Places
    kept: "OrderedDict[tuple[Path, int], LanguageModel]" = field(default_factory=OrderedDict)
    looked: "tuple[LanguageModel, str, HeadPatterns] | None" = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    def name(self, given: str) -> str:
        """The name of a model as one types it in the folder of the studio. Raise if the studio may not read it."""
        prefix = HUGGING_FACE if given.startswith(HUGGING_FACE) else ""
        return prefix + shown_path(self.places.folder(given.removeprefix(HUGGING_FACE)), self.places.root)

    @contextmanager
    def using(self, *given: str) -> Iterator[list["LanguageModel"]]:
        """Models by their names. No other thread uses a model meanwhile."""
        names = [self.name(each) for each in given]
        with self.alone():
            yield [self._open(name) for name in names]

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other thread uses a model meanwhile, and torch has all of its threads. (A law of the page Attention leaves
        it one.)"""
        from attnlab.training.threads import first_threads, using_threads

        with self.lock, using_threads(first_threads()):
            yield

    def look(self, model: "LanguageModel", text: str) -> "HeadPatterns":
        """A text as all heads of a model see it. The last one is kept: the page asks for its heads one by one."""
        from attnlab.benches.heads.look import look

        if self.looked is None or self.looked[0] is not model or self.looked[1] != text:
            self.looked = None  # before the next one is computed: both may be large
            self.looked = model, text, look(model, text)
        return self.looked[2]

    def _open(self, name: str) -> "LanguageModel":
        from attnlab.benches.language import open_model

        prefix = HUGGING_FACE if name.startswith(HUGGING_FACE) else ""
        folder = self.places.root / name.removeprefix(HUGGING_FACE)
        key = folder, _changed(folder)
        if key not in self.kept:
            for old in [each for each in self.kept if each[0] == folder]:
                del self.kept[old]
            self.kept[key] = replace(open_model(f"{prefix}{folder}"), name=name)
        self.kept.move_to_end(key)
        while len(self.kept) > MOST:
            self.kept.popitem(last=False)
        return self.kept[key]


def _changed(folder: Path) -> int:
    """When the files of a model changed last: a run may be trained further."""
    places = [folder, folder / "checkpoints"]
    return max(each.stat().st_mtime_ns for each in places if each.exists())


def _models(request: Request) -> Models:
    return request.app.state.models


TheModels = Annotated[Models, Depends(_models)]
