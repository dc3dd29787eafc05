"""The page of a text: whole, safe, offline, each cell in the shade of its bits."""

import html
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from attnlab.benches.language import LanguageModel
from attnlab.benches.perplexity import Comparison, GivenText, MeasureSettings, perplexity
from attnlab.evaluation.coding.side_information import SideInformation
from attnlab.evaluation.explanation.gaps import Account, Costliest, CostlyText, Gap, Part, Side
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.subjects import subject_of
from attnlab.models.ngrams.ngram import NGram
from attnlab.report.perplexity import page as surprise
from attnlab.report.perplexity.page import surprise_page
from attnlab.report.writing.estimates import estimate_in_words
from attnlab.text import Encoding, train_tokenizer

NASTY = "</div><script>alert('1')</script>&"
Token = tuple[str, float, float, bool]
"""A token as a test writes it: the text that it covers, its bits, the bits on top, and whether it is unknown."""
TOKENS: list[Token] = [
    ("To ", 0.1, 0.0, False),
    ("😀", 17.0, 0.0, False),
    (NASTY, 3.0, 2.5, True),
    ("\n", 9.0, 0.0, False),
    ("\x07\u202eab", 0.6, 0.0, False),
]
WORDS = (CostlyText("😀", 17.0, 3, 3), CostlyText("beyond", 1.0, 1, 9999))
BEST = Costliest("bits above the average", WORDS, (CostlyText(f"To 😀\n{NASTY}", 20.1, 1, 0),))
NOTHING = Costliest("", (), ())
LENGTH = sum(len(text) for text, *_ in TOKENS)


def costs_of(tokens: Sequence[Token]) -> Costs:
    """A text with these tokens, each with what it costs."""
    texts, bits, more, unknown = zip(*tokens, strict=True)
    raw = np.array([len(each.encode()) for each in texts], np.uint32)
    nats, spelling = (np.array(each) * math.log(2) for each in (bits, more))
    beside = SideInformation(spelling, np.zeros(len(raw)))
    return Costs("".join(texts), Encoding(np.arange(len(raw), dtype=np.uint16), raw), nats, beside, np.array(unknown))


def model(name: str, order: int = 2) -> LanguageModel:
    tokens = train_tokenizer("bytes", "")
    return LanguageModel(name, subject_of(name, NGram.fit(tokens.encode("to be or not").ids, 256, order), tokens))


def comparison(names: Sequence[str], text: str, explained: Account | Gap, name: str = "text") -> Comparison:
    """Models that were measured on a text, with an explanation that a test has written."""
    settings = MeasureSettings(explain=True)
    found = perplexity([model(each) for each in names], GivenText(text, name))
    return Comparison(found.measured, settings, (), (), explained, made_by=found.call)


def account(tokens: Sequence[Token], best: Costliest = BEST, name: str = f"text {NASTY}") -> Comparison:
    found = costs_of(tokens)
    return comparison(["model"], found.text, Account(Side.of(name, found), (), (best,), (), (found,)), name)


class Cells(HTMLParser):
    """The cells of a page: class, id, data and text; its ids and links; and whether every tag is closed."""

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
def measured() -> Comparison:
    return account(TOKENS)


@pytest.fixture(scope="module")
def one(measured) -> str:
    return surprise_page(measured)


@pytest.fixture(scope="module")
def two() -> str:
    """Two models that share the ends of words, of which the second has single letters as tokens."""
    whole = costs_of([("To ", 0.1, 0.0, False), ("be", 5.0, 20.0, True)])
    letters = costs_of(
        [(each, bits, 0.0, False) for each, bits in zip("To be", (4.5, 4.5, 0.0, 1.5, 0.5), strict=True)]
    )
    sides = (Side("one", 2.0, 3.0, 2, 5), Side(f"two {NASTY}", 5.0, 3.0 - math.log(2), 5, 5))
    parts = (Part("tokenizer (length)", -0.1, 0.0), Part("capitals", 0.1, 0.2))
    best = Costliest("bits more", (CostlyText("be", 23.0, 1, 3),), ())
    gap = Gap(*sides, parts, (best,), ("equal context: Runs/A",), (whole, letters))
    return surprise_page(comparison(["one", f"two {NASTY}"], "To be", gap))


