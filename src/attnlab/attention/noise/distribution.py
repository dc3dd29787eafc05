"""The distribution of attention's weights and output under noisy keys.

For up to three directions of noise it is exact, by quadrature with a bound (1e-9 for one, 1e-6 for two or three), and
so are the moments of more than 32 independent logits, by one integral (1e-9). Else it comes from random draws with a
standard error. The record says which method was used, for the moments and for the law of a weight: its distribution
function, density and quantiles.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.argument_checks import check_between, check_index
from attnlab.attention.noise import exact, independent, levels, montecarlo, sampled
from attnlab.attention.noise.crossings import WeightLine
from attnlab.attention.noise.exact import EXACT_DIRECTIONS, TooManyPointsError, exact_tolerance
from attnlab.attention.noise.keys import NoisyKeys, check_noisy
from attnlab.attention.noise.logits import Logits, ManyLogits
from attnlab.attention.noise.merging import merge_others
from attnlab.attention.noise.montecarlo import Progress
from attnlab.attention.noise.quadrature import Array
from attnlab.attention.noise.readout import Readout, readout
from attnlab.attention.noise.sampled import SIGMAS, Bounded
from attnlab.errors import ArgumentError

Method = Literal["exact", "quasi-monte-carlo", "monte-carlo"]

SAMPLE = 1 << 20
"""How many draws of a weight are kept for its distribution function."""
MOST_NUMBERS = 150_000_000
"""The most values of a weight, a square or an error that `auto` computes for exact moments: a few seconds' work."""
MOST_LAW_NUMBERS = 1 << 29
"""The most logits that are drawn for the law of a weight among thousands of keys: some seconds' work."""
FEW_COLUMNS = 4
"""With more keys of different logits, the exact law of a weight under two directions of noise takes up to minutes."""


@dataclass(frozen=True)
class Distribution:
    """The moments of attention over noisy keys. Weights are those of the output: Σ_h w_h α_hi, over all heads.

    The bound of an exact number is the quadrature's: a careful estimate, not a proof. The bound of a drawn number is
    four standard errors plus an allowance for events that no draw met (`sampled.unseen`). Both include rounding.
    """

    method: Method
    directions: int
    """Independent directions of noise in the logits."""
    points: int
    """Points of the quadrature, or the number of draws."""
    weight_mean: Float[Tensor, "keys"] = field(repr=False)
    weight_mean_bound: Float[Tensor, "keys"] = field(repr=False)
    error: float
    """E‖c − target‖²."""
    error_bound: float
    standard_error: float | None
    """The standard error of `error`; None for the exact method."""
    column_variance: Float[Tensor, "columns"] = field(repr=False)
    column_variance_bound: Float[Tensor, "columns"] | None = field(repr=False)
    """None if the moments are drawn."""
    readout: Readout = field(repr=False)
    seed: int
    """The seed of the draws; the exact method does not use it."""
    law_method: Method
    """How the law of a weight is computed. It may be by draws where the moments are exact, because an exact law would
    take minutes: P(weight ≤ level) has kinks, which a quadrature over two or three directions resolves slowly."""
    law_draws: int
    """The number of draws for the law of a weight; 0 if the law is exact."""
    _covariance: Callable[[], Tensor] = field(repr=False, compare=False)
    _lines: dict[int, WeightLine] = field(default_factory=dict, repr=False, compare=False)
    _samples: dict[int, Array] = field(default_factory=dict, repr=False, compare=False)
    _drawn: Tensor | None = field(default=None, repr=False, compare=False)
    """The draws of all weights, (draws, columns), if they are few."""

    def cdf(self, key: int, level: float) -> Bounded:
        """P(weight of `key` ≤ level)."""
        check_between("level", level, -math.inf, math.inf)
        (value,), (bound,) = self.cdfs(key, np.array([level], dtype=float))
        return Bounded(float(value), float(bound))

    def cdfs(self, key: int, at: Float[np.ndarray, "levels"], *, rounding: bool = True) -> tuple[Array, Array]:
        """P(weight of `key` ≤ level) for each of many levels, in one pass, and bounds. Without `rounding`, the exact
        method is faster, and its bounds ignore that rounding may move the weight."""
        if not np.isfinite(at).all():
            raise ArgumentError("level", f"expected finite numbers, got {at[~np.isfinite(at)][0]:g}")
        if self.law_method == "exact":
            return levels.cdf(self._line(key), at, exact_tolerance(self.directions), rounding=rounding)
        return sampled.sampled_cdf(self._sample(key), at)

    def quantile(self, key: int, probability: float) -> Bounded:
        """The level that the weight of `key` stays at or below with the given probability."""
        check_between("probability", probability, 0.0, 1.0)
        if self.law_method == "exact":
            return levels.quantile(self._line(key), probability, exact_tolerance(self.directions))
        return sampled.sampled_quantile(self._sample(key), probability)

    def density(self, key: int, level: float) -> Bounded:
        """The density of the weight of `key` at `level`."""
        check_between("level", level, -math.inf, math.inf)
        if self.law_method == "exact":
            return levels.density(self._line(key), level, exact_tolerance(self.directions))
        return sampled.sampled_density(self._sample(key), level)

    @property
    def weight_sd(self) -> Float[Tensor, "keys"]:
        """The standard deviation of each weight."""
        return self.column_variance.sqrt()[self.readout.logits.column]

    @property
    def weight_sd_bound(self) -> Float[Tensor, "keys"]:
        """The bound of each standard deviation; only of the exact method. With Var ± b, the true s differs from the
        given √Var by at most b/√Var, since |s − √Var| (s + √Var) ≤ b, and by at most √b."""
        if self.column_variance_bound is None:
            raise ArgumentError("method", f"expected exact, got {self.method}: drawn variances have no bound")
        root = self.column_variance_bound.sqrt()
        return (root * (root / self.column_variance.sqrt()).clamp_max(1))[self.readout.logits.column]

    @cached_property
    def column_covariance(self) -> Float[Tensor, "columns columns"]:
        """The covariance of the columns' weights; computed on first use, in a pass of its own."""
        return self._covariance()

    @property
    def weight_covariance(self) -> Float[Tensor, "keys keys"]:
        """The covariance of the weights."""
        column = self.readout.logits.column
        return self.column_covariance[column][:, column]

    @property
    def output_mean(self) -> Float[Tensor, "value"]:
        """E c, the mean of the output."""
        values = self.readout.values
        return self.weight_mean if values is None else values.mT @ self.weight_mean

    @property
    def output_covariance(self) -> Float[Tensor, "value value"]:
        """The covariance of the output c."""
        values = self.readout.values
        return self.weight_covariance if values is None else values.mT @ self.weight_covariance @ values

    def _column(self, key: int) -> int:
        check_index("key", key, len(self.weight_mean))
        return int(self.readout.logits.column[key])

    def _line(self, key: int) -> WeightLine:
        column = self._column(key)
        if column not in self._lines:
            assert isinstance(self.readout.logits, Logits)
            self._lines[column] = WeightLine(*merge_others(self.readout, self.readout.logits, column))
        return self._lines[column]

    def _sample(self, key: int) -> Array:
        column = self._column(key)
        if column not in self._samples:
            self._samples[column] = (
                montecarlo.sample(self.readout, column, self.law_draws, self.seed)
                if self._drawn is None
                else self._drawn[:, column].double().cpu().numpy()
            )
        return self._samples[column]


