"""Records: printed, shown in a notebook, drawn, saved and reproduced, all through one presentation."""

import json
from typing import Any, ClassVar

import pytest

from attnlab import records
from attnlab.calls import Call
from attnlab.errors import ArgumentError
from attnlab.records import Record, record
from attnlab.report.blocks import Drawing, Marked, Presentation, Table

pytestmark = pytest.mark.usefixtures("as_installed")


@record
class Count(Record):
    """How many there are."""

    shown_by: ClassVar[str] = "nowhere.count"

    name: str
    number: int

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "number": self.number}

    @property
    def call(self) -> Call:
        return Call("count", (self.name,))


def _draw() -> Drawing:
    import altair as alt

    chart = alt.Chart(alt.Data(values=[{"x": 1, "y": 2}])).mark_point().encode(x="x:Q", y="y:Q")
    return Drawing(alt.LayerChart(layer=[chart]), "Counted", "One point.")


@pytest.fixture(autouse=True)
def _shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def present(found: Count) -> Presentation:
        table = Table(("name", "number"), ((found.name, str(found.number)),), note="that is all")
        marked = Marked((("good", "for4"), (" <bad>", "against1"), (" ?", "unknown")), {"for1": "praise"})
        return Presentation(["<counted> & done", table, marked], _draw, rows=[found.to_dict()])

    monkeypatch.setattr(records, "_shown", [present])


def test_a_record_prints_its_blocks():
    legend = "praise   (twice: strongly; weak: no sign)"
    marked = f"{legend}\ngood(++) <bad> ?(?)"
    assert repr(Count("a b", 3)) == f"<counted> & done\nname  number\na b        3\nthat is all\n{marked}"


def test_a_notebook_shows_it_escaped_and_without_scripts():
    shown = Count("<script>alert(1)</script>", 3)._repr_html_()
    assert "&lt;counted&gt; &amp; done" in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "<script" not in shown
    assert "http" not in shown
    assert "<table>" in shown
    assert "data:image/svg+xml;base64," in shown


def test_it_is_frozen_and_holds_what_it_was_given():
    found = Count("a", 3)
    with pytest.raises(AttributeError):
        found.number = 4  # pyright: ignore[reportAttributeAccessIssue]
    assert found.holds


def test_it_is_saved_as_the_ending_says(tmp_path):
    found = Count("ä", 3)
    assert json.loads(found.save(tmp_path / "a.json").read_text(encoding="utf-8")) == {"name": "ä", "number": 3}
    assert found.save(tmp_path / "a.csv").read_text(encoding="utf-8") == "name,number\nä,3\n"
    assert found.save(tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    assert found.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    page = found.save(str(tmp_path / "a.html")).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "that is all" in page
    with pytest.raises(
        ArgumentError, match=r"^path: expected a file that ends in .html, .svg, .png, .json or .csv, got"
    ):
        found.save(tmp_path / "a.doc")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.csv", "a.html", "a.json", "a.png", "a.svg"]


def test_its_chart_is_altairs():
    assert Count("a", 3).plot().to_dict()["layer"][0]["mark"]["type"] == "point"


def test_where_there_is_nothing_to_draw_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(records, "_shown", [lambda found: Presentation(["no chart"])])
    with pytest.raises(ArgumentError, match=r"^plot: this result has no chart$"):
        Count("a", 3).plot()
    with pytest.raises(ArgumentError, match=r"^path: this result has no rows for a .csv file"):
        Count("a", 3).save(tmp_path / "a.csv")
    assert "<img" not in Count("a", 3)._repr_html_()
