"""A trained Transformer and its tokenizer as a folder that `transformers` opens."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from safetensors.torch import save

from attnlab.arguments import checked
from attnlab.errors import ArgumentError, FileError
from attnlab.files import new_folder
from attnlab.models.kinds import parameter_count
from attnlab.models.layouts import as_layout
from attnlab.models.layouts.layout import CONFIG, WEIGHTS
from attnlab.models.transformer import Transformer
from attnlab.records import Record, command_line, record
from attnlab.runs.loading import Trained, load_trained
from attnlab.text.library import library_files


@record
class Exported(Record):
    """An exported run: its folder, its checkpoint, and its files with their sizes."""

    shown_by: ClassVar[str] = "data.exported"

    run: Path
    folder: Path
    step: int
    parameters: int
    tokens: str
    files: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Everything about the folder."""
        return {
            "run": str(self.run),
            "step": self.step,
            "parameters": self.parameters,
            "tokens": self.tokens,
            "folder": str(self.folder),
            "files": dict(self.files),
        }

    @property
    def command(self) -> str:
        """The command line that writes it again."""
        return command_line(["export", self.run, "--to", self.folder])


@checked
def export(run: Path | str, to: Path | str) -> Exported:
    """Write a run as a Hugging Face folder, completely or not at all."""
    run, to = Path(run), Path(to)
    trained = load_trained(run)
    try:
        files = exported_files(trained)
    except ArgumentError as error:
        raise FileError(run, f"cannot be exported: {error.message}") from error
    with new_folder(to) as folder:
        for name, content in files.items():
            folder.write(name, content)
    sizes = {name: len(content) for name, content in files.items()}
    kind = trained.tokenizer.kind
    return Exported(run, to, trained.checkpoint.step, parameter_count(trained.model), kind, sizes)


def exported_files(trained: Trained) -> dict[str, bytes]:
    """The files of a trained model, by name. Raises if no layout or the library `tokenizers` cannot hold it."""
    if not isinstance(trained.model, Transformer):
        kind = type(trained.model).__name__.lower()
        raise ArgumentError("model", f"expected a transformer, got {kind}; train with --model transformer")
    layout = as_layout(trained.model)
    return {
        CONFIG: (json.dumps(layout.config, indent=2) + "\n").encode(),
        WEIGHTS: save(layout.tensors, {"format": "pt"}),
        **library_files(trained.tokenizer),
    }
