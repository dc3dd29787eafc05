"""Measure an average of two values under noise, for a scale and a number of heads."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from attnlab.attention import AveragingQuestion, Best, Distribution, best_scale, distribution
from attnlab.attention.noise.montecarlo import Progress
from attnlab.attention.noise.readout import ReadoutOptions
from attnlab.benches.attention.settings import AveragingSettings, RobustnessSettings

NANOSECONDS_A_NUMBER = 20
"""Processor time for each number drawn, of a key or of a logit, as measured."""
LONG = 60.0
"""Seconds of processor time that a person is warned of."""


@dataclass(frozen=True)
class KeyWeights:
    """A number for the weight on a, on b, and on each other key. All other keys are alike; None if there are none."""

    a: float
    b: float
    other: float | None


def question(settings: AveragingSettings) -> AveragingQuestion:
    """The averaging question that the settings describe."""
    noisy: Any = tuple(settings.noisy.split(","))
    return AveragingQuestion(settings.keys, noisy, settings.norm_variance, settings.isotropic)


def measure(
    settings: RobustnessSettings,
    scale: float,
    heads: int,
    most_samples: int | None = None,
    progress: Progress | None = None,
) -> Distribution:
    """The distribution of the weights and the error, for a scale and a number of heads, with at most `most_samples`
    draws."""
    asked = question(settings)
    return distribution(
        asked.noisy_keys(),
        scale * asked.directions(heads),
        asked.target(),
        method=settings.method,
        samples=min(settings.samples, most_samples or settings.samples),
        seed=settings.seed,
        progress=progress,
        **_readout_options(settings, asked, heads),
    )


def slow_draws(settings: RobustnessSettings) -> str | None:
    """A warning if the draws take minutes. Every key is drawn whole if it is normalised, else one logit a head."""
    if not settings.isotropic or not (settings.normalise_keys or settings.method == "monte-carlo"):
        return None
    numbers = settings.keys * (settings.keys if settings.normalise_keys else settings.heads)
    seconds = settings.samples * numbers * NANOSECONDS_A_NUMBER / 1e9
    if seconds < LONG:
        return None
    enough = max(2, int(settings.samples * LONG / seconds))
    return (
        f"{settings.samples:,} draws of {numbers:,} random numbers each take about {seconds / 60:,.0f} minutes of "
        f"processor time; {enough:,} draws (--samples {enough}) take about one minute"
    )


def find_best(settings: RobustnessSettings, heads: int) -> Best:
    """The scale with the least error for a number of heads."""
    asked = question(settings)
    options = _readout_options(settings, asked, heads)
    return best_scale(asked.noisy_keys(), asked.directions(heads), asked.target(), **options)


def key_weights(numbers: Tensor) -> KeyWeights:
    """The numbers for a, b and one other key, from a tensor with a number for each key."""
    return KeyWeights(float(numbers[0]), float(numbers[1]), float(numbers[2]) if len(numbers) > 2 else None)


def _readout_options(settings: RobustnessSettings, asked: AveragingQuestion, heads: int) -> ReadoutOptions:
    shares = asked.head_weights(heads)
    return {"head_weights": shares, "normalise_keys": settings.normalise_keys, "sink": settings.sink}
