"""attnlab heads: what each head of a model does."""

from typing import Annotated, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.command import OutFile, WithSettings, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Scores(WithSettings):
    """Score every head of a model: what it attends to, how sharply, and what it copies.

    Scores of patterns come from windows of a text. Induction and duplicate scores come from random tokens that repeat
    with a period drawn anew for each row, with a control where they do not repeat. Copying and ranks come from the
    weights. Beside each score stands chance, the score of a random head. A head gets a name only if its score, and the
    lower end of its 95 % interval, are above chance by 0.2. Heads are written LAYER.HEAD, counted from 0.

    Example: attnlab heads gpt2-run --text notes.txt --explain
    """

    plain_class: ClassVar[str] = "evaluation.heads.settings:ScoreSettings"

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, or a model of Hugging Face: hf:FOLDER or hf:NAME."""
    text: Annotated[str | None, shown("FILE")] = None
    """A text file, or the name of a text (default: the held-out part of the text that the run was trained on)."""
    over_time: bool = False
    """Score every checkpoint of a run that was trained with --keep-every, and show the scores beside the loss."""
    html: OutFile = None
    """Write a page to this file: a map of the heads for each measure, and a table of all scores."""
    plot: OutFile = None
    """Write a chart to this file, .png, .svg or .html: maps of the main scores, layers by heads."""

    def run(self) -> Record:
        """Score every head."""
        if self.over_time:
            from attnlab.benches.heads.over_time import over_time

            return over_time(self.model, self.text, self.settings(), TerminalObserver())
        from attnlab.benches.heads.scores import score

        return score(self.model, self.text, self.settings(), TerminalObserver())
