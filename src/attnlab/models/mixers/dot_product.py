"""Dot-product attention (Vaswani et al. 2017)."""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from attnlab.models.mixers.parts import Cache, join_heads, later, make_qk_norm, make_turn, past_softmax, split_heads
from attnlab.models.transformer_config import TransformerConfig


class DotProduct(nn.Module):
    """Dot-product attention with several heads: softmax(QKᵀ/√dim)V. A position sees itself and earlier positions."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.heads, self.dropout = config.heads, config.dropout
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=config.bias)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)
        self.turn = make_turn(config)
        self.normalise = make_qk_norm(config)

    def forward(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch positions width"]:
        """The mixed vectors. With a cache, x holds the positions after the cached ones."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        start = cache.length if cache is not None else 0
        q, k = self.turn(self.normalise(q), start), self.turn(self.normalise(k), start)
        if cache is not None:
            k, v = cache.extended(layer, k, v)
        mixed = self.out(join_heads(self._attend(q, k, v, start)))
        return functional.dropout(mixed, self.dropout, self.training)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, start: int) -> Float[Tensor, "batch heads positions dim"]:
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
