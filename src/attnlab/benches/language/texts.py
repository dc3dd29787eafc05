"""A text made ready for training: its tokens, in the three parts. A large one is kept in a file, memory-mapped."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt

from attnlab.data.texts.loading import Part, Text, load_text
from attnlab.data.tokens.files import encode_pieces, open_tokens, write_tokens
from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.scores import HeldOut
from attnlab.text import Tokenizer, load_tokenizer
from attnlab.training.language.config import Config
from attnlab.training.processes import Process

PARTS: tuple[Part, ...] = ("train", "validation", "test")
LARGE = 1 << 28
"""Bytes of a training text that are too many to be held as tokens in memory."""


@dataclass(frozen=True)
class PreparedText:
    """A text with its tokenizer: the part that picks the checkpoint, and the one that is reported on, if there is
    one."""

    text: Text
    tokenizer: Tokenizer
    validation: HeldOut
    test: HeldOut | None
    described: dict[str, Any]
    """The text's name, how it was split, and its hash."""


def prepare(config: Config, tokenizer_path: Path | None = None) -> PreparedText:
    """The text of a configuration, with a tokenizer made from its training part, or with the one that is there."""
    text = load_text(config.text)
    tokenizer = load_tokenizer(tokenizer_path) if tokenizer_path else config.tokens.train(text.pieces("train"))
    held = {part: HeldOut.of(tokenizer, text.pieces(part)) for part in ("validation", "test") if text.size(part)}
    if "validation" not in held or len(held["validation"]) < 2:
        raise ArgumentError("text", f"expected a part to validate with, of two tokens or more, in {text.name}")
    described = {"name": text.name, "source": text.source, "split": text.split, "sha256": _hash(text)}
    return PreparedText(text, tokenizer, held["validation"], held.get("test"), described)


def training_ids(ready: PreparedText, folder: Path, process: Process) -> UInt[np.ndarray, " tokens"]:
    """The tokens to train on: in memory, or of a large text in a file of the run's folder that all processes share."""
    if ready.text.size("train") <= LARGE:
        found = [each.ids for each in encode_pieces(ready.tokenizer, ready.text.pieces("train"))]
        return np.concatenate(found) if found else np.empty(0, np.uint16)
    path = folder / "tokens" / "train.bin"
    if process.leads and not path.with_suffix(".json").exists():
        write_tokens(ready.tokenizer, ready.text.pieces("train"), path)
    process.wait()
    return open_tokens(path, ready.tokenizer).ids


def _hash(text: Text) -> str:
    found = hashlib.sha256()
    for part in PARTS:
        found.update(f"{part} {text.size(part)}\n".encode())
        for piece in text.pieces(part):
            found.update(piece.encode())
    return found.hexdigest()
