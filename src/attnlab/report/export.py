"""How an exported model is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.report.blocks import Presentation

if TYPE_CHECKING:
    from attnlab.benches.export import Exported


def exported(found: Exported) -> Presentation:
    """The files of the folder, and how to open the model."""
    held = {
        "config.json": "the model's shape",
        "model.safetensors": f"{found.parameters:,} parameters, of step {found.step:,}",
        "tokenizer.json": f"the tokenizer, {found.tokens}",
        "tokenizer_config.json": "how transformers loads the tokenizer",
    }
    lines = [f"{found.folder / name}: {held[name]}, {size:,} bytes" for name, size in found.files.items()]
    rows = [{"file": name, "bytes": size} for name, size in found.files.items()]
    opened = f'open it: transformers.AutoModelForCausalLM.from_pretrained("{found.folder}")'
    return Presentation([*lines, opened], rows=rows)
