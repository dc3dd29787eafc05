"""Loss curves: nats per token against steps, of one run or of several on one chart."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attnlab.charts import Lines, Series
from attnlab.errors import ArgumentError
from attnlab.report.charts import save_chart
from attnlab.report.figures import draw_lines

MOST_POINTS = 400
"""More would not be seen."""

Metrics = Sequence[Mapping[str, Any]]


def curves(runs: Mapping[str, Metrics], *, per_byte: bool = False) -> Lines:
    """The curves of runs by name: the loss in training where there is one run, and the validation of each.

    `per_byte` draws bits per byte of the held-out text, which compare across tokens.

    >>> chart = curves({"a": [{"step": 1, "loss": 2.0}, {"step": 1, "validation": {"nats_per_token": 2.1}}]})
    >>> [line.name for line in chart.series]
    ['training', 'validation']
    """
    alone = len(runs) == 1
    unit = "bits_per_byte" if per_byte else "nats_per_token"
    series = []
    for name, metrics in runs.items():
        if alone and not per_byte:
            series.append(_series("training", [(each["step"], each["loss"]) for each in metrics if "loss" in each]))
        held_out = [(each["step"], each["validation"][unit]) for each in metrics if "validation" in each]
        series.append(_series("validation" if alone else name, held_out))
    series = [each for each in series if each.x]
    if not series:
        raise ArgumentError("plot", "expected a run with measurements to draw, got none")
    ends = "; ".join(f"{each.name} ends at {each.y[-1]:.4g} after {each.x[-1]:.0f} steps" for each in series)
    title = f"{next(iter(runs))}: how it learnt" if alone else "How the runs learnt"
    y_title = "bits per byte" if per_byte else "nats per token"
    return Lines(title, "step", y_title, tuple(series), f"{y_title} against steps: {ends}.")


def save_curves(runs: Mapping[str, Metrics], path: Path, *, per_byte: bool = False) -> None:
    """Write the curves to a file: .png, .svg or .html."""
    chart = curves(runs, per_byte=per_byte)
    save_chart(draw_lines(chart), path, title=chart.title, description=chart.description)


def _series(name: str, points: list[tuple[float, float]]) -> Series:
    """A line; of very many points, every so many and the last."""
    every = len(points) // MOST_POINTS + 1
    kept = [point for number, point in enumerate(points, start=1) if number % every == 0 or number == len(points)]
    return Series(name, tuple(float(x) for x, _ in kept), tuple(float(y) for _, y in kept))
