"""Whether the sizes that the JSON files of a Hugging Face folder tell are those of its weights.

`transformers` makes a model as large as its config.json says before it looks at the weights: ten million layers take
minutes and all memory. A token id of four billion makes the library `tokenizers` count up to it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import safe_open

from attnlab.errors import FileError
from attnlab.files import read_json
from attnlab.text.byte_pairs import MOST_IDS

LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers")
WIDTHS = (
    "hidden_size", "n_embd", "d_model", "vocab_size", "intermediate_size", "n_inner", "ffn_dim", "head_dim",
    "num_attention_heads", "n_head", "num_key_value_heads",
)  # fmt: skip
"""The names of sizes in config.json. None is larger than the longest axis of the weights."""


def check_sizes(folder: Path, config: Mapping[str, Any]) -> None:
    """Raise if config.json tells of more layers than there are tensors, or of a size that no tensor has."""
    shapes = [shape for path in sorted(folder.glob("*.safetensors")) for shape in _shapes(path)]
    longest = max((max(shape, default=1) for shape in shapes), default=0)
    inner = config.get("text_config")
    for settings in (config, inner if isinstance(inner, dict) else {}):
        for name in (*LAYERS, *WIDTHS):
            value = settings.get(name)
            if name in LAYERS and isinstance(value, int) and value > len(shapes):
                raise FileError(folder / "config.json", f"{name} is {value}, the weights have {len(shapes)} tensors")
            if name in WIDTHS and isinstance(value, int) and value > longest:
                raise FileError(folder / "config.json", f"{name} is {value}, no axis of a weight is over {longest}")


def _shapes(path: Path) -> list[list[int]]:
    with safe_open(path, framework="np") as file:
        return [file.get_slice(name).get_shape() for name in file.keys()]  # noqa: SIM118 (it has no __iter__)


def check_token_ids(path: Path) -> None:
    """Raise if a token of a tokenizer.json has an id that no vocabulary needs."""
    found = read_json(path, "a tokenizer of the library tokenizers")
    model, added = found.get("model"), found.get("added_tokens")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    ids = list(vocabulary.values()) if isinstance(vocabulary, dict) else []
    ids += [each.get("id") for each in added if isinstance(each, dict)] if isinstance(added, list) else []
    for each in ids:
        if isinstance(each, int) and each >= MOST_IDS:
            raise FileError(path, f"expected token ids below {MOST_IDS:,}, got {each}")
