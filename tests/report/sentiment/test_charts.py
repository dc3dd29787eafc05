"""The charts of an evaluation: the points of reliability, and a matrix with every count."""

import pytest

from attnlab.benches.sentiment import EvaluatedClassifier
from attnlab.evaluation.classification.scores import Classification, PerClass
from attnlab.evaluation.reliability import Bin
from attnlab.report.sentiment.charts import draw_evaluated
from attnlab.statistics import Share

POINTS = (Bin(0.5, 0.7, 10, 0.6, 0.5), Bin(0.8, 1.0, 30, 0.9, 0.95))


def evaluated(names: list[str], table: list[list[int]], points: tuple[Bin, ...] = POINTS) -> EvaluatedClassifier:
    classes = tuple(PerClass(name, 0.5, 0.5, 0.5, sum(row), 0) for name, row in zip(names, table, strict=True))
    right = Share(sum(row[place] for place, row in enumerate(table)), sum(map(sum, table)))
    scores = Classification(classes, tuple(map(tuple, table)), right, 0.4, points)
    return EvaluatedClassifier("run <1>", "data", "test", scores, 0)


FOUND = evaluated(["neg", "pos & neg"], [[15, 2], [3, 20]])


def values(chart: dict) -> list[dict]:
    """The rows of every layer's own data."""
    layers = [layer for panel in chart["hconcat"] for layer in (panel, *panel["layer"])]
    return [row for layer in layers for row in layer.get("data", {}).get("values", [])]


def test_every_point_and_count_is_drawn():
    told = {row.get("told") for row in values(draw_evaluated(FOUND).chart.to_dict())}
    assert "30 texts: 0.900 sure, 0.950 right" in told
    assert "neg, predicted pos & neg: 2 of 17" in told
    assert "pos & neg, predicted pos & neg: 20 of 23" in told


def test_it_is_told_in_words():
    drawing = draw_evaluated(FOUND)
    assert drawing.title == "run <1> on data"
    assert "0.60 sure, 0.50 right" in drawing.description
    assert "pos & neg predicted as neg 3 times, neg predicted as pos & neg 2 times" in drawing.description


@pytest.mark.parametrize("count", [1, 2, 13, 50])
def test_any_number_of_classes_can_be_drawn(tmp_path, count):
    table = [[int(row == column == 0) for column in range(count)] for row in range(count)]
    found = evaluated([f"class {number}" for number in range(count)], table, POINTS[:1])
    assert "NaN" not in found.save(tmp_path / "charts.svg").read_text()
    assert len(found.plot().to_dict()["hconcat"]) == (2 if count <= 40 else 1)


def test_it_is_written_as_picture_and_page(tmp_path):
    assert FOUND.save(tmp_path / "charts.png").read_bytes().startswith(b"\x89PNG")
    page = FOUND.save(tmp_path / "charts.html").read_text()
    assert "run &lt;1&gt; on data" in page
    assert "macro F1" in page
