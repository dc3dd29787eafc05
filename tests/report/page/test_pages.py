"""Pages: only their own scripts run, and blocks become paragraphs."""

import re
from base64 import b64encode
from hashlib import sha256

import altair as alt
import pytest

from attnlab.report.blocks import Drawing, Marked, Table
from attnlab.report.page.fragments import fragment, paragraphs, record_page
from attnlab.report.page.pages import render

CHART = alt.Chart(alt.Data(values=[{"x": 1}]), width=80).mark_point().encode(x="x:Q")
WITH_CHART = record_page(["Numbers"], Drawing(CHART, "A chart </script>", "One point."))
WITHOUT = record_page(["Numbers", "one"])


def policy(page: str) -> str:
    (found,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    return found


def test_only_the_scripts_of_a_page_may_run():
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", WITH_CHART, re.DOTALL)
    assert len(scripts) == 2
    allowed = set(re.findall(r"'sha256-([^']*)'", policy(WITH_CHART)))
    assert allowed == {b64encode(sha256(each.encode()).digest()).decode() for each in scripts}
    assert "'unsafe-inline'" not in policy(WITH_CHART).partition("script-src")[2].partition(";")[0]


def test_a_page_without_scripts_allows_none():
    assert "<script" not in WITHOUT
    assert "script-src" not in policy(WITHOUT)
    assert policy(WITHOUT).startswith("default-src 'none'; style-src")


def test_a_page_with_a_script_but_no_chart_may_not_compile_code():
    page = render("record.html", [], scripts=["surprise/page.js"], title="Numbers", body="")
    assert "'sha256-" in policy(page)
    assert "unsafe-eval" not in policy(page)


def test_indented_lines_stay_with_the_line_above_them():
    table = Table(("a",), (("1",),))
    assert paragraphs(["one:", "  two", "  three", "", "four", table]) == ["one:\n  two\n  three", "four", table]


@pytest.mark.parametrize(("first", "title"), [("Numbers", "Numbers"), ("x" * 121, "A chart")])
def test_a_long_first_line_is_no_title(first: str, title: str):
    page = record_page([first], Drawing(CHART, "A chart", "One point."))
    assert f"<h1>{title}</h1>" in page
    assert first in page


def test_a_title_stands_once():
    page = record_page([Table(("a",), (("1",),))], Drawing(CHART, "A chart", "One point."))
    assert re.findall(r"<h\d>.*?</h\d>", page.partition("<script")[0]) == ["<h1>A chart</h1>"]


def test_a_picture_in_a_notebook_is_no_wider_than_its_cell():
    assert '<img style="max-width:100%"' in fragment(["one"], Drawing(CHART, "A chart", "One point."))


HOSTILE = '<script>alert(1)</script>" onload="alert(2)\u202etxt.exe\u2066\x07\udce9</script>'


def test_a_name_can_neither_run_nor_turn_the_text_around():
    """In a sentence, a table, a mark, a title and a chart; as a page and in a notebook."""
    chart = alt.Chart(alt.Data(values=[{"x": HOSTILE}]), width=80).mark_point().encode(x="x:N")
    drawing = Drawing(chart, HOSTILE, HOSTILE)
    blocks = [HOSTILE, Table((HOSTILE,), ((HOSTILE,),), note=HOSTILE), Marked([(HOSTILE, "for1")], {"for1": HOSTILE})]
    page, cell = record_page(blocks, drawing), fragment(blocks, drawing)
    for each in (page.partition("<script")[0], page.rpartition("</script>")[2], cell):
        assert "<script" not in each
        assert '" onload' not in each
    for each in (page, cell):
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x07\ud800-\udfff]", each)
        assert "⟨U+202E⟩txt.exe⟨U+2066⟩␇⟨U+DCE9⟩" in each
        each.encode()
