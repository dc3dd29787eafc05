"""attnlab robustness: what noise in the keys does to an average of two."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from attnlab.cli.averaging import (
    AveragingOptions,
    check_heads,
    check_samples,
    check_scale,
    check_seed,
    heads_in_words,
)
from attnlab.cli.outcome import Outcome, progress_bar
from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from torch import Tensor

    from attnlab.attention import Best, Distribution
    from attnlab.attention.noise.montecarlo import Progress
    from attnlab.attention.noise.readout import ReadoutOptions

SCALES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)
DRAWN = "± is four standard errors and a little for what no draw met"


@dataclass(frozen=True)
class Robustness:
    """What noise in the keys does to an average of two values.

    Of n orthonormal keys two, a and b, are to be averaged: c = ½(v_a + v_b). One head asks with C(μ_a + μ_b), two heads
    with Cμ_a and Cμ_b. Noisy keys are k = (1 + γ)μ. Prints the weights on a, b and the others, and the error
    E‖c − ½(v_a + v_b)‖², exact wherever the noise has at most three directions.

    Example: attnlab robustness --keys 10 --scale 5 --heads 2 --plot spread.html
    """

    question: AveragingOptions = field(default_factory=AveragingOptions)
    scale: Annotated[float, tyro.conf.arg(metavar="C")] = 5.0
    """The scale C of the queries; it is marked in the table, and the one that --json gives."""
    heads: int = 1
    """How many heads; from two on they look for a and for b in turn."""
    normalise_keys: bool = False
    """Divide each key by its norm, as QK-norm does."""
    sink: float = 0.0
    """A constant added to softmax's denominator."""
    method: Literal["auto", "exact", "quasi-monte-carlo", "monte-carlo"] = "auto"
    """How to average over the noise; auto is exact where it can be."""
    samples: int = 1_000_000
    """How many draws, where draws are used."""
    seed: int = 0
    """The seed of the draws."""
    best_scale: bool = False
    """Find the scale with the least error, and use it."""
    quantiles: Annotated[str, tyro.conf.arg(help_behavior_hint="")] = ""
    """Also give these quantiles of the weight on a, such as 0.05,0.5,0.95."""
    plot: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """Draw the spread of the weight on a and the error against the scale: a .png, .svg or .html file."""
    json: bool = False
    """Print one JSON value for the given scale instead of a table over scales."""

    def run(self) -> Outcome:
        """The distribution at the given scale; for a person, at other scales and for other heads beside it."""
        check_scale(self.scale)
        check_heads(self.heads)
        check_samples(self.samples)
        check_seed(self.seed)
        quantiles = self._quantiles()
        if self.plot is not None:
            from attnlab.report.charts import check_plot_path

            check_plot_path(self.plot)
        best = self.find_best(self.heads) if self.best_scale else None
        scale = self.scale if best is None or best.scale is None else best.scale
        with progress_bar() as bar:
            task = bar.add_task("draws", total=self.samples, visible=False)
            found = self.measure(scale, self.heads, lambda count: bar.update(task, advance=count, visible=True))
        value = self._value(found, scale)
        if best is not None:
            value["unbounded"] = best.unbounded
        if quantiles:
            value["quantiles"] = {str(p): found.quantile(0, p).value for p in quantiles}
        if self.plot is not None:
            from attnlab.cli.robustness_plot import draw

            draw(self, scale, self.plot)
            value["plot"] = str(self.plot)
        return Outcome(value, [] if self.json else self._shown(value, found))

    def measure(self, scale: float, heads: int, progress: Progress | None = None) -> Distribution:
        """The distribution for a scale and a number of heads, all else as the options say."""
        from attnlab.attention import distribution

        setting = self.question.setting()
        return distribution(
            setting.noisy_keys(),
            scale * setting.directions(heads),
            setting.target(),
            method=self.method,
            samples=self.samples,
            seed=self.seed,
            progress=progress,
            **self._readout_options(heads),
        )

    def find_best(self, heads: int) -> Best:
        """The scale with the least error."""
        from attnlab.attention import best_scale

        setting = self.question.setting()
        directions = setting.directions(heads)
        return best_scale(setting.noisy_keys(), directions, setting.target(), **self._readout_options(heads))

    def title(self) -> str:
        """The setting in words."""
        extra = [", keys normalised"] * self.normalise_keys + [f", sink {self.sink:g}"] * bool(self.sink)
        return f"{self.question.keys} keys, {self.question.words()}{''.join(extra)}"

    def _readout_options(self, heads: int) -> ReadoutOptions:
        shares = self.question.setting().head_weights(heads)
        return {"head_weights": shares, "normalise_keys": self.normalise_keys, "sink": self.sink}

    def _quantiles(self) -> list[float]:
        try:
            wanted = [float(p) for p in self.quantiles.split(",") if p.strip()]
        except ValueError:
            raise ArgumentError("quantiles", f"expected such as 0.05,0.5,0.95, got {self.quantiles!r}") from None
        for p in wanted:
            if not 0.0 < p < 1.0:
                raise ArgumentError("quantiles", f"expected numbers above 0 and below 1, got {p:g}")
        return wanted

    def _value(self, found: Distribution, scale: float) -> dict[str, Any]:
        return {
            "keys": self.question.keys,
            "scale": scale,
            "heads": self.heads,
            "method": found.method,
            "directions": found.directions,
            "points": found.points,
            "seed": self.seed,
            "weight_mean": by_name(found.weight_mean),
            "weight_mean_bound": by_name(found.weight_mean_bound),
            "weight_sd": by_name(found.weight_sd),
            "error": found.error,
            "error_bound": found.error_bound,
            "standard_error": found.standard_error,
        }

    def _shown(self, value: dict[str, Any], found: Distribution) -> list[Any]:
        from attnlab.cli.robustness_table import table

        many = found.directions != 1
        how = {
            "exact": f"exact: quadrature over {found.directions} noisy direction{'s' * many}",
            "quasi-monte-carlo": f"{found.points:,} quasi-random draws, seed {self.seed}; {DRAWN}",
            "monte-carlo": f"{found.points:,} random draws, seed {self.seed}; {DRAWN}",
        }[found.method]
        # A table's own title would be folded where it is wider than the table.
        title = f"{self.title()}: {heads_in_words(self.heads)}"
        shown = [title, table(self, value["scale"]), f"error = E‖c − ½(v_a + v_b)‖², {how}"]
        if "unbounded" in value:
            more = ", and it falls further as C grows" if value["unbounded"] else ""
            best = f"C = {value['scale']:.6g}, error {found.error:.6f}{more}"
            shown.append(f"best scale for {heads_in_words(self.heads)}: {best}")
        if "quantiles" in value:
            each = ", ".join(f"{p}: {x:.6f}" for p, x in value["quantiles"].items())
            shown.append(f"quantiles of α_a at C = {value['scale']:.4g}: {each}")
        if self.plot is not None:
            shown.append(f"the picture is in {self.plot}")
        return shown


def by_name(numbers: Tensor) -> dict[str, float | None]:
    """The numbers of a, b and any one of the others, which are all alike."""
    others = float(numbers[2]) if len(numbers) > 2 else None
    return {"a": float(numbers[0]), "b": float(numbers[1]), "other": others}
