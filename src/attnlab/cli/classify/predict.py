"""attnlab classify predict: the class of a text, or of each line."""

import sys
from collections.abc import Iterator
from typing import Annotated

from tyro.conf import Positional

from attnlab.cli.command import Command, RunFolder, command, shown
from attnlab.records import Record


@command
class Predict(Command):
    """Predict the class of a text, or of each line of a file or of stdin, with its probability.

    Each line of output has the class, a tab and its probability. A second tab and a note follow if a line has no words,
    no known words, or bytes that are not UTF-8 (they are read as �). Then the prediction is worth little, because the
    classifier uses only words that it knows.

    attnlab classify predict first-classifier "A superb film." takes the text itself.

    Example: attnlab classify predict first-classifier lines.txt
    """

    run_folder: RunFolder
    """The folder of a classifier's run."""
    texts: Positional[Annotated[str | None, shown("[FILE | TEXT]")]] = None
    """A file with a text in each line, or one text (default: the lines of stdin)."""
    json: bool = False
    """Print one JSON value at the end."""

    def run(self) -> Record | None:
        """Print each prediction as its line comes, or return all predictions."""
        from attnlab.benches.sentiment import open_classifier
        from attnlab.report.writing.lines import on_one_line

        model = open_classifier(self.run_folder)
        texts = _stdin() if self.texts is None else self.texts
        if self.json:
            return model.predict(texts)
        for each in model.predictions(texts):
            note = f"\t{each.note}" if each.note else ""
            print(f"{on_one_line(each.label)}\t{each.probability:.6f}{note}")
        return None


def _stdin() -> Iterator[bytes]:
    """The lines of stdin."""
    return getattr(sys.stdin, "buffer", None) or (line.encode() for line in sys.stdin)
