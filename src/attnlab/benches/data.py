"""The data sets: list them, download one, and find its files."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from attnlab.calls import Call
from attnlab.data.downloads import download
from attnlab.data.sets import BUILT_IN, SETS, DataSet, advice, cache_folder, files_of, find_set, locate
from attnlab.data.texts.prose import prose, prose_version
from attnlab.data.worlds.biographies.biographies import biographies
from attnlab.data.worlds.repeats import PERIODS, repeats
from attnlab.data.worlds.reviews.reviews import named_reviews
from attnlab.errors import ArgumentError
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record

BUILT_IN_TEXTS = {
    "topics": f"the default text: {prose_version()}, without repeated paragraphs",
    "repeats": f"lines that repeat {PERIODS[0]} to {PERIODS[1]} random letters; only induction predicts them",
}
"""What the texts to train on are that need no file."""


@dataclass(frozen=True)
class DataRow:
    """A data set: its size, description, terms of use, and place on this machine."""

    name: str
    bytes: int
    about: str
    terms: str
    where: tuple[str, ...]
    """Empty if the data set is not on this machine."""

    @property
    def advice(self) -> str:
        """How to get the data set."""
        return advice(find_set(self.name))


@record
class DataSets(Record):
    """Every data set."""

    shown_by: ClassVar[str] = "data.data_sets"

    rows: tuple[DataRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """The rows."""
        rows = (asdict(row) | {"where": list(row.where), "here": bool(row.where)} for row in self.rows)
        return {"sets": list(rows)}

    @property
    def call(self) -> Call:
        """The call that lists them again."""
        return Call("data list", function="datasets")


@record
class DataFiles(Record):
    """The paths of the files of a data set; without a name, the folder for downloads."""

    shown_by: ClassVar[str] = "data.data_files"

    name: str
    files: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The paths."""
        return {"name": self.name, "files": self.files} if self.name else dict(self.files)

    @property
    def call(self) -> Call:
        """The call that gives the paths again."""
        return Call("data path", (self.name,) if self.name else (), function="download")


def data_sets() -> DataSets:
    """Every data set. The size of a generated data set is that of its text."""
    return DataSets((*_built_in(), *map(_row, SETS.values())))


def data_files(name: str = "") -> DataFiles:
    """Where the files of a data set are; without a name, the folder for downloads."""
    if not name:
        return DataFiles("", {"cache": str(cache_folder())})
    _check_has_files(name, "path")
    return DataFiles(name, {file: str(path) for file, path in files_of(name).items()})


def get_data(name: str, observer: Observer = SILENT) -> DataFiles:
    """Download a data set, unless it is already here, and check its hash."""
    if not name:
        raise ArgumentError("get", "expected the name of a data set; attnlab data list shows them")
    _check_has_files(name, "get")
    with observer.task(name) as task:
        found = download(name, lambda done, total: task.reach(done, total=total or None))
    return DataFiles(name, {file: str(path) for file, path in found.items()})


def _check_has_files(name: str, action: str) -> None:
    name = "topics" if name == "default" else name
    if name in BUILT_IN:
        raise ArgumentError(action, f"{name} {BUILT_IN[name]} and needs no file; use it by its name")


def _row(each: DataSet) -> DataRow:
    found = locate(each.name)
    size = sum(path.stat().st_size for path in found.values()) if found else each.bytes
    return DataRow(each.name, size, each.about, each.terms, _places(each, found) if found else ())


def _places(wanted: DataSet, found: dict[str, Path]) -> tuple[str, ...]:
    """The path of the only file, or the folders of several files."""
    if len(wanted.files) == 1:
        return tuple(str(path) for path in found.values())
    return tuple(dict.fromkeys(str(path.parent) for path in found.values()))


def _built_in() -> list[DataRow]:
    train, test = named_reviews("train"), named_reviews("test")
    world = biographies().facts()
    texts = {
        "topics": ([prose()], BUILT_IN_TEXTS["topics"], "PSF licence"),
        "repeats": ([repeats()], BUILT_IN_TEXTS["repeats"], "no terms"),
        "reviews": (
            [review.text for review in train + test],
            f"{len(train):,} generated film reviews for training and {len(test):,} for tests; 1 % of the labels are "
            "wrong on purpose",
            "no terms",
        ),
        "biographies": (
            [line.text for line in world.lines],
            f"a line about each of {len(world.lines):,} invented people; {len(world.training):,} birthplaces to "
            f"finetune on and {len(world.held_out):,} held out",
            "no terms",
        ),
    }
    return [
        DataRow(name, len("\n".join(lines).encode()), about, terms, (BUILT_IN[name],))
        for name, (lines, about, terms) in texts.items()
    ]
