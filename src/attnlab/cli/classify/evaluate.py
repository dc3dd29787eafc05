"""attnlab classify evaluate: how often a classifier is right, class by class, and whether its probabilities are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.sentiment import Evaluated


@dataclass(frozen=True)
class Evaluate:
    """Accuracy, macro F1, each class, confusions and calibration of a classifier on labelled texts.

    Of imdb and reviews the test half is taken; of a file or folder, all. The calibration error is how far the
    probability of the class that was said is from the share that is right, the mean over 15 bins. A text in which no
    word is known is answered as one without words; such texts are counted.

    Example: attnlab classify evaluate first-classifier reviews
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a classifier's run."""
    data: Positional[Annotated[str, arg(metavar="[DATA]", help_behavior_hint="")]] = "reviews"
    """reviews, imdb, a .tsv or .csv file, or a folder with one for each class."""
    part: Literal["test", "train"] = "test"
    """Which half, where there are two."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the reliability chart and the confusion matrix to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of tables."""

    def run(self) -> Evaluated:
        """The numbers."""
        from attnlab.benches.sentiment import evaluate

        return evaluate(self.run_folder, self.data, self.part, TerminalObserver())
