"""Loss curves: nats per token against steps, of one run or of several on one chart."""

from collections.abc import Mapping, Sequence
from typing import Any

from attnlab.charts import Lines, Series
from attnlab.errors import ArgumentError
from attnlab.report.blocks import Drawing
from attnlab.report.charts.axes import thinned
from attnlab.report.charts.figures import draw_lines

Metrics = Sequence[Mapping[str, Any]]


def curves(runs: Mapping[str, Metrics], *, per_byte: bool = False) -> Lines:
    """The validation curve of each run by its name; for a single run the training loss too.

    `per_byte` draws bits per byte of the held-out text, which compare across tokenizers.

    >>> chart = curves({"a": [{"step": 1, "loss": 2.0}, {"step": 1, "validation": {"nats_per_token": 2.1}}]})
    >>> [line.name for line in chart.series]
    ['training', 'validation']
    """
    alone = len(runs) == 1
    last = max((each["step"] for metrics in runs.values() for each in metrics), default=1)
    unit = "bits_per_byte" if per_byte else "nats_per_token"
    series = []
    for name, metrics in runs.items():
        if alone and not per_byte:
            series.append(_series("training", [(each["step"], each["loss"]) for each in metrics if "loss" in each]))
        held_out = [(each["step"], each["validation"][unit]) for each in metrics if "validation" in each]
        if held_out and only_counts(metrics):  # a model that only counts has no steps: a horizontal line
            held_out = [(0, held_out[-1][1]), (last, held_out[-1][1])]
        series.append(_series("validation" if alone else name, held_out))
    series = [each for each in series if each.x]
    if not series:
        raise ArgumentError("plot", "these runs have no measurements to draw yet")
    ends = "; ".join(map(_end, series))
    title = f"{next(iter(runs))}: learning curve" if alone else "Learning curves"
    y_title = "bits per byte" if per_byte else "nats per token"
    return Lines(title, "step", y_title, tuple(series), f"{y_title} against steps: {ends}.")


def draw_curves(runs: Mapping[str, Metrics], *, per_byte: bool = False) -> Drawing:
    """The chart of the curves."""
    chart = curves(runs, per_byte=per_byte)
    return Drawing(draw_lines(chart), chart.title, chart.description)


def only_counts(metrics: Metrics) -> bool:
    """Whether a model only counts: it was measured, but not trained step by step."""
    return not any("loss" in each for each in metrics)


def _end(line: Series) -> str:
    """The last number of a line. A line from step 0 on is that of a model that only counts."""
    if not line.x[0]:
        return f"{line.name} only counts, and has {line.y[-1]:.4g}"
    return f"{line.name} ends at {line.y[-1]:.4g} after {line.x[-1]:.0f} steps"


def _series(name: str, points: list[tuple[float, float]]) -> Series:
    kept = thinned(points)
    return Series(name, tuple(float(x) for x, _ in kept), tuple(float(y) for _, y in kept))
