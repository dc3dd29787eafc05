"""The text with its colours, the page of reasons and the charts: escaped, whole, and with every number."""

from dataclasses import replace

import numpy as np
import pytest

from attnlab.benches.sentiment import Explained, ExplainedErrors
from attnlab.evaluation.classification.reading import TextWord
from attnlab.evaluation.classification.reasons import Experiment, KindCounts, Misread, Reasons
from attnlab.report.sentiment.charts import draw_kinds, draw_words
from attnlab.report.sentiment.reasons import error_blocks, marked_text, page_text, reasons_page

TEXT = "<b>Great</b> start,\x1b zzz end"


def reasons(text: str, words: list[tuple[int, int, bool]], pushes: list[float], label: str | None = None) -> Reasons:
    found = tuple(
        TextWord(text[start:stop], start, stop, known, text[start:stop].lower()) for start, stop, known in words
    )
    return Reasons(
        text,
        "pos",
        0.9,
        2.2,
        0.1,
        found,
        removal=np.array(pushes),
        gradients=np.array(pushes) / 2,
        classes=("neg", "pos"),
        label=label,
    )


FOUND = reasons(TEXT, [(3, 8, True), (13, 18, True), (21, 24, False)], [2.0, -0.5, 0.0], "neg")
WRONG = Misread(
    FOUND,
    (
        Experiment("order", True, {"x": 1.0}, "the halves & <all>"),
        Experiment("mixed", True, {"x": 1.0}, "so\x1b it is"),
        Experiment("negation", False, {}, "not so"),
    ),
    "reviews.tsv, line 3",
)
COUNTS = KindCounts(100, 10, {"negation": 6, "mixed": 4}, {"negation": 7, "mixed": 9})
ERRORS = ExplainedErrors("a & <b>", "data", "test", (WRONG,), COUNTS)


def test_words_are_marked_by_side_and_strength():
    block = marked_text(FOUND)
    assert [(text, mark) for text, mark in block.pieces if mark] == [
        ("Great", "for4"),
        ("start", "against2"),
        ("zzz", "unknown"),
    ]
    assert "".join(text for text, _ in block.pieces) == "<b>Great</b> start,\\x1b zzz end"
    assert block.legend == {
        "for3": "+ pushes towards pos",
        "against3": "- pushes towards neg",
        "unknown": "? unknown",
    }


def test_without_colours_signs_say_what_colours_say():
    legend, text = repr(Explained("run", FOUND)).splitlines()[2:4]
    assert legend == "+ pushes towards pos   - pushes towards neg   ? unknown   (twice: strongly; weak: no sign)"
    assert text == r"<b>Great(++)</b> start(-),\x1b zzz(?) end"


def test_ends_of_line_stay_and_a_long_text_is_cut():
    text = "a\n" * 500
    block = marked_text(reasons(text, [(2 * n, 2 * n + 1, True) for n in range(500)], [1.0] * 500))
    assert "".join(text for text, _ in block.pieces) == "a\n" * 399 + "a …"


def test_an_error_is_told_with_what_decided_it():
    place, heading, unknown, _, words, first, tried = error_blocks(WRONG)
    assert place == "reviews.tsv, line 3"
    assert heading == "pos, but the label is neg: probability 0.9000, log-odds +2.20"
    assert unknown == "1 of 3 words are unknown"
    assert words.rows == [["Great", "+2.00", "+1.00"], ["start", "-0.50", "-0.25"]]  # pyright: ignore[reportAttributeAccessIssue]
    assert first == "first kind: order (ignored words come before wrongly weighed words)"
    assert tried.rows[:2] == [["order", "yes", "the halves & <all>"], ["mixed", "yes", "so\\x1b it is"]]  # pyright: ignore[reportAttributeAccessIssue]


def test_on_a_page_words_are_marked_and_have_their_numbers():
    body = str(page_text(FOUND))
    assert '&lt;b&gt;<i class="for4" title="removal +2.00, gradients +1.00">Great</i>&lt;/b&gt; ' in body
    assert '<i class="against2" title="removal −0.50, gradients −0.25">start</i>' in body
    assert '<i class="unknown" title="unknown">zzz</i> end' in body
    assert "\x1b" not in body


def test_the_page_has_everything_and_is_escaped():
    page = reasons_page("Why <so>", [(FOUND, WRONG)])
    assert "<h1>Why &lt;so&gt;</h1>" in page
    assert "reviews.tsv, line 3: pos, but the label is neg" in page
    assert "<b>order</b> (ignored words" in page
    assert "the halves &amp; &lt;all&gt;" in page
    assert "1 of 3 words are unknown" in page
    assert "<b>Great" not in page
    assert "<script" not in page  # nothing to run where there is no chart
    assert 'src="' not in page
    assert "@import" not in page


def test_no_label_plays_with_the_page():
    page = reasons_page("Why", [(replace(FOUND, said="a\x1b[31mb", label="c\u202ed"), None)])
    assert r"a\x1b[31mb, but the label is c\u202ed" in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_a_text_of_unknown_words_says_so():
    unknown = reasons("zzz", [(0, 3, False)], [0.0])
    page = reasons_page("Why", [(unknown, None)])
    assert "No word of the text is known" in page
    assert "Strongest words" not in page
    assert "no word of the text is known: this is the answer for an empty text" in repr(Explained("run", unknown))


def test_a_long_text_is_cut_on_the_page():
    words = [(2 * place, 2 * place + 1, True) for place in range(30_000)]
    page = reasons_page("Why", [(reasons("a " * 30_000, words, [1.0] * 30_000), None)])
    assert "The first 20,000 words are shown." in page
    assert page.count('class="for4"') == 20_000


def test_the_chart_of_kinds_has_a_row_a_kind():
    drawing = draw_kinds(ERRORS)
    assert rows(drawing) == ["negation: 60 % first, 70 % in all", "mixed: 40 % first, 90 % in all"]
    assert "negation 6 (in all 7)" in drawing.description


def test_the_chart_of_words_has_the_strongest_first():
    drawing = draw_words(Explained("run", FOUND))
    assert rows(drawing) == ["Great: +2.00", "start: −0.50"]
    assert drawing.title == "Why run says pos"
    assert "Great: +2.00, start: −0.50" in drawing.description


def rows(drawing) -> list[str]:
    chart = drawing.chart.to_dict()
    return [row["text"] for row in chart.get("data", chart["layer"][0].get("data"))["values"]]


@pytest.mark.parametrize(
    "found",
    [
        ERRORS,
        replace(ERRORS, counts=KindCounts(5, 0, {"mixed": 0}, {"mixed": 0}), errors=()),
        Explained("a & <b>", FOUND, WRONG),
        Explained("a & <b>", reasons("zzz", [(0, 3, False)], [0.0])),
    ],
)
def test_it_is_written_as_picture_drawing_and_page(tmp_path, found):
    assert found.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "NaN" not in found.save(tmp_path / "a.svg").read_text()
    assert "<b>Great" not in found.save(tmp_path / "a.html").read_text()
    assert "<b>Great" not in found._repr_html_()


def test_the_page_of_errors_has_the_chart(tmp_path):
    page = ERRORS.save(tmp_path / "a.html").read_text()
    assert "<h1>Why a &amp; &lt;b&gt; misreads data</h1>" in page
    assert "How often each kind of error occurs" in page
    assert "negation 6 (in all 7)" in page
