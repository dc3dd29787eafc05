"""Averages over random draws of noisy logits, in memory that does not grow with the number of draws.

Plain draws are pseudo-random. Quasi-random draws are Sobol points, scrambled so that every point is uniform: 32
independent scrambles, whose spread gives the standard error. Both depend only on the seed.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from torch.quasirandom import SobolEngine

from attnlab.attention.argument_checks import check_at_least, check_between
from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.merging import merge_others, merge_still
from attnlab.attention.noise.readout import Readout
from attnlab.errors import ArgumentError

Progress = Callable[[int], None]
"""Called with the number of draws since the last call."""

SCRAMBLES = 32
_NUMBERS_DRAWN = 1 << 19
"""Logits that are drawn at a time. Another number would give other plain draws."""
_NUMBERS_AT_A_TIME = 1 << 16
"""Logits that become weights at a time: few enough to stay in the cache, enough to hide the cost of a call."""
_LARGE = 1e6
"""Logits of this size are drawn in float64."""
_MOST_KEPT = 1 << 16
"""The most numbers in a scramble that is kept: half a MiB."""


@dataclass(frozen=True)
class Averages:
    """Averages over draws, standard errors of the mean and of the error, and the rounding error of a weight."""

    mean: Float[Tensor, "columns"]
    variance: Float[Tensor, "columns"]
    error: float
    mean_standard_error: Float[Tensor, "columns"]
    error_standard_error: float
    rounding: float
    draws: int
    drawn: Float[Tensor, "draws columns"] | None
    """Plain draws, if they are few: whoever wants the distribution of a weight need not draw again."""


def average(
    readout: Readout, samples: int, seed: int, *, quasi: bool = False, progress: Progress | None = None
) -> Averages:
    """The mean and variance of the combined weights, and the mean squared error."""
    check_at_least("samples", samples, 2)
    check_between("seed", seed, -1, 2**63)
    merged = merge_still(readout, readout.logits) if quasi and isinstance(readout.logits, Logits) else None
    readout = merged.readout if merged else readout
    sums: _Sums | None = None
    few, drawn = not quasi and samples * len(readout.counts) <= _NUMBERS_DRAWN, []
    for groups, combined in draws(readout, samples, seed, quasi=quasi):
        if sums is None:
            sums = _Sums(SCRAMBLES if quasi else 1, combined[0].mean(0))
        sums.add(groups, combined, readout.squared_error(combined.flatten(0, 1)).unflatten(0, combined.shape[:2]))
        if few:
            drawn.append(combined[0])
        if progress is not None:
            progress(combined.shape[0] * combined.shape[1])
    assert sums is not None
    count, variance, error = sums.count, sums.variance(), float(sums.error.sum()) / sums.count
    if quasi:
        # Each scramble is one independent estimate; their spread gives the standard error of their mean.
        mean_se = SCRAMBLES / count * sums.sum.std(0) / math.sqrt(SCRAMBLES)
        error_se = SCRAMBLES / count * float(sums.error.std()) / math.sqrt(SCRAMBLES)
    else:
        mean_se = (variance / (count - 1)).sqrt()
        error_se = math.sqrt(max(sums.error_square / count - error**2, 0.0) / (count - 1))
    rounding = readout.rounding(sums.centre.dtype)
    kept = torch.cat(drawn) if few else None
    mean = sums.mean()
    if merged:
        column, share = merged.column, merged.share
        mean, mean_se, variance = share * mean[column], share * mean_se[column], share.square() * variance[column]
    return Averages(mean, variance, error, mean_se, error_se, rounding, count, kept)


def covariance(readout: Readout, samples: int, seed: int, *, quasi: bool) -> Float[Tensor, "columns columns"]:
    """The covariance of the combined weights over the same draws as in `average`."""
    centre: Tensor | None = None
    count, total = 0, readout.counts.new_zeros(len(readout.counts))
    products = total.new_zeros(len(total), len(total))
    for _, combined in draws(readout, samples, seed, quasi=quasi):
        centre = combined[0].mean(0) if centre is None else centre
        away = combined.flatten(0, 1) - centre
        count += len(away)
        total += away.sum(0, dtype=torch.float64)
        products += away.mT @ away
    return products / count - (total / count)[:, None] * (total / count)


class _Sums:
    """Running sums, over groups of draws, of differences from a centre near the mean: squares lose no digits."""

    def __init__(self, groups: int, centre: Tensor):
        self.centre = centre
        self.count, self.error_square = 0, 0.0
        self.error = centre.new_zeros(groups, dtype=torch.float64)
        self.sum = centre.new_zeros(groups, len(centre), dtype=torch.float64)
        self.squares = centre.new_zeros(len(centre), dtype=torch.float64)

    def add(self, groups: slice, combined: Tensor, errors: Tensor) -> None:
        assert len(combined) == len(self.error[groups]), "expected one batch per group"
        away = combined - self.centre
        self.count += errors.numel()
        self.sum[groups] += away.sum(1, dtype=torch.float64)
        self.squares += away.square_().sum((0, 1), dtype=torch.float64)
        errors = errors.double()
        self.error[groups] += errors.sum(1)
        self.error_square += float(errors.square_().sum())

    def mean(self) -> Tensor:
        return self.centre + self.sum.sum(0) / self.count

    def variance(self) -> Tensor:
        return (self.squares / self.count - (self.sum.sum(0) / self.count).square()).clamp_min(0)


def draws(
    readout: Readout, samples: int, seed: int, *, quasi: bool
) -> Iterator[tuple[slice, Float[Tensor, "groups batch columns"]]]:
    """Yields combined weights in batches, and the groups of independent draws that they belong to."""
    if quasi:
        yield from _quasi_draws(readout, samples, seed)
        return
    generator = torch.Generator(readout.counts.device).manual_seed(seed)
    batch, part = _batch(readout, _NUMBERS_DRAWN), _batch(readout, _NUMBERS_AT_A_TIME)
    while samples > 0:
        # float32: its rounding error is far below the standard error of any affordable number of plain draws. It
        # cannot hold the logits of a very large scale.
        dtype = torch.float32 if readout.logit_size < _LARGE else torch.float64
        logits = readout.logits.draw(min(batch, samples), generator, dtype)
        for some in logits.split(part):
            yield slice(0, 1), readout.combine(readout.weights(some))[None]
        samples -= batch


def sample(readout: Readout, column: int, samples: int, seed: int) -> NDArray[np.float64]:
    """Independent draws of the weight of one column."""
    if isinstance(readout.logits, Logits):
        readout, _, column = merge_others(readout, readout.logits, column)
    batches = draws(readout, samples, seed, quasi=False)
    return torch.cat([combined[0, :, column] for _, combined in batches]).double().cpu().numpy()


def _quasi_draws(readout: Readout, samples: int, seed: int) -> Iterator[tuple[slice, Tensor]]:
    logits = readout.logits
    if not isinstance(logits, Logits):
        raise ArgumentError("method", f"quasi-monte-carlo takes few noisy directions, got {logits.directions}")
    each = 1 << max(0, int(math.log2(max(1, samples // SCRAMBLES))))
    seeds = torch.randint(2**62, (SCRAMBLES,), generator=torch.Generator().manual_seed(seed)).tolist()
    batch = _batch(readout, _NUMBERS_AT_A_TIME)
    kept = each * logits.directions <= _MOST_KEPT
    together = min(SCRAMBLES, max(1, batch // each)) if kept else 1
    for first in range(0, SCRAMBLES, together):
        groups = slice(first, min(first + together, SCRAMBLES))
        for points in _quasi_points(logits.directions, each, seeds[groups], batch, kept=kept):
            for z in points.split(batch, 1):
                weights = readout.weights(logits.at(z.flatten(0, 1).to(readout.counts.device)))
                yield groups, readout.combine(weights).unflatten(0, z.shape[:2])


def _quasi_points(directions: int, each: int, seeds: list[int], batch: int, *, kept: bool) -> Iterator[Tensor]:
    """Gaussian numbers at Sobol points: several scrambles at once if they are kept, else one scramble in parts."""
    if kept:
        yield torch.stack([_scrambled(directions, each, seed) for seed in seeds])
        return
    (seed,) = seeds
    engine = SobolEngine(max(1, directions), scramble=True, seed=seed)
    for start in range(0, each, batch):
        yield _gaussian(engine.draw(min(batch, each - start), dtype=torch.float64))[None, :, :directions]


@lru_cache(maxsize=2 * SCRAMBLES)
def _scrambled(directions: int, each: int, seed: int) -> Float[Tensor, "each directions"]:
    """The points of one scramble, cached: a search uses the same points a hundred times."""
    engine = SobolEngine(max(1, directions), scramble=True, seed=seed)
    return _gaussian(engine.draw(each, dtype=torch.float64))[:, :directions]


def _gaussian(uniform: Tensor) -> Tensor:
    return torch.special.ndtri(uniform.clamp(1e-16, 1 - 1e-16))


def _batch(readout: Readout, most: int) -> int:
    """The number of draws that have at most `most` logits together."""
    numbers = len(readout.counts) * len(readout.head_weights)
    if not isinstance(readout.logits, Logits) and readout.logits.normalised:
        numbers *= readout.logits.keys.means.shape[1]
    return max(1, most // numbers)
