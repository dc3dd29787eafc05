"""The versions of config.json: those of older labs are read as today's lab would have written them."""

from pathlib import Path
from typing import Any

from attnlab.errors import FileError

VERSION = 7
"""Since version 2, config.json holds only settings that were used, and the hash of the tokenizer. Since version 3, the
settings of a recurrent model say whether the vectors of its tokens are trained. Since version 4, those of a Transformer
say whether normalised queries and keys have a gain, and whether there are feed-forward layers. Since version 5, the
settings of training on batches say which checkpoints are kept. Since version 6, those of an n-gram model say whether
lines are sentences. Since version 7, settings that have no effect beside the others are left out."""
SEALED = 6
"""Since this version every result.json has a seal (seals.py); version 5 was written with and without one."""
PLAIN = {"qk_gain": False, "attention_only": False}
"""Every Transformer before version 4."""
COUNTED = {"steps": 70, "rate": 0.07, "penalty": 4e-6, "vector_penalty": 1e-6}
"""The training of every neural bigram model of version 1, which took 70 steps if it was limited by minutes only."""


def upgraded(config: dict[str, Any], path: Path) -> dict[str, Any]:
    """The content of a config.json, in the form of the newest version."""
    version = config.get("version")
    if version == VERSION:
        return config
    if not isinstance(version, int) or version not in range(1, VERSION):
        raise FileError(path, f"expected a version from 1 to {VERSION}, got {version!r}; a newer attnlab may read it")
    config = _with_checkpoints(config)
    model = config.get("model")
    if isinstance(model, dict) and model.get("kind") == "transformer":
        config = {**config, "model": {**PLAIN, **model}}
    if isinstance(model, dict) and model.get("kind") == "ngram":
        config = {**config, "model": {"sentences": False, **model}}
    if "task" in config:
        return config
    if isinstance(model, dict) and model.get("kind") == "recurrent" and version < 3:
        config = {**config, "model": {**model, "train_vectors": True}}
    if version > 1:
        return config
    return {"recipe": "", **config, "training": _used(model, config.get("training"))}


def _with_checkpoints(value: Any) -> Any:
    """The value, in which all settings of training on batches say which checkpoints are kept. They are known by the
    steps between two validations, and stand in several places: a knowledge run has several lessons."""
    if isinstance(value, list):
        return [*map(_with_checkpoints, value)]
    if not isinstance(value, dict):
        return value
    found = {name: _with_checkpoints(each) for name, each in value.items()}
    return {**found, "keep_every": found.get("keep_every", 0)} if "validate_every" in found else found


def _used(model: Any, training: Any) -> Any:
    """The settings of training that a language model used, of all that version 1 wrote down."""
    kind = model.get("kind") if isinstance(model, dict) else None
    if not isinstance(training, dict):
        return training
    if kind == "ngram":
        return {"kind": "none"}
    if kind == "bigram":
        own = {"steps": training.get("steps") or COUNTED["steps"], "seed": training.get("seed")}
        return {"kind": "counts", **COUNTED, **own}
    return {"kind": "batches", **training}
