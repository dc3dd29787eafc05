"""A causal perceiver: a position reads the past only through a few latent vectors.

A head has M latents with learned queries c_m. At position i, each latent has gathered the positions up to i,

    s_tm = cap tanh(c_mᵀk_t / cap)        K_im = Σ_{t≤i} e^{s_tm} k_t / Z_im        V_im = Σ_{t≤i} e^{s_tm} v_t / Z_im

with Z_im = Σ_{t≤i} e^{s_tm}, and position i attends to its M latents only:

    p_im = softmax over m of q_iᵀ(c_m + K_im)/√dim        y_i = Σ_m p_im V_im

So a position can read every earlier token and no later one, and the cache is three sums, however long the text is. A
latent's key contains its own query c_m, so attention can choose a latent for what it is or for what it has gathered.
Rotary positions rotate q and k first: a latent can gather by position, and a logit depends on the distance.

A text that is read at once needs no K_im and no V_im. With E_tm = e^{s_tm}, and ⌊·⌋ for the part up to the diagonal,

    K's part of the logits = ⌊QKᵀ⌋E / Z        Y = ⌊(P/Z)Eᵀ⌋V

two passes of attention without a softmax (Peng et al. 2022, "ABC: attention with bounded-memory control"). Jaegle et
al. 2021, "Perceiver"; Hawthorne et al. 2022, "Perceiver AR". CS224N's coursework has a perceiver, too. Its latents see
only the first tokens of a text, because its causal mask treats the M latents as positions.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.models.lens import LayerHeads
from attnlab.models.mixers.mixer import Cache, Mixer, split_heads
from attnlab.models.mixers.norms_and_positions import make_qk_norm, make_turn
from attnlab.models.transformer_config import TransformerConfig

CAP = 30.0
"""float32 holds e^±30, and sums and quotients of such numbers; a larger cap would not change the weights visibly."""


class Perceiver(Mixer):
    """Attention with several heads to latents; each latent has gathered the past with its own weights."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config)
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=config.bias)
        self.latents = nn.Parameter(torch.randn(config.heads, config.latents, config.dim) * config.dim**-0.5)
        self.out = nn.Linear(config.width, config.width, bias=config.bias)
        self.turn = make_turn(config)
        self.normalise = make_qk_norm(config)
        self.normalise_keys = make_qk_norm(config) if config.qk_gain else self.normalise

    def outputs(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch heads positions dim"]:
        """The output of each head."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        start = cache.length if cache is not None else 0
        q, k = self.turn(self.normalise(q), start) * q.shape[-1] ** -0.5, self.turn(self.normalise_keys(k), start)
        weights, own = self._weights(k), q @ self.latents.mT
        if cache is not None:
            k, v, weights = cache.extended(layer, k, v, weights)
            cache.kept[layer] = gathered(k, v, weights)
        return read(q, k, v, weights, own)

    def look(self, x: Float[Tensor, "batch positions width"]) -> LayerHeads:
        """Queries, keys, values, and the weights with which each position reads the earlier ones through the latents.
        The logits are the logarithms of these weights."""
        q, k, v = split_heads(self.qkv(x), self.heads, parts=3)
        scale = q.shape[-1] ** -0.5
        q, k = self.turn(self.normalise(q)), self.turn(self.normalise_keys(k))
        weights = weights_through_latents(scale * q, k, self._weights(k), scale * q @ self.latents.mT, v.dtype)
        return LayerHeads(q, k, v, weights.log(), weights, weights @ v, scale)

    def _weights(self, k: Float[Tensor, "batch heads keys dim"]) -> Float[Tensor, "batch heads keys latents"]:
        """E: the weight e^s of every key in every latent; in float32, because bfloat16 would be wrong by up to 6 %."""
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
    """What each query reads from the latents of its past; the queries belong to the last keys."""
    return weights_through_latents(q, k, weights, own, v.dtype) @ v


def weights_through_latents(
    q: Float[Tensor, "batch heads queries dim"],
    k: Float[Tensor, "batch heads keys dim"],
    weights: Float[Tensor, "batch heads keys latents"],
    own: Float[Tensor, "batch heads queries latents"],
    dtype: torch.dtype,
) -> Float[Tensor, "batch heads queries keys"]:
    """⌊(P/Z)Eᵀ⌋: how much each query takes from each key, over all latents; the weights of a query sum to 1."""
    before = k.shape[2] - q.shape[2]
    sums = weights.cumsum(2)[:, :, before:]
    rounded = weights.to(dtype)
    logits = own + (q @ k.mT).tril(before).to(dtype) @ rounded / sums
    shares = torch.softmax(logits, -1, dtype=sums.dtype) / sums
    return (shares.to(dtype) @ rounded.mT).tril(before)


def gathered(
    k: Float[Tensor, "batch heads keys dim"],
    v: Float[Tensor, "batch heads keys dim"],
    weights: Float[Tensor, "batch heads keys latents"],
) -> tuple[
    Float[Tensor, "batch heads latents dim"],
    Float[Tensor, "batch heads latents dim"],
    Float[Tensor, "batch heads latents latents"],
]:
    """The past as M keys and values, one for each latent, with all of that latent's weight and no weight in the others.

    Later positions read the same from them as from the whole past.
    """
    with torch.autocast(k.device.type, enabled=False):
        sums = weights.sum(2)
        shares = (weights / sums[:, :, None]).mT
        return shares @ k.to(shares.dtype), shares @ v.to(shares.dtype), torch.diag_embed(sums)
