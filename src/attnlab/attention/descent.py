"""E‖c − target‖² as a differentiable function of the queries, and its descent.

The noise is taken at fixed nodes: a fine grid for one or two sources (under a Gaussian the trapezoidal rule converges
exponentially), scrambled Sobol points for more. That is enough for a search; the result is measured elsewhere.
"""

from typing import Unpack

import numpy as np
import torch
from jaxtyping import Float
from scipy.optimize import minimize
from torch import Tensor
from torch.quasirandom import SobolEngine

from attnlab.attention.functional import softmax
from attnlab.attention.noise import NoisyKeys
from attnlab.attention.noise.readout import ReadoutOptions, readout
from attnlab.errors import ArgumentError

GRID = {0: 1, 1: 513, 2: 65}
"""Nodes per axis, by the number of sources."""
REACH = 6.5
POINTS = 2048
MOST_NUMBERS = 5e7


class Objective:
    """The error of queries, and the descent to its minimum."""

    def __init__(
        self,
        keys: NoisyKeys,
        heads: int,
        target: Float[Tensor, "value"],
        seed: int,
        **options: Unpack[ReadoutOptions],
    ):
        # A readout with zero queries: it checks the options and converts them.
        asked = readout(keys, keys.means.new_zeros(heads, keys.means.shape[1]), target, **options)
        self.means, self.values, self.sink, self.shares = keys.means, asked.values, asked.sink, asked.head_weights
        self.target = target.double().to(keys.means.device)
        self.pull = self.target if self.values is None else self.values @ self.target
        self.moves = noise_moves(keys)
        self.nodes, self.weights = (x.to(keys.means.device) for x in noise_nodes(len(self.moves), seed))
        self.norms = None
        if options.get("normalise_keys", False):
            drawn = self.means + torch.einsum("ns,skd->nkd", self.nodes, self.moves)
            self.norms = drawn.norm(dim=-1).clamp_min(1e-300)

    def error(self, queries: Float[Tensor, "heads dim"]) -> Float[Tensor, ""]:
        """E‖c − target‖² over the nodes."""
        moves = (self.moves @ queries.mT).mT  # (sources, heads, keys)
        logits = queries @ self.means.mT + torch.einsum("ns,shk->nhk", self.nodes, moves)
        if self.norms is not None:
            logits = logits / self.norms[:, None]
        combined = self.shares @ softmax(logits, sink=self.sink)
        output = combined if self.values is None else combined @ self.values
        return self.weights @ (output - self.target).square().sum(-1)

    def descend(self, first: Float[Tensor, "heads dim"]) -> Float[Tensor, "heads dim"]:
        """The end of a descent (L-BFGS) from the given queries."""

        def value_and_gradient(flat: np.ndarray) -> tuple[float, np.ndarray]:
            queries = torch.from_numpy(flat).to(first.device).reshape(first.shape).requires_grad_()
            error = self.error(queries)
            (gradient,) = torch.autograd.grad(error, queries)
            return error.item(), gradient.flatten().cpu().numpy()

        start = first.cpu().numpy().ravel()
        end = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-13})
        return torch.from_numpy(end.x).to(first.device).reshape(first.shape)


def noise_moves(keys: NoisyKeys) -> Float[Tensor, "sources keys dim"]:
    """How each source of noise moves the keys; one slice per source."""
    count, dim = keys.means.shape
    key, source = torch.nonzero(keys.own.ne(0).any(-1), as_tuple=True)
    everywhere = torch.nonzero(keys.isotropic)[:, 0]
    sources = len(key) + len(keys.shared) + dim * len(everywhere)
    if sources * count * dim > MOST_NUMBERS:
        got = f"got {sources} sources of noise on {count} keys of dim {dim}"
        raise ArgumentError("keys", f"expected at most {MOST_NUMBERS:g} numbers (sources × keys × dim); {got}")
    own = keys.means.new_zeros(len(key), count, dim)
    own[torch.arange(len(key)), key] = keys.own[key, source]
    isotropic = keys.means.new_zeros(len(everywhere), dim, count, dim)
    for number, where in enumerate(everywhere.tolist()):
        isotropic[number, :, where] = keys.isotropic[where].sqrt() * torch.eye(dim, dtype=own.dtype, device=own.device)
    return torch.cat([own, keys.shared, isotropic.flatten(0, 1)])


def noise_nodes(sources: int, seed: int) -> tuple[Float[Tensor, "nodes sources"], Float[Tensor, "nodes"]]:
    """Nodes for `sources` Gaussian numbers, and their weights, which sum to 1."""
    if sources > 2:
        uniform = SobolEngine(sources, scramble=True, seed=seed).draw(POINTS, dtype=torch.float64)
        return torch.special.ndtri(uniform.clamp(1e-16, 1 - 1e-16)), torch.full((POINTS,), 1 / POINTS).double()
    axis = torch.linspace(-REACH, REACH, GRID[sources], dtype=torch.float64)
    nodes = torch.cartesian_prod(*[axis] * sources).reshape(-1, sources) if sources else axis.new_zeros(1, 0)
    return nodes, torch.softmax(-0.5 * nodes.square().sum(1), 0)
