"""Labelled texts: IMDB's reviews, generated reviews, a table in a file, or a folder with one subfolder per class."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Int

from attnlab.data.labelled.folders import read_archive, read_folder
from attnlab.data.labelled.tables import Skipped, read_table
from attnlab.data.sets import SETS, files_of
from attnlab.data.worlds.reviews.reviews import named_reviews
from attnlab.errors import ArgumentError, FileError

Half = Literal["train", "test"]
LABELLED = ("imdb", "reviews")


@dataclass(frozen=True)
class Labelled:
    """Texts, the class of each as a number, and the sorted names of the classes.

    >>> data = labelled_of(["good", "bad", "fine"], ["pos", "neg", "pos"])
    >>> data.classes, data.labels.tolist(), data.places[1]
    (('neg', 'pos'), [1, 0, 1], 'text 2')
    """

    texts: tuple[str, ...]
    labels: Int[np.ndarray, " texts"]
    classes: tuple[str, ...]
    places: tuple[str, ...]
    """The source of each text, for messages: a file, or a file and a line."""
    skipped: tuple[Skipped, ...] = ()
    """Rows that could not be used, with the reason."""

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.texts)

    @property
    def sha256(self) -> str:
        """A hash of the texts and their class names, in order."""
        found = hashlib.sha256()
        for text, label in zip(self.texts, self.labels.tolist(), strict=True):
            content = text.encode("utf-8", "surrogatepass")
            found.update(f"{self.classes[label]}\t{len(content)}\n".encode("utf-8", "surrogatepass"))
            found.update(content)
        return found.hexdigest()

    def take(self, rows: Int[np.ndarray, " rows"]) -> "Labelled":
        """Some of the texts, in that order; the classes stay the same."""
        chosen = rows.tolist()
        texts, places = (tuple(each[row] for row in chosen) for each in (self.texts, self.places))
        return Labelled(texts, self.labels[rows], self.classes, places, self.skipped)


def labelled_of(
    texts: Sequence[str], labels: Sequence[str], places: Sequence[str] = (), skipped: Sequence[Skipped] = ()
) -> Labelled:
    """Labelled texts from texts and the names of their classes."""
    classes = tuple(sorted(set(labels)))
    number = {name: place for place, name in enumerate(classes)}
    where = tuple(places) or tuple(f"text {place}" for place in range(1, len(texts) + 1))
    return Labelled(tuple(texts), np.array([number[name] for name in labels], np.int64), classes, where, tuple(skipped))


def load_labelled(name_or_path: str | Path, part: Half = "train") -> Labelled:
    """The labelled texts of that name, in that file or in that folder; `part` chooses train or test if there are both.

    A file is a table with a label and a text in each row: commas separate them in .csv files, tabs in all others. A
    folder has one subfolder per class with one text per file; it may have folders train and test above these.
    """
    if name_or_path == "reviews":
        reviews = named_reviews(part)
        return labelled_of([review.text for review in reviews], [review.label for review in reviews])
    if name_or_path == "imdb":
        rows, skipped = read_archive(files_of("imdb")["aclImdb_v1.tar.gz"], part)
    elif name_or_path in SETS:
        raise ArgumentError(
            "DATA", f"expected labelled texts: imdb, reviews, a file or a folder; {name_or_path} has no labels"
        )
    else:
        path = Path(name_or_path)
        if not path.exists():
            raise FileError.unknown(path, ("file", "folder"), LABELLED)
        path = path / part if (path / part).is_dir() else path  # as in IMDB's unpacked archive
        rows, skipped = read_folder(path) if path.is_dir() else read_table(path)
    if not rows:
        raise FileError(name_or_path, f"expected texts with labels, got no texts{_first(skipped)}")
    texts, labels, places = ([getattr(row, name) for row in rows] for name in ("text", "label", "place"))
    return labelled_of(texts, labels, places, skipped)


def two_classes(data: Labelled, source: str | Path) -> Labelled:
    """The data; raises unless it has at least two classes, and clearly fewer classes than texts."""
    if len(data.classes) < 2:
        raise FileError(
            source, f"expected at least two classes, got {', '.join(data.classes)!r} alone{_first(data.skipped)}"
        )
    if len(data) > 10 and len(data.classes) > len(data) / 2:
        raise FileError(source, f"expected texts to share classes, got {len(data.classes)} for {len(data)} texts")
    return data


def with_classes(data: Labelled, classes: tuple[str, ...]) -> Labelled:
    """The same texts with classes numbered as in a classifier; raises on a class that the classifier does not know.

    >>> with_classes(labelled_of(["good"], ["pos"]), ("neg", "pos")).labels.tolist()
    [1]
    """
    numbers = {name: place for place, name in enumerate(classes)}
    for place, label in zip(data.places, data.labels.tolist(), strict=True):
        if data.classes[label] not in numbers:
            expected = ", ".join(classes[:10]) + (", …" if len(classes) > 10 else "")
            raise FileError(
                place, f"expected a class that the classifier knows, {expected}; got {data.classes[label]!r}"
            )
    numbered = np.array([numbers[name] for name in data.classes], np.int64)
    return replace(data, labels=numbered[data.labels], classes=classes)


def split(data: Labelled, share: float = 0.1, seed: int = 0, blocks: int = 20) -> tuple[Labelled, Labelled]:
    """A part to train on, and a part to validate with that has about a share of the texts.

    Neighbours are held out together, in blocks of the original order. Neighbouring texts are seldom independent: in
    IMDB they review the same film, and with neighbours on both sides a model would be rewarded for knowing the film's
    name. The seed chooses the blocks. Each class is split separately, and keeps at least one text to train on.
    """
    if not 0 <= share < 1:
        raise ArgumentError("share", f"expected a share from 0 to below 1, such as 0.1; got {share}")
    draws = np.random.default_rng(seed)
    held = np.zeros(len(data), bool)
    for number in range(len(data.classes)):
        rows = np.flatnonzero(data.labels == number)
        wanted = min(max(round(share * len(rows)), 1), len(rows) - 1) if share and len(rows) else 0
        pieces = max(min(blocks, wanted), 1)
        # Each stretch of the order gives one block, which starts at a random place in the stretch.
        for stretch, size in zip(np.array_split(rows, pieces), _shares(wanted, pieces), strict=True):
            first = draws.integers(0, len(stretch) - size + 1)
            held[stretch[first : first + size]] = True
    return data.take(np.flatnonzero(~held)), data.take(np.flatnonzero(held))


def _shares(total: int, pieces: int) -> list[int]:
    """Splits a total into whole parts that differ by at most 1."""
    return [len(each) for each in np.array_split(np.arange(total), pieces)]


def _first(skipped: Sequence[Skipped]) -> str:
    if not skipped:
        return ""
    if len(skipped) == 1:
        return f"; 1 row was skipped: {skipped[0]}"
    return f"; {len(skipped):,} rows were skipped, the first: {skipped[0]}"
