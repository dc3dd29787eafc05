"""Word vectors for a model to start with: GloVe's, or those of a file in its format."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.data.vectors import vectors_file
from attnlab.errors import FileError
from attnlab.text.vectors import read_vectors, vector_width
from attnlab.text.words import WordTokenizer


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
