"""Models that are trained on counts of a whole text: n-grams, and the neural bigram by its exact gradient.

The loss of a neural bigram model depends on the counts of word pairs only.
A vocabulary of 2,000 words has at most 2,000 different rows, however long the text is. One pass over the counts gives
the exact gradient of the whole text's loss. About 70 steps of Adam replace an epoch of a million small steps.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import torch
from jaxtyping import Float, Integer
from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.models.bigram import Bigram, BigramConfig, PairCounts, loss_and_gradients
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.settings import Count, Range, Seed, settings, tag
from attnlab.training.optimisers.adamw import AdamW

NotNegative = Annotated[float, Range(0, 1e6)]


@settings
class NoTraining:
    """An n-gram model only counts: its training has no options."""

    kind: Literal["none"] = tag(default="none")


@settings
class CountTraining:
    """How a neural bigram model is trained on counts.

    The defaults were chosen on held-out parts of WikiText-2's training text.
    The learning rate rises linearly over the first tenth of the steps and falls linearly to 0 over the rest.
    Each penalty times a sum of squares is added to the loss, in nats per word.
    """

    kind: Literal["counts"] = tag(default="counts")
    steps: Count = 70
    """The number of steps; each one sees the whole text."""
    rate: NotNegative = 0.07
    """The highest learning rate of Adam."""
    penalty: NotNegative = 4e-6
    """The penalty on the squares of the last matrix, W₂."""
    vector_penalty: NotNegative = 1e-6
    """The penalty on the squares of the word vectors, if they are trained."""
    seed: Seed = 0
    """The seed of the initial weights."""

    def rate_at(self, step: int) -> float:
        """The learning rate of a step; the first step is 0.

        >>> [round(CountTraining(steps=20, rate=1).rate_at(step), 3) for step in (0, 1, 2, 11, 19)]
        [0.5, 1.0, 1.0, 0.5, 0.056]
        """
        rise = self.steps / 10
        return self.rate * min(1.0, (step + 1) / rise, (self.steps - step) / (self.steps - rise))


def train_on_counts(model: Bigram, pairs: PairCounts, training: CountTraining | None = None) -> list[float]:
    """Train a model, starting at the words' frequencies. Returns the loss before each step, in nats per word.

    >>> from attnlab.models.bigram import BigramConfig
    >>> text = torch.tensor([0, 1, 2, 0, 1, 3] * 20)
    >>> model = Bigram(BigramConfig(dim=3, hidden=8), size=4)
    >>> losses = train_on_counts(model, PairCounts.of_text(text, size=4))
    >>> round(losses[0], 1), round(losses[-1], 1)  # what follows 1 cannot be known: a third of ln 2
    (1.4, 0.2)
    """
    training = training or CountTraining()
    parameters = dict(model.named_parameters())
    penalties = {"W2": training.penalty, "vectors": training.vector_penalty}
    with torch.no_grad():
        shares = torch.zeros_like(model.b2).index_add_(0, pairs.following, pairs.weights)
        model.b2.copy_(torch.log(shares + shares.mean() / 100))  # avoids −∞ for words that never follow another
    # A short memory for squares (0.9, not 0.999): the gradient has no noise to average away.
    learning = [p for p in parameters.values() if p.requires_grad]
    adam = AdamW([{"params": learning, "weight_decay": 0.0, "betas": (0.9, 0.9), "fused": False}])
    losses = []
    for step in range(training.steps):
        loss, gradients = loss_and_gradients(model, pairs)
        for name, gradient in gradients.items():
            parameters[name].grad = gradient.add_(parameters[name].detach(), alpha=2 * penalties.get(name, 0.0))
        adam.groups[0]["rate"] = training.rate_at(step)
        adam.step()
        losses.append(float(loss))
    model.zero_grad()
    return losses


def fit(
    config: NGramConfig | BigramConfig,
    ids: Integer[np.ndarray, " tokens"],
    size: int,
    training: CountTraining | None = None,
    vectors: Float[Tensor, "vocab dim"] | None = None,
    line_end: int | None = None,
    folder: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> tuple[NGram | Bigram, list[float]]:
    """A model trained on a text, and its loss before each step; an n-gram model has no steps, and no word vectors.
    `line_end` is the token at the end of a line, if there is one. The n-grams of a large text are counted in files of
    `folder`, with `progress`."""
    if isinstance(config, NGramConfig):
        if config.sentences and line_end is None:
            said = "needs a token for the end of a line; add --tokens.lines, or choose other tokens than words"
            raise ArgumentError("model.sentences", said)
        boundary = line_end if config.sentences else None
        return NGram.fit(ids, size, config.order, config.discounts, boundary, folder, progress), []
    training = training or CountTraining()
    model = Bigram(config, size, vectors, seed=training.seed)
    losses = train_on_counts(model, PairCounts.of_text(torch.from_numpy(np.asarray(ids, np.int64)), size), training)
    return model.eval(), losses
