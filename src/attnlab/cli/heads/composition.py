"""attnlab heads composition: how strongly each later head reads what each earlier head writes."""

from typing import Annotated

from tyro.conf import Positional, arg

from attnlab.cli.command import Command, OutFile, command
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Composition(Command):
    """How strongly each later head of a model reads what each earlier head writes, from the matrices alone.

    A head of a later layer can read what an earlier head writes in its queries, its keys or its values. An induction
    head, for example, reads a previous-token head in its keys. The command needs no text.

    Example: attnlab heads composition gpt2-run
    """

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, or a model of Hugging Face: hf:FOLDER or hf:NAME."""
    html: OutFile = None
    """Write a page to this file."""
    plot: OutFile = None
    """Write a chart to this file, .png, .svg or .html: a map of all pairs for queries, keys and values."""

    def run(self) -> Record:
        """The scores of all pairs."""
        from attnlab.benches.heads.composition import composition

        return composition(self.model, TerminalObserver())
