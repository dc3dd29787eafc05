"""Loss curves: what is drawn is what was measured."""

import pytest

from attnlab.errors import ArgumentError
from attnlab.report.charts.axes import MOST_POINTS
from attnlab.report.language.curves import curves

METRICS = [
    {"step": 10, "loss": 3.0},
    {"step": 20, "loss": 2.0},
    {"step": 20, "validation": {"nats_per_token": 2.5, "bits_per_byte": 3.6}},
]


def test_one_run_shows_training_and_validation():
    chart = curves({"a": METRICS})
    assert [(each.name, each.x, each.y) for each in chart.series] == [
        ("training", (10, 20), (3, 2)),
        ("validation", (20,), (2.5,)),
    ]
    assert chart.description == (
        "nats per token against steps: training ends at 2 after 20 steps; validation ends at 2.5 after 20 steps."
    )


def test_several_runs_show_their_validation_in_units_that_compare():
    chart = curves({"a": METRICS, "b": METRICS}, per_byte=True)
    assert [(each.name, each.y) for each in chart.series] == [("a", (3.6,)), ("b", (3.6,))]
    assert chart.y_title == "bits per byte"


def test_of_many_points_the_last_stays():
    (line,) = curves({"a": [{"step": n, "loss": float(n)} for n in range(1, 1112)]}).series
    assert len(line.x) <= MOST_POINTS
    assert line.x[-1] == 1111


def test_nothing_measured_is_refused():
    with pytest.raises(ArgumentError, match="these runs have no measurements"):
        curves({"a": []})


def test_a_model_that_only_counts_is_a_horizontal_line():
    counted = [{"step": 1, "validation": {"nats_per_token": 1.5, "bits_per_byte": 2.0}}]
    chart = curves({"a": METRICS, "counts": counted})
    assert [(each.name, each.x, each.y) for each in chart.series] == [
        ("a", (20,), (2.5,)),
        ("counts", (0, 20), (1.5, 1.5)),
    ]
    assert chart.description.endswith("a ends at 2.5 after 20 steps; counts only counts, and has 1.5.")
