"""What can be asked about an average of two under noise. `--help` needs these classes: nothing here imports torch."""

from typing import Annotated, Literal

from attnlab.errors import ArgumentError
from attnlab.settings import Range, settings

MOST_SCALE = 1e100
"""Beyond it the squares of logits overflow."""

Heads = Annotated[int, Range(1, 100)]
TorchSeed = Annotated[int, Range(0, 2**63 - 1)]
"""A seed as torch takes it."""


@settings
class AveragingSettings:
    """How many keys there are and how they are noisy: k_i = (1 + γ_i)μ_i + ε_i, of which a and b are to be averaged."""

    keys: Annotated[int, Range(2, 5_000)] = 10
    """How many keys there are, a and b among them."""
    norm_variance: Annotated[float, Range(0)] = 0.5
    """The variance of γ in k = (1 + γ)μ."""
    noisy: Literal["a", "b", "a,b"] = "a"
    """Which keys have a noisy norm."""
    isotropic: Annotated[float, Range(0)] = 0.0
    """The variance of noise in every coordinate of every key."""


@settings
class RobustnessSettings(AveragingSettings):
    """What is asked of `robustness`: the keys, the queries, and how to average over the noise."""

    scale: Annotated[float, Range(-MOST_SCALE, MOST_SCALE)] = 5.0
    """The scale C of the queries."""
    heads: Heads = 1
    """How many heads; two or more look for a and for b in turn."""
    normalise_keys: bool = False
    """Divide each key by its norm, as QK-norm does."""
    sink: Annotated[float, Range(0)] = 0.0
    """A constant added to softmax's denominator."""
    method: Literal["auto", "exact", "quasi-monte-carlo", "monte-carlo"] = "auto"
    """How to average over the noise; auto is exact where it can be."""
    samples: Annotated[int, Range(2, 10**12)] = 1_000_000
    """How many draws, where draws are used."""
    seed: TorchSeed = 0
    """The seed of the draws."""
    best_scale: bool = False
    """Find the scale with the least error, and use that one."""
    quantiles: tuple[float, ...] = ()
    """Also give these quantiles of the weight on a, such as 0.05,0.5,0.95."""

    def __post_init__(self):
        for probability in self.quantiles:
            if not 0.0 < probability < 1.0:
                raise ArgumentError("quantiles", f"expected numbers above 0 and below 1, got {probability:g}")


@settings
class RemediesSettings(AveragingSettings):
    """What is asked of `remedies`: the keys, and how far to search."""

    scale: Annotated[float, Range(0, MOST_SCALE)] = 100.0
    """The scale C that counts as large."""
    heads: Heads = 2
    """The best queries are sought for every number of heads up to this one."""
    seed: TorchSeed = 0
    """The seed of the searches, and of draws where they are needed."""
