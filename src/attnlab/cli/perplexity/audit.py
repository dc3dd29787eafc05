"""attnlab audit: can a model's perplexity be trusted?"""

from typing import Annotated

from tyro.conf import Positional, arg

from attnlab.cli.command import Command, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Audit(Command):
    """Check whether a model's perplexity can be trusted: a certificate with one line for each check.

    causal: later tokens change no earlier prediction, not even through a mask with a finite number. normalised:
    probabilities sum to 1. every byte counted once: the tokens cover the raw file. first token: it is counted, too.
    batch-invariant and deterministic: the same tokens always cost the same. recounted: random tokens cost the same if
    the model sees only the tokens before them. If a check fails, the exit code is 1.

    Example: attnlab audit first-run
    """

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, an ARPA file, or a model of Hugging Face: hf:FOLDER or hf:NAME."""
    text: Annotated[str | None, shown("FILE")] = None
    """The text whose bytes are counted: a file or the name of a text (default: a short text that is hard to count)."""
    json: bool = False
    """Print one JSON value, the certificate, instead of a table."""

    def run(self) -> Record:
        """The certificate."""
        from attnlab.benches.perplexity import audit

        return audit(self.model, self.text, TerminalObserver())