def distribution(
    keys: NoisyKeys,
    queries: Float[Tensor, "*heads dim"],
    target: Float[Tensor, "value"],
    *,
    values: Float[Tensor, "keys value"] | None = None,
    head_weights: Float[Tensor, "heads"] | None = None,
    normalise_keys: bool = False,
    sink: float = 0.0,
    method: Method | Literal["auto"] = "auto",
    tolerance: float | None = None,
    samples: int = 1_000_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Distribution:
    """The distribution of attention of `queries` on `keys`, and its mean squared distance to `target`.

    The arguments up to `sink` are those of `readout`. `tolerance` is for the exact method; `samples`, `seed` and
    `progress` are for the others. `auto` uses the exact method if it takes no more than seconds, then quasi-random
    draws, then plain draws.

    >>> import torch
    >>> from attnlab.attention.noise import noisy_keys
    >>> keys = noisy_keys(torch.eye(10), norm_variance=torch.tensor([0.5] + [0.0] * 9))
    >>> target = torch.tensor([0.5, 0.5] + [0.0] * 8)
    >>> shaken = distribution(keys, queries=5 * (keys.means[0] + keys.means[1]), target=target)
    >>> f"{shaken.weight_mean[0]:.4f} {shaken.weight_sd[0]:.4f} {shaken.error:.4f} {shaken.method}"
    '0.4947 0.3860 0.2838 exact'
    """
    check_noisy(keys)
    asked = readout(
        keys,
        queries,
        target,
        values=values,
        head_weights=head_weights,
        normalise_keys=normalise_keys,
        sink=sink,
    )
    return distribution_of(asked, method=method, tolerance=tolerance, samples=samples, seed=seed, progress=progress)


def distribution_of(
    asked: Readout,
    *,
    method: Method | Literal["auto"] = "auto",
    tolerance: float | None = None,
    samples: int = 1_000_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Distribution:
    """The distribution of a readout that was made before."""
    if method not in ("auto", *get_args(Method)):
        raise ArgumentError.unknown("method", method, ("auto", *get_args(Method)))
    if method == "auto":
        return _by_best_method(asked, tolerance, samples, seed, progress)
    if method == "exact" and independent.has_independent_logits(asked):
        try:
            return _independent(asked, tolerance, samples, seed)
        except TooManyPointsError as error:
            raise ArgumentError("method", "exact would take too many points at this scale; use auto") from error
    if method == "exact":
        return _exact(asked, tolerance)
    return _by_draws(asked, method, samples, seed, progress)


def _by_best_method(
    asked: Readout, tolerance: float | None, samples: int, seed: int, progress: Progress | None
) -> Distribution:
    """The exact method if it takes no more than seconds, for the moments and for the law; else draws."""
    chosen = choose_method(asked)
    if independent.has_independent_logits(asked):
        try:
            return _independent(asked, tolerance, samples, seed, MOST_NUMBERS)
        except TooManyPointsError:
            return _by_draws(asked, chosen, samples, seed, progress)
    if chosen == "exact":
        law_draws = 0 if law_is_quick(asked.logits) else min(samples, SAMPLE)
        try:
            return _exact(asked, tolerance, law_draws, seed, MOST_NUMBERS)
        except TooManyPointsError:
            chosen = "quasi-monte-carlo"
    return _by_draws(asked, chosen, samples, seed, progress)


def choose_method(asked: Readout) -> Method:
    """The method by the directions of noise: exact for few, quasi-random for some, plain draws for many. Moments of
    independent logits are exact all the same."""
    if not isinstance(asked.logits, Logits):
        return "monte-carlo"
    return "exact" if asked.logits.directions <= EXACT_DIRECTIONS else "quasi-monte-carlo"


def law_is_quick(logits: Logits | ManyLogits) -> bool:
    """Whether the exact law of a weight takes no more than seconds."""
    return logits.directions <= 1 or (logits.directions == 2 and logits.columns <= FEW_COLUMNS)


def _exact(
    asked: Readout, tolerance: float | None, law_draws: int = 0, seed: int = 0, most: float = math.inf
) -> Distribution:
    logits = asked.logits
    if not isinstance(logits, Logits) or logits.directions > EXACT_DIRECTIONS:
        got = f"got {logits.directions}; use auto"
        raise ArgumentError("method", f"exact takes up to {EXACT_DIRECTIONS} noisy directions, {got}")
    tolerance = exact_tolerance(logits.directions) if tolerance is None else tolerance
    check_between("tolerance", tolerance, 1e-13, 1.0)
    found = exact.moments(asked, logits, tolerance, most)
    return _of_moments(asked, found, law_draws, seed, partial(exact.covariance, asked, logits, tolerance))


def _independent(
    asked: Readout, tolerance: float | None, samples: int, seed: int, most: float = math.inf
) -> Distribution:
    """The moments of independent logits by one integral. The law of a weight has none, and comes from draws."""
    tolerance = 1e-9 if tolerance is None else tolerance
    check_between("tolerance", tolerance, 1e-13, 1.0)
    law_draws = min(samples, SAMPLE, MOST_LAW_NUMBERS // (len(asked.counts) * len(asked.head_weights)))
    found = independent.moments(asked, tolerance, most)
    return _of_moments(asked, found, law_draws, seed, partial(independent.covariance, asked, tolerance))


def _of_moments(
    asked: Readout, found: exact.Moments, law_draws: int, seed: int, covariance: Callable[[], Tensor]
) -> Distribution:
    """The distribution with exact moments."""
    column = asked.logits.column
    return Distribution(
        "exact",
        asked.logits.directions,
        found.points,
        found.mean[column],
        found.mean_bound[column],
        found.error,
        found.error_bound,
        None,
        found.variance,
        found.variance_bound,
        asked,
        seed,
        "monte-carlo" if law_draws else "exact",
        law_draws,
        covariance,
    )


def _by_draws(asked: Readout, method: Method, samples: int, seed: int, progress: Progress | None) -> Distribution:
    quasi = method == "quasi-monte-carlo"
    found = montecarlo.average(asked, samples, seed, quasi=quasi, progress=progress)
    column, shares = asked.logits.column, float(asked.head_weights.abs().sum())
    unseen = sampled.unseen(found.draws)
    return Distribution(
        method,
        asked.logits.directions,
        found.draws,
        found.mean[column],
        SIGMAS * found.mean_standard_error[column] + unseen * shares + found.rounding * shares,
        found.error,
        SIGMAS * found.error_standard_error + unseen * asked.most_error + found.rounding * asked.most_error,
        found.error_standard_error,
        found.variance,
        None,
        asked,
        seed,
        method,
        min(found.draws, SAMPLE),
        partial(montecarlo.covariance, asked, samples, seed, quasi=quasi),
        _drawn=found.drawn,
    )
