"""Word vectors to begin with: those of the features' words, from GloVe or a file in its format."""

from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from attnlab.data.sets import files_of
from attnlab.errors import FileError
from attnlab.text.features import Features
from attnlab.text.vectors import read_vectors


def given_vectors(
    source: str, features: Features, dim: int
) -> tuple[Int[np.ndarray, " words"], Float[np.ndarray, "words dim"]]:
    """The ids of the words that have a vector in a file, and their vectors, which must have `dim` coordinates."""
    path = next(iter(files_of("glove").values())) if source == "glove" else Path(source)
    ids = {word: id for id, word in enumerate(features.tokenizer.vocabulary, start=1)}
    found = read_vectors(path, ids, dim)
    if found.dim != dim:
        raise FileError(path, f"expected vectors with {dim} coordinates, as --model.dim says, got {found.dim}")
    return np.array([ids[word] for word in found.words], np.int64), found.values
