"""The queries, and the scale of queries, that come closest to a target under noise: for one head, two, or H.

The error that is minimised is E‖c − target‖² itself. Every answer is measured again by `distribution`, so the figure
that comes back is exact (or has a standard error), whatever the search did.
"""

import math
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import torch
from jaxtyping import Float
from scipy.optimize import minimize, minimize_scalar
from torch import Tensor
from torch.quasirandom import SobolEngine

from attnlab.attention.functional import softmax
from attnlab.attention.inputs import check_at_least, check_between, exact_matrix
from attnlab.attention.noise import Distribution, NoisyKeys, distribution
from attnlab.attention.noise.readout import ReadoutOptions
from attnlab.errors import ArgumentError

MOST_SCALE = 1e4
SEARCH_SAMPLES = 1 << 14
"""Draws for an error that cannot be had exactly, while searching; all with one seed, so that it varies smoothly."""


@dataclass(frozen=True)
class Best:
    """The best queries found, and what they do.

    `scale` is their common factor where only that was sought. `unbounded`: the error still falls at the largest scale
    that was tried, so there is no best one: the larger, the better.
    """

    queries: Float[Tensor, "heads dim"]
    scale: float | None
    unbounded: bool
    distribution: Distribution


def best_scale(
    keys: NoisyKeys,
    directions: Float[Tensor, "*heads dim"],
    target: Float[Tensor, "value"],
    *,
    most: float = MOST_SCALE,
    **options: Unpack[ReadoutOptions],
) -> Best:
    """The scale C for which the queries C · directions have the least error, up to C = `most`.

    >>> from attnlab.attention.scenario import Averaging
    >>> ten = Averaging(keys=10)
    >>> best = best_scale(ten.noisy_keys(), ten.directions(heads=1), ten.target())
    >>> f"C = {best.scale:.3f}, error {best.distribution.error:.4f}"
    'C = 2.136, error 0.1468'
    """
    check_between("most", most, 0.0, math.inf)
    directions = exact_matrix("directions", torch.atleast_2d(directions), "heads", "dim")

    def error(log_scale: float) -> float:
        queries = math.exp(log_scale) * directions
        return distribution(keys, queries, target, samples=SEARCH_SAMPLES, **options).error

    # The error may have more than one valley, so look everywhere first, then into the deepest.
    grid = np.linspace(math.log(most) - math.log(1e6), math.log(most), 61)
    errors = [error(x) for x in grid]
    lowest = int(np.argmin(errors))
    unbounded = lowest == len(grid) - 1
    log_scale = grid[lowest]
    if lowest > 0 and not unbounded:
        valley = (grid[lowest - 1], grid[lowest + 1])
        log_scale = minimize_scalar(error, bounds=valley, method="bounded", options={"xatol": 1e-7}).x  # pyright: ignore[reportAttributeAccessIssue]
    scale = math.exp(log_scale)
    return Best(scale * directions, scale, unbounded, distribution(keys, scale * directions, target, **options))


def best_queries(
    keys: NoisyKeys,
    target: Float[Tensor, "value"],
    *,
    heads: int = 1,
    starts: int = 6,
    seed: int = 0,
    **options: Unpack[ReadoutOptions],
) -> Best:
    """The queries with the least error, no direction prescribed; the best of several local searches.

    Each search follows the gradient of the error over fixed nodes of the noise (a grid for one or two noisy sources,
    Sobol points for more). Its end points are then measured by `distribution`, and the best of them is the answer.

    >>> from attnlab.attention.scenario import Averaging
    >>> ten = Averaging(keys=10)
    >>> best = best_queries(ten.noisy_keys(), ten.target(), starts=1)
    >>> best.distribution.error < 1e-6  # it asks for neither a nor b, whose noise it then does not hear
    True
    """
    check_at_least("heads", heads, 1)
    objective = _Objective(keys, target, heads, seed, options)
    generator = torch.Generator().manual_seed(seed)
    found: list[Best] = []
    for start in range(max(1, starts)):
        first = _first_queries(keys, target, heads, options, generator, informed=start == 0)
        queries = objective.descend(first)
        measured = distribution(keys, queries, target, seed=seed, **options)
        found.append(Best(queries, None, False, measured))
    best = min(found, key=lambda best: best.distribution.error)
    # A descent creeps where the error falls for ever; the scale alone is quickly taken to its best.
    longer = best_scale(keys, best.queries, target, **options)
    if longer.distribution.error < best.distribution.error:
        best = replace(longer, scale=None)
    return best


