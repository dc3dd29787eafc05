"""attnlab heads ablate: what each head of a model is worth."""

from typing import Annotated, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.command import OutFile, Spreading, WithSettings, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Ablate(WithSettings, Spreading):
    """Switch off each head of a model in turn: how many bits per byte more does the text cost?

    A head is switched off in two ways: its output becomes 0, or the mean of its outputs over a reference text. The
    table also has an estimate from one backward pass (first order), and how well the rankings agree. Then heads are
    switched off one after the other, the least important first: how many can go before the text costs 1 % more? Heads
    are written LAYER.HEAD, counted from 0.

    Example: attnlab heads ablate gpt2-run --text notes.txt
    """

    plain_class: ClassVar[str] = "evaluation.heads.settings:AblationSettings"

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, or a model of Hugging Face: hf:FOLDER or hf:NAME."""
    text: Annotated[str | None, shown("FILE")] = None
    """A text file, or the name of a text (default: the held-out part of the text that the run was trained on)."""
    reference: Annotated[str | None, shown("FILE")] = None
    """The text whose mean outputs take the place of heads: a file, or the name of a text (default: the same text)."""
    html: OutFile = None
    """Write a page to this file: the table and the chart."""
    plot: OutFile = None
    """Write a chart to this file, .png, .svg or .html: the cost of the text against the number of heads switched
    off."""

    def run(self) -> Record:
        """Switch off every head."""
        from attnlab.benches.heads.ablation import ablate

        given = (self.model, self.text, self.reference, self.settings())
        return ablate(*given, TerminalObserver(), self.workers())
