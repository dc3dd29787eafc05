"""attnlab classify evaluate: accuracy and calibration of a classifier."""

from typing import Annotated, Literal

from tyro.conf import Positional

from attnlab.cli.command import Command, OutFile, RunFolder, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Evaluate(Command):
    """Accuracy, macro F1, scores of each class, confusions and calibration of a classifier on labelled texts.

    Data with a train half and a test half, such as imdb, is evaluated on its test half. The calibration error is the
    mean distance, over 15 bins, between the probability of the predicted class and the share of right predictions.
    A text in which the classifier knows no word is treated as an empty text; such texts are counted.

    Example: attnlab classify evaluate first-classifier reviews
    """

    run_folder: RunFolder
    """The folder of a classifier's run."""
    data: Positional[Annotated[str, shown("[DATA]")]] = "reviews"
    """reviews, imdb, a .tsv or .csv file, or a folder with a subfolder for each class."""
    part: Literal["test", "train"] = "test"
    """Which half of the data, if it has two halves."""
    plot: OutFile = None
    """Write the reliability chart and the confusion matrix to this file: .png, .svg or .html."""

    def run(self) -> Record:
        """The numbers."""
        from attnlab.benches.sentiment import evaluate

        return evaluate(self.run_folder, self.data, self.part, TerminalObserver())
