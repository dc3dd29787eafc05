"""The chart of how robust an average is when a key is noisy.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt

from attnlab.report.attention.noise_and_designs import heads_in_words, noise_in_words
from attnlab.report.blocks import Drawing
from attnlab.report.charts.axes import colour, line_layers, log_axis
from attnlab.report.charts.look import vega_config

if TYPE_CHECKING:
    from attnlab.benches.attention.curves import ErrorCurve, WeightDensity
    from attnlab.benches.attention.robustness import Robustness

DENSITY_TICKS = (0, 1, 3, 10, 30, 100, 300, 1000)
"""The axis is log(1 + density), so that both spikes and densities near 0 can be seen."""

LABEL_LINE = 15
"""The height of a line of a label, in pixels."""


def draw_robustness(found: Robustness) -> Drawing:
    """The chart of a record, with its title and description."""
    settings, curves = found.settings, found.curves
    chart = robustness_chart(
        curves, found.densities, keys=settings.keys, scale=found.scale, noise=noise_in_words(settings)
    )
    return Drawing(chart, "How robust is an average of two?", _chart_in_words(curves, found.scale))


def robustness_chart(
    curves: Sequence[ErrorCurve], densities: Sequence[WeightDensity], *, keys: int, scale: float, noise: str
) -> alt.HConcatChart:
    """The density of the weight on key a at one scale C, beside the error at every scale: a line for each head count.

    A panel without lines is left out: a weight that does not vary has no density.
    """
    names = list(dict.fromkeys(heads_in_words(each.heads) for each in (*curves, *densities)))
    panels: list[alt.LayerChart] = []
    if densities:
        panels.append(_density_panel(densities, names, scale))
    if curves:
        panels.append(_error_panel(curves, names, scale))
    return alt.hconcat(*panels, spacing=28, title=f"{keys} keys, {noise}", config=vega_config())


def _density_panel(densities: Sequence[WeightDensity], names: list[str], scale: float) -> alt.LayerChart:
    """The density of the weight on a, a line for each name."""
    rows = [
        {"name": heads_in_words(each.heads), "weight": weight, "density": density}
        for each in densities
        for weight, density in zip(each.weight, each.density, strict=True)
    ]
    highest = max(density for each in densities for density in each.density)
    top = next((tick for tick in DENSITY_TICKS[1:] if tick >= highest), DENSITY_TICKS[-1])
    cut = highest > top
    x = alt.X("weight:Q", title="weight on a", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y(
        "density:Q",
        title=f"density (axis: log(1 + density){f', cut off at {top}' if cut else ''})",
        scale=alt.Scale(type="symlog", constant=1, domain=[0, top]),
        axis=alt.Axis(values=[tick for tick in DENSITY_TICKS if tick <= top]),
    )
    title = f"Density of the weight on a at C = {scale:g}"
    return alt.LayerChart(layer=_lines(rows, x, y, names, cut=cut), title=title)


def _error_panel(curves: Sequence[ErrorCurve], names: list[str], scale: float) -> alt.LayerChart:
    """The error at every scale, a line for each name, with the best points and `scale` marked."""
    rows = [
        {"name": heads_in_words(each.heads), "scale": at, "error": error}
        for each in curves
        for at, error in zip(each.scale, each.error, strict=True)
    ]
    shown = [scale] if scale > 0 else []  # a logarithmic axis shows only scales above 0
    x = _scale_axis([*(at for each in curves for at in each.scale), *shown])
    y = alt.Y("error:Q", title="E‖c − ½(v_a + v_b)‖²", scale=alt.Scale(zero=True))
    here = alt.Chart(alt.Data(values=[{"scale": at, "text": f"C = {at:g}"} for at in shown])).encode(x=x)
    note = here.mark_text(align="left", baseline="top", dx=5, dy=2).encode(y=alt.value(0), text="text:N")
    layers = [here.mark_rule(), note, *_lines(rows, x, y, names), *_best(curves, x, y, names)]
    return alt.LayerChart(layer=layers, title="Error against the scale C")


def _scale_axis(scales: list[float]) -> alt.X:
    """The axis of the scale C, from the least to the greatest of `scales`."""
    scale, axis = log_axis(scales)
    return alt.X("scale:Q", title="scale C (logarithmic)", scale=scale, axis=axis)


def _lines(rows: list[dict[str, object]], x: alt.X, y: alt.Y, names: list[str], cut: bool = False) -> list[alt.Chart]:
    """A line with tooltips for each head count."""
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, color=colour(names))
    name, *numbers = rows[0]
    tooltip = [alt.Tooltip(f"{name}:N", title="heads"), *(alt.Tooltip(f"{each}:Q", format=".4~g") for each in numbers)]
    return line_layers(base, names, tooltip, cut=cut)


def _best(curves: Sequence[ErrorCurve], x: alt.X, y: alt.Y, names: list[str]) -> list[alt.Chart]:
    """A mark and a label at each curve's best point."""
    rows = [
        {"name": heads_in_words(each.heads), "scale": each.best[0], "error": each.best[1]}
        for each in curves
        if each.best
    ]
    marks = alt.Chart(alt.Data(values=rows)).mark_point(opacity=1).encode(x=x, y=y, color=colour(names))
    labels = alt.Chart(alt.Data(values=_labels(curves))).mark_text(
        align=alt.ExprRef("datum.align"),
        dx=alt.ExprRef("datum.dx"),
        dy=alt.ExprRef("datum.dy"),
        baseline="line-top",
        lineBreak="\n",
        fontWeight="bold",
    )
    return [marks, labels.encode(x=x, y=y, text="text:N")]


def _labels(curves: Sequence[ErrorCurve]) -> list[dict[str, object]]:
    """The labels of the best points, placed where few curves are. Curves with the same best point share a label.

    A label goes below and to the left, where its curve is still higher. The last of several labels, and a label near
    the left edge, go to the right. A label near the bottom goes above.
    """
    top = max(error for each in curves for error in each.error)
    logs = [math.log(at) for each in curves for at in each.scale]
    points = sorted({each.best for each in curves if each.best})
    rows: list[dict[str, object]] = []
    on_right = 0
    for number, (scale, error) in enumerate(points):
        last_of_several = 0 < number == len(points) - 1
        if error < 0.14 * top:
            align, dx, dy = "center", 0, -2 * LABEL_LINE - 10
        elif last_of_several or math.log(scale) < min(logs) + 0.27 * (max(logs) - min(logs)):
            align, dx, dy = "left", 9, 6 + 2 * LABEL_LINE * on_right
            on_right += 1
        else:
            align, dx, dy = "right", -9, 6
        text = f"best C = {scale:.3g}\nerror {error:.3g}"
        rows.append({"scale": scale, "error": error, "text": text, "align": align, "dx": dx, "dy": dy})
    return rows


def _chart_in_words(curves: Sequence[ErrorCurve], scale: float) -> str:
    """What the chart shows, in words."""
    bests = [
        f"for {heads_in_words(curve.heads)} the error is least at C = {curve.best[0]:.3g}, {curve.best[1]:.3g}"
        if curve.best
        else f"for {heads_in_words(curve.heads)} the error is {curve.error[-1]:.3g} at C = {curve.scale[-1]:g}"
        for curve in curves
    ]
    spread = f"First the density of the weight on a at C = {scale:.4g}, averaged over narrow bins"
    return f"{spread}; then the error against the scale C: {'; '.join(bests)}."
