"""Tallies: sums that do not depend on how a text comes, and intervals that hold what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.evaluation.coding.side_information import SideInformation
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.evaluation.scoring.tallies import MOST, STRETCH, Tally
from attnlab.text import Encoding, train_tokenizer

BYTES = train_tokenizer("bytes", "")


def piece(text: str, nats: np.ndarray | None = None, unknown: np.ndarray | None = None) -> Costs:
    encoding = BYTES.encode(text)
    nothing = np.zeros(len(encoding))
    nats = np.ones(len(encoding)) if nats is None else nats
    return Costs(text, encoding, nats, SideInformation(nothing, nothing), nothing > 0 if unknown is None else unknown)


def tally(*pieces: Costs) -> Tally:
    found = Tally()
    for each in pieces:
        found.add(each)
    return found


@given(st.lists(st.text("aé😀 \n", min_size=1), min_size=1, max_size=8))
def test_sums_are_those_of_the_text(texts):
    found, whole = tally(*map(piece, texts)), "".join(texts)
    assert found.total("bytes") == found.total("tokens") == found.total("nats") == len(whole.encode())
    assert found.total("characters") == len(whole)
    assert found.total("words") == sum(len(text.split()) for text in texts)


def test_tokens_that_split_characters_count_each_once():
    encoding = Encoding(np.array([0, 1, 2], np.uint16), np.array([1, 3, 2], np.uint32))
    nothing = np.zeros(3)
    found = tally(Costs("é bé", encoding, np.ones(3), SideInformation(nothing, nothing), nothing > 0))
    assert (found.total("characters"), found.total("words")) == (4, 2)


def test_parts_stay_few_and_sums_whole():
    text = "".join(f"# {number}\n\nabc\n\n" for number in range(2000))
    costs = np.random.default_rng(0).random(len(text))
    found = tally(*(piece(text[at : at + 999], costs[at : at + 999]) for at in range(0, len(text), 999)))
    assert MOST / 2 <= len(found.parts.sums) <= MOST
    assert found.total("nats") == pytest.approx(costs.sum())


def articles(seed: int, count: int = 8, length: int = 300) -> Tally:
    """Articles of one mean cost each; over all articles the mean is 5. Within one, costs vary little."""
    random = np.random.default_rng(seed)
    text, costs = "", np.empty(0)
    for number in range(count):
        more = f" = {number} = \n" + "a" * int(length * random.uniform(0.5, 1.5)) + "\n"
        text, costs = text + more, np.append(costs, random.normal(5, 1) + random.normal(0, 1, len(more)))
    return tally(piece(text, costs))


def test_the_interval_holds_the_truth_about_more_articles_as_often_as_it_says():
    """One part of a text is like its neighbours: what counts is how much the articles differ."""
    found = [articles(seed).ratio("nats", "tokens") for seed in range(300)]
    printed = [(each.low, each.high) for each in found if each and each.low is not None and each.high is not None]
    assert len(printed) > 220  # in the others, neighbours are alike by chance
    assert 0.92 <= np.mean([low < 5 < high for low, high in printed]) <= 0.98


def test_a_passage_of_one_article_has_no_interval_and_says_why():
    one = tally(piece("a" * 100_000))
    assert one.ratio("nats", "tokens") == Estimate(1.0)
    assert not one.interval_from()
    assert "100,000 bytes without documents tell little about others" in one.no_interval_because()
    assert "takes 393,216 bytes, or 4 documents with headings" in one.no_interval_because()
    three = articles(0, count=3)
    assert three.no_interval_because() == "the text has 3 documents; an interval takes 4"
    uneven = tally(piece("a" * 999 + "".join(f"\n = {number} = \nb" for number in range(6))))
    assert "7 documents, which count like 1.1 equally long ones" in uneven.no_interval_because()
    assert articles(0).interval_from() == "the differences between its 8 documents"


def test_a_long_text_without_documents_is_cut_into_stretches():
    costs = np.random.default_rng(0).random(5 * STRETCH)
    found = tally(piece("a" * len(costs), costs)).ratio("nats", "tokens")
    assert found is not None
    assert found.low is not None
    assert found.low < found.value


def test_parts_are_the_same_for_tokens_of_any_length():
    text = "".join(f" = {number} = \n" + "to be or not to be, that is the question;\n" * 20 for number in range(9))
    words, letters = train_tokenizer("words", text), train_tokenizer("characters", text)
    tallies = []
    for tokenizer in (words, letters):
        encoding = tokenizer.encode(text)
        nothing = np.zeros(len(encoding))
        tallies.append(tally(Costs(text, encoding, nothing + 1, SideInformation(nothing, nothing), nothing > 0)))
    first, second = (each.parts.column("bytes") for each in tallies)
    assert len(first) == len(second) == 9
    assert np.abs(first - second).max() < 20  # a word may begin in one document and end in the next


def test_nothing_over_nothing_is_nothing():
    assert tally(piece("   ")).ratio("nats", "words") is None
    assert tally(piece("aa", unknown=np.array([True, True]))).ratio("known_nats", "known") is None


def test_known_tokens_are_counted_apart():
    found = tally(piece("abc", np.array([1.0, 2.0, 4.0]), np.array([False, True, False])))
    assert found.ratio("known_nats", "known") == Estimate(2.5)
