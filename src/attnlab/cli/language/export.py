"""attnlab export: a trained model as files that other software opens."""

from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from attnlab.cli.command import Command, RunFolder, command
from attnlab.records import Record


@command
class Export(Command):
    """Write a trained Transformer as a Hugging Face folder, or an n-gram model of words as an ARPA file.

    The library `transformers` opens the folder and gives every text the same score; the lab opens it as hf:FOLDER. The
    layout is the one that holds the model: Persimmon's, Apertus's or Arcee's for rotary positions, GPT-2's for learned
    ones. Dot-product attention is the only mixer that has a layout.

    An ARPA file holds the same probabilities as the n-gram model. KenLM and SRILM read it, and the lab opens it by its
    name: attnlab export words --to words.arpa

    Example: attnlab export gpt2-run --to for-others
    """

    run_folder: RunFolder
    """The folder of a run."""
    to: Annotated[Path, arg(metavar="FOLDER|FILE.arpa")]
    """The folder to write, new or empty; or the ARPA file, new or empty, for an n-gram model."""

    def run(self) -> Record:
        """Write the folder or the file, whole or not at all."""
        from attnlab.benches.export import export

        return export(self.run_folder, self.to)
