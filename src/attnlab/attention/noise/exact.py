"""The moments of attention under noise, by quadrature: means, variances and error at once, covariances on request.

The quadrature integrates every head's weight on every column, even if only their sums are wanted: panels that resolve
all weights resolve everything that is computed from them.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.merging import merge_still
from attnlab.attention.noise.quadrature import Array, expectation
from attnlab.attention.noise.readout import Readout
from attnlab.attention.noise.turns import turns

EXACT_DIRECTIONS = 3


class TooManyPointsError(Exception):
    """The quadrature needs more points than it was allowed."""


def exact_tolerance(directions: int) -> float:
    """The tolerance of the exact method: 1e-9 for one noisy direction, 1e-6 for two or three."""
    return 1e-9 if directions <= 1 else 1e-6


@dataclass(frozen=True)
class Moments:
    """The moments of the combined weights, one per column, and of the squared error, with bounds on their errors."""

    mean: Float[Tensor, "columns"]
    mean_bound: Float[Tensor, "columns"]
    variance: Float[Tensor, "columns"]
    variance_bound: Float[Tensor, "columns"]
    error: float
    error_bound: float
    points: int


def moments(asked: Readout, logits: Logits, tolerance: float, most: float = math.inf) -> Moments:
    """The moments: the weights to within `tolerance`, and the error to within `tolerance` times its range. Raises
    TooManyPointsError if that takes more than `most` values of a weight, a square or an error."""
    merged = merge_still(asked, logits)
    asked, logits = merged.readout, merged.logits
    heads, columns = len(asked.head_weights), logits.columns
    each = heads * columns
    left = most

    def outputs(z: Array) -> Array:
        """Each head's weights, the squares of the combined ones, and the squared error."""
        nonlocal left
        left -= len(z) * (each + columns + 1)
        if left < 0:
            raise TooManyPointsError
        weights, combined = _weights(asked, logits, z)
        errors = asked.squared_error(combined)
        return torch.cat([weights.flatten(1), combined.square(), errors[:, None]], dim=1).cpu().numpy()

    # Combined weights scale with the heads' shares, and their squares with the square of these.
    shares = float(asked.head_weights.abs().sum())
    scale = np.ones(each + columns + 1)
    scale[each:] = max(1.0, shares) ** 2
    scale[-1] = _error_range(asked, logits)
    scale *= 0.99  # leaves room for rounding under the tolerance
    found = expectation(outputs, logits.directions, tolerance, len(scale), scale=scale, breaks=turns(logits, tolerance))
    value, bound = (torch.from_numpy(x).to(asked.counts.device) for x in (found.value, found.bound))
    mean = asked.head_weights @ value[:each].unflatten(0, (heads, columns))
    mean_bound = asked.head_weights.abs() @ bound[:each].unflatten(0, (heads, columns))
    rounding, variance = asked.rounding(torch.float64), (value[each:-1] - mean.square()).clamp_min(0)
    column, share = merged.column, merged.share
    mean_rounding = rounding * shares
    # Var = E w² − (E w)²; an error of d in E w changes its square by at most 2 |E w| d + d².
    off = mean_bound + mean_rounding
    variance_bound = bound[each:-1] + 2 * shares * mean_rounding + 2 * mean.abs() * off + off.square()
    return Moments(
        share * mean[column],
        share * mean_bound[column] + mean_rounding,
        share.square() * variance[column],
        share.square() * variance_bound[column],
        float(value[-1]),
        float(bound[-1]) + rounding * asked.most_error,
        found.points,
    )


def covariance(asked: Readout, logits: Logits, tolerance: float) -> Float[Tensor, "columns columns"]:
    """The covariance of the combined weights; separate from the moments, because it needs products of all pairs."""
    heads, columns = len(asked.head_weights), logits.columns
    upper = torch.triu_indices(columns, columns, device=asked.counts.device)

    def outputs(z: Array) -> Array:
        weights, combined = _weights(asked, logits, z)
        products = combined[:, upper[0]] * combined[:, upper[1]]
        return torch.cat([weights.flatten(1), products], dim=1).cpu().numpy()

    scale = np.ones(heads * columns + upper.shape[1])
    scale[heads * columns :] = max(1.0, float(asked.head_weights.abs().sum())) ** 2
    found = expectation(outputs, logits.directions, tolerance, len(scale), scale=scale, breaks=turns(logits, tolerance))
    value = torch.from_numpy(found.value).to(asked.counts.device)
    mean = asked.head_weights @ value[: heads * columns].unflatten(0, (heads, columns))
    second = value.new_zeros(columns, columns)
    second[upper[0], upper[1]] = second[upper[1], upper[0]] = value[heads * columns :]
    return second - mean[:, None] * mean


def _weights(asked: Readout, logits: Logits, z: Array) -> tuple[Tensor, Tensor]:
    """The weights of each head, and the combined weights."""
    weights = asked.weights(logits.at(torch.from_numpy(z).to(asked.counts.device)))
    return weights, asked.combine(weights)


@functools.cache
def _probes(directions: int) -> Array:
    """No noise, and noise of one to four standard deviations along each direction, and along all."""
    along = np.concatenate([np.eye(directions), np.ones((1, directions))])
    return np.concatenate([step * along for step in (0.0, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0)])


def _error_range(asked: Readout, logits: Logits) -> float:
    """The range of the squared error over a few places; its tolerance is relative to this.

    A range that is too small only costs time, so it is at least a millionth of the largest possible error.
    """
    if asked.values is None:
        # Values have length 1, so the range follows from the shares and the target.
        size = float(asked.head_weights.abs().sum())
        return size * max(size, math.sqrt(asked.target_square))
    errors = asked.squared_error(_weights(asked, logits, _probes(logits.directions))[1])
    return max(float(errors.max() - errors.min()), 1e-6 * asked.most_error)
