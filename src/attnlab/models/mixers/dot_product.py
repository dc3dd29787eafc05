"""Dot-product attention (Vaswani et al. 2017)."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from attnlab.models.mixers.cache import Cache
from attnlab.models.mixers.heads import join_heads, split_heads
from attnlab.models.mixers.norms import make_qk_norm
from attnlab.models.mixers.rotary import make_turn
from attnlab.models.transformer_config import TransformerConfig


class DotProduct(nn.Module):
    """Dot-product attention of several heads: softmax(QKᵀ/√dim)V, each position seeing those up to it."""

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
        """The mixed vectors. With a cache, x are the positions after those in it."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        start = cache.length if cache is not None else 0
        q, k = self.turn(self.normalise(q), start), self.turn(self.normalise(k), start)
        if cache is not None:
            k, v = cache.extended(layer, k, v)
        mixed = self.out(join_heads(self._attend(q, k, v, start)))
        return functional.dropout(mixed, self.dropout, self.training)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, start: int) -> Float[Tensor, "batch heads positions dim"]:
        """softmax(QKᵀ/√dim)V; the queries are those of the last positions."""
        positions = q.shape[2]
        dropout = self.dropout if self.training else 0.0
        if q.device.type == "cpu" and self.training and not start and positions <= SHORT and not dropout:
            return written_out(q, k, v)
        return functional.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=later_mask(positions, start, q.device) if start and positions > 1 else None,
            is_causal=start == 0 and positions > 1,
            dropout_p=dropout,
        )


SHORT = 256
"""Up to so many positions, torch's fused attention is slower on a CPU than its formula: 2 to 5 times in bfloat16, with
the gradient."""


def written_out(q: Tensor, k: Tensor, v: Tensor) -> Float[Tensor, "batch heads positions dim"]:
    """softmax(QKᵀ/√dim)V as it stands, each position seeing those up to it."""
    logits = (q * q.shape[-1] ** -0.5) @ k.mT
    later = torch.full(logits.shape[-2:], -torch.inf, dtype=logits.dtype).triu(1)
    # torch's autocast would make a softmax without a dtype float32, and copy twice
    return torch.softmax(logits + later, -1, dtype=logits.dtype) @ v


def later_mask(positions: int, start: int, device: torch.device) -> Tensor:
    """True where position start + i may look: at everything cached, and at the new ones up to itself."""
    return torch.ones(positions, start + positions, dtype=torch.bool, device=device).tril(diagonal=start)
