"""Charts as files: the right kind, whole or not at all, and pages that need nothing else."""

import errno
import os
import re
from pathlib import Path

import altair as alt
import pytest

from attnlab.errors import ArgumentError, FileError
from attnlab.report.charts.files import check_plot_path, save_chart

TITLE, DESCRIPTION = 'Weights & "heads"', 'Rises from 1 to 2, </script> or <b>"not"</b>.'


@pytest.fixture
def chart() -> alt.Chart:
    points = [{"x": 1, "y": 1}, {"x": 2, "y": 2}]
    return alt.Chart(alt.Data(values=points), title="own title").mark_line().encode(x="x:Q", y="y:Q")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "chart.html"
    bars = alt.Chart(alt.Data(values=[{"x": "</script>"}]), title="<own> title").mark_bar().encode(x="x:N")
    save_chart(bars, path, title=TITLE, description=DESCRIPTION)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["chart.png", "CHART.PNG"])
def test_png_is_twice_as_large_as_the_drawing(chart: alt.Chart, tmp_path: Path, name: str):
    save_chart(chart, tmp_path / name, title=TITLE, description=DESCRIPTION)
    save_chart(chart, tmp_path / "chart.svg", title=TITLE, description=DESCRIPTION)
    png, svg = (tmp_path / name).read_bytes(), (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width = re.search(r'width="(\d+)"', svg)
    assert width
    assert int.from_bytes(png[16:20]) == pytest.approx(2 * int(width[1]), abs=2)


def test_svg_is_on_white_with_both_titles_and_alternative_text(chart: alt.Chart, tmp_path: Path):
    save_chart(chart, tmp_path / "chart.svg", title="Weights", description='Rises & "shines"')
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert svg.startswith('<svg role="img" aria-label="Rises &amp; &quot;shines&quot;"')
    assert 'fill="#ffffff"' in svg
    assert ">Weights<" in svg
    assert ">own title<" in svg


@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_characters_that_no_drawing_can_hold_are_written_out(tmp_path: Path, ending: str):
    odd = "a\x01b\x1b[31m\uffff\u202ec"
    bars = alt.Chart(alt.Data(values=[{"x": odd}]), title=odd).mark_bar().encode(x="x:N", tooltip=["x:N"])
    path = tmp_path / f"chart.{ending}"
    save_chart(bars, path, title=odd, description=odd)
    if ending != "png":
        shown = path.read_text(encoding="utf-8")
        assert r"a\x01b\x1b[31m\uffff\u202ec" in shown
        assert odd not in shown


def test_a_label_of_two_lines_stays_one(tmp_path: Path):
    words = alt.Chart(alt.Data(values=[{"x": "first\nsecond"}])).mark_text(lineBreak="\n").encode(text="x:N")
    save_chart(words, tmp_path / "chart.svg", title=TITLE, description=DESCRIPTION)
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert "<tspan>first</tspan>" in svg
    assert ">second</tspan>" in svg
    assert r"\n" not in svg


def test_page_is_whole_and_safe(page: str):
    assert page.startswith("<!doctype html>\n<html lang=")
    assert "<title>Weights &amp; &#34;heads&#34;</title>" in page
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page
    assert "<p>&lt;own&gt; title</p>" in page
    # One for the libraries, one for the chart: no text of the user's has ended either, or begun another.
    assert page.count("</script>") == page.count('<script type="module">') == 2


def test_page_loads_nothing(page: str):
    markup = re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.DOTALL)
    assert "http://" not in markup
    assert "https://" not in markup
    assert not re.search(r"<script[^>]*\ssrc=", page)
    assert not re.search(r"<(link|img|iframe)", markup)
    assert "default-src 'none'" in markup
    assert "vegaEmbed" in page


def test_page_says_in_words_what_the_chart_shows(page: str):
    words = "Rises from 1 to 2, &lt;/script&gt; or &lt;b&gt;&#34;not&#34;&lt;/b&gt;."
    assert f'role="img" aria-label="{words}"' in page
    assert f"<figcaption>{words}</figcaption>" in page


@pytest.mark.parametrize("name", ["x.pdf", "x", "x.png.gz"])
def test_other_endings_are_refused(chart: alt.Chart, name: str):
    message = f"plot: expected a file that ends in .png, .svg or .html, got '{name}'"
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}$"):
        check_plot_path(Path(name))
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}$"):
        save_chart(chart, Path(name), title=TITLE, description=DESCRIPTION)


def test_missing_folders_are_made_and_an_old_file_is_replaced(chart: alt.Chart, tmp_path: Path):
    path = tmp_path / "a" / "b" / "chart.svg"
    save_chart(chart, path, title="first", description=DESCRIPTION)
    save_chart(chart, path, title="second", description=DESCRIPTION)
    assert ">second<" in path.read_text(encoding="utf-8")
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_is_no_file(tmp_path: Path):
    path = tmp_path / "chart.png"
    path.mkdir()
    with pytest.raises(FileError, match=r"chart\.png: expected a file, got a folder$"):
        check_plot_path(path)


def test_a_file_is_no_folder(chart: alt.Chart, tmp_path: Path):
    (tmp_path / "notes").write_text("kept")
    with pytest.raises(FileError, match=r"cannot be written: its folder is a file$"):
        save_chart(chart, tmp_path / "notes" / "chart.svg", title=TITLE, description=DESCRIPTION)
    assert (tmp_path / "notes").read_text() == "kept"


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    chart: alt.Chart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int
):
    path = tmp_path / "chart.svg"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(FileError, match=rf"chart\.svg: cannot be written: {os.strerror(code).lower()}$"):
        save_chart(chart, path, title=TITLE, description=DESCRIPTION)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_leaves_nothing(chart: alt.Chart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_chart(chart, tmp_path / "chart.svg", title=TITLE, description=DESCRIPTION)
    assert list(tmp_path.iterdir()) == []
