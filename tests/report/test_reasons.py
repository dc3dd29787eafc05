"""The page of reasons and the chart of kinds: escaped, whole, and with every number."""

import pytest

from attnlab.report.kinds_of_errors import KindBar, KindsOfErrors, draw_kinds, save_kinds
from attnlab.report.reasons import Explained, PushedWord, Tried, marked, reasons_page

TEXT = "<b>Great</b> start,\x1b zzz end"
WORDS = [PushedWord(3, 8, True, 2.0, 1.5), PushedWord(13, 18, True, -0.5, -0.25), PushedWord(21, 24, False, 0.0, 0.0)]
FOUND = Explained(
    TEXT,
    "pos",
    "neg",
    0.9,
    2.2,
    0.1,
    WORDS,
    "neg",
    "reviews.tsv, line 3",
    "order",
    "it is <first>",
    [Tried("order", True, "the halves & <all>"), Tried("mixed", False, "not so")],
)
KINDS = KindsOfErrors("a & <b>", "data", 100, 10, (KindBar("negation", 6, 7), KindBar("mixed", 4, 9)))


def test_words_are_marked_by_side_and_strength():
    body = str(marked(FOUND))
    assert '&lt;b&gt;<i class="for4" title="removal +2.00, gradients +1.50">Great</i>&lt;/b&gt; ' in body
    assert '<i class="against2" title="removal −0.50, gradients −0.25">start</i>' in body
    assert '<i class="unknown" title="unknown">zzz</i> end' in body
    assert "\x1b" not in body


def test_the_page_has_everything_and_is_escaped():
    page = reasons_page("Why <so>", [FOUND])
    assert "<h1>Why &lt;so&gt;</h1>" in page
    assert "reviews.tsv, line 3: pos, but it is neg" in page
    assert "<b>order</b> (it is &lt;first&gt;)" in page
    assert "the halves &amp; &lt;all&gt;" in page
    assert "1 of 3 words are unknown" in page
    assert "<b>Great" not in page
    assert "<script" not in page  # nothing to run where there is no chart
    assert 'src="' not in page
    assert "@import" not in page


def test_a_text_of_unknown_words_says_so():
    page = reasons_page("Why", [Explained("zzz", "pos", "neg", 0.5, 0.0, 0.0, [PushedWord(0, 3, False, 0.0, 0.0)])])
    assert "No word of it is known" in page
    assert "Strongest words" not in page


def test_a_long_text_is_cut():
    words = [PushedWord(2 * place, 2 * place + 1, True, 1.0, 1.0) for place in range(30_000)]
    page = reasons_page("Why", [Explained("a " * 30_000, "pos", "neg", 0.5, 0.0, 0.0, words)])
    assert "The first 20,000 words are shown." in page
    assert page.count('class="for4"') == 20_000


def test_the_chart_has_a_row_a_kind():
    chart = draw_kinds(KINDS).to_dict()
    rows = chart.get("data", chart["layer"][0].get("data"))["values"]
    assert [row["text"] for row in rows] == ["negation: 60% first, 70% in all", "mixed: 40% first, 90% in all"]
    assert "negation 6 (in all 7)" in KINDS.description


@pytest.mark.parametrize("kinds", [KINDS, KindsOfErrors("a", "b", 5, 0, (KindBar("mixed", 0, 0),))])
def test_it_is_written_as_picture_drawing_and_page(tmp_path, kinds):
    for ending in ("png", "svg", "html"):
        save_kinds(kinds, tmp_path / f"kinds.{ending}")
    assert (tmp_path / "kinds.png").read_bytes().startswith(b"\x89PNG")
    assert "NaN" not in (tmp_path / "kinds.svg").read_text()
    assert "<b>" not in (tmp_path / "kinds.html").read_text().partition("<script")[0]


def test_the_page_of_errors_has_the_chart():
    page = reasons_page("Why", [FOUND], KINDS)
    assert "How often each kind of error is" in page
    assert "negation 6 (in all 7)" in page