def markup(page: str) -> str:
    return re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)


def test_every_cell_is_there_in_the_shade_of_all_its_bits(one):
    found = Cells(one)
    assert found.open == []
    assert [each["class"] for each in found.cells] == ["a0", "a6", "a4 ua", "a5", "a1"]
    assert [each["text"] for each in found.cells][:3] == ["To ", "😀", NASTY]
    assert found.cells[2]["data-a"] == "3.00 2.50 1 1"
    assert found.cells[1]["data-a"] == "17.00 0.00 1 0"


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


def test_numbers_stand_at_the_top(one, measured):
    measure = measured.measured[0].measures[0]
    row = re.findall(r"<td>(.*?)</td>", one)[:5]
    numbers = [estimate_in_words(measure.bits_per_byte), estimate_in_words(measure.perplexity)]
    assert row == [*numbers, "sees 1 token", f"{measure.tokens:,}", f"{measure.raw_bytes:,}"]
    assert "model is sound: every check of its audit passed." in one


def test_two_models_share_their_cuts_and_have_three_views(two):
    found = Cells(two)
    assert found.open == []
    assert [each["class"] for each in found.cells] == ["a0 b5 d-3", "a6 b3 d3 ua"]
    assert found.cells[0]["data-b"] == "9.00 0.00 2 0"
    assert two.count('type="radio"') == 3
    assert len(re.findall(r'type="radio"[^>]*checked', two)) == 1


def test_the_parts_are_drawn_and_described(two):
    assert "<svg " in two
    assert f"one minus two {NASTY}: +0.2000 bits per byte, 0 nats per token" in html.unescape(two)
    assert "Equal context: Runs/A." in two


def test_the_colours_are_explained_by_the_models_names(two):
    said = html.unescape(markup(two))
    assert f"orange costs one more, blue two {NASTY}:" in said
    assert f"Orange makes one cost more than two {NASTY}, blue less" in said
    assert two.count("one is sound: ") == 1


def test_a_long_text_is_cut_and_says_so(measured, monkeypatch):
    monkeypatch.setattr(surprise, "MOST", 3)
    page = surprise_page(measured)
    assert len(Cells(page).cells) == 3
    assert f"Only the first 3 pieces are shown, {100 - 500 / LENGTH:.2g} % of the text." in page
    assert "pieces are shown" not in surprise_page(account(TOKENS[:3]))


def test_a_text_without_unknown_words_does_not_speak_of_them(one):
    assert "dotted line" in one
    assert "A dotted line" not in surprise_page(account(TOKENS[:2], NOTHING))


def test_two_texts_have_a_picture_each_and_one_model_has_no_choice():
    texts = [GivenText("to be or not", "old"), GivenText("not to be, or", "new")]
    page = surprise_page(perplexity(model("m"), texts, MeasureSettings(explain=True)))
    assert page.count('class="text"') == 2
    assert "How m predicts old and new" in page
    assert 'type="radio"' not in page
    assert page.count("m is sound: ") == 1  # once for each model, not for each row


def test_it_is_made_for_phones_print_and_the_dark(one):
    for each in ('name="viewport"', "@media print", "@media (prefers-color-scheme: dark)", "@media (max-width:"):
        assert each in one


def test_warnings_of_the_terminal_stand_on_the_page():
    found = account(TOKENS)
    trained_on = replace(found.measured[0], seen=0.5)
    page = surprise_page(replace(found, measured=(trained_on,)))
    assert "50 % of this text stands word for word in the training text of model" in page
    assert "word for word" not in surprise_page(found)
