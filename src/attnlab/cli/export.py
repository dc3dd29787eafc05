"""attnlab export: a trained Transformer for others to open."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from attnlab.runs.loading import Trained

TRAINED = "train with --model transformer --model.positions learned --model.norm layer --model.qk-norm no"


@dataclass(frozen=True)
class Export:
    """Write a trained Transformer and its tokenizer as a Hugging Face folder of GPT-2's layout.

    `transformers` opens it and scores every text the same; so does the lab, as hf:FOLDER. The layout holds Transformers
    with learned positions and layer norms, and no normalised queries and keys.

    Example: attnlab export gpt2-run --to for-others
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a run."""
    to: Annotated[Path, arg(metavar="FOLDER")]
    """The folder to write, new or empty."""
    json: bool = False
    """Print one JSON value instead of lines."""

    def run(self) -> Outcome:
        """Write the folder, whole or not at all."""
        from attnlab.files import new_folder
        from attnlab.models.kinds import parameter_count
        from attnlab.runs.loading import load_trained

        trained = load_trained(self.run_folder)
        try:
            files = exported(trained)
        except ArgumentError as error:
            raise FileError(self.run_folder, f"cannot be exported: {error.message}") from error
        with new_folder(self.to) as folder:
            for name, content in files.items():
                folder.write(name, content)
        value = {
            "run": str(self.run_folder),
            "step": trained.checkpoint.step,
            "parameters": parameter_count(trained.model),
            "tokens": trained.tokenizer.kind,
            "folder": str(self.to),
            "files": {name: len(content) for name, content in files.items()},
        }
        return Outcome(value, _told(value))


def exported(trained: Trained) -> dict[str, bytes]:
    """The files of a trained model, by name; what GPT-2's layout or the library `tokenizers` cannot hold is refused."""
    from safetensors.torch import save

    from attnlab.models.gpt2 import CONFIG, WEIGHTS, as_gpt2
    from attnlab.models.transformer import Transformer
    from attnlab.text.library import library_files

    if not isinstance(trained.model, Transformer):
        kind = type(trained.model).__name__.lower()
        raise ArgumentError("model", f"GPT-2's layout holds a transformer, got one of kind {kind}; {TRAINED}")
    layout = as_gpt2(trained.model)
    return {
        CONFIG: (json.dumps(layout.config, indent=2) + "\n").encode(),
        WEIGHTS: save(layout.tensors, {"format": "pt"}),
        **library_files(trained.tokenizer),
    }


def _told(value: dict[str, Any]) -> list[str]:
    held = {
        "config.json": "the shape",
        "model.safetensors": f"{value['parameters']:,} parameters, of step {value['step']:,}",
        "tokenizer.json": f"the tokenizer, {value['tokens']}",
        "tokenizer_config.json": "how it is opened",
    }
    lines = [f"{Path(value['folder']) / name}: {held[name]}, {size:,} bytes" for name, size in value["files"].items()]
    return [*lines, f'open it: transformers.AutoModelForCausalLM.from_pretrained("{value["folder"]}")']
