"""Predict the class of each line, one by one as the lines arrive, or all lines as a record."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from attnlab.benches.sentiment.texts import AT_ONCE
from attnlab.calls import Call, given_text, literal
from attnlab.errors import ArgumentError, FileError
from attnlab.files import open_file
from attnlab.models.classifier import Classifier
from attnlab.records import Record, record


@dataclass(frozen=True)
class Prediction:
    """A line and its likeliest class, with the probability of each class."""

    line: int
    """The number of the line, from 1."""
    text: str
    label: str
    probability: float
    probabilities: dict[str, float]
    words: int
    known_words: int
    note: str
    """Why the prediction is worth little: no words, no known words, or bytes that are not UTF-8."""

    def to_dict(self) -> dict[str, Any]:
        """All but the text."""
        return {name: each for name, each in vars(self).items() if name != "text"}


@record
class Predictions(Record):
    """The classes of some texts."""

    shown_by: ClassVar[str] = "sentiment.classifiers.predictions"

    run: str
    classes: tuple[str, ...]
    predictions: tuple[Prediction, ...]
    source: str | None = None
    """The file of the texts, or the only text; None if there were several texts and no file."""

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        found = [each.to_dict() for each in self.predictions]
        return {"run": self.run, "classes": list(self.classes), "predictions": found}

    @property
    def call(self) -> Call:
        """The call that makes the same predictions."""
        texts = self.source
        if texts is None:
            given = [each.text for each in self.predictions]
            lines = "".join(f"{' '.join(each.splitlines())}\n" for each in given)
            texts = given_text("texts", lines, literal(given))
        return Call("classify predict", (self.run, texts))


def predicted(classifier: Classifier, lines: Iterable[str | bytes]) -> Iterator[Prediction]:
    """The prediction of each line; some thousand lines are read ahead."""
    number, coming = 0, iter(lines)
    while batch := list(islice(coming, AT_ONCE)):
        texts = [_text(line) for line in batch]
        found = classifier.answers(texts)
        for line, text, row, words, known in zip(
            batch, texts, found.probabilities.tolist(), found.words.tolist(), found.known.tolist(), strict=True
        ):
            number += 1
            best = max(range(len(row)), key=row.__getitem__)
            yield Prediction(
                number,
                text,
                classifier.classes[best],
                row[best],
                dict(zip(classifier.classes, row, strict=True)),
                words,
                known,
                _note(line, text, words, known),
            )


PART_OF_PATH = re.compile(r"[/\\]|\S\.\w{1,5}\Z")
"""What makes a word without spaces look like a path: a slash or an ending."""


def text_or_file(word: str) -> Iterable[str | bytes]:
    """The lines of the file of this name, if there is one; else the word itself, as a text. A word that looks like a
    path is not a text."""
    if not word:
        raise ArgumentError("texts", "expected a text or a file, got an empty word")
    path = Path(word)
    try:
        there = path.exists()
    except PermissionError as error:
        raise FileError.unreadable(path, error) from error
    except (OSError, ValueError):  # a text that is too long for a path, or has a zero byte
        there = False
    if there:
        return file_lines(path)
    if PART_OF_PATH.search(word) and not re.search(r"\s", word):
        raise FileError(path, "there is no such file")
    return [word]


def file_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file."""
    try:
        with open_file(path) as file:
            yield from file
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def _text(line: str | bytes) -> str:
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
    return text.rstrip("\r\n")


def _note(line: str | bytes, text: str, words: int, known: int) -> str:
    notes = []
    if isinstance(line, bytes) and "�" in text and "�".encode() not in line:
        notes.append("bytes that are not UTF-8")
    if not words:
        notes.append("no words")
    elif not known:
        notes.append(f"no known word among {words}")
    return "; ".join(notes)
