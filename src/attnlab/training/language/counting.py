"""Models that are trained on counts of a whole text: n-grams, and the neural bigram by its exact gradient."""

import numpy as np
import torch
from jaxtyping import Integer

from attnlab.models.bigram import Bigram, BigramConfig, PairCounts
from attnlab.models.ngram import NGram, NGramConfig
from attnlab.training.language.bigram_counts import CountRecipe, train_on_counts
from attnlab.training.settings import Training


def fit(
    config: NGramConfig | BigramConfig, ids: Integer[np.ndarray, " tokens"], size: int, training: Training
) -> tuple[NGram | Bigram, list[float]]:
    """A model trained on a text, and its loss before each step; an n-gram model has no steps."""
    if isinstance(config, NGramConfig):
        return NGram.fit(ids, size, config.order, config.discounts), []
    model = Bigram(config, size, seed=training.seed)
    pairs = PairCounts.of_text(torch.from_numpy(np.asarray(ids, np.int64)), size)
    losses = train_on_counts(model, pairs, CountRecipe(steps=training.steps or CountRecipe().steps))
    return model.eval(), losses
