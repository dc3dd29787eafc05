"""attnlab heads look: the attention weights of heads on a text."""

from typing import Annotated

from tyro.conf import Positional, arg

from attnlab.cli.command import Command, OutFile, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record
from attnlab.settings import Device


@command
class Look(Command):
    """Look at a text as the heads of a model see it: how much attention each token gets.

    Without --head, a grid shows for each head the token that it attends to most. With --head, the text is shaded by the
    attention of one token, and a short text has all weights. The page of --html shows all heads.

    Example: attnlab heads look gpt2-run "The cat" --head 0.0
    """

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, or a model of Hugging Face: hf:FOLDER or hf:NAME."""
    text: Positional[Annotated[str, arg(metavar="TEXT")]]
    """The text, at most as long as the context window of the model."""
    head: Annotated[str, shown("LAYER.HEAD")] = ""
    """A head, counted from 0, such as 2.1, or several with commas between them (default: all heads)."""
    query: Annotated[int | None, shown("N")] = None
    """The position of the token whose attention is shown, counted from 0 (default: the last token)."""
    device: Device = "auto"
    """Where the model runs; auto: on a GPU if there is one."""
    html: OutFile = None
    """Write a page to this file: a map of every head, and arcs over the text."""
    plot: OutFile = None
    """Write a chart of the weights to this file: .png, .svg or .html."""
    save: OutFile = None
    """Write the weights and logits to this file: .csv, .json, or .safetensors, which also has queries, keys, values."""

    def run(self) -> Record:
        """Look at the text."""
        from attnlab.benches.heads.look import look

        return look(self.model, self.text, self.head, self.query, self.device, TerminalObserver())
