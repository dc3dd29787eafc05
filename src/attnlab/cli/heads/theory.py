"""attnlab heads theory: the theory of attention held against trained heads."""

from typing import Annotated, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.command import OutFile, WithSettings, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Theory(WithSettings):
    """Hold the theory of attention against the heads of a trained model.

    For each head: the spread of its weights that the exact law predicts from the lengths of its keys, and the spread
    that it has; what the model loses if all its keys have the same length; the largest weight that any query could give
    to the key that it attends to; its logit scale beside the best one for keys as noisy as its own; and whether the
    first token gets attention because of the length of its key or because of its angle.

    Example: attnlab heads theory gpt2-run --head 0.0
    """

    plain_class: ClassVar[str] = "evaluation.heads.settings:TheorySettings"

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, or a model of Hugging Face: hf:FOLDER or hf:NAME."""
    head: Annotated[str, shown("LAYER.HEAD")] = ""
    """A head, counted from 0, such as 2.1, or several with commas between them (default: all heads)."""
    text: Annotated[str | None, shown("FILE")] = None
    """A text file, or the name of a text (default: the held-out part of the text that the run was trained on)."""
    html: OutFile = None
    """Write a page to this file."""
    plot: OutFile = None
    """Write a chart to this file, .png, .svg or .html: predicted and observed spread of each head."""

    def run(self) -> Record:
        """Hold the theory against the heads."""
        from attnlab.benches.heads.theory import theory

        return theory(self.model, self.text, self.head, self.settings(), TerminalObserver())
