"""The picture of a text: whole, safe, offline, each piece in the shade of its bits."""

import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from attnlab.errors import ArgumentError
from attnlab.report import surprise
from attnlab.report.parts import PartBar, Parts
from attnlab.report.surprise import Mention, Numbers, Shaded, Shown, surprise_page

NASTY = "</div><script>alert('1')</script>&"
PIECES = [
    Shaded("To ", (0.1,), (0.0,), (1,), (False,)),
    Shaded("😀", (17.0,), (0.0,), (4,), (False,)),
    Shaded(NASTY, (3.0,), (2.5,), (1,), (True,)),
    Shaded("\n", (9.0,), (0.0,), (1,), (False,)),
    Shaded("\x07\u202eab", (0.6,), (0.0,), (1,), (False,)),
]
WORDS = [Mention("😀", 17.0, 3, 3), Mention("beyond", 1.0, 1, 9999)]
LENGTH = sum(len(each.text) for each in PIECES)
SHOWN = Shown(f"text {NASTY}", PIECES, LENGTH, "bits beyond the mean", WORDS, [Mention(f"To 😀\n{NASTY}", 20.1, 1, 0)])
MEASURED = [Numbers("model", "2.28 (2.1 to 2.4)", "24.8", "disjoint, 8", 8, 47, "model is sound")]
TWO = [
    Shaded("To ", (0.1, 9.0), (0.0, 0.0), (1, 3), (False, False)),
    Shaded("be", (5.0, 2.0), (20.0, 0.0), (1, 2), (True, False)),
]
PARTS = Parts("one", "two", (PartBar("tokenizer (length)", 0.5, 0.0), PartBar("capitals", -0.1, 0.2)))


class Cells(HTMLParser):
    """The pieces of a page: class, id, data and text; its ids and links; and whether every tag is closed."""

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.cells: list[dict[str, str]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "input"):
            self.open.append(tag)
        found = {name: value or "" for name, value in attrs}
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        if tag == "i":
            self.cells.append(found | {"text": ""})

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["i"]:
            self.cells[-1]["text"] += data

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def one() -> str:
    return surprise_page(f"How {NASTY} surprises", ["model"], MEASURED, [SHOWN])


@pytest.fixture(scope="module")
def two() -> str:
    shown = Shown("text", TWO, 5, "bits more", [Mention("be", 23.0, 1, 3)], [])
    return surprise_page("Two", ["one", f"two {NASTY}"], MEASURED * 2, [shown], PARTS, ["equal context: Runs/A"])


def markup(page: str) -> str:
    return re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)


def test_every_piece_is_there_in_the_shade_of_all_its_bits(one):
    found = Cells(one)
    assert found.open == []
    assert [each["class"] for each in found.cells] == ["a0", "a8", "a4 ua", "a6", "a1"]
    assert [each["text"] for each in found.cells][:3] == ["To ", "😀", NASTY]
    assert found.cells[2]["data-a"] == "3.00 2.50 1 1"
    assert found.cells[1]["data-a"] == "17.00 0.00 4 0"


def test_what_cannot_be_seen_is_shown_and_changes_nothing_else(one):
    assert [each["text"] for each in Cells(one).cells][3:] == ["⏎\n", "␇⟨U+202E⟩ab"]
    assert "\u202e" not in one
    assert "\x07" not in one


def test_no_text_becomes_markup(one, two):
    assert "alert('1')" not in html.unescape(re.sub(r"<[^>]*>", "", markup(one))).replace(NASTY, "")
    assert one.count("<script") == 1
    assert two.count("<script") == 3
    for page in (one, two):
        assert "<script>alert" not in page


def test_links_lead_to_where_the_words_are_if_that_is_shown(one):
    found = Cells(one)
    assert found.links == ["#t0-1", "#t0-0"]
    assert set(found.links) <= {f"#{name}" for name in found.ids}
    assert len(set(found.ids)) == len(found.ids)
    assert "beyond" in markup(one)


def test_it_needs_nothing_from_elsewhere(one, two):
    for page in (one, two):
        assert "default-src 'none'" in page
        assert "http" not in re.sub(r"http-equiv", "", markup(page))
        assert not re.search(r"<(link|img|iframe|object|embed)\b|\ssrc=|url\(", markup(page))
    assert "http" not in one.replace("http-equiv", "")


def test_numbers_stand_at_the_top(one):
    said = re.sub(r"<[^>]*>", " ", markup(one)).split()
    assert said[said.index("2.28") :][:9] == ["2.28", "(2.1", "to", "2.4)", "24.8", "disjoint,", "8", "8", "47"]
    assert "model is sound." in one


def test_two_models_share_their_cuts_and_have_three_views(two):
    found = Cells(two)
    assert found.open == []
    assert [each["class"] for each in found.cells] == ["a0 b6 d-4", "a8 b3 d4 ua"]
    assert found.cells[0]["data-b"] == "9.00 0.00 3 0"
    assert two.count('type="radio"') == 3
    assert len(re.findall(r'type="radio"[^>]*checked', two)) == 1


def test_the_parts_are_drawn_and_told(two):
    assert "<svg " in two
    assert "one less two: +0.2000 bits per byte, +0.4000 nats per token" in two
    assert "Equal context: Runs/A." in two


def test_the_colours_are_told_by_the_models_names(two):
    said = html.unescape(markup(two))
    assert f"orange costs one more, blue two {NASTY}:" in said
    assert "Orange makes one cost more than two, blue less" in said
    assert two.count("model is sound.") == 1  # once for each model, not for each row


def test_a_long_text_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr(surprise, "MOST", 3)
    page = surprise_page("t", ["model"], MEASURED, [SHOWN])
    assert len(Cells(page).cells) == 3
    assert f"The first 3 pieces are shown, {100 - 500 / LENGTH:.2g} % of the text." in page
    assert "pieces are shown" not in surprise_page(
        "t", ["model"], MEASURED, [replace(SHOWN, pieces=PIECES[:3], length=LENGTH - 5)]
    )


def test_a_text_without_unknown_words_does_not_speak_of_them(one):
    assert "dotted line" in one
    assert "A dotted line" not in surprise_page("t", ["m"], MEASURED, [Shown("text", PIECES[:2], 4, "", [], [])])


def test_as_many_numbers_as_models():
    with pytest.raises(ArgumentError, match="expected one or two"):
        surprise_page("t", ["one", "two"], MEASURED, [SHOWN])


def test_it_is_made_for_phones_print_and_the_dark(one):
    for each in ('name="viewport"', "@media print", "@media (prefers-color-scheme: dark)", "@media (max-width:"):
        assert each in one
