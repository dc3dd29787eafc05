"""Dot-product attention (Vaswani et al. 2017), and two variants of it: with a sink, and with smeared keys."""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from attnlab.models.lens import LayerHeads
from attnlab.models.mixers.mixer import Cache, Mixer, later, past_softmax, split_heads
from attnlab.models.mixers.norms_and_positions import make_qk_norm, make_turn
from attnlab.models.transformer_config import TransformerConfig


class DotProduct(Mixer):
    """Dot-product attention with several heads: softmax(QKᵀ/√dim)V. A position sees itself and earlier positions."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=config.bias)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)
        self.turn = make_turn(config)
        self.normalise = make_qk_norm(config)
        # without a learned gain, queries and keys have one norm; with a gain, each has its own
        self.normalise_keys = make_qk_norm(config) if config.qk_gain else self.normalise

    def outputs(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch heads positions dim"]:
        """The output of each head, by fused attention where that is faster."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        start = cache.length if cache is not None else 0
        q, k = self.turn(self.normalise(q), start), self.turn(self.normalise_keys(k), start)
        if cache is not None:
            k, v = cache.extended(layer, k, v)
        return self.attend(q, k, v, start)

    def look(self, x: Float[Tensor, "batch positions width"]) -> LayerHeads:
        """Queries, keys, values, logits, weights and outputs."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        q, k = self.turn(self.normalise(q)), self.turn(self.normalise_keys(k))
        return self.weighed(q, k, v)

    def weighed(self, q: Tensor, k: Tensor, v: Tensor) -> LayerHeads:
        """Everything that follows from queries, keys and values, by the plain formula."""
        scale = q.shape[-1] ** -0.5
        logits = scale * q @ k.mT + later(q.shape[2], k.shape[2], q)
        weights = torch.softmax(logits, -1)
        return LayerHeads(q, k, v, logits, weights, weights @ v, scale)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, start: int) -> Float[Tensor, "batch heads positions dim"]:
        """softmax(QKᵀ/√dim)V; the queries belong to the last positions."""
        positions = q.shape[2]
        dropout = self.dropout if self.training else 0.0
        if q.device.type == "cpu" and self.training and not start and positions <= SHORT and not dropout:
            return past_softmax((q * q.shape[-1] ** -0.5) @ k.mT) @ v
        return functional.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=later(positions, start + positions, q) if start and positions > 1 else None,
            is_causal=start == 0 and positions > 1,
            dropout_p=dropout,
        )


SHORT = 256
"""Up to this many positions, torch's fused attention is slower on a CPU than the plain formula: with the gradient, 2 to
5 times in bfloat16."""


class SinkAttention(DotProduct):
    """Dot-product attention with a sink: e^ℓ / (1 + Σ e^ℓ), so that a head can attend to nothing (Miller 2023,
    "Attention is off by one")."""

    def weighed(self, q: Tensor, k: Tensor, v: Tensor) -> LayerHeads:
        """The same as without a sink, but the weights of a row sum to less than 1."""
        found = replace(super().weighed(q, k, v), sink=1.0)
        return found.reweighed(found.softmax(found.logits))

    def attend(self, q: Tensor, k: Tensor, v: Tensor, start: int) -> Float[Tensor, "batch heads positions dim"]:
        """Fused attention with one key and value more, both 0: its logit is 0, and e⁰ is the sink."""
        k, v = (functional.pad(each, (0, 0, 1, 0)) for each in (k, v))
        mask = functional.pad(later(q.shape[2], k.shape[2] - 1, q), (1, 0))
        return functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.dropout if self.training else 0.0
        )


class SmearedKeys(DotProduct):
    """Dot-product attention whose keys hold a part of the token before: σ(a)k_j + (1 − σ(a))k_{j−1}, with a learned
    number a for each head. So one layer can look for what comes after a token (Olsson et al. 2022, "In-context learning
    and induction heads")."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        self.smear = nn.Parameter(torch.zeros(config.heads))

    def outputs(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch heads positions dim"]:
        """The output of each head. A cache keeps the keys as they were before they were smeared."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        start = cache.length if cache is not None else 0
        q = self.turn(self.normalise(q), start)
        if cache is not None:
            k, v = cache.extended(layer, k, v)
        return self.attend(q, self.turn(self.smeared(self.normalise_keys(k))), v, start)

    def look(self, x: Float[Tensor, "batch positions width"]) -> LayerHeads:
        """Queries, smeared keys, values, logits, weights and outputs."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        return self.weighed(self.turn(self.normalise(q)), self.turn(self.smeared(self.normalise_keys(k))), v)

    def smeared(self, k: Float[Tensor, "batch heads keys dim"]) -> Float[Tensor, "batch heads keys dim"]:
        """Each key with a part of the one before it; the first key has none before it."""
        own = torch.sigmoid(self.smear)[:, None, None].to(k.dtype)
        before = functional.pad(k[:, :, :-1], (0, 0, 1, 0))
        return own * k + (1 - own) * before
