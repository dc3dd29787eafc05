"""attnlab classify explain: why a classifier says what it says, and of which kind its errors are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from attnlab.errors import ArgumentError
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.sentiment import Explained, ExplainedErrors


@dataclass(frozen=True)
class Explain:
    """Why a text is given its class: how far each word pushed; of errors, the kind, by experiments on the classifier.

    The kinds: unknown words, negation, order, one loud word, mixed, label doubtful. Each comes with the numbers that
    decided it. Without --text, the surest errors on DATA are explained, and the kinds of all of them counted.

    Example: attnlab classify explain first-classifier --text "not a bad film, but too long"
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a classifier's run."""
    data: Positional[Annotated[str, arg(metavar="[DATA]", help_behavior_hint="")]] = "reviews"
    """Where errors are looked for: reviews, imdb, a .tsv or .csv file, or a folder with one for each class."""
    text: Annotated[str | None, arg(metavar="TEXT", help_behavior_hint="")] = None
    """The text to explain."""
    label: Annotated[str | None, arg(metavar="CLASS", help_behavior_hint="")] = None
    """With --text, the class that the text is of: if the classifier says another, the kind of that error is looked
    for."""
    errors: int = 5
    """How many errors are shown, the surest first."""
    part: Literal["test", "train"] = "test"
    """Which half of the data, where there are two."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a page with the texts shaded to this file; it needs no network."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the chart of the kinds of errors, or of the strongest words of TEXT, to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of a text."""

    def run(self) -> Explained | ExplainedErrors:
        """Explain the text, or the errors."""
        from attnlab.benches.sentiment import explain, explain_errors

        if self.text is not None:
            return explain(self.run_folder, self.text, self.label)
        if self.label is not None:
            raise ArgumentError("label", "expected --text, whose label it is")
        return explain_errors(self.run_folder, self.data, self.part, self.errors, TerminalObserver())
