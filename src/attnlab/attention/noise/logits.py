"""The logits of noisy keys, as functions of the fewest possible Gaussian numbers.

With a fixed query a Gaussian key gives a Gaussian logit, k_iᵀq, and all logits of all heads together are

    ℓ(z) = m + Σ_r z_r G_r,    z ~ N(0, I)

Softmax ignores a shift of all logits of a head, so that shift is removed from G first. Then the singular value
decomposition of G gives the number of independent directions of noise. Keys whose logits are equal for every z share a
column, so a thousand such keys cost no more than one.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnlab.attention.noise.keys import NoisyKeys
from attnlab.errors import ArgumentError

MOST_DIRECTIONS = 32
"""With more directions than this, the logits are not reduced but drawn from their sources."""


@dataclass(frozen=True)
class Logits:
    """Logits as a function of a few Gaussian numbers z; keys with equal logits share a column.

    For normalised keys (`frames` given) they are the affine function divided by ‖k_i(z)‖ = ‖frame_i (1, z)‖.
    """

    mean: Float[Tensor, "heads columns"]
    factors: Float[Tensor, "directions heads columns"]
    frames: Float[Tensor, "columns coordinates terms"] | None
    column: Int[Tensor, "keys"]
    """The column of each key."""

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.mean.shape[1]

    @property
    def directions(self) -> int:
        """The number of Gaussian numbers."""
        return len(self.factors)

    @cached_property
    def still(self) -> Bool[Tensor, "columns"]:
        """Which columns the noise does not move."""
        moves = self.factors.ne(0).any(0).any(0)
        return ~(moves if self.frames is None else moves | self.frames[:, :, 1:].ne(0).any(2).any(1))

    @property
    def fixed(self) -> Float[Tensor, "heads columns"]:
        """The logits without noise."""
        return self.mean if self.frames is None else self.mean / self.frames[:, :, 0].norm(dim=1)

    def at(self, z: Float[Tensor, "points directions"]) -> Float[Tensor, "points heads columns"]:
        """The logits at the Gaussian numbers z."""
        affine = self._affine(z)
        return affine if self.frames is None else affine / self._norms(z)[0][:, None]

    def slopes(self, z: Float[Tensor, "points directions"]) -> Float[Tensor, "points heads columns"]:
        """The derivatives of the logits along the last direction."""
        if self.frames is None:
            return self.factors[-1].expand(len(z), -1, -1)
        norm, place = self._norms(z)
        growth = torch.einsum("pci,ci->pc", place, self.frames[:, :, -1]) / norm
        affine = self._affine(z)
        return (self.factors[-1] - affine * (growth / norm)[:, None]) / norm[:, None]

    def draw(self, count: int, generator: torch.Generator, dtype: torch.dtype) -> Float[Tensor, "count heads columns"]:
        """Independent random logits."""
        z = torch.randn(count, self.directions, generator=generator, dtype=dtype, device=self.mean.device)
        return self.to(dtype).at(z)

    def to(self, dtype: torch.dtype) -> "Logits":
        """The same logits in another precision."""
        if dtype == self.mean.dtype:
            return self
        frames = None if self.frames is None else self.frames.to(dtype)
        return Logits(self.mean.to(dtype), self.factors.to(dtype), frames, self.column)

    def _affine(self, z: Tensor) -> Tensor:
        return torch.addmm(self.mean.flatten(), z, self.factors.flatten(1)).unflatten(1, self.mean.shape)

    def _norms(self, z: Tensor) -> tuple[Float[Tensor, "points columns"], Float[Tensor, "points columns coordinates"]]:
        """‖k_i(z)‖ for each column, and k_i(z) in its frame."""
        assert self.frames is not None
        one_and_z = torch.cat([z.new_ones(len(z), 1), z], dim=1)
        place = torch.einsum("cij,pj->pci", self.frames, one_and_z)
        # A key that is exactly 0 has no direction; that has probability 0.
        return place.norm(dim=2).clamp_min(torch.finfo(z.dtype).tiny), place


@dataclass(frozen=True)
class ManyLogits:
    """Logits with too many directions of noise to reduce: they can only be drawn. Each key has its own column."""

    keys: NoisyKeys
    queries: Float[Tensor, "heads dim"]
    normalised: bool
    shift_free: bool
    """Whether a shift of all logits of a head changes nothing."""

    @property
    def column(self) -> Int[Tensor, "keys"]:
        """The column of each key: its own."""
        return torch.arange(len(self.keys.means), device=self.keys.means.device)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.keys.means)

    @property
    def directions(self) -> int:
        """The number of directions of noise: at most the number of sources, and at most the number of logits."""
        count, dim = self.keys.means.shape
        own = int(self.keys.own.ne(0).any(-1).sum())
        sources = own + len(self.keys.shared) + dim * int(self.keys.isotropic.ne(0).sum())
        return min(sources, count * len(self.queries))

    def draw(self, count: int, generator: torch.Generator, dtype: torch.dtype) -> Float[Tensor, "count heads columns"]:
        """Independent random logits."""
        return self._draw_keys(count, generator, dtype) if self.normalised else self._draw(count, generator, dtype)

    @cached_property
    def _own(self) -> Float[Tensor, "keys sources heads"]:
        return own_logit_factors(self.keys, self.queries)

    @cached_property
    def _mean(self) -> Float[Tensor, "heads keys"]:
        return mean_logits(self.keys, self.queries, shift_free=self.shift_free)

    def _draw(self, count: int, generator: torch.Generator, dtype: torch.dtype) -> Tensor:
        """Draws the logits directly: a few Gaussian numbers per key, however many coordinates the keys have."""
        device = self.queries.device
        own, mean = self._own.to(dtype), self._mean.to(dtype)
        z = torch.randn(count, *own.shape[:2], generator=generator, dtype=dtype, device=device)
        if own.shape[1:] == (1, 1):
            logits = (z[:, :, 0].mul_(own[:, 0, 0])).add_(mean[0]).unsqueeze(1)
        else:
            logits = mean + torch.einsum("pks,ksh->phk", z, own)
        if len(self.keys.shared):
            shared = (self.keys.shared @ self.queries.mT).mT.to(dtype)
            z = torch.randn(count, len(shared), generator=generator, dtype=dtype, device=device)
            logits = logits + torch.einsum("pr,rhk->phk", z, shared)
        return logits

    def _draw_keys(self, count: int, generator: torch.Generator, dtype: torch.dtype) -> Tensor:
        """Draws whole keys, normalises them, and returns their logits."""
        means, device = self.keys.means.to(dtype), self.queries.device
        shape = (count, *means.shape)
        drawn = torch.randn(shape, generator=generator, dtype=dtype, device=device)
        drawn = means + self.keys.isotropic.to(dtype).sqrt()[:, None] * drawn
        z = torch.randn(count, *self.keys.own.shape[:2], generator=generator, dtype=dtype, device=device)
        drawn += torch.einsum("pks,ksd->pkd", z, self.keys.own.to(dtype))
        z = torch.randn(count, len(self.keys.shared), generator=generator, dtype=dtype, device=device)
        drawn += torch.einsum("pr,rkd->pkd", z, self.keys.shared.to(dtype))
        return torch.einsum("hd,pkd->phk", self.queries.to(dtype), torch.nn.functional.normalize(drawn, dim=-1))


def noisy_logits(
    keys: NoisyKeys, queries: Float[Tensor, "heads dim"], *, normalise_keys: bool = False, shift_free: bool = True
) -> Logits | ManyLogits:
    """The logits of `queries` on `keys`, reduced if possible.

    `shift_free`: a shift of all logits of a head changes nothing (true without a sink).
    """
    if normalise_keys:
        return _normalised_logits(keys, queries)
    own = own_logit_factors(keys, queries)
    noisy, source = torch.nonzero(own.ne(0).any(-1), as_tuple=True)
    heads, count = len(queries), len(keys.means)
    if len(noisy) > MOST_DIRECTIONS + heads:
        return ManyLogits(keys, queries, normalised=False, shift_free=shift_free)
    factors = own.new_zeros(len(noisy), heads, count)
    factors[torch.arange(len(noisy)), :, noisy] = own[noisy, source]
    factors = torch.cat([factors, (keys.shared @ queries.mT).mT])
    size = keys.largest_move * float(queries.norm(dim=1).max())
    if shift_free:
        # Any key may be the reference; one without noise of its own leaves the most zeros.
        still = factors.abs().sum((0, 1)).argmin()
        factors = factors - factors[..., still, None]
    factors = _fewest(factors, rounding=1e-13 * size)
    if len(factors) > MOST_DIRECTIONS:
        return ManyLogits(keys, queries, normalised=False, shift_free=shift_free)
    return _by_column(mean_logits(keys, queries, shift_free=shift_free), factors, None)


def mean_logits(keys: NoisyKeys, queries: Tensor, *, shift_free: bool) -> Float[Tensor, "heads keys"]:
    """The logits of the keys' means; minus their mean if that changes nothing, to keep more digits."""
    mean = queries @ keys.means.mT
    return mean - mean.mean(1, keepdim=True) if shift_free else mean


