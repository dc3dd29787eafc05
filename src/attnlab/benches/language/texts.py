"""Prepare a text for training: the tokens of its three splits. A large text is in a memory-mapped file."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, UInt
from torch import Tensor

from attnlab.data.texts.loading import PARTS, Text, load_text
from attnlab.data.tokens.files import encode_pieces, open_tokens, write_tokens
from attnlab.data.vectors import VECTORS_HASH, vectors_hash
from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.scores import HeldOut
from attnlab.models.bigram import BigramConfig
from attnlab.models.recurrent import RecurrentConfig
from attnlab.progress import SILENT, Observer
from attnlab.text import Tokenizer
from attnlab.text.words import WordTokenizer
from attnlab.training.language.config import Config
from attnlab.training.language.counting import CountTraining
from attnlab.training.language.vectors import starting_vectors
from attnlab.training.processes import Process
from attnlab.training.settings import Training

LARGE = 1 << 28
"""Keep the tokens of a training text in memory up to this size, in bytes."""


@dataclass(frozen=True)
class PreparedText:
    """A text with its tokenizer: the validation split, which picks the checkpoint, and the test split, if any."""

    text: Text
    tokenizer: Tokenizer
    validation: HeldOut
    test: HeldOut | None
    described: dict[str, Any]
    """The name of the text, how it was split, and its hash; how many tokens have a given word vector, and the hash of
    the file of word vectors."""
    vectors: Float[Tensor, "vocab dim"] | None = None
    """The word vectors that the model starts with, if they are given."""

    def with_vectors(self, config: Config) -> "PreparedText":
        """The text, with the word vectors of a configuration: its seed draws those that the file lacks."""
        if config.vectors is None:
            return self
        assert isinstance(self.tokenizer, WordTokenizer)
        assert isinstance(config.model, BigramConfig | RecurrentConfig)
        assert isinstance(config.training, Training | CountTraining)
        width = config.model.dim if isinstance(config.model, BigramConfig) else config.model.width
        given = starting_vectors(config.vectors, self.tokenizer, width, config.training.seed)
        hashed = self.described.get(VECTORS_HASH) or vectors_hash(config.vectors)  # the same file for every seed
        noted = {"words_with_vectors": given.found, VECTORS_HASH: hashed}
        return replace(self, vectors=given.table, described=self.described | noted)


def prepare(config: Config, tokenizer: Tokenizer | None = None, observer: Observer = SILENT) -> PreparedText:
    """The text of a configuration, with the tokenizer of its run, or with a new one trained on the training split."""
    text = load_text(config.text)
    with observer.task(f"reading {text.name}", 2 * sum(map(text.size, PARTS))) as task:  # each part is also hashed
        read = text.watched(task.advance)
        tokenizer = tokenizer or config.tokens.train(read.pieces("train"))
        held = {part: HeldOut.of(tokenizer, read.pieces(part)) for part in ("validation", "test") if text.size(part)}
        sha256 = read.sha256
    if "validation" not in held or len(held["validation"]) < 2:
        raise ArgumentError("text", f"expected a validation split of at least two tokens in {text.name}; use more text")
    described = {"name": text.name, "source": text.source, "split": text.split, "sha256": sha256}
    ready = PreparedText(text, tokenizer, held["validation"], held.get("test"), described)
    return ready.with_vectors(config)


def training_ids(
    ready: PreparedText, folder: Path, process: Process, observer: Observer = SILENT
) -> UInt[np.ndarray, " tokens"]:
    """The tokens to train on: in memory or, for a large text, in a file of the run that all processes share."""
    path = folder / "tokens" / "train.bin"
    with observer.task(f"{ready.tokenizer.kind} of {ready.text.name}", ready.text.size("train")) as task:
        pieces = ready.text.watched(task.advance).pieces("train")
        if ready.text.size("train") <= LARGE:
            found = [each.ids for each in encode_pieces(ready.tokenizer, pieces)]
            return np.concatenate(found) if found else np.empty(0, np.uint16)
        if process.leads and not path.with_suffix(".json").exists():
            write_tokens(ready.tokenizer, pieces, path)
    process.wait()
    return open_tokens(path, ready.tokenizer).ids
