"""What noise in the keys does to an average of two values: c = ½(v_a + v_b) of n orthonormal keys, some of them noisy.

One head asks with C(μ_a + μ_b), two heads with Cμ_a and Cμ_b. `robustness` measures one scale C and one number of
heads. Its record finds more when that is asked for, as it takes longer: a table over scales, curves and densities.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar

from attnlab.attention import Best, Distribution
from attnlab.benches.attention.curves import CURVE, ErrorCurve, WeightDensity, weight_density
from attnlab.benches.attention.measuring import KeyWeights, find_best, key_weights, measure
from attnlab.benches.attention.settings import RobustnessSettings
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, command_line, record
from attnlab.settings import changed_words

SCALES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)
"""The scales of the table, beside the one that was asked for."""
ROW_SAMPLES, CURVE_SAMPLES, DENSITY_SAMPLES = 1 << 15, 1 << 14, 1 << 18
"""Where draws are needed: how many at most for a row that was not asked for, a point of a curve, and a density."""
AS_GOOD_AS_ZERO = 1e-12
"""No ratio is taken to a smaller error."""


@dataclass(frozen=True)
class ScaleRow:
    """What happens at one scale C, and the error of the other number of heads beside it."""

    scale: float
    weight_mean: KeyWeights
    weight_sd: KeyWeights
    error: float
    error_bound: float
    error_beside: float
    ratio: float | None
    """How many times more one head's error is than that of more heads; None where that is 0."""
    fewer_draws: int | None
    """The most draws that were made for these heads or those beside, where that is fewer than asked for."""


@record
class Robustness(Record):
    """The weights and the error of an average of two at one scale, under noise."""

    shown_by: ClassVar[str] = "attention.robustness"

    settings: RobustnessSettings
    scale: float
    """The scale C that was asked for, or the best one."""
    distribution: Distribution
    quantiles: Mapping[float, float]
    """The quantiles of the weight on a that were asked for."""
    best: Best | None = None
    """The best scale, where that was asked for."""
    observer: Observer = SILENT

    @property
    def error(self) -> float:
        """E‖c − ½(v_a + v_b)‖²."""
        return self.distribution.error

    @property
    def weight_mean(self) -> KeyWeights:
        """The mean of the weights."""
        return key_weights(self.distribution.weight_mean)

    @property
    def weight_sd(self) -> KeyWeights:
        """The standard deviation of the weights."""
        return key_weights(self.distribution.weight_sd)

    @property
    def heads_beside(self) -> int:
        """The other number of heads that the table compares with."""
        return 2 if self.settings.heads == 1 else 1

    @cached_property
    def rows(self) -> tuple[ScaleRow, ...]:
        """The table over the usual scales and the one that was asked for. Found when first asked for."""
        scales = sorted({*SCALES, self.scale})
        return tuple(self._row(scale) for scale in self.observer.track(scales, "scales"))

    @cached_property
    def curves(self) -> tuple[ErrorCurve, ...]:
        """The error against the scale, for one head and for two, or as many as asked for. Found when first asked
        for."""
        return tuple(map(self._curve, self._heads_drawn))

    @cached_property
    def densities(self) -> tuple[WeightDensity, ...]:
        """How the weight on a is spread, for the same numbers of heads but those with which it does not vary."""
        drawn = [
            weight_density(measure(self.settings, self.scale, heads, DENSITY_SAMPLES), heads)
            for heads in self.observer.track(self._heads_drawn, "the spread of the weight on a")
        ]
        return tuple(each for each in drawn if each is not None)

    def to_dict(self) -> dict[str, Any]:
        """What was found at the scale alone."""
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
        return value

    @property
    def command(self) -> str:
        """The command line that measures it again."""
        return command_line(["robustness", *changed_words(self.settings, RobustnessSettings())])

    @property
    def _heads_drawn(self) -> list[int]:
        return sorted({1, max(2, self.settings.heads)})

    def _row(self, scale: float) -> ScaleRow:
        # Where draws are needed, only the row that was asked for is worth all of them.
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
    """What noise in the keys does to an average of two: the weights and the error at one scale, or at the best one.

    >>> round(robustness(RobustnessSettings(keys=10, scale=5)).error, 4)
    0.2838
    """
    best, scale = None, settings.scale
    if settings.best_scale:
        with observer.task("best scale"):
            best = find_best(settings, settings.heads)
        scale = settings.scale if best.scale is None else best.scale
    with observer.task("averaging over the noise", settings.samples) as task:
        found = measure(settings, scale, settings.heads, progress=task.advance)
    quantiles = {probability: found.quantile(0, probability).value for probability in settings.quantiles}
    return Robustness(settings, scale, found, quantiles, best, observer)
