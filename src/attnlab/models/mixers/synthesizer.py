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

from attnlab.models.lens import LayerHeads
from attnlab.models.mixers.mixer import Cache, Mixer, later, past_softmax, split_heads
from attnlab.models.transformer_config import TransformerConfig


class Synthesizer(Mixer):
    """The dense synthesizer: each token says how much it takes from each position, whatever token is there."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        self.hidden = nn.Linear(config.width, config.width)
        self.places = nn.Linear(config.dim, config.context)
        self.value = nn.Linear(config.width, config.width, bias=config.bias)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)

    def outputs(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch heads positions dim"]:
        """The output of each head."""
        (values,) = split_heads(self.value(x), self.heads)
        if cache is not None:
            (values,) = cache.extended(layer, values)
        weights = past_softmax(self.logits(x, values.shape[2]))
        return functional.dropout(weights, self.dropout, self.training) @ values

    def look(self, x: Float[Tensor, "batch positions width"]) -> LayerHeads:
        """Values, logits, weights and outputs; there are no queries and no keys."""
        (values,) = split_heads(self.value(x), self.heads)
        return unmatched(self.logits(x, values.shape[2]), values)

    def logits(
        self, x: Float[Tensor, "batch positions width"], keys: int
    ) -> Float[Tensor, "batch heads positions keys"]:
        """The logits of the first positions, as many as there are keys; those of later keys too."""
        (hidden,) = split_heads(functional.relu(self.hidden(x)), self.heads)
        return functional.linear(hidden, self.places.weight[:keys], self.places.bias[:keys])


class RandomSynthesizer(Mixer):
    """The random synthesizer: how much a position takes from each other position is the same for all texts."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        self.logits = nn.Parameter(0.02 * torch.randn(config.heads, config.context, config.context))
        self.value = nn.Linear(config.width, config.width, bias=config.bias)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)

    def outputs(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch heads positions dim"]:
        """The output of each head."""
        (values,) = split_heads(self.value(x), self.heads)
        if cache is not None:
            (values,) = cache.extended(layer, values)
        keys = values.shape[2]
        weights = past_softmax(self.logits[:, keys - x.shape[1] : keys, :keys]).to(values.dtype)
        texts = len(x) if self.training and self.dropout else 1  # dropout differs between texts
        weights = functional.dropout(weights.expand(texts, -1, -1, -1), self.dropout, self.training)
        return torch.einsum("bhqk,bhkd->bhqd", weights, values)

    def look(self, x: Float[Tensor, "batch positions width"]) -> LayerHeads:
        """Values, logits, weights and outputs; there are no queries and no keys."""
        (values,) = split_heads(self.value(x), self.heads)
        keys = values.shape[2]
        return unmatched(self.logits[:, :keys, :keys].to(values.dtype).expand(len(x), -1, -1, -1), values)


def unmatched(
    logits: Float[Tensor, "batch heads positions keys"], values: Float[Tensor, "batch heads keys dim"]
) -> LayerHeads:
    """The heads of a synthesizer, from the logits of all keys, later ones too."""
    queries, keys = logits.shape[-2:]
    logits = logits + later(queries, keys, logits)
    weights = torch.softmax(logits, -1)
    return LayerHeads(None, None, values, logits, weights, weights @ values)
