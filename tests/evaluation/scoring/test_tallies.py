"""Tallies: sums that do not depend on how a text comes, and intervals that hold what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.evaluation.coding.side_information import SideInformation
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.tallies import COLUMNS, FEWEST, MOST, SHORTEST, Estimate, Tally
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


def test_blocks_stay_few_and_sums_whole():
    random = np.random.default_rng(0)
    costs = random.random(100_000)
    found = tally(*(piece("a" * 1000, costs[place : place + 1000]) for place in range(0, 100_000, 1000)))
    assert MOST / 2 <= len(found.blocks) <= MOST
    assert found.length > SHORTEST
    assert found.total("nats") == pytest.approx(costs.sum())


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Costs that depend on their neighbours, of a known mean."""
    held = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        noise = random.normal(size=4005)
        costs = 5 + np.stack([noise[lag : lag + 4000] for lag in range(5)]).sum(0) / 5**0.5
        found = tally(piece("a" * 4000, costs)).ratio("nats", "tokens")
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low < 5 < found.high
    assert 0.88 <= held / 200 <= 0.99


def test_a_short_text_has_no_interval():
    found = tally(piece("a" * (FEWEST - 1) * SHORTEST)).ratio("nats", "tokens")
    assert found == Estimate(1.0)
    longer = tally(piece("a" * FEWEST * SHORTEST)).ratio("nats", "tokens")
    assert longer == Estimate(1.0, 1.0, 1.0)


def test_blocks_are_the_same_for_tokens_of_any_length():
    text = "to be or not to be, that is the question; " * 2000
    words, letters = train_tokenizer("words", text), train_tokenizer("characters", text)
    tallies = []
    for tokenizer in (words, letters):
        encoding = tokenizer.encode(text)
        nothing = np.zeros(len(encoding))
        tallies.append(tally(Costs(text, encoding, nothing + 1, SideInformation(nothing, nothing), nothing > 0)))
    assert len(tallies[0].blocks) == len(tallies[1].blocks)
    assert tallies[0].length == tallies[1].length > SHORTEST
    apart = np.abs(tallies[0].blocks - tallies[1].blocks)[:, COLUMNS.index("bytes")]
    assert apart.max() < 20  # a word may begin in one block and end in the next


def test_nothing_over_nothing_is_nothing():
    assert tally(piece("   ")).ratio("nats", "words") is None
    assert tally(piece("aa", unknown=np.array([True, True]))).ratio("known_nats", "known") is None


def test_known_tokens_are_counted_apart():
    found = tally(piece("abc", np.array([1.0, 2.0, 4.0]), np.array([False, True, False])))
    assert found.ratio("known_nats", "known") == Estimate(2.5)
