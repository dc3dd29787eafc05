"""The spread of a weight: what the exact law predicts from noisy lengths, and what a trained head shows.

The lab's law is for a key k = (1 + γ) μ with γ ~ N(0, v): a random length, a fixed angle. For a query of a trained head
let a be the key that it attends to most, and let everything else be as it is. The logit of a is then m(1 + γ), where m
is its logit if it had the mean length of the head's keys, and √v is the coefficient of variation of their lengths. The
law gives the mean and the standard deviation of the weight of a. If lengths are noise, the head's weights lie around
that mean with that standard deviation. If they do not, its lengths are no noise: the head uses them.
"""

from dataclasses import dataclass

import numpy as np
import torch

from attnlab.attention.noise import distribution, noisy_keys
from attnlab.evaluation.heads.theory.rows import HeadRows, QueryRow
from attnlab.evaluation.scoring.intervals import Estimate, estimated, spread

LEAST = 1e-3
"""A coefficient of variation below this is that of normalised keys: there is no noise of lengths to speak of."""
WITHIN = 1.96
"""The standard deviations within which 95 % of a normal variable lie."""


@dataclass(frozen=True)
class Spread:
    """How far weights of attended keys are from what they would be at the mean length: predicted and observed.

    Both are root mean squares over the rows. `within` is the share of attended keys whose weight is inside the law's
    95 % range.
    """

    predicted: float
    observed: float
    ratio: Estimate | None
    """Observed over predicted; None if lengths hardly vary, or if the law predicts no spread at all."""
    bias: float
    """The mean of observed less predicted mean: above 0, the head attends to long keys."""
    within: float


def law(row: QueryRow, length: float, variation: float) -> tuple[float, float]:
    """The mean and the standard deviation of the weight of the attended key, by the exact law."""
    at = row.attended
    mean = float(row.logits[at] * length / row.lengths[at])
    noise = torch.tensor([variation**2, 0.0], dtype=torch.float64)
    keys = noisy_keys(torch.eye(2, dtype=torch.float64), norm_variance=noise)
    asked = torch.tensor([mean, row.rest], dtype=torch.float64)
    found = distribution(keys, asked, torch.tensor([1.0, 0.0], dtype=torch.float64))
    return float(found.weight_mean[0]), float(found.weight_sd[0])


def predicted_and_observed(head: HeadRows) -> Spread:
    """The spread that the law predicts for a head, and the spread that it has. Rows of one window count together."""
    found = np.array([(*law(row, head.length, head.variation), row.weights.max()) for row in head.rows])
    means, sds, weights = found.T
    squares, expected = (weights - means) ** 2, sds**2
    lengths = np.array([row.lengths[row.attended] for row in head.rows]) / head.length
    noisy = head.variation >= LEAST
    return Spread(
        predicted=float(np.sqrt(expected.mean())),
        observed=float(np.sqrt(squares.mean())),
        ratio=_ratio(head, squares, expected) if noisy else None,
        bias=float((weights - means).mean()),
        within=float((np.abs(lengths - 1) <= WITHIN * head.variation).mean()) if noisy else 1.0,
    )


def _ratio(head: HeadRows, squares: np.ndarray, expected: np.ndarray) -> Estimate | None:
    """√(Σ squares / Σ expected), with its interval over windows; None if all `expected` are 0."""
    windows = np.array([row.window for row in head.rows])
    sums = [np.bincount(windows, each) for each in (squares, expected)]
    if not sums[1].sum() > 0:
        return None
    value = float(sums[0].sum() / sums[1].sum())
    return estimated(value, spread((sums[0], sums[1]))).map(lambda each: float(np.sqrt(max(0.0, each))))
