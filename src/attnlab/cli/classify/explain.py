"""attnlab classify explain: why a classifier predicts a class, and the kinds of its errors."""

from typing import Annotated, Literal

from tyro.conf import Positional

from attnlab.cli.command import Command, OutFile, RunFolder, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Explain(Command):
    """Explain why a classifier predicts a class: the contribution of each word, and the kind of an error.

    The kinds of errors are unknown words, negation, order, one loud word, mixed, and label doubtful. Experiments on the
    classifier decide the kind, and their numbers are shown. Without --text, the errors on DATA are explained, those
    with the highest probability first, and all errors are counted by kind.

    Example: attnlab classify explain first-classifier --text "not a bad film, but too long"
    """

    run_folder: RunFolder
    """The folder of a classifier's run."""
    data: Positional[Annotated[str, shown("[DATA]")]] = "reviews"
    """The texts to find errors in: reviews, imdb, a .tsv or .csv file, or a folder with a subfolder for each class."""
    text: Annotated[str | None, shown("TEXT")] = None
    """The text to explain."""
    label: Annotated[str | None, shown("CLASS")] = None
    """With --text: the true class of the text. If the classifier predicts another class, the error is explained."""
    errors: int = 5
    """How many errors to show, those with the highest probability first."""
    part: Literal["test", "train"] = "test"
    """Which half of the data, if it has two halves."""
    html: OutFile = None
    """Write a page with the shaded texts to this file; it opens offline."""
    plot: OutFile = None
    """Write the chart of the kinds of errors, or of the strongest words of TEXT, to this file: .png, .svg or .html."""

    def run(self) -> Record:
        """Explain the text, or the errors."""
        from attnlab.benches.sentiment import explain

        how = (self.text, self.label, self.part, self.errors, TerminalObserver())
        return explain(self.run_folder, self.data, *how)
