"""Word vectors for a model to start with: GloVe's, or those of a file in its format."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.data.sets import files_of
from attnlab.errors import FileError
from attnlab.text.vectors import read_vectors, vector_width
from attnlab.text.words import WordTokenizer

VECTORS_HASH = "vectors_sha256"
"""The hash of the file of word vectors, among the data in config.json."""


def vectors_file(source: str) -> Path:
    """The file of word vectors: that of the data set glove, or the file itself."""
    return next(iter(files_of("glove").values())) if source == "glove" else Path(source)


def vectors_hash(source: str) -> str:
    """The sha256 of the file of word vectors."""
    path = vectors_file(source)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise FileError(path, "there is no such file") from None
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def width_of_vectors(source: str, usual: int) -> int:
    """The width of the vectors. In an archive of several widths, the usual one."""
    return vector_width(vectors_file(source), usual)


@dataclass(frozen=True)
class StartingVectors:
    """A vector for each token, and how many of them the file has."""

    table: Float[Tensor, "vocab dim"]
    found: int


def starting_vectors(source: str, tokenizer: WordTokenizer, dim: int, seed: int) -> StartingVectors:
    """The vectors of the tokens. Tokens that the file lacks get random vectors with the mean and standard deviation of
    the others."""
    path, ids = vectors_file(source), tokenizer.ids
    found = read_vectors(path, ids, dim)
    if found.dim != dim:
        raise FileError(path, f"expected vectors with {dim} coordinates, the model's width; got {found.dim}")
    drawn = np.random.default_rng(seed).standard_normal((tokenizer.size, dim), dtype=np.float32)
    table = found.values.mean(0) + found.values.std(0) * drawn
    table[[ids[word] for word in found.words]] = found.values
    return StartingVectors(torch.from_numpy(table), len(found.words))
