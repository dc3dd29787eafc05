"""Averages over random draws of noisy logits, in memory that does not grow with the number of draws.

Plain draws are pseudo-random. Quasi-random ones are Sobol points, scrambled so that every point is uniform: 32
independent scrambles, whose spread gives the standard error. Both depend on the seed and on nothing else.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from torch.quasirandom import SobolEngine

from attnlab.attention.inputs import check_at_least, check_between
from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.readout import Readout
from attnlab.errors import ArgumentError

Progress = Callable[[int], None]
"""Called with how many draws were done since the last call."""

SCRAMBLES = 32
_NUMBERS_AT_A_TIME = 1 << 19
"""Logits in one batch: few enough to stay in cache, enough to hide the cost of a call."""


@dataclass(frozen=True)
class Averages:
    """Averages over draws, the standard errors of the first and the last, and what rounding may add to a weight."""

    mean: Float[Tensor, "columns"]
    variance: Float[Tensor, "columns"]
    error: float
    mean_standard_error: Float[Tensor, "columns"]
    error_standard_error: float
    rounding: float
    draws: int


def average(
    readout: Readout, samples: int, seed: int, *, quasi: bool = False, progress: Progress | None = None
) -> Averages:
    """The mean and variance of the combined weights, and the mean squared error."""
    check_at_least("samples", samples, 2)
    check_between("seed", seed, -1, 2**63)
    groups: list[_Sums] = []
    for group, combined in draws(readout, samples, seed, quasi=quasi):
        if group == len(groups):
            groups.append(_Sums(groups[0].centre if groups else combined.mean(0)))
        groups[group].add(combined, readout.squared_error(combined))
        if progress is not None:
            progress(len(combined))
    total = _Sums(groups[0].centre)
    for sums in groups:
        total.merge(sums)
    variance, error = total.variance(), total.error / total.count
    if quasi:
        means = torch.stack([sums.mean() for sums in groups])
        errors = torch.tensor([sums.error / sums.count for sums in groups], dtype=torch.float64)
        mean_se = means.std(0) / math.sqrt(len(groups))
        error_se = float(errors.std()) / math.sqrt(len(groups))
    else:
        mean_se = (variance / (total.count - 1)).sqrt()
        error_se = math.sqrt(max(total.error_square / total.count - error**2, 0.0) / (total.count - 1))
    rounding = readout.rounding(groups[0].centre.dtype)
    return Averages(total.mean(), variance, error, mean_se, error_se, rounding, total.count)


def covariance(readout: Readout, samples: int, seed: int, *, quasi: bool) -> Float[Tensor, "columns columns"]:
    """The covariance of the combined weights over the same draws that `average` makes."""
    centre: Tensor | None = None
    count, total = 0, readout.counts.new_zeros(len(readout.counts))
    products = total.new_zeros(len(total), len(total))
    for _, combined in draws(readout, samples, seed, quasi=quasi):
        centre = combined.mean(0) if centre is None else centre
        away = combined - centre
        count += len(away)
        total += away.sum(0, dtype=torch.float64)
        products += away.mT @ away
    return products / count - (total / count)[:, None] * (total / count)


class _Sums:
    """Running sums over draws, of differences from a centre close to the mean: their squares lose no digits."""

    def __init__(self, centre: Tensor):
        self.centre = centre
        self.count, self.error, self.error_square = 0, 0.0, 0.0
        self.sum = centre.new_zeros(len(centre), dtype=torch.float64)
        self.squares = torch.zeros_like(self.sum)

    def add(self, combined: Tensor, errors: Tensor) -> None:
        away = combined - self.centre
        self.count += len(combined)
        self.sum += away.sum(0, dtype=torch.float64)
        self.squares += away.square_().sum(0, dtype=torch.float64)
        self.error += float(errors.sum(dtype=torch.float64))
        self.error_square += float(errors.double().square().sum())

    def merge(self, other: "_Sums") -> None:
        self.count += other.count
        self.sum, self.squares = self.sum + other.sum, self.squares + other.squares
        self.error, self.error_square = self.error + other.error, self.error_square + other.error_square

    def mean(self) -> Tensor:
        return self.centre + self.sum / self.count

    def variance(self) -> Tensor:
        return (self.squares / self.count - (self.sum / self.count).square()).clamp_min(0)


def draws(
    readout: Readout, samples: int, seed: int, *, quasi: bool
) -> Iterator[tuple[int, Float[Tensor, "batch columns"]]]:
    """Combined weights in batches, with the number of the group of independent draws that each batch belongs to."""
    if quasi:
        yield from _quasi_draws(readout, samples, seed)
        return
    generator = torch.Generator(readout.counts.device).manual_seed(seed)
    batch = _batch(readout)
    while samples > 0:
        # Single precision: its rounding is far below the standard error of any affordable number of plain draws.
        logits = readout.logits.draw(min(batch, samples), generator, torch.float32)
        yield 0, readout.combine(readout.weights(logits))
        samples -= batch


def sample(readout: Readout, column: int, samples: int, seed: int) -> NDArray[np.float64]:
    """Independent draws of the weight of one column."""
    batches = draws(readout, samples, seed, quasi=False)
    return torch.cat([combined[:, column] for _, combined in batches]).double().cpu().numpy()


def _quasi_draws(readout: Readout, samples: int, seed: int) -> Iterator[tuple[int, Tensor]]:
    logits = readout.logits
    if not isinstance(logits, Logits):
        raise ArgumentError("method", f"quasi-monte-carlo takes few noisy directions, got {logits.directions}")
    each = 1 << max(0, int(math.log2(max(1, samples // SCRAMBLES))))
    seeds = torch.randint(2**62, (SCRAMBLES,), generator=torch.Generator().manual_seed(seed))
    batch = _batch(readout)
    for group, scramble in enumerate(seeds.tolist()):
        engine = SobolEngine(max(1, logits.directions), scramble=True, seed=scramble)
        for start in range(0, each, batch):
            uniform = engine.draw(min(batch, each - start), dtype=torch.float64).clamp(1e-16, 1 - 1e-16)
            z = torch.special.ndtri(uniform[:, : logits.directions]).to(readout.counts.device)
            yield group, readout.combine(readout.weights(logits.at(z)))


def _batch(readout: Readout) -> int:
    """How many draws to make at once."""
    numbers = len(readout.counts) * len(readout.head_weights)
    if not isinstance(readout.logits, Logits) and readout.logits.normalised:
        numbers *= readout.logits.keys.means.shape[1]
    return max(1, _NUMBERS_AT_A_TIME // numbers)
