"""A text made ready for training: its tokens, in the three parts."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attnlab.data.text import Text, load_text
from attnlab.data.tokens import encode_pieces
from attnlab.errors import ArgumentError, FileError
from attnlab.text import Encoding, Tokenizer, load_tokenizer
from attnlab.training.config import Config

PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class Prepared:
    """A text as tokens: what is trained on, what picks the checkpoint and what is reported on, if there is such."""

    tokenizer: Tokenizer
    train: Encoding
    validation: Encoding
    test: Encoding | None
    described: dict[str, Any]
    """The text's name, how it was split, and its hash."""


def prepare(config: Config, tokenizer_path: Path | None = None) -> Prepared:
    """The text of a configuration, with a tokenizer made from its training part, or with the one that is there."""
    text = load_text(config.text)
    tokenizer = load_tokenizer(tokenizer_path) if tokenizer_path else config.tokens.train(text.pieces("train"))
    train, validation, test = (_encoded(text, part, tokenizer) for part in PARTS)
    if train is None or len(train) < 2:
        raise FileError(text.source, "too short to train on")
    if validation is None or len(validation) < 2:
        raise ArgumentError("text", f"expected a part to validate with, of two tokens or more, in {text.name}")
    described = {"name": text.name, "source": text.source, "split": text.split, "sha256": _hash(text)}
    return Prepared(tokenizer, train, validation, test if test is not None and len(test) > 1 else None, described)


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
