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
    """The class of each line of a file, or of what is typed or piped in, with its probability.

    A line of output for each line: the class, a tab, its probability. Where a line has no word, no word that is known,
    or bytes that are not UTF-8 (which are read as the sign �), a second tab and a note on it follow; the answer is then
    no more than what the classifier says of the words it knows, or of no words at all.

    Example: attnlab classify predict first-classifier lines.txt
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a classifier's run."""
    file: Positional[Annotated[Path | None, arg(metavar="[FILE]", help_behavior_hint="")]] = None
    """A text in each line; else they come from stdin."""
    json: bool = False
    """Print one JSON value once all is read."""

    def run(self) -> Predictions | None:
        """Answer line by line, or return all answers."""
        from attnlab.benches.sentiment import open_classifier
        from attnlab.report.lines import on_one_line

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
