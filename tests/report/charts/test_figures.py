"""Lines, bars and counts drawn: valid specifications that show every number."""

import json
from typing import Any

import pytest

from attnlab.charts import Bar, Bars, Chart, Lines, Series
from attnlab.report.charts import files as stills
from attnlab.report.charts.axes import log_ticks
from attnlab.report.charts.figures import draw_chart, draw_counts

BANDED = Series("one head", (1.0, 10.0, 100.0), (0.2, 0.4, 0.5), low=(0.1, 0.3, 0.4), high=(0.3, 0.5, 0.6))
LINES = Lines("Error", "scale C", "error", (BANDED, Series("two heads", (1.0, 10.0), (0.3, 0.0))), "Falls.")
BARS = Bars("Right", "accuracy", (Bar("dot", 0.99, 0.97, 1.0), Bar("</script>", -0.1)), "One is longer.")


def spec_of(chart: Chart) -> dict[str, Any]:
    return draw_chart(chart).to_dict()


def rows_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return spec.get("data", {}).get("values", []) + [row for part in spec.get("layer", ()) for row in rows_of(part)]


@pytest.mark.parametrize("chart", [LINES, BARS])
def test_it_can_be_drawn_with_its_words(chart: Chart):
    svg = stills.svg(spec_of(chart))
    words = ["one head", "two heads", "scale C", "error"] if chart is LINES else ["accuracy", "dot: 0.990 ± 0.020"]
    for each in words:
        assert f">{each}<" in svg
    assert "NaN" not in svg
    assert "</script" not in svg


def test_every_point_and_band_is_there():
    rows = rows_of(spec_of(LINES))
    assert {"name": "one head", "x": 10.0, "y": 0.4, "low": 0.3, "high": 0.5} in rows
    assert {"name": "two heads", "x": 10.0, "y": 0.0} in rows


def test_a_logarithmic_axis_says_so_and_leaves_out_what_it_has_no_place_for():
    spec = spec_of(Lines("t", "C", "error", LINES.series, "d", log_x=True, log_y=True))
    text = json.dumps(spec, ensure_ascii=False)
    assert "C (logarithmic)" in text
    assert "error (logarithmic)" in text
    assert {"name": "two heads", "x": 10.0, "y": 0.0} not in rows_of(spec)
    assert {"name": "two heads", "x": 1.0, "y": 0.3} in rows_of(spec)
    assert "NaN" not in stills.svg(spec)


@pytest.mark.parametrize(
    "chart",
    [
        Lines("t", "x", "y", (Series("a", (), ()),), "d", log_x=True, log_y=True),
        Lines("t", "x", "y", (Series("a", (1.0,), (0.0,)),), "d", log_y=True),
        Lines("t", "x", "y", (Series("a", (2.0,), (3.0,)),), "d", log_x=True, log_y=True),
        Bars("t", "x", (Bar("a", 0.0),), "d"),
        Bars("t", "x", (), "d"),
    ],
)
def test_charts_with_next_to_nothing_on_them_are_drawn(chart: Chart):
    svg = stills.svg(spec_of(chart))
    assert "NaN" not in svg


def test_a_single_line_has_no_legend():
    alone = Lines("t", "x", "y", (BANDED,), "d")
    assert ">one head<" not in stills.svg(spec_of(alone))


def test_an_axis_begins_at_0_unless_that_would_squeeze_the_lines():
    high = Lines("t", "x", "y", (Series("a", (1.0, 2.0), (0.98, 0.99)),), "d")
    assert '"zero": false' in json.dumps(spec_of(high)["layer"][0]["encoding"]["y"])
    assert '"zero": true' in json.dumps(spec_of(LINES)["layer"][1]["encoding"]["y"])


def test_ticks_of_a_logarithmic_axis():
    assert log_ticks(1, 100) == [1, 2, 5, 10, 20, 50, 100]
    assert log_ticks(1e-3, 1e3) == pytest.approx([1e-3, 1e-2, 1e-1, 1, 10, 100, 1000])
    assert len(log_ticks(1e-300, 1)) <= 12


def test_counts_are_bars_whose_parts_are_the_kinds_in_their_order():
    spec = draw_counts({"Ada's": {"fails": 1, "holds": 2}, "none": {}}, ("holds", "fails"), "answers").to_dict()
    parts = [{name: row[name] for name in ("name", "kind", "count")} for row in rows_of(spec)]
    assert parts == [
        {"name": "Ada's", "kind": "holds", "count": 2},
        {"name": "Ada's", "kind": "fails", "count": 1},
    ]
    svg = stills.svg(spec)
    for word in (">answers<", ">holds<", ">fails<", ">Ada's<"):
        assert word in svg


@pytest.mark.parametrize(("longest", "ticks"), [(1, [0, 1]), (3, [0, 1, 2, 3]), (12, [0, 2, 4, 6, 8, 10, 12])])
def test_counts_have_ticks_at_whole_numbers(longest: int, ticks: list[int]):
    (layer,) = draw_counts({"a": {"holds": longest}}, ["holds"], "claims").to_dict()["layer"]
    assert [each for each in layer["encoding"]["x"]["axis"]["values"] if each <= longest] == ticks


def test_a_bar_without_an_interval_has_as_many_digits_as_in_a_table():
    bars = Bars("", "", (Bar("a", 3.65751), Bar("zero", 1.9968), Bar("b", 1_503_943.0), Bar("c", 3.66, 3.6, 3.7)), "")
    texts = list(dict.fromkeys(row["text"] for row in rows_of(spec_of(bars)) if "text" in row))
    assert texts == ["a: 3.66", "zero: 2.00", "b: 1,503,943", "c: 3.660 ± 0.060"]
