"""attnlab classify predict: the class of each line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

if TYPE_CHECKING:
    from attnlab.benches.sentiment import Predictions


@dataclass(frozen=True)
class Predict:
    """Predict the class of each line of a file or of stdin, with its probability.

    Each line of output has the class, a tab and its probability. A second tab and a note follow if a line has no words,
    no known words, or bytes that are not UTF-8 (they are read as �). Then the prediction is worth little, because the
    classifier uses only words that it knows.

    Example: attnlab classify predict first-classifier lines.txt
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a classifier's run."""
    file: Positional[Annotated[Path | None, arg(metavar="[FILE]", help_behavior_hint="")]] = None
    """A file with a text in each line (default: stdin)."""
    json: bool = False
    """Print one JSON value at the end."""

    def run(self) -> Predictions | None:
        """Print each prediction as its line comes, or return all predictions."""
        from attnlab.benches.sentiment import open_classifier
        from attnlab.report.writing.lines import on_one_line

        model = open_classifier(self.run_folder)
        texts = _stdin() if self.file is None else self.file
        if self.json:
            return model.predict(texts)
        for each in model.predictions(texts):
            note = f"\t{each.note}" if each.note else ""
            print(f"{on_one_line(each.label)}\t{each.probability:.6f}{note}")
        return None


def _stdin() -> Iterator[bytes]:
    """The lines of stdin."""
    return getattr(sys.stdin, "buffer", None) or (line.encode() for line in sys.stdin)
