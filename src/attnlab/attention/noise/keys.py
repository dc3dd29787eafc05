"""Gaussian keys N(μ_i, Σ_i), independent of one another or not.

Every noise here is a sum of three kinds. Together they can be any Gaussian, and structured noise never needs the full
(keys·dim)² covariance:

    k_i = μ_i + √v_i ε_i + Σ_s L_is ξ_is + Σ_r F_ri z_r,    ε, ξ, z standard Gaussian and independent

isotropic (v: the same in every direction, independent for each key), own (L: any covariance, independent for each key),
shared (F: one number z_r moves several keys at once, which correlates them).
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.argument_checks import check_finite, check_floating, check_size, exact_matrix, shape_of
from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class NoisyKeys:
    """Gaussian keys: their means and the factors of their noise, all in float64. Made by `noisy_keys`."""

    means: Float[Tensor, "keys dim"]
    isotropic: Float[Tensor, "keys"]
    own: Float[Tensor, "keys sources dim"]
    shared: Float[Tensor, "sharedsources keys dim"]

    @cached_property
    def largest_move(self) -> float:
        """The farthest that one source of noise, isotropic noise aside, moves a key per standard deviation."""
        return float(torch.cat([self.own.flatten(0, 1), self.shared.flatten(0, 1)]).norm(dim=1).max())

    def covariance(self) -> Float[Tensor, "keys dim keys dim"]:
        """The full covariance, Cov(k_ia, k_jb) at [i, a, j, b]; for inspection and small cases."""
        keys, dim = self.means.shape
        whole = torch.einsum("ria,rjb->iajb", self.shared, self.shared)
        each = torch.einsum("isa,isb->iab", self.own, self.own)
        each = each + self.isotropic[:, None, None] * torch.eye(dim, dtype=each.dtype, device=each.device)
        numbers = torch.arange(keys, device=each.device)
        whole[numbers, :, numbers, :] += each
        return whole


def noisy_keys(
    means: Float[Tensor, "keys dim"],
    *,
    isotropic: float | Float[Tensor, "keys"] = 0.0,
    norm_variance: float | Float[Tensor, "keys"] = 0.0,
    covariances: Float[Tensor, "keys dim dim"] | None = None,
    joint: Float[Tensor, "keysdim keysdim"] | None = None,
) -> NoisyKeys:
    """Keys with the given means and the sum of the given noises.

    `isotropic`: the variance of each coordinate. `norm_variance`: that of γ_i in k_i = (1 + γ_i) μ_i; Σ_i = v μ_i μ_iᵀ.
    Both are one number for all keys, or one per key. `covariances`: any Σ_i, one matrix per key. `joint`: the
    covariance of all keys together, key 0's coordinates first, for correlated keys. Covariances may be singular.

    >>> first_is_noisy = torch.tensor([0.25, 0.0, 0.0])
    >>> noisy_keys(torch.eye(3), norm_variance=first_is_noisy).covariance()[0, :, 0, :].tolist()
    [[0.25, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    means = exact_matrix("means", means, "keys", "dim")
    keys, dim = means.shape
    own = [_variances("norm_variance", norm_variance, means).sqrt()[:, None, None] * means[:, None, :]]
    if covariances is not None:
        _check_shape("covariances", covariances, (keys, dim, dim))
        own.append(_factors("covariances", covariances))
    shared = means.new_zeros(0, keys, dim)
    if joint is not None:
        _check_shape("joint", joint, (keys * dim, keys * dim))
        shared = _factors("joint", joint).reshape(-1, keys, dim)
        shared = shared[shared.flatten(1).any(1)]
    return NoisyKeys(means, _variances("isotropic", isotropic, means), torch.cat(own, dim=1), shared)


def check_noisy(keys: NoisyKeys) -> None:
    """Raise unless the keys come from `noisy_keys`."""
    if not isinstance(keys, NoisyKeys):
        raise ArgumentError("keys", f"expected the result of noisy_keys(means, …), got {type(keys).__name__}")


def _variances(name: str, variance: float | Tensor, means: Tensor) -> Float[Tensor, "keys"]:
    """The variances, one per key."""
    given = torch.as_tensor(variance, dtype=torch.float64, device=means.device)
    if given.ndim > 0:
        _check_shape(name, given, (len(means),))
    check_finite(name, given)
    check_size(name, given)
    if bool((given < 0).any()):
        raise ArgumentError(name, f"expected a variance of 0 or more, got {given.min().item():g}")
    return given.expand(len(means))


def _check_shape(name: str, tensor: Tensor, shape: tuple[int, ...]) -> None:
    check_floating(name, tensor)
    if tuple(tensor.shape) != shape:
        raise ArgumentError(name, f"expected shape {shape}, got {shape_of(tensor)}")


def _factors(name: str, covariance: Float[Tensor, "*batch n n"]) -> Float[Tensor, "*batch n n"]:
    """F with Fᵀ F = covariance, one source per row; raises if the matrix is not a covariance."""
    check_finite(name, covariance)
    check_size(name, covariance)
    matrix = covariance.detach().double()
    size = matrix.abs().amax((-2, -1), keepdim=True).clamp_min(torch.finfo(torch.float64).tiny)
    # Rounding in the original precision may break symmetry, or make eigenvalues negative, by this much.
    slack = size * torch.finfo(covariance.dtype).eps * 8 * matrix.shape[-1]
    if bool(((matrix - matrix.mT).abs() > slack).any()):
        raise ArgumentError(name, "expected a symmetric matrix")
    eigenvalues, vectors = torch.linalg.eigh((matrix + matrix.mT) / 2)
    if bool((eigenvalues < -slack[..., 0]).any()):
        got = f"got eigenvalue {eigenvalues.min().item():g}"
        raise ArgumentError(name, f"expected a covariance (no eigenvalue below 0), {got}")
    # An eigenvalue below the rounding error of this decomposition is not a source of noise.
    rounding = size[..., 0] * torch.finfo(torch.float64).eps * 8 * matrix.shape[-1]
    return torch.where(eigenvalues > rounding, eigenvalues, 0.0).sqrt().unsqueeze(-1) * vectors.mT
