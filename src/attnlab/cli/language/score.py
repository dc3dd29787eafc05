"""attnlab score: what each token of a text costs a model."""

import sys
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from attnlab.cli.command import Command, OutFile, command, shown
from attnlab.errors import ArgumentError, FileError
from attnlab.records import Record

MOST_BYTES = 1_000_000
"""The largest text, since each token of it is kept with its likeliest tokens: about a kilobyte."""


@command
class Score(Command):
    """Measure what each token of a text costs a model, in bits, and show the tokens that it found likeliest there.

    The total is in bits per byte, as in attnlab perplexity, with disjoint windows. It is not audited, and a short text
    has no interval: to compare models, use attnlab perplexity. A text of more than 200 tokens is shown by its costliest
    tokens; --json and --save have all.

    Example: attnlab score first-run "To be, or not to be."
    """

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, an ARPA file, or a model of Hugging Face: hf:FOLDER or hf:NAME."""
    text: Positional[Annotated[str | None, shown("[TEXT]")]] = None
    """The text; it may be longer than the context window of the model."""
    file: Annotated[str | None, shown("FILE")] = None
    """Read the text from this file, or with - from stdin, in UTF-8."""
    likeliest: Annotated[int, shown("N")] = 5
    """How many of the likeliest tokens to show at each position, at most 100; 0 is fastest."""
    context: Annotated[int | None, shown("N")] = None
    """The context window: the most tokens a model sees (default: as many as it can, up to 4,096)."""
    stride: Annotated[int | None, shown("N")] = None
    """The step from one window to the next (default: the context window, so that the windows are disjoint)."""
    html: OutFile = None
    """Write a page to this file: the numbers, and a chart of the bits of each token."""
    plot: OutFile = None
    """Write the chart to this file: .png, .svg or .html."""
    save: OutFile = None
    """Write all tokens to this file: .csv or .json."""

    def run(self) -> Record:
        """Measure the text."""
        from attnlab.benches.language import open_model

        text = self._text()
        return open_model(self.model).score(text, self.context, self.stride, self.likeliest)

    def _text(self) -> str:
        """The text that was typed, or that a file or stdin has."""
        if (self.text is None) == (self.file is None):
            got = "no text" if self.text is None else "both"
            raise ArgumentError("text", f"expected a text, or --file FILE, got {got}")
        return self.text if self.text is not None else _content(self.file or "")


def _content(file: str) -> str:
    """The text in a file, or with "-" in stdin."""
    from attnlab.data.texts.slices import TextSlice, check_blocks

    if file == "-":
        raw = sys.stdin.buffer.read(MOST_BYTES + 1)
        check_blocks([raw], Path("stdin"))
        found = TextSlice.of([raw])
    else:
        found = TextSlice.of([Path(file)])
    name = "stdin" if file == "-" else file
    if not found.size:
        raise FileError(name, "the file is empty" if file != "-" else "expected a text, got nothing")
    if found.size > MOST_BYTES:
        raise FileError(name, f"expected at most {MOST_BYTES:,} bytes; attnlab perplexity measures longer texts")
    return found.read()
