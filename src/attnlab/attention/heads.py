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
from scipy.optimize import minimize_scalar
from torch import Tensor

from attnlab.attention.descent import Objective
from attnlab.attention.inputs import check_at_least, check_between, exact_matrix
from attnlab.attention.noise import Distribution, NoisyKeys, distribution
from attnlab.attention.noise.readout import ReadoutOptions

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

    # Three directions of noise are exact in a second or so, which is too long for a hundred looks.
    few = distribution(keys, directions, target, samples=2, **options).directions <= 2
    method = "auto" if few else "quasi-monte-carlo"

    def error(log_scale: float) -> float:
        queries = math.exp(log_scale) * directions
        return distribution(keys, queries, target, method=method, samples=SEARCH_SAMPLES, **options).error

    # The error may have more than one valley, so look everywhere first, then into the deepest.
    grid = np.linspace(math.log(most) - math.log(1e6), math.log(most), 61)
    errors = [error(x) for x in grid]
    lowest = int(np.argmin(errors))
    unbounded = lowest == len(grid) - 1
    log_scale = grid[lowest]
    if lowest > 0 and not unbounded:
        valley = (grid[lowest - 1], grid[lowest + 1])
        # scipy's stub calls the result an object
        log_scale = minimize_scalar(error, bounds=valley, method="bounded", options={"xatol": 1e-7}).x  # pyright: ignore[reportAttributeAccessIssue]
    scale = most if unbounded else math.exp(log_scale)
    if lowest == 0 and distribution(keys, 0 * directions, target, **options).error <= errors[0]:
        scale = 0.0
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
    check_at_least("starts", starts, 1)
    check_between("seed", seed, -1, 2**63)
    objective = Objective(keys, heads, target, seed, **options)
    generator = torch.Generator().manual_seed(seed)
    found: list[Best] = []
    for start in range(starts):
        queries = objective.descend(_first_queries(keys, objective.pull, heads, generator, start))
        measured = distribution(keys, queries, target, seed=seed, **options)
        found.append(Best(queries, None, False, measured))
    best = min(found, key=lambda best: best.distribution.error)
    # A descent creeps where the error falls for ever; the scale alone is quickly taken to its best.
    longer = best_scale(keys, best.queries, target, **options)
    if longer.distribution.error < best.distribution.error:
        best = replace(longer, scale=None)
    return best


def _first_queries(
    keys: NoisyKeys, pull: Float[Tensor, "keys"], heads: int, generator: torch.Generator, start: int
) -> Float[Tensor, "heads dim"]:
    """Where a search starts: first, each head looks for one of the keys whose values the target holds; then, every head
    looks for all of them, as one head would; then, they look for keys at random.
    """
    noise = torch.randn(heads, len(pull), generator=generator, dtype=torch.float64).to(pull.device)
    wanted = torch.topk(pull, min(len(pull), max(2, heads))).indices
    looks = torch.zeros_like(noise)
    if start == 0 and heads > 1:
        looks[torch.arange(heads), wanted[torch.arange(heads) % len(wanted)]] = 1.0
    elif start <= 1:
        looks[:, wanted[:2]] = 1.0
    else:
        looks = noise * pull.abs() / pull.abs().amax().clamp_min(1e-300)
        noise = 33.0 * noise
    return 3.0 * (looks + 0.01 * noise) @ keys.means
