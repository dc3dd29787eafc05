"""The chart of robustness: a valid specification that shows what it was given."""

import json
from pathlib import Path
from typing import Any

import vl_convert

from attnlab.benches.attention.curves import ErrorCurve, WeightDensity
from attnlab.report.attention.robustness_chart import robustness_chart
from attnlab.report.charts.files import save_chart

ONE = ErrorCurve(1, [0.1, 1.0, 2.0, 100.0], [0.38, 0.23, 0.15, 0.49], best=(2.1, 0.1467))
TWO = ErrorCurve(2, [0.1, 1.0, 2.0, 100.0], [0.39, 0.29, 0.16, 0.02], best=None)
FLAT = WeightDensity(1, [0.01, 0.5, 0.99], [5.0, 0.45, 4.8])
SPIKE = WeightDensity(2, [0.01, 0.5, 0.6], [2.2, 28.0, 0.0])


def spec_of(curves: list[ErrorCurve], densities: list[WeightDensity], scale: float = 5.0) -> dict[str, Any]:
    return robustness_chart(curves, densities, keys=10, scale=scale, noise="a is noisy").to_dict()


def rows_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    parts = (*spec.get("hconcat", ()), *spec.get("layer", ()))
    return spec.get("data", {}).get("values", []) + [row for part in parts for row in rows_of(part)]


def labels(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in rows_of(spec) if "align" in row]


def test_two_panels_with_titles_and_one_legend():
    spec = spec_of([ONE, TWO], [FLAT, SPIKE])
    titles = [panel["title"] for panel in spec["hconcat"]]
    assert titles == ["Density of the weight on a at C = 5", "Error against the scale C"]
    assert spec["title"] == "10 keys, a is noisy"
    svg = vl_convert.vegalite_to_svg(spec)
    assert svg.count(">one head<") == svg.count(">two heads<") == 1


def test_a_name_has_one_colour_in_both_panels():
    text = json.dumps(spec_of([TWO], [FLAT, SPIKE]))
    domains = text.count('"domain": ["two heads", "one head"], "range": ["#0072B2", "#D55E00"]')
    assert domains == text.count('"color": {"field"') > 2


def test_every_number_given_is_in_the_chart():
    rows = rows_of(spec_of([ONE, TWO], [FLAT, SPIKE]))
    for scale, error in zip(ONE.scale, ONE.error, strict=True):
        assert {"name": "one head", "scale": scale, "error": error} in rows
    for weight, density in zip(SPIKE.weight, SPIKE.density, strict=True):
        assert {"name": "two heads", "weight": weight, "density": density} in rows


def test_the_best_scale_is_marked_and_labelled_where_there_is_one():
    (label,) = labels(spec_of([ONE, TWO], []))
    assert label["text"] == "best C = 2.1\nerror 0.147"
    assert (label["scale"], label["error"]) == (2.1, 0.1467)
    assert labels(spec_of([TWO], [])) == []


def test_labels_keep_out_of_each_others_way():
    right = ErrorCurve(2, TWO.scale, TWO.error, best=(5.0, 0.12))
    low = ErrorCurve(2, TWO.scale, TWO.error, best=(20.0, 0.01))
    same = ErrorCurve(2, TWO.scale, TWO.error, best=ONE.best)
    edge = ErrorCurve(2, TWO.scale, TWO.error, best=(0.2, 0.37))
    assert [label["align"] for label in labels(spec_of([ONE, right], []))] == ["right", "left"]
    assert [label["align"] for label in labels(spec_of([ONE, low], []))] == ["right", "center"]
    assert len(labels(spec_of([ONE, same], []))) == 1
    first, second = labels(spec_of([edge, ONE], []))
    assert first["align"] == second["align"] == "left"
    assert second["dy"] > first["dy"]


def test_a_panel_without_lines_is_left_out():
    assert [panel["title"] for panel in spec_of([ONE], [])["hconcat"]] == ["Error against the scale C"]


def test_a_density_beyond_the_axis_is_said_to_be_cut_off():
    tall = WeightDensity(1, [0.1, 0.5], [3.0, 5000.0])
    assert "cut off at 1000" in json.dumps(spec_of([ONE], [tall]))
    assert "cut off" not in json.dumps(spec_of([ONE], [FLAT]))


def test_a_scale_outside_the_curves_is_shown():
    spec = spec_of([ONE], [], scale=400.0)
    assert '"domain": [0.1, 400.0]' in json.dumps(spec)
    assert '"C = ' not in json.dumps(spec_of([ONE], [], scale=0.0))


def test_more_points_than_altair_takes_by_itself_are_drawn(tmp_path: Path):
    levels = [(at + 0.5) / 6_000 for at in range(6_000)]
    chart = robustness_chart([ONE], [WeightDensity(1, levels, levels)], keys=10, scale=5.0, noise="a is noisy")
    save_chart(chart, tmp_path / "chart.svg", title="Many", description="many points")
    # What only a pointer finds is not in a still picture.
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").count("<path") < 100
