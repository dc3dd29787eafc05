"""attnlab data: the data sets there are, getting one, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome, progress_bar
from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.data.sets import DataSet


@dataclass(frozen=True)
class Data:
    """The data sets: which there are, getting one, where it is.

    list shows them all. get NAME downloads one, unless it is here already, and checks its hash. path NAME prints where
    its files are; path alone prints the folder that downloads go to. A set is looked for in the folder that the
    environment variable ATTNLAB_DATA names, then among the downloads (~/.cache/attnlab, or ATTNLAB_CACHE). topics, the
    default text, comes with Python and is always here; so are reviews and biographies, which are generated.

    Example: attnlab data list
    """

    action: Positional[Annotated[Literal["list", "get", "path"], arg(help_behavior_hint="")]]
    """What to do."""
    name: Positional[Annotated[str, arg(metavar="[NAME]", help_behavior_hint="")]] = ""
    """The data set."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Outcome:
        """What there is, or where one is."""
        if self.action == "list":
            if self.name:
                raise ArgumentError("list", f"expected nothing behind it, got {self.name!r}")
            return _listed()
        if self.action == "path" and not self.name:
            from attnlab.data.sets import cache_folder

            return Outcome({"cache": str(cache_folder())}, [str(cache_folder())])
        if not self.name:
            raise ArgumentError("get", "expected the name of a data set; attnlab data list shows them")
        return self._located()

    def _located(self) -> Outcome:
        from attnlab.data.downloads import download
        from attnlab.data.sets import BUILT_IN, files_of

        name = "topics" if self.name == "default" else self.name
        if name in BUILT_IN:
            raise ArgumentError(self.action, f"{name} {BUILT_IN[name]} and has no file; there is nothing to get")
        if self.action == "path":
            found = files_of(self.name)
        else:
            with progress_bar() as bar:
                task = bar.add_task(self.name, total=None)
                found = download(self.name, lambda done, total: bar.update(task, completed=done, total=total or None))
        places = [str(path) for path in found.values()]
        return Outcome({"name": self.name, "files": dict(zip(found, places, strict=True))}, places)


def _listed() -> Outcome:
    """Every data set: how large, what it is, its terms and where it is."""
    from rich.table import Table

    from attnlab.data.sets import SETS, advice, find_set, locate

    rows = _built_in()
    table = Table("name", "size", "what it is", "terms", "where")
    for each in SETS.values():
        found = locate(each.name)
        size = sum(path.stat().st_size for path in found.values()) if found else each.bytes
        rows.append(_row(each.name, size, each.about, each.terms, _places(each, found) if found else []))
    for row in rows:
        where = ", ".join(row["where"]) or f"not here: {advice(find_set(row['name']))}"
        table.add_row(row["name"], _size(row["bytes"]), row["about"], row["terms"], where)
    return Outcome({"sets": rows}, [table])


def _built_in() -> list[dict[str, Any]]:
    """What needs no file; its size is that of its text."""
    from attnlab.data.sets import BUILT_IN
    from attnlab.data.texts.prose import prose, prose_version
    from attnlab.data.worlds.biographies.biographies import biographies
    from attnlab.data.worlds.reviews.reviews import named_reviews

    train, test = named_reviews("train"), named_reviews("test")
    world = biographies().facts()
    texts = {
        "topics": ([prose()], f"the default text: {prose_version()}, without repeated paragraphs", "PSF licence"),
        "reviews": (
            [review.text for review in train + test],
            f"{len(train):,} film reviews to train on and {len(test):,} to report on, whose truth is known",
            "no terms",
        ),
        "biographies": (
            [line.text for line in world.lines],
            f"a line on each of {len(world.lines):,} people who never were; where {len(world.training):,} were born to "
            f"finetune on, and {len(world.held_out):,} to report",
            "no terms",
        ),
    }
    return [
        _row(name, len("\n".join(lines).encode()), about, terms, [BUILT_IN[name]])
        for name, (lines, about, terms) in texts.items()
    ]


def _row(name: str, size: int, about: str, terms: str, where: list[str]) -> dict[str, Any]:
    return {"name": name, "bytes": size, "about": about, "terms": terms, "here": bool(where), "where": where}


def _places(wanted: DataSet, found: dict[str, Path]) -> list[str]:
    """The file, or for several the folders that they are in."""
    if len(wanted.files) == 1:
        return [str(path) for path in found.values()]
    return list(dict.fromkeys(str(path.parent) for path in found.values()))


def _size(size: int) -> str:
    """A size for people.

    >>> _size(1_115_394), _size(374_077)
    ('1.1 MB', '374 kB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
