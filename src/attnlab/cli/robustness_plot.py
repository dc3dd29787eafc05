"""The picture of `attnlab robustness`: how the weight on a is spread, and the error against the scale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attnlab.cli.averaging import heads_in_words
from attnlab.cli.outcome import track
from attnlab.report.charts import save_chart
from attnlab.report.robustness import ErrorCurve, WeightDensity, robustness_chart

if TYPE_CHECKING:
    from attnlab.attention import Distribution
    from attnlab.cli.robustness import Robustness

CURVE = np.geomspace(0.1, 1000.0, 81).tolist()
BINS = 200


def draw(command: Robustness, scale: float, path: Path) -> None:
    """Draw the picture for one head and for two, or as many as were asked for."""
    # Where draws are needed, a curve does not need as many at each of its points as the table does.
    quick = replace(command, samples=min(command.samples, 1 << 14))
    spread = replace(command, samples=min(command.samples, 1 << 18))
    curves, densities = [], []
    for heads in sorted({1, max(2, command.heads)}):
        name, best = heads_in_words(heads), command.find_best(heads)
        error = [quick.measure(each, heads).error for each in track(CURVE, f"curve, {name}")]
        place = None if best.unbounded or best.scale is None else (best.scale, best.distribution.error)
        inside = place is not None and CURVE[0] < place[0] < CURVE[-1]
        curves.append(ErrorCurve(name, CURVE, error, place if inside else None))
        density = weight_density(spread.measure(scale, heads), name)
        densities += [density] if density is not None else []
    chart = robustness_chart(curves, densities, keys=command.question.keys, scale=scale, noise=command.question.words())
    save_chart(chart, path, title="How robust is an average of two?", description=_words(curves, scale))


def weight_density(found: Distribution, name: str) -> WeightDensity | None:
    """The density of the weight on a, averaged over narrow bins, so that no spike is lost between two points."""
    if float(found.weight_sd[0]) < 1e-9:
        return None
    # Narrow near 0 and 1, where one head has its spikes, and near ½, where two have.
    half = 0.25 * (1 - np.cos(np.linspace(0, np.pi, BINS // 2 + 1)))
    edges = np.concatenate([half, 0.5 + half[1:]])
    below = np.array([each.value for each in found.cdfs(0, edges.tolist())])
    height = np.clip(np.diff(below), 0, None) / np.diff(edges)
    return WeightDensity(name, ((edges[1:] + edges[:-1]) / 2).tolist(), height.tolist())


def _words(curves: list[ErrorCurve], scale: float) -> str:
    """What the picture shows, for those who cannot see it."""
    bests = [
        f"for {curve.name} the error is least at C = {curve.best[0]:.3g}, {curve.best[1]:.3g}"
        if curve.best
        else f"for {curve.name} it is {curve.error[-1]:.3g} at C = {curve.scale[-1]:g}"
        for curve in curves
    ]
    spread = f"First the density of the weight on a at C = {scale:.4g}, averaged over {BINS} bins"
    return f"{spread}; then the error against the scale C: {'; '.join(bests)}."
