"""The charts of an evaluation: the points of reliability, and a matrix with every count."""

import pytest

from attnlab.report.classification import Evaluated, ReliabilityPoint, draw_evaluated, save_evaluated

POINTS = [ReliabilityPoint(0.6, 0.5, 10), ReliabilityPoint(0.9, 0.95, 30)]
FOUND = Evaluated("run <1>", "data", ["neg", "pos & neg"], [[15, 2], [3, 20]], POINTS, 0.875, 0.06)


def values(chart: dict) -> list[dict]:
    """The rows of every layer's own data."""
    layers = [layer for panel in chart["hconcat"] for layer in (panel, *panel["layer"])]
    return [row for layer in layers for row in layer.get("data", {}).get("values", [])]


def test_every_point_and_count_is_drawn():
    told = {row.get("told") for row in values(draw_evaluated(FOUND).to_dict())}
    assert "30 texts: 0.900 sure, 0.950 right" in told
    assert "neg, said to be pos & neg: 2 of 17" in told
    assert "pos & neg, said to be pos & neg: 20 of 23" in told


def test_it_is_told_in_words():
    assert "0.60 sure, 0.50 right" in FOUND.description
    assert "pos & neg taken for neg 3 times, neg taken for pos & neg 2 times" in FOUND.description


@pytest.mark.parametrize("count", [1, 2, 13, 50])
def test_any_number_of_classes_can_be_drawn(tmp_path, count):
    classes = [f"class {number}" for number in range(count)]
    table = [[0] * count for _ in range(count)]
    found = Evaluated("run", "data", classes, table, POINTS[:1], 0.0, 0.0)
    save_evaluated(found, tmp_path / "charts.svg")
    assert "NaN" not in (tmp_path / "charts.svg").read_text()
    assert len(draw_evaluated(found).to_dict()["hconcat"]) == (2 if count <= 40 else 1)


def test_it_is_written_as_picture_and_page(tmp_path):
    for ending in ("png", "html"):
        save_evaluated(FOUND, tmp_path / f"charts.{ending}")
    assert (tmp_path / "charts.png").read_bytes().startswith(b"\x89PNG")
    assert "run &lt;1&gt; on data" in (tmp_path / "charts.html").read_text()
