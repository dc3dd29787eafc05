"""A causal perceiver: the past is read through a few latents, and in no other way.

A head has M latents with learnt queries c_m. At every position each latent has gathered what came up to there,

    s_tm = cap tanh(c_mᵀk_t / cap)        K_im = Σ_{t≤i} e^{s_tm} k_t / Z_im        V_im = Σ_{t≤i} e^{s_tm} v_t / Z_im

with Z_im = Σ_{t≤i} e^{s_tm}, and position i attends to its M latents alone:

    p_im = softmax over m of q_iᵀ(c_m + K_im)/√dim        y_i = Σ_m p_im V_im

So every earlier token can be read, no later one can, and three sums are all that is to be kept of a text however long.
A latent's key has its own query in it, as a Perceiver's latents keep what they were; so a latent can be chosen for
what it is as well as for what it holds. Rotary positions turn q and k beforehand: a latent can gather by place, and a
logit depends on how far back lies what was gathered.

No K_im or V_im is ever made where a text is read at once. With E_tm = e^{s_tm}, and ⌊·⌋ for what is up to the diagonal,

    K's part of the logits = ⌊QKᵀ⌋E / Z        Y = ⌊(P/Z)Eᵀ⌋V

two passes of attention without a softmax (Peng et al. 2022, "ABC: attention with bounded-memory control"). Jaegle et
al. 2021, "Perceiver"; Hawthorne et al. 2022, "Perceiver AR". CS224N's coursework has a perceiver too, but its latents
see the first tokens of a text alone, by their mask: a causal one that is laid on M latents as if they were positions.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from attnlab.models.mixers.parts import Cache, join_heads, make_qk_norm, make_turn, split_heads
from attnlab.models.transformer_config import TransformerConfig

CAP = 30.0
"""e^±30 and sums and quotients of them are well inside float32; weights that far apart are 0 and 1 for all purposes."""


class Perceiver(nn.Module):
    """Attention of several heads to latents, each of which has gathered the past in its own way."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.heads, self.dropout = config.heads, config.dropout
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=config.bias)
        self.latents = nn.Parameter(torch.randn(config.heads, config.latents, config.dim) * config.dim**-0.5)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)
        self.turn = make_turn(config)
        self.normalise = make_qk_norm(config)

    def forward(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch positions width"]:
        """The mixed vectors. With a cache, x are the positions after those in it."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        start = cache.length if cache is not None else 0
        q, k = self.turn(self.normalise(q), start) * q.shape[-1] ** -0.5, self.turn(self.normalise(k), start)
        weights, own = self._weights(k), q @ self.latents.mT
        if cache is not None:
            k, v, weights = cache.extended(layer, k, v, weights)
            cache.kept[layer] = gathered(k, v, weights)
        mixed = self.out(join_heads(read(q, k, v, weights, own)))
        return functional.dropout(mixed, self.dropout, self.training)

    def _weights(self, k: Float[Tensor, "batch heads keys dim"]) -> Float[Tensor, "batch heads keys latents"]:
        """E: the weight e^s of every key in every latent. An s near the cap rounded to bfloat16 would be 6 % off."""
        with torch.autocast(k.device.type, enabled=False):
            k = k.to(torch.promote_types(k.dtype, torch.float32))
            return torch.exp(CAP * torch.tanh(k @ self.latents.mT.to(k.dtype) / CAP))


def read(
    q: Float[Tensor, "batch heads queries dim"],
    k: Float[Tensor, "batch heads keys dim"],
    v: Float[Tensor, "batch heads keys dim"],
    weights: Float[Tensor, "batch heads keys latents"],
    own: Float[Tensor, "batch heads queries latents"],
) -> Float[Tensor, "batch heads queries dim"]:
    """What each query finds in the latents of its own past; the queries are those of the last keys."""
    before = k.shape[2] - q.shape[2]
    sums = weights.cumsum(2)[:, :, before:]
    rounded = weights.to(v.dtype)
    logits = own + (q @ k.mT).tril(before).to(v.dtype) @ rounded / sums
    shares = torch.softmax(logits, -1, dtype=sums.dtype) / sums
    return (shares.to(v.dtype) @ rounded.mT).tril(before) @ v


def gathered(
    k: Float[Tensor, "batch heads keys dim"],
    v: Float[Tensor, "batch heads keys dim"],
    weights: Float[Tensor, "batch heads keys latents"],
) -> tuple[
    Float[Tensor, "batch heads latents dim"],
    Float[Tensor, "batch heads latents dim"],
    Float[Tensor, "batch heads latents latents"],
]:
    """The past as M keys and values, one a latent, each with all of its latent's weight and none in the others.

    To those who read the latents it is the same past, however long that was.
    """
    with torch.autocast(k.device.type, enabled=False):
        sums = weights.sum(2)
        shares = (weights / sums[:, :, None]).mT
        return shares @ k.to(shares.dtype), shares @ v.to(shares.dtype), torch.diag_embed(sums)
