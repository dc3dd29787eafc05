"""A text made ready for training: its tokens, in the three parts. A large one is kept in a file, memory-mapped."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt

from attnlab.data.texts.loading import Text, load_text
from attnlab.data.tokens.files import encode_pieces, open_tokens, write_tokens
from attnlab.errors import ArgumentError
from attnlab.text import Encoding, Tokenizer, load_tokenizer
from attnlab.training.language.config import Config
from attnlab.training.processes import Process

PARTS = ("train", "validation", "test")
LARGE = 1 << 28
"""Bytes of a training text that are too many to be held as tokens in memory."""


@dataclass(frozen=True)
class Prepared:
    """A text, its tokenizer, and as tokens what picks the checkpoint and what is reported on, if there is such."""

    text: Text
    tokenizer: Tokenizer
    validation: Encoding
    test: Encoding | None
    described: dict[str, Any]
    """The text's name, how it was split, and its hash."""

    def lost(self, part: Encoding) -> dict[str, Any]:
        """What the tokens do not tell of a part: the share that is unknown, and whether the raw text can be told.

        Where it cannot, bits per byte are fewer than the raw text would cost.
        """
        unknown = float((part.ids == 0).mean()) if self.tokenizer.kind in ("characters", "words") else 0.0
        return {"unknown": unknown, "lossless": self.tokenizer.kind != "words" and unknown == 0}


def prepare(config: Config, tokenizer_path: Path | None = None) -> Prepared:
    """The text of a configuration, with a tokenizer made from its training part, or with the one that is there."""
    text = load_text(config.text)
    tokenizer = load_tokenizer(tokenizer_path) if tokenizer_path else config.tokens.train(text.pieces("train"))
    validation, test = (_encoded(text, part, tokenizer) for part in ("validation", "test"))
    if validation is None or len(validation) < 2:
        raise ArgumentError("text", f"expected a part to validate with, of two tokens or more, in {text.name}")
    described = {"name": text.name, "source": text.source, "split": text.split, "sha256": _hash(text)}
    return Prepared(text, tokenizer, validation, test if test is not None and len(test) > 1 else None, described)


def training_ids(ready: Prepared, folder: Path, process: Process) -> UInt[np.ndarray, " tokens"]:
    """The tokens to train on: in memory, or of a large text in a file of the run's folder that all processes share."""
    if ready.text.size("train") <= LARGE:
        found = _encoded(ready.text, "train", ready.tokenizer)
        return found.ids if found is not None else np.empty(0, np.uint16)
    path = folder / "tokens" / "train.bin"
    if process.leads and not path.with_suffix(".json").exists():
        write_tokens(ready.tokenizer, ready.text.pieces("train"), path)
    process.wait()
    return open_tokens(path, ready.tokenizer).ids


def _encoded(text: Text, part: Any, tokenizer: Tokenizer) -> Encoding | None:
    pieces = list(encode_pieces(tokenizer, text.pieces(part)))
    if not pieces:
        return None
    return Encoding(np.concatenate([each.ids for each in pieces]), np.concatenate([each.raw_bytes for each in pieces]))


def _hash(text: Text) -> str:
    found = hashlib.sha256()
    for part in PARTS:
        found.update(f"{part} {text.size(part)}\n".encode())
        for piece in text.pieces(part):
            found.update(piece.encode())
    return found.hexdigest()