def _normalised_logits(keys: NoisyKeys, queries: Tensor) -> Logits | ManyLogits:
    """The logits of queries on keys divided by their norm, reduced if few sources move the keys."""
    noisy, source = torch.nonzero(keys.own.ne(0).any(-1), as_tuple=True)
    if bool(keys.isotropic.any()) or len(noisy) + len(keys.shared) > MOST_DIRECTIONS:
        return ManyLogits(keys, queries, normalised=True, shift_free=False)
    moves = keys.own.new_zeros(len(noisy), *keys.means.shape)
    moves[torch.arange(len(noisy)), noisy] = keys.own[noisy, source]
    moves = torch.cat([moves, keys.shared])
    never = ~(keys.means.ne(0).any(1) | moves.ne(0).any(2).any(0))
    if bool(never.any()):
        raise ArgumentError("normalise_keys", f"key {int(never.nonzero()[0])} is zero and cannot be normalised")
    # k_i(z) = columns_i (1, z); its norm is that of R_i (1, z) with columns_i = Q_i R_i, and R_i is small enough to
    # keep.
    columns = torch.cat([keys.means[None], moves]).permute(1, 2, 0)
    frames = torch.linalg.qr(columns, mode="r").R
    return _by_column(queries @ keys.means.mT, (moves @ queries.mT).mT, frames)


