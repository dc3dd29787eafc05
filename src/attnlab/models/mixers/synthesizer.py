"""Synthesizers: attention whose weights depend on one token, or on no token, but never on a comparison of two.

    dense    logits_i = W₂ relu(W₁ x_i + b₁) + b₂        a logit for every position of the context
    random   logits_i = R_i                              learned, the same for every text

W₁ x_i is cut into heads, which share W₂ and b₂, as in CS224N's coursework. Each head of a random synthesizer has its
own R. Only the logits of positions up to i count, and y_i = Σ_j softmax(logits_i)_j V x_j.
Tay et al. 2021, "Synthesizer: rethinking self-attention for Transformer models".
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from attnlab.models.mixers.parts import Cache, join_heads, past_softmax, split_heads
from attnlab.models.transformer_config import TransformerConfig


class Synthesizer(nn.Module):
    """The dense synthesizer: each token says how much it takes from each position, whatever token is there."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.heads, self.dropout = config.heads, config.dropout
        self.hidden = nn.Linear(config.width, config.width)
        self.places = nn.Linear(config.dim, config.context)
        self.value = nn.Linear(config.width, config.width, bias=config.bias)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)

    def forward(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch positions width"]:
        """The mixed vectors. With a cache, x holds the positions after the cached ones."""
        (values,) = split_heads(self.value(x), self.heads)
        if cache is not None:
            (values,) = cache.extended(layer, values)
        (hidden,) = split_heads(functional.relu(self.hidden(x)), self.heads)
        keys = values.shape[2]
        logits = functional.linear(hidden, self.places.weight[:keys], self.places.bias[:keys])
        weights = functional.dropout(past_softmax(logits), self.dropout, self.training)
        return functional.dropout(self.out(join_heads(weights @ values)), self.dropout, self.training)


class RandomSynthesizer(nn.Module):
    """The random synthesizer: how much a position takes from each other position is the same for all texts."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.heads, self.dropout = config.heads, config.dropout
        self.logits = nn.Parameter(0.02 * torch.randn(config.heads, config.context, config.context))
        self.value = nn.Linear(config.width, config.width, bias=config.bias)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)

    def forward(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch positions width"]:
        """The mixed vectors. With a cache, x holds the positions after the cached ones."""
        (values,) = split_heads(self.value(x), self.heads)
        if cache is not None:
            (values,) = cache.extended(layer, values)
        keys = values.shape[2]
        weights = past_softmax(self.logits[:, keys - x.shape[1] : keys, :keys]).to(values.dtype)
        texts = len(x) if self.training and self.dropout else 1  # dropout differs between texts
        weights = functional.dropout(weights.expand(texts, -1, -1, -1), self.dropout, self.training)
        mixed = torch.einsum("bhqk,bhkd->bhqd", weights, values)
        return functional.dropout(self.out(join_heads(mixed)), self.dropout, self.training)
