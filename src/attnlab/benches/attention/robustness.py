"""The effect of noisy keys on an average of two values, c = ½(v_a + v_b), with n orthonormal keys.

One head uses the query C(μ_a + μ_b), two heads use Cμ_a and Cμ_b. `robustness` measures one scale C and one number of
heads. Its record computes the slower results when they are first used: a table over scales, curves and densities.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar

from attnlab.attention import Best, Distribution
from attnlab.benches.attention.curves import CURVE, ErrorCurve, WeightDensity, weight_density
from attnlab.benches.attention.measuring import KeyWeights, find_best, key_weights, measure, slow_draws
from attnlab.benches.attention.settings import RobustnessSettings
from attnlab.calls import Call
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record
from attnlab.settings import changes

SCALES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)
"""The scales of the table, besides the given scale."""
ROW_SAMPLES, CURVE_SAMPLES, DENSITY_SAMPLES = 1 << 15, 1 << 14, 1 << 18
"""The most draws for another row of the table, for a point of a curve, and for a density."""
AS_GOOD_AS_ZERO = 1e-12
"""A smaller error counts as 0 in ratios."""


@dataclass(frozen=True)
class ScaleRow:
    """The weights and the error at one scale C, and for comparison the error with another number of heads."""

    scale: float
    weight_mean: KeyWeights
    weight_sd: KeyWeights
    error: float
    error_bound: float
    error_beside: float
    ratio: float | None
    """The error of one head, divided by that of more heads; None if that is 0."""
    fewer_draws: int | None
    """The number of draws for this row, if it is smaller than the given number."""


@record
class Robustness(Record):
    """The weights and the error of an average of two at one scale, under noise."""

    shown_by: ClassVar[str] = "attention.noise_and_designs.robustness"

    settings: RobustnessSettings
    scale: float
    """The given scale C, or the best scale."""
    distribution: Distribution
    quantiles: Mapping[float, float]
    """The wanted quantiles of the weight on a."""
    best: Best | None = None
    """The best scale, if the settings ask for it."""
    observer: Observer = SILENT

    @property
    def error(self) -> float:
        """E‖c − ½(v_a + v_b)‖²."""
        return self.distribution.error

    @property
    def weight_mean(self) -> KeyWeights:
        """The means of the weights."""
        return key_weights(self.distribution.weight_mean)

    @property
    def weight_sd(self) -> KeyWeights:
        """The standard deviations of the weights."""
        return key_weights(self.distribution.weight_sd)

    @property
    def heads_beside(self) -> int:
        """The other number of heads that the table compares with."""
        return 2 if self.settings.heads == 1 else 1

    @cached_property
    def rows(self) -> tuple[ScaleRow, ...]:
        """The table over the usual scales and the given scale. Computed at first use."""
        scales = sorted({*SCALES, self.scale})
        return tuple(self._row(scale) for scale in self.observer.track(scales, "scales"))

    @cached_property
    def curves(self) -> tuple[ErrorCurve, ...]:
        """The error against the scale, for one head and for two (or the given number). Computed at first use."""
        return tuple(map(self._curve, self._heads_drawn))

    @cached_property
    def densities(self) -> tuple[WeightDensity, ...]:
        """The density of the weight on a for the same numbers of heads, unless constant. Computed at first use."""
        drawn = [
            weight_density(measure(self.settings, self.scale, heads, DENSITY_SAMPLES), heads)
            for heads in self.observer.track(self._heads_drawn, "the spread of the weight on a")
        ]
        return tuple(each for each in drawn if each is not None)

    def to_dict(self) -> dict[str, Any]:
        """The weights and the error at the scale, without the table over scales."""
        found = self.distribution
        value: dict[str, Any] = {
            "keys": self.settings.keys,
            "scale": self.scale,
            "heads": self.settings.heads,
            "method": found.method,
            "directions": found.directions,
            "points": found.points,
            "seed": self.settings.seed,
            "weight_mean": asdict(self.weight_mean),
            "weight_mean_bound": asdict(key_weights(found.weight_mean_bound)),
            "weight_sd": asdict(self.weight_sd),
            "error": found.error,
            "error_bound": found.error_bound,
            "standard_error": found.standard_error,
        }
        if self.best is not None:
            value["unbounded"] = self.best.unbounded
        if self.quantiles:
            value["quantiles"] = {str(probability): weight for probability, weight in self.quantiles.items()}
            value |= {"law_method": found.law_method, "law_draws": found.law_draws}
        return value

    @property
    def call(self) -> Call:
        """The call that measures it again."""
        return Call("robustness", options=changes(self.settings, RobustnessSettings()))

    @property
    def _heads_drawn(self) -> list[int]:
        return sorted({1, max(2, self.settings.heads)})

    def _row(self, scale: float) -> ScaleRow:
        # If draws are needed, only the row of the given scale gets all of them.
        asked, heads = self.settings, self.settings.heads
        found = self.distribution if scale == self.scale else measure(asked, scale, heads, ROW_SAMPLES)
        beside = measure(asked, scale, self.heads_beside, ROW_SAMPLES)
        one, more = (found.error, beside.error) if heads == 1 else (beside.error, found.error)
        exact = found.method == beside.method == "exact"
        return ScaleRow(
            scale,
            key_weights(found.weight_mean),
            key_weights(found.weight_sd),
            found.error,
            found.error_bound,
            beside.error,
            one / more if more > AS_GOOD_AS_ZERO else None,
            fewer_draws=None if exact or asked.samples <= ROW_SAMPLES else ROW_SAMPLES,
        )

    def _curve(self, heads: int) -> ErrorCurve:
        known = self.best if heads == self.settings.heads else None
        best = known or find_best(self.settings, heads)
        what = f"error against the scale, {heads} head{'s' * (heads > 1)}"
        error = [
            measure(self.settings, scale, heads, CURVE_SAMPLES).error for scale in self.observer.track(CURVE, what)
        ]
        place = None if best.unbounded or best.scale is None else (best.scale, best.distribution.error)
        inside = place is not None and CURVE[0] < place[0] < CURVE[-1]
        return ErrorCurve(heads, CURVE, error, place if inside else None)


def robustness(settings: RobustnessSettings, observer: Observer = SILENT) -> Robustness:
    """Measure the effect of noisy keys on an average of two values: the weights and the error at one scale.

    >>> round(robustness(RobustnessSettings(keys=10, scale=5)).error, 4)
    0.2838
    """
    if warning := slow_draws(settings):
        observer.warn(warning)
    best, scale = None, settings.scale
    if settings.best_scale:
        with observer.task("best scale"):
            best = find_best(settings, settings.heads)
        scale = settings.scale if best.scale is None else best.scale
    with observer.task("averaging over the noise", settings.samples) as task:
        found = measure(settings, scale, settings.heads, progress=task.advance)
    quantiles = {probability: found.quantile(0, probability).value for probability in settings.quantiles}
    return Robustness(settings, scale, found, quantiles, best, observer)
