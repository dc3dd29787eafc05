"""Whether the sizes that the JSON files of a Hugging Face folder tell are those of its weights.

`transformers` makes a model as large as its config.json says before it looks at the weights: ten million layers take
minutes and all memory. A token id of four billion makes the library `tokenizers` count up to it.
"""

import base64
import binascii
import math
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from safetensors import safe_open
from torch import nn

from attnlab.errors import FileError
from attnlab.files import read_json
from attnlab.models.memory import check_memory
from attnlab.text.byte_pairs import MOST_IDS

LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers")
WIDTHS = (
    "hidden_size", "n_embd", "d_model", "vocab_size", "intermediate_size", "n_inner", "ffn_dim", "head_dim",
    "num_attention_heads", "n_head", "num_key_value_heads",
)  # fmt: skip
"""The names of sizes in config.json. None is larger than the longest axis of the weights."""


SMALLEST = 0.5
"""The bytes of a parameter in the smallest format of weights, 4 bits."""
MOST_GROWTH = 1_000
"""The most times that a tokenizer may make a text longer. Common ones make it at most a few hundred times longer."""
ADDED = ("content", "prepend")
"""The names of texts that a normalizer or decoder puts into a text."""


def check_sizes(folder: Path, config: Mapping[str, Any], *, written: bool = True) -> None:
    """Raise if config.json tells of more layers than there are tensors, or of a size that no tensor has. Where the
    sizes are not those as `written`, but also those that `transformers` adds, only layers tell: it adds widths that the
    model does not use."""
    shapes = [shape for path in sorted(folder.glob("*.safetensors")) for shape in _shapes(path)]
    longest = max((max(shape, default=1) for shape in shapes), default=0)
    inner = config.get("text_config")
    for settings in (config, inner if isinstance(inner, dict) else {}):
        for name in (*LAYERS, *(WIDTHS if written else ())):
            value = settings.get(name)
            if name in LAYERS and isinstance(value, int) and value > len(shapes):
                raise FileError(folder / "config.json", f"{name} is {value}, the weights have {len(shapes)} tensors")
            if name in WIDTHS and isinstance(value, int) and value > longest:
                raise FileError(folder / "config.json", f"{name} is {value}, no axis of a weight is over {longest}")


def check_parameters(folder: Path, model: nn.Module) -> None:
    """Raise if a model, made without memory from config.json, has more parameters than the weights have bytes for.
    Sizes that config.json leaves out are those of `transformers`, often of billions of parameters."""
    stored = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    described = sum(each.numel() for each in model.parameters())
    if SMALLEST * described > stored:
        said = f"it describes a model of {described:,} parameters, the weights have {stored:,} bytes"
        raise FileError(folder / "config.json", f"{said}; sizes that it leaves out are those of transformers")
    check_memory(sum(each.numel() for each in chain(model.parameters(), model.buffers())))


def _shapes(path: Path) -> list[list[int]]:
    with safe_open(path, framework="np") as file:
        return [file.get_slice(name).get_shape() for name in file.keys()]  # noqa: SIM118 (it has no __iter__)


def check_tokenizer(path: Path) -> None:
    """Raise if a token of a tokenizer.json has an id that no vocabulary needs, or if the tokenizer can make a text so
    long that it fills the memory."""
    found = read_json(path, "a tokenizer of the library tokenizers")
    for part in ("normalizer", "pre_tokenizer", "decoder"):
        if (times := _growth(found.get(part))) > MOST_GROWTH:
            raise FileError(
                path, f"its {part} can make a text {times:,.0f} times longer; expected at most {MOST_GROWTH:,}"
            )
    model, added = found.get("model"), found.get("added_tokens")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    ids = list(vocabulary.values()) if isinstance(vocabulary, dict) else []
    ids += [each.get("id") for each in added if isinstance(each, dict)] if isinstance(added, list) else []
    for each in ids:
        if isinstance(each, int) and each >= MOST_IDS:
            raise FileError(path, f"expected token ids below {MOST_IDS:,}, got {each}")


def _growth(part: Any) -> float:
    """How many times longer a part of a tokenizer, with the parts inside it, can make a text at most.

    >>> _growth({"type": "Replace", "pattern": {"String": "ab"}, "content": "x" * 60})
    30.0
    """
    if isinstance(part, list):
        return math.prod(map(_growth, part))
    if not isinstance(part, dict):
        return 1.0
    added = max([len(part[name]) for name in ADDED if isinstance(part.get(name), str)], default=0)
    pattern = part.get("pattern")
    replaced = pattern.get("String") if isinstance(pattern, dict) else None
    # A regular expression can match the empty string, at every character.
    own = max(1.0, added / len(replaced)) if isinstance(replaced, str) and replaced else 1.0 + added
    if isinstance(part.get("precompiled_charsmap"), str):
        own *= _longest_replacement(part["precompiled_charsmap"])
    return own * math.prod(_growth(each) for each in part.values() if isinstance(each, dict | list))


def _longest_replacement(charsmap: str) -> int:
    """The most bytes that SentencePiece's table puts in the place of a character: the table is the bytes of an index,
    their number before them, and texts that end with a zero byte."""
    try:
        table = base64.b64decode(charsmap)
    except binascii.Error:
        return 1  # the library refuses it
    texts = table[4 + int.from_bytes(table[:4], "little") :]
    return max(1, *map(len, texts.split(b"\0")))