def _first_queries(
    keys: NoisyKeys,
    target: Tensor,
    heads: int,
    options: ReadoutOptions,
    generator: torch.Generator,
    *,
    informed: bool,
) -> Float[Tensor, "heads dim"]:
    """Where a search starts: heads that look for the keys whose values the target holds, or for keys at random."""
    values = options.get("values")
    pull = (target if values is None else values @ target).double()
    noise = torch.randn(heads, len(keys.means), generator=generator, dtype=torch.float64).to(pull.device)
    if informed:
        wanted = torch.topk(pull, min(len(pull), max(2, heads))).indices
        looks = torch.zeros_like(noise)
        for head in range(heads):
            looks[head, wanted if heads == 1 else wanted[head % len(wanted)]] = 1.0
        return 3.0 * (looks + 0.01 * noise) @ keys.means
    return (3.0 * noise * (pull.abs() / pull.abs().amax().clamp_min(1e-300)) + noise) @ keys.means


class _Objective:
    """E‖c − target‖² as a differentiable function of the queries, over fixed nodes of the noise."""

    def __init__(self, keys: NoisyKeys, target: Tensor, heads: int, seed: int, options: ReadoutOptions):
        self.target, self.heads = target.double(), heads
        self.values = options.get("values")
        self.sink = options.get("sink", 0.0)
        shares = options.get("head_weights")
        self.shares = torch.full((heads,), 1 / heads, dtype=torch.float64) if shares is None else shares.double()
        self.means = keys.means
        self.moves, self.nodes, self.weights = _noise_nodes(keys, seed)
        self.norms = None
        if options.get("normalise_keys", False):
            self.norms = self._keys().norm(dim=-1).clamp_min(1e-300)

    def __call__(self, queries: Float[Tensor, "heads dim"]) -> Tensor:
        """The error."""
        logits = torch.einsum("hd,kd->hk", queries, self.means)
        moves = torch.einsum("skd,hd->shk", self.moves, queries)
        logits = logits + torch.einsum("ns,shk->nhk", self.nodes, moves)
        if self.norms is not None:
            logits = logits / self.norms[:, None]
        combined = torch.einsum("h,nhk->nk", self.shares, softmax(logits, sink=self.sink))
        output = combined if self.values is None else combined @ self.values.double()
        return self.weights @ (output - self.target).square().sum(-1)

    def descend(self, first: Float[Tensor, "heads dim"]) -> Float[Tensor, "heads dim"]:
        """The end of a descent (L-BFGS) from the given queries."""

        def value_and_gradient(flat: np.ndarray) -> tuple[float, np.ndarray]:
            queries = torch.from_numpy(flat).reshape(first.shape).requires_grad_()
            error = self(queries)
            (gradient,) = torch.autograd.grad(error, queries)
            return error.item(), gradient.flatten().numpy()

        start = first.cpu().numpy().ravel()
        end = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-13})
        return torch.from_numpy(end.x).reshape(first.shape)

    def _keys(self) -> Float[Tensor, "nodes keys dim"]:
        return self.means + torch.einsum("ns,skd->nkd", self.nodes, self.moves)


def _noise_nodes(keys: NoisyKeys, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """The sources of noise (how each moves the keys), nodes for their Gaussian numbers, and the nodes' weights."""
    count, dim = keys.means.shape
    noisy, source = torch.nonzero(keys.own.ne(0).any(-1), as_tuple=True)
    still = keys.isotropic.eq(0)
    sources = len(noisy) + len(keys.shared) + dim * int((~still).sum())
    if sources * count * dim > 5e7:
        raise ArgumentError(
            "keys", f"best_queries takes fewer sources of noise than {sources} on {count} keys of {dim}"
        )
    own = keys.means.new_zeros(len(noisy), count, dim)
    own[torch.arange(len(noisy)), noisy] = keys.own[noisy, source]
    every = torch.diag_embed(keys.isotropic.sqrt()[:, None].expand(count, dim))[~still]  # (noisy keys, dim, dim)
    isotropic = keys.means.new_zeros(len(every), dim, count, dim)
    isotropic[torch.arange(len(every)), :, torch.nonzero(~still)[:, 0]] = every
    moves = torch.cat([own, keys.shared, isotropic.reshape(-1, count, dim)])
    if sources <= 2:
        axis = torch.linspace(-6.5, 6.5, {0: 1, 1: 513, 2: 65}[sources], dtype=torch.float64)
        nodes = torch.cartesian_prod(*[axis] * sources).reshape(-1, sources) if sources else axis.new_zeros(1, 0)
        weights = torch.softmax(-0.5 * nodes.square().sum(1), 0)
    else:
        uniform = SobolEngine(sources, scramble=True, seed=seed).draw(2048, dtype=torch.float64)
        nodes = torch.special.ndtri(uniform.clamp(1e-16, 1 - 1e-16))
        weights = torch.full((len(nodes),), 1 / len(nodes), dtype=torch.float64)
    return moves, nodes, weights
