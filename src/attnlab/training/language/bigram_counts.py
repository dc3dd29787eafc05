"""Training a neural bigram model on a whole text at once: its loss depends on the counts of word pairs only.

A vocabulary of 2,000 words has at most 2,000 different rows, however long the text is. One pass over the counts gives
the exact gradient of the whole text's loss. About 70 steps of Adam replace an epoch of a million small steps.
"""

from typing import Annotated

import torch

from attnlab.models.bigram import Bigram, PairCounts, loss_and_gradients
from attnlab.settings import Count, Range, settings

NotNegative = Annotated[float, Range(0, 1e6)]


@settings
class CountRecipe:
    """How to train on counts. The defaults were chosen on held-out parts of WikiText-2's training text.

    The learning rate rises linearly over the first tenth of the steps and falls linearly to 0 over the rest.
    Each penalty times a sum of squares is added to the loss, in nats per word.
    """

    steps: Count = 70
    step_size: NotNegative = 0.07
    penalty: NotNegative = 4e-6
    """Of W₂."""
    vector_penalty: NotNegative = 1e-6
    """Of the word vectors, if they are trained."""

    def step_size_at(self, step: int) -> float:
        """The learning rate of a step; the first step is 0.

        >>> [round(CountRecipe(steps=20, step_size=1).step_size_at(step), 3) for step in (0, 1, 2, 11, 19)]
        [0.5, 1.0, 1.0, 0.5, 0.056]
        """
        rise = self.steps / 10
        return self.step_size * min(1.0, (step + 1) / rise, (self.steps - step) / (self.steps - rise))


def train_on_counts(model: Bigram, pairs: PairCounts, recipe: CountRecipe | None = None) -> list[float]:
    """Train a model, starting at the words' frequencies. Returns the loss before each step, in nats per word.

    >>> from attnlab.models.bigram import BigramConfig
    >>> text = torch.tensor([0, 1, 2, 0, 1, 3] * 20)
    >>> model = Bigram(BigramConfig(dim=3, hidden=8), size=4)
    >>> losses = train_on_counts(model, PairCounts.of_text(text, size=4))
    >>> round(losses[0], 1), round(losses[-1], 1)  # what follows 1 cannot be known: a third of ln 2
    (1.4, 0.2)
    """
    recipe = recipe or CountRecipe()
    parameters = dict(model.named_parameters())
    penalties = {"W2": recipe.penalty, "vectors": recipe.vector_penalty}
    with torch.no_grad():
        shares = torch.zeros_like(model.b2).index_add_(0, pairs.following, pairs.weights)
        model.b2.copy_(torch.log(shares + shares.mean() / 100))  # avoids −∞ for words that never follow another
    # A short memory for squares (0.9, not 0.999): the gradient has no noise to average away.
    optimizer = torch.optim.Adam((p for p in parameters.values() if p.requires_grad), betas=(0.9, 0.9))
    losses = []
    for step in range(recipe.steps):
        loss, gradients = loss_and_gradients(model, pairs)
        for name, gradient in gradients.items():
            parameters[name].grad = gradient.add_(parameters[name].detach(), alpha=2 * penalties.get(name, 0.0))
        optimizer.param_groups[0]["lr"] = recipe.step_size_at(step)
        optimizer.step()
        losses.append(float(loss))
    optimizer.zero_grad()
    return losses
