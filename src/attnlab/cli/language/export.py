"""attnlab export: a trained Transformer as a folder that other software opens."""

from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from attnlab.cli.command import Command, RunFolder, command
from attnlab.records import Record


@command
class Export(Command):
    """Write a trained Transformer and its tokenizer as a Hugging Face folder.

    The library `transformers` opens the folder and gives every text the same score; the lab opens it as hf:FOLDER. The
    layout is the one that holds the model: Persimmon's, Apertus's or Arcee's for rotary positions, GPT-2's for learned
    ones. Dot-product attention is the only mixer that has a layout.

    Example: attnlab export gpt2-run --to for-others
    """

    run_folder: RunFolder
    """The folder of a run."""
    to: Annotated[Path, arg(metavar="FOLDER")]
    """The folder to write, new or empty."""

    def run(self) -> Record:
        """Write the folder, whole or not at all."""
        from attnlab.benches.export import export

        return export(self.run_folder, self.to)
