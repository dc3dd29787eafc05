"""attnlab classify predict: the class of each line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome
from attnlab.errors import FileError

if TYPE_CHECKING:
    from attnlab.models.classifier import Classifier

AT_ONCE = 4096
"""Lines that are answered together: enough for two cores to share the work."""


@dataclass(frozen=True)
class ClassifyPredict:
    """The class of each line of a file, or of what is typed or piped in, with its probability.

    A line of output for each line: the class, a tab, its probability. Where a line has no word, none that is known, or
    bytes that are not UTF-8 (which are read as the sign �), a second tab and what is the matter follow; the answer is
    then no more than what the classifier says of the words it knows, or of no words at all.

    Example: attnlab classify predict first-classifier lines.txt
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a classifier's run."""
    file: Positional[Annotated[Path | None, arg(metavar="[FILE]", help_behavior_hint="")]] = None
    """A text in each line; else they come from stdin."""
    json: bool = False
    """Print one JSON value once all is read."""

    def run(self) -> Outcome:
        """Answer line by line, or all at once."""
        from attnlab.report.lines import on_one_line
        from attnlab.runs.classifier import load_classifier

        classifier = load_classifier(self.run_folder)
        found = answers(classifier, lines(self.file))
        if self.json:
            value = {"run": str(self.run_folder), "classes": list(classifier.classes), "predictions": list(found)}
            return Outcome(value, [])
        for each in found:
            note = f"\t{each['note']}" if each["note"] else ""
            print(f"{on_one_line(each['label'])}\t{each['probability']:.6f}{note}")
        return Outcome({}, [])


def answers(classifier: Classifier, lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """What is said of each line."""
    number = 0
    while batch := list(islice(lines, AT_ONCE)):
        texts = [line.decode("utf-8", "replace").rstrip("\r\n") for line in batch]
        found = classifier.answers(texts)
        for line, text, row, words, known in zip(
            batch, texts, found.probabilities.tolist(), found.words.tolist(), found.known.tolist(), strict=True
        ):
            number += 1
            best = max(range(len(row)), key=row.__getitem__)
            yield {
                "line": number,
                "label": classifier.classes[best],
                "probability": row[best],
                "probabilities": dict(zip(classifier.classes, row, strict=True)),
                "words": words,
                "known_words": known,
                "note": _note(line, text, words, known),
            }


def _note(line: bytes, text: str, words: int, known: int) -> str:
    """What is to be said beside an answer."""
    notes = []
    if "�" in text and "�".encode() not in line:
        notes.append("bytes that are not UTF-8")
    if not words:
        notes.append("no words")
    elif not known:
        notes.append(f"no known word among {words}")
    return "; ".join(notes)


def lines(path: Path | None) -> Iterator[bytes]:
    """The lines of a file, or of stdin."""
    if path is None:
        yield from getattr(sys.stdin, "buffer", None) or (line.encode() for line in sys.stdin)
        return
    try:
        file: BinaryIO
        with path.open("rb") as file:
            yield from file
    except FileNotFoundError:
        raise FileError(path, "there is no such file") from None
    except OSError as error:
        raise FileError.unreadable(path, error) from error