def own_logit_factors(keys: NoisyKeys, queries: Tensor) -> Float[Tensor, "keys sources heads"]:
    """The effect of each key's own noise (isotropic and other) on the logits: at most one source per head."""
    own = keys.own @ queries.mT
    covariance = own.mT @ own + keys.isotropic[:, None, None] * (queries @ queries.mT)
    if len(queries) == 1:
        return covariance.sqrt()
    # Per unit of query, so that a strong head's rounding error does not drown a weak head's noise.
    sizes = queries.norm(dim=1).clamp_min(torch.finfo(queries.dtype).tiny)
    eigenvalues, vectors = torch.linalg.eigh(covariance / sizes / sizes[:, None])
    keep = eigenvalues > 1e-14 * eigenvalues.amax(-1, keepdim=True)
    return torch.where(keep, eigenvalues, 0.0).sqrt().unsqueeze(-1) * vectors.mT * sizes


def _fewest(factors: Float[Tensor, "sources heads keys"], rounding: float) -> Float[Tensor, "directions heads keys"]:
    """Factors with the same covariance and no more rows than its rank, the strongest direction last."""
    if len(factors) == 1:
        return factors[factors.abs().amax((1, 2)) > rounding]
    _, sizes, directions = torch.linalg.svd(factors.flatten(1), full_matrices=False)
    kept = (sizes[:, None] * directions)[sizes > rounding * math.sqrt(factors.numel())]
    kept = kept.flip(0).unflatten(1, factors.shape[1:])
    return kept.where(factors.ne(0).any(0), 0.0)  # what does not move stays exactly so


def _by_column(mean: Tensor, factors: Tensor, frames: Tensor | None) -> Logits:
    """The logits with keys of equal logits merged into one column."""
    table = [mean.mT, factors.permute(2, 0, 1).flatten(1)]
    if frames is not None:
        table.append(frames.flatten(1))
    rows = torch.cat(table, 1).cpu().numpy()
    # Rounded, because keys that are equal in exact arithmetic may differ in the last digit.
    rows = (rows / np.maximum(np.abs(rows).max(0), np.finfo(rows.dtype).tiny)).round(14) + 0.0
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, column = np.unique(whole, return_index=True, return_inverse=True)
    pick, numbers = (torch.from_numpy(x).to(mean.device) for x in (first, column))
    return Logits(mean[:, pick], factors[:, :, pick], None if frames is None else frames[pick], numbers)
