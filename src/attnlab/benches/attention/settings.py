"""The settings of `robustness`, `remedies` and `weigh`. `--help` needs these classes: this module imports no torch."""

from typing import Annotated, Literal

from attnlab.errors import ArgumentError
from attnlab.settings import Range, settings

MOST_SCALE = 1e100
"""With a larger scale, the squares of logits overflow."""

Heads = Annotated[int, Range(1, 100)]
TorchSeed = Annotated[int, Range(0, 2**63 - 1)]
"""A seed as torch takes it."""


@settings
class AveragingSettings:
    """The keys and their noise: k_i = (1 + γ_i)μ_i + ε_i. The values of a and b are averaged."""

    keys: Annotated[int, Range(2, 5_000)] = 10
    """The number of keys, including a and b."""
    norm_variance: Annotated[float, Range(0)] = 0.5
    """The variance of γ in k = (1 + γ)μ."""
    noisy: Literal["a", "b", "a,b"] = "a"
    """Which keys have a noisy norm."""
    isotropic: Annotated[float, Range(0)] = 0.0
    """The variance of noise in every coordinate of every key."""


@settings
class RobustnessSettings(AveragingSettings):
    """The settings of `robustness`: the keys, the queries, and the averaging over the noise."""

    scale: Annotated[float, Range(-MOST_SCALE, MOST_SCALE)] = 5.0
    """The scale C of the queries."""
    heads: Heads = 1
    """The number of heads. With two or more, the queries of the heads are for a and b in turn."""
    normalise_keys: bool = False
    """Divide each key by its norm, as QK-norm does."""
    sink: Annotated[float, Range(0)] = 0.0
    """A constant added to the softmax's denominator."""
    method: Literal["auto", "exact", "quasi-monte-carlo", "monte-carlo"] = "auto"
    """How to average over the noise; auto: exact if possible."""
    samples: Annotated[int, Range(2, 10**12)] = 1_000_000
    """The number of draws, if the method needs draws."""
    seed: TorchSeed = 0
    """The seed of the draws."""
    best_scale: bool = False
    """Find and use the scale with the smallest error."""
    quantiles: tuple[float, ...] = ()
    """Also print these quantiles of the weight on a, such as 0.05,0.5,0.95."""

    def __post_init__(self):
        for probability in self.quantiles:
            if not 0.0 < probability < 1.0:
                raise ArgumentError("quantiles", f"expected numbers above 0 and below 1, got {probability:g}")


@settings
class RemediesSettings(AveragingSettings):
    """The settings of `remedies`: the keys, and the search for the best queries."""

    scale: Annotated[float, Range(0, MOST_SCALE)] = 100.0
    """The scale C of the usual advice, a large scale."""
    heads: Heads = 2
    """Find the best queries for every number of heads up to this number."""
    seed: TorchSeed = 0
    """The seed of the searches and of the draws."""


@settings
class WeighSettings:
    """The settings of `weigh`: the scale, the noise in the given keys, and how attention reads them."""

    scale: Annotated[float, Range(-MOST_SCALE, MOST_SCALE)] = 1.0
    """The scale C: every query is multiplied by it."""
    norm_variance: Annotated[float, Range(0)] = 0.0
    """The variance of γ in k = (1 + γ)μ."""
    noisy: tuple[int, ...] = ()
    """Which keys have a noisy norm, such as 0,2 (default: all keys)."""
    isotropic: Annotated[float, Range(0)] = 0.0
    """The variance of noise in every coordinate of every key."""
    normalise_keys: bool = False
    """Divide each key by its norm, as QK-norm does."""
    sink: Annotated[float, Range(0)] = 0.0
    """A constant added to the softmax's denominator."""
    key: Annotated[int, Range(0)] = 0
    """The key whose weight is described by quantiles and drawn."""
    method: Literal["auto", "exact", "quasi-monte-carlo", "monte-carlo"] = "auto"
    """How to average over the noise; auto: exact if possible."""
    samples: Annotated[int, Range(2, 10**12)] = 1_000_000
    """The number of draws, if the method needs draws."""
    seed: TorchSeed = 0
    """The seed of the draws."""
