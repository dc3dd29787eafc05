"""attnlab perplexity: measure and audit models on texts."""

from typing import Annotated, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.command import OutFile, Spreading, WithSettings, command, shown
from attnlab.errors import ArgumentError
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Perplexity(WithSettings, Spreading):
    """Measure models on texts: perplexity, and bits per byte, which are comparable. Each number is audited.

    A model is the folder of a run, or a causal language model of Hugging Face: hf:FOLDER or hf:NAME. It is measured in
    disjoint windows, and in strided windows, where every token has a long context. Bits per byte are comparable across
    tokenizers, because unknown words are spelled out. A number that fails its audit is not shown.

    Example: attnlab perplexity first-run --text notes.txt --explain
    """

    shared: ClassVar[bool] = True
    plain_class: ClassVar[str] = "evaluation.settings:MeasureSettings"

    models: Positional[Annotated[tuple[str, ...], shown("MODEL ...")]]
    """Folders of runs, ARPA files, or models of Hugging Face: hf:FOLDER or hf:NAME."""
    text: Annotated[tuple[str, ...], arg(metavar="FILE ...")]
    """Text files, or names of texts (attnlab data list). Of a named text, only the held-out part is measured;
    passages stands for its two files."""
    html: OutFile = None
    """Write a page to this file. With --explain, the page shades each token of the text by its surprise."""
    plot: OutFile = None
    """Write a chart to this file, .png, .svg or .html: bits per byte, or with --explain the parts of the difference."""

    def run(self) -> Record:
        """Measure every model on every text, and explain the numbers if --explain is given."""
        from attnlab.benches.perplexity import perplexity

        if not self.models:
            raise ArgumentError("MODEL", "expected at least one model before --text: --text takes all words after it")
        return perplexity(self.models, self.text, self.settings(), TerminalObserver(), self.workers())
