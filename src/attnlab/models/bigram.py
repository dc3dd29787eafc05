"""A neural bigram model: a word's vector, one sigmoid layer, a softmax over the next word; with explicit gradients.

Forward, with a row for each word x that another word follows:

    h = σ(xW₁ + b₁),    ŷ = softmax(θ),    θ = hW₂ + b₂,    J = Σ CE(y, ŷ) = −Σ y ln ŷ.

Backward, by the chain rule (claims 10 and 11 of the ledger):

    ∂J/∂θ = (Σy)ŷ − y,    ∂J/∂W₂ = hᵀ ∂J/∂θ,    ∂J/∂b₂ = Σ_rows ∂J/∂θ,
    δ = (∂J/∂θ W₂ᵀ) ⊙ h ⊙ (1 − h),    ∂J/∂W₁ = xᵀδ,    ∂J/∂b₁ = Σ_rows δ,    ∂J/∂x = δW₁ᵀ.

For a single pair of words, a row of y is one-hot. J is a sum over pairs, so equal pairs can be added: with one row for
each *different* word, and in y the counts of the words that followed it, J is the loss of the whole text. `PairCounts`
holds these counts.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.errors import ArgumentError
from attnlab.settings import Count, settings, tag


@settings
class BigramConfig:
    """The shape of a neural bigram model."""

    kind: Literal["bigram"] = tag(default="bigram")
    dim: Count = 50
    """The width of the word vectors."""
    hidden: Count = 50
    """The width of the hidden layer (sigmoids)."""
    train_vectors: bool = True
    """Train the word vectors, too."""


@dataclass(frozen=True)
class PairCounts:
    """Pairs of a word and the next: y has a row for each word in `previous`; y[row, following] = weight, else 0."""

    previous: Int[Tensor, "rows"]
    rows: Int[Tensor, "pairs"]
    following: Int[Tensor, "pairs"]
    weights: Float[Tensor, "pairs"]

    @staticmethod
    def of_text(ids: Int[Tensor, "positions"], size: int, dtype: torch.dtype = torch.float32) -> "PairCounts":
        """The different pairs of a text, weighted by their share of all pairs; so J is the mean of −ln p.

        >>> pairs = PairCounts.of_text(torch.tensor([3, 1, 3, 1, 3, 0]), size=4)
        >>> pairs.previous.tolist(), pairs.rows.tolist(), pairs.following.tolist()
        ([1, 3], [0, 1, 1], [3, 0, 1])
        >>> pairs.weights
        tensor([0.4000, 0.2000, 0.4000])
        """
        check_ids(ids, size)
        if len(ids) < 2:
            raise ArgumentError("ids", f"expected at least two tokens, for a pair; got {len(ids)}")
        keys, counts = torch.unique(ids[:-1].long() * size + ids[1:], return_counts=True)
        previous, rows = torch.unique(keys // size, return_inverse=True)
        return PairCounts(previous, rows, keys % size, counts.to(dtype) / counts.sum())


class Bigram(nn.Module):
    """Logits of the next word, given one word.

    >>> model = Bigram(BigramConfig(dim=4, hidden=8), size=10)
    >>> model(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 10])
    """

    def __init__(
        self, config: BigramConfig, size: int, vectors: Float[Tensor, "vocab dim"] | None = None, *, seed: int = 0
    ):
        super().__init__()
        self.config, self.size = config, size
        generator = torch.Generator().manual_seed(seed)
        if vectors is None:
            vectors = torch.randn(size, config.dim, generator=generator)
        if vectors.shape != (size, config.dim):
            raise ArgumentError("vectors", f"expected the shape ({size}, {config.dim}), got {tuple(vectors.shape)}")
        # Scale W₁ so that the sigmoids' inputs spread by about 2, whatever the length of the vectors.
        spread = 2 / (vectors.float().norm(dim=1).mean() + 1e-6)
        W1 = spread * torch.randn(config.dim, config.hidden, generator=generator)
        W2 = torch.randn(config.hidden, size, generator=generator) / config.hidden
        self.vectors = nn.Parameter(vectors.clone(), requires_grad=config.train_vectors)
        self.W1 = nn.Parameter(W1.to(vectors))
        self.b1 = nn.Parameter(vectors.new_zeros(config.hidden))
        self.W2 = nn.Parameter(W2.to(vectors))
        self.b2 = nn.Parameter(vectors.new_zeros(size))

    def forward(self, ids: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch vocab"]:
        """The logits of the word after each of these words."""
        return hidden(self.vectors[ids], self.W1, self.b1) @ self.W2 + self.b2

    def nats(self, ids: Int[Tensor, "positions"]) -> Float[Tensor, "positions-1"]:
        """−ln p of each word after the first, given the word before it."""
        check_ids(ids, self.size)
        with torch.no_grad():
            words, rows = torch.unique(ids[:-1], return_inverse=True)
            return -torch.log_softmax(self(words), -1)[rows, ids[1:]]


def hidden(
    x: Float[Tensor, "*rows dim"], W1: Float[Tensor, "dim hidden"], b1: Float[Tensor, "hidden"]
) -> Float[Tensor, "*rows hidden"]:
    """h = σ(xW₁ + b₁)."""
    return torch.sigmoid(x @ W1 + b1)


@torch.no_grad()
def loss_and_gradients(model: Bigram, pairs: PairCounts) -> tuple[Float[Tensor, ""], dict[str, Tensor]]:
    """J and its gradient for each parameter that learns, by the formulas at the top of this file.

    >>> model = Bigram(BigramConfig(dim=3, hidden=5), size=4)
    >>> loss, gradients = loss_and_gradients(model, PairCounts.of_text(torch.tensor([0, 1, 2, 3, 1]), size=4))
    >>> sorted(gradients)
    ['W1', 'W2', 'b1', 'b2', 'vectors']
    """
    x = model.vectors[pairs.previous]
    h = hidden(x, model.W1, model.b1)
    log_guess = torch.log_softmax(torch.addmm(model.b2, h, model.W2), -1)
    loss = -(pairs.weights * log_guess[pairs.rows, pairs.following]).sum()

    totals = pairs.weights.new_zeros(len(x)).index_add_(0, pairs.rows, pairs.weights)  # Σy
    to_logits = log_guess.exp_().mul_(totals[:, None])
    to_logits.index_put_((pairs.rows, pairs.following), -pairs.weights, accumulate=True)  # now (Σy)ŷ − y
    to_sums = (to_logits @ model.W2.T) * h * (1 - h)  # δ
    gradients = {
        "W1": x.T @ to_sums,
        "b1": to_sums.sum(0),
        "W2": h.T @ to_logits,
        "b2": to_logits.sum(0),
    }
    if model.config.train_vectors:
        gradients["vectors"] = torch.zeros_like(model.vectors).index_add_(0, pairs.previous, to_sums @ model.W1.T)
    return loss, gradients


def check_ids(ids: Int[Tensor, "..."], size: int) -> None:
    """Raise unless these are ids of the vocabulary."""
    if ids.is_floating_point() or ids.ndim != 1:
        raise ArgumentError("ids", f"expected one axis of whole numbers, got {ids.dtype}, shape {tuple(ids.shape)}")
    if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < size:
        raise ArgumentError("ids", f"expected numbers from 0 to {size - 1}, got {int(ids.min())} to {int(ids.max())}")
