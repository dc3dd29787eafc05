"""attnlab heads theory: the theory of attention held against trained heads."""

from typing import Annotated, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.command import OutFile, WithSettings, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Theory(WithSettings):
    """Hold the theory of attention against the heads of a trained model.

    Each head gets five answers. How much do its weights spread, and which spread does the exact law predict from the
    lengths of its keys? What does the model lose if all keys of the head have the same length? Which largest weight
    could any query give to the key that the head attends to? How far is its logit scale from the best scale for keys as
    noisy as its own? Does the first token get attention because of the length of its key, or because of its angle?

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
