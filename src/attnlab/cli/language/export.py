"""attnlab export: a trained Transformer as a folder that other software opens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

if TYPE_CHECKING:
    from attnlab.benches.export import Exported


@dataclass(frozen=True)
class Export:
    """Write a trained Transformer and its tokenizer as a Hugging Face folder in GPT-2's layout.

    The library `transformers` opens the folder and gives every text the same score; the lab opens it as hf:FOLDER. The
    layout needs a Transformer with learned positions and layer norms, and without normalised queries and keys.

    Example: attnlab export gpt2-run --to for-others
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a run."""
    to: Annotated[Path, arg(metavar="FOLDER")]
    """The folder to write, new or empty."""
    json: bool = False
    """Print one JSON value instead of lines."""

    def run(self) -> Exported:
        """Write the folder, whole or not at all."""
        from attnlab.benches.export import export

        return export(self.run_folder, self.to)
