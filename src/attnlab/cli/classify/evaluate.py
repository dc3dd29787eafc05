"""attnlab classify evaluate: accuracy and calibration of a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.sentiment import Evaluated


@dataclass(frozen=True)
class Evaluate:
    """Accuracy, macro F1, scores of each class, confusions and calibration of a classifier on labelled texts.

    Data with a train half and a test half, such as imdb, is evaluated on its test half. The calibration error is the
    mean distance, over 15 bins, between the probability of the predicted class and the share of right predictions.
    A text in which the classifier knows no word is treated as an empty text; such texts are counted.

    Example: attnlab classify evaluate first-classifier reviews
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a classifier's run."""
    data: Positional[Annotated[str, arg(metavar="[DATA]", help_behavior_hint="")]] = "reviews"
    """reviews, imdb, a .tsv or .csv file, or a folder with a subfolder for each class."""
    part: Literal["test", "train"] = "test"
    """Which half of the data, if it has two halves."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the reliability chart and the confusion matrix to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of tables."""

    def run(self) -> Evaluated:
        """The numbers."""
        from attnlab.benches.sentiment import evaluate

        return evaluate(self.run_folder, self.data, self.part, TerminalObserver())
