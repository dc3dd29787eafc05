"""External models: any causal language model in a Hugging Face folder, with its tokenizer.

Models of GPT-2's layout are read into the lab's own Transformer; `transformers`, an optional extra, runs all others.
Weights are read from safetensors only, and no code of a model is run.
"""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.external.hugging_face import first_line, model_folder, opened, transformers
from attnlab.evaluation.external.names import HUGGING_FACE
from attnlab.evaluation.external.safety import check_folder
from attnlab.evaluation.external.sizes import check_parameters, check_sizes
from attnlab.evaluation.external.tokens import SAFELY, open_vocabulary
from attnlab.evaluation.scoring.predictors import NetworkPredictor, Predictor, predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.files import read_json
from attnlab.models.layouts.gpt2 import load_gpt2, shape_from_gpt2

HARMLESS = ("attn.bias", "attn.masked_bias", "inv_freq", "lm_head.weight")
"""Masks, tables and tied read-outs that older files store beside the weights."""
LONGEST = 2048
"""The context of a model whose config.json names none."""


def open_external(name: str, device: str = "cpu") -> Subject:
    """Opens the model hf:FOLDER or hf:NAME on a device."""
    folder = model_folder(name.removeprefix(HUGGING_FACE))
    if not (folder / "config.json").is_file():
        raise FileError(folder, "expected the folder of a Hugging Face model, with a config.json in it")
    config = read_json(folder / "config.json", "a model's config.json")
    check_folder(folder, config)
    check_sizes(folder, config)
    vocabulary = open_vocabulary(folder, config)
    if vocabulary.tokenizer.size < 2:
        raise FileError(folder, f"expected a tokenizer with at least 2 tokens, found {vocabulary.tokenizer.size}")
    predictor = open_predictor(folder, config, device)
    size = vocabulary.tokenizer.size
    if size > predictor.size:
        said = f"its tokenizer has ids up to {size - 1}, its model predicts {predictor.size} tokens"
        raise FileError(folder, f"expected a tokenizer and a model of one vocabulary: {said}")
    return Subject(name, vocabulary.tokenizer, predictor, vocabulary.start, vocabulary.unknown)


def open_predictor(folder: Path, config: Mapping[str, Any], device: str = "cpu") -> Predictor:
    """The model in a folder: the lab's Transformer if its config has GPT-2's layout, else a `transformers` model."""
    try:
        shape_from_gpt2(config)
    except ArgumentError:
        return _asked(folder, device)
    return predictor_of(load_gpt2(folder).to(device))


def _asked(folder: Path, device: str) -> NetworkPredictor:
    library = transformers()
    settings = opened(folder, "config.json", lambda: library.AutoConfig.from_pretrained(folder, **SAFELY))
    check_sizes(folder, settings.to_dict(), written=False)
    with torch.device("meta"):
        shape = opened(folder, "model", lambda: library.AutoModelForCausalLM.from_config(settings))
    check_parameters(folder, shape)
    how = {**SAFELY, "use_safetensors": True, "dtype": torch.float32, "output_loading_info": True}
    how["ignore_mismatched_sizes"] = True  # they are told below
    model, report = opened(folder, "model", lambda: library.AutoModelForCausalLM.from_pretrained(folder, **how))
    for name in report["unexpected_keys"]:
        if not name.endswith(HARMLESS):
            raise FileError(folder, f"the weights do not fit config.json: {name} is not in the model that it describes")
    other = [each if isinstance(each, str) else each[0] for each in report["mismatched_keys"]]
    missing = sorted([*report["missing_keys"], *other])
    if missing:  # transformers would fill them with random numbers
        raise FileError(folder, f"the weights do not fit config.json: {missing[0]} is missing or has another shape")
    model.eval().requires_grad_(False).to(device)
    model.config.use_cache = False
    keeps = "logits_to_keep" in inspect.signature(model.forward).parameters

    def logits(ids: Tensor, last: int) -> Tensor:
        try:
            if keeps:
                return model(input_ids=ids, logits_to_keep=last).logits
            return model(input_ids=ids).logits[:, -last:]
        except (IndexError, RuntimeError, ValueError) as error:
            said = f"its network fails on {ids.shape[1]} tokens at once: {first_line(error)}"
            raise FileError(folder, f"{said}; set --context to the number of tokens that it can see") from error

    with torch.no_grad():
        size = logits(torch.zeros(1, 1, dtype=torch.long, device=device), 1).shape[-1]
    return NetworkPredictor(logits, _context(model.config.get_text_config()), size, torch.device(device), model)


def _context(config: Any) -> int:
    for name in ("n_positions", "max_position_embeddings", "n_ctx", "max_seq_len"):
        found = getattr(config, name, None)
        if isinstance(found, int) and found > 0:
            return found
    return LONGEST
