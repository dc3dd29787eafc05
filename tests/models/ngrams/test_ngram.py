"""The count model against one written by the definition, with dictionaries; and that it never fails and sums to one."""

import math
from collections import Counter
from typing import get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

from attnlab.errors import ArgumentError
from attnlab.models.ngrams.ngram import Discounts, NGram

quick = settings(max_examples=100, deadline=None)
texts = st.lists(st.integers(0, 4), max_size=40)
contexts = st.lists(st.integers(0, 5), max_size=6)
SIZE = 6  # token 5 never occurs in the texts


class Slow:
    """Interpolated modified Kneser–Ney by its definition: one n-gram at a time."""

    def __init__(self, text: list[int], size: int, order: int, plain: bool = False):
        self.size, self.order = size, order
        self.counts: dict[int, Counter[tuple[int, ...]]] = {}
        for n in range(1, order + 1):
            grams = [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]
            if n < order:  # pairs of an n-gram and what came before it; None at the start
                pairs = {(text[i - 1] if i else None, gram) for i, gram in enumerate(grams)}
                grams = [gram for _, gram in pairs]
            self.counts[n] = Counter(grams)
        self.taken = {n: self._discounts(counts, plain) for n, counts in self.counts.items()}

    @staticmethod
    def _discounts(counts: Counter[tuple[int, ...]], plain: bool) -> dict[int, float]:
        n1, n2, n3, n4 = (sum(c == k for c in counts.values()) for k in (1, 2, 3, 4))
        y = n1 / (n1 + 2 * n2) if n1 * n2 > 0 else 0.5
        if plain:
            return {1: y, 2: y, 3: y}
        d1 = 1 - 2 * y * n2 / n1 if n1 else y
        d2 = 2 - 3 * y * n3 / n2 if n2 else y
        d3 = 3 - 4 * y * n4 / n3 if n3 else y
        return {k: d if 0 < d < k else y for k, d in ((1, d1), (2, d2), (3, d3))}

    def chance(self, token: int, context: tuple[int, ...]) -> float:
        context = context[max(0, len(context) - self.order + 1) :]
        n = len(context) + 1
        lower = self.chance(token, context[1:]) if context else 1 / self.size
        after = {gram: c for gram, c in self.counts[n].items() if gram[:-1] == context}
        if not after:
            return lower
        taken = {gram: self.taken[n][min(c, 3)] for gram, c in after.items()}
        own = after.get((*context, token), 0) - taken.get((*context, token), 0)
        return own / sum(after.values()) + sum(taken.values()) / sum(after.values()) * lower


def sentences(words: int, seed: int = 0) -> np.ndarray:
    """A text with habits: each token is drawn from a few that suit the two before it, now and then from all."""
    generator = np.random.default_rng(seed)
    text = [0, 1]
    for _ in range(words):
        habit = np.random.default_rng(31 * text[-1] + text[-2]).integers(0, 30, 4)
        text.append(int(generator.choice(habit) if generator.random() < 0.9 else generator.integers(0, 30)))
    return np.array(text)


@quick
@given(text=texts, context=contexts, order=st.integers(1, 5), plain=st.booleans())
def test_it_agrees_with_the_definition(text, context, order, plain):
    model = NGram.fit(text, SIZE, order, "plain" if plain else "modified")
    slow = Slow(text, SIZE, order, plain)
    wanted = [slow.chance(token, tuple(context)) for token in range(SIZE)]
    np.testing.assert_allclose(model.next(context), wanted, rtol=1e-12)


@quick
@given(text=texts, context=contexts, order=st.integers(1, 7), discounts=st.sampled_from(get_args(Discounts)))
def test_probabilities_are_positive_and_sum_to_one(text, context, order, discounts):
    chances = NGram.fit(text, SIZE, order, discounts).next(context)
    assert chances.min() > 0
    assert abs(chances.sum() - 1) < 1e-12


@quick
@given(text=texts, other=contexts, order=st.integers(1, 5))
def test_nats_are_the_logarithms_of_next(text, other, order):
    model = NGram.fit(text, SIZE, order)
    wanted = [-math.log(model.next(other[:i])[token]) for i, token in enumerate(other)]
    np.testing.assert_allclose(model.nats(other), wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("text", [[], [0], [0, 0], [0, 1], [0] * 50, list(range(50)), [0, 1] * 25, [49]])
@pytest.mark.parametrize("order", [1, 2, 5, 60])
@pytest.mark.parametrize("discounts", get_args(Discounts))
def test_tiny_texts_do_not_fail(text, order, discounts):
    model = NGram.fit(text, 50, order, discounts)
    assert np.isfinite(model.nats(text)).all()
    assert np.isfinite(model.nats(np.arange(50)[::-1].copy())).all()
    assert abs(model.next(text).sum() - 1) < 1e-12
    assert abs(model.next([7, 8]).sum() - 1) < 1e-12


def test_an_empty_text_says_nothing():
    np.testing.assert_allclose(NGram.fit([], 4).next([1, 2]), [0.25] * 4)


def test_one_token_is_all_there_is():
    np.testing.assert_allclose(NGram.fit([0, 0, 0], 1, 2).nats([0, 0]), 0, atol=1e-15)


def test_perplexity_falls_with_order_where_order_matters():
    text, held_out = sentences(20_000), sentences(3_000, seed=1)
    unigram, bigram, trigram, fourgram = (NGram.fit(text, 30, n).nats(held_out).mean() for n in (1, 2, 3, 4))
    assert unigram > bigram + 0.05
    assert bigram > trigram + 0.1
    assert trigram < fourgram < bigram  # two tokens are all that the next depends on: a third only thins the counts


def test_three_discounts_are_better_than_one():
    text, held_out = sentences(20_000), sentences(3_000, seed=1)
    plain, modified = (NGram.fit(text, 30, 3, kind).nats(held_out).mean() for kind in ("plain", "modified"))
    assert modified < plain


def test_discounts_that_know_the_spread_are_better_where_words_come_in_bursts():
    def articles(seed: int) -> np.ndarray:
        """Each article has a few pairs of its own, which come again and again, among pairs that all articles have."""
        generator = np.random.default_rng(seed)
        text = []
        for _ in range(60):
            own = generator.integers(0, 100, (4, 2))
            for _ in range(80):
                text += own[generator.integers(4)].tolist() if generator.random() < 0.4 else [generator.integers(20), 7]
        return np.array(text)

    modified, spread = (
        NGram.fit(articles(0), 100, 2, kind).nats(articles(1)).mean() for kind in ("modified", "spread")
    )
    assert spread < modified - 0.02


def test_long_contexts_of_a_large_vocabulary_do_not_overflow():
    text = np.random.default_rng(0).integers(0, 100_000, 500)
    model = NGram.fit(text, 100_000, 9)
    assert model.nats(text)[20:].mean() < 1  # every context longer than one token is known
    assert abs(model.next(text[:12]).sum() - 1) < 1e-12


def test_its_memory_is_that_of_the_different_ngrams():
    state = NGram.fit(np.tile(np.arange(7), 10_000), 7, 6).state()
    assert sum(array.size for array in state.values()) < 200


def test_state_survives_a_file():
    text = sentences(500)
    model = NGram.fit(text, 30, 4)
    again = NGram.from_state(load(save(model.state())))
    assert again.order == 4
    assert (again.nats(text) == model.nats(text)).all()
    assert (again.next([3, 4]) == model.next([3, 4])).all()


def test_arrays_of_torch_will_do():
    text = sentences(100)
    model = NGram.fit(torch.from_numpy(text), 30)
    assert (model.nats(torch.from_numpy(text)) == NGram.fit(text, 30).nats(text)).all()
    assert model.nats(text.astype(np.uint8)).shape == text.shape


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: NGram.fit([0, 4], 4), "ids: expected numbers from 0 to 3, got 0 to 4"),
        (lambda: NGram.fit([-1, 0], 4), "ids: expected numbers from 0 to 3, got -1 to 0"),
        (lambda: NGram.fit([0.5], 4), "ids: expected whole numbers, got float64"),
        (lambda: NGram.fit([[0, 1]], 4), "ids: expected one axis, got shape (1, 2)"),
        (lambda: NGram.fit([0], 0), "size: expected a whole number, 1 or more, got 0"),
        (lambda: NGram.fit([0], 4, order=0), "order: expected a whole number, 1 or more, got 0"),
        (lambda: NGram.fit([0], 4, discounts="none"), "discounts: expected modified, plain or spread; got 'none'"),  # pyright: ignore[reportArgumentType]
        (lambda: NGram.fit([0], 4).next([4]), "context: expected numbers from 0 to 3, got 4 to 4"),
        (lambda: NGram.from_state({}), "state: expected an array named 'size', got no arrays"),
        (
            lambda: NGram.from_state({"size": np.ones(1), "keys.1": np.ones(1)}),
            "state: expected an array named 'shares.1', got size, keys.1",
        ),
    ],
)
def test_bad_input_is_named(call, said):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == said


class SlowSentences(Slow):
    """The same for sentences, as KenLM counts: with <s> before each and </s> after it, and no n-gram across them."""

    def __init__(self, sentences: list[list[int]], size: int, order: int):
        self.size, self.order = size, order
        begin, rows = START, [[START, *sentence, END] for sentence in sentences]
        self.counts = {}
        for n in range(1, order + 1):
            grams = [
                (row[i - 1] if i else None, tuple(row[i : i + n])) for row in rows for i in range(len(row) - n + 1)
            ]
            grams = [each for each in grams if each[1] != (begin,)]
            inside = [each for each in grams if each[1][0] != begin]
            if n < order:  # before <s> there is nothing
                inside = list(set(inside))
            self.counts[n] = Counter(gram for _, gram in [*inside, *(each for each in grams if each[1][0] == begin)])
        self.taken = {n: self._discounts(counts, False) for n, counts in self.counts.items()}


END, START = 4, -1


@quick
@given(text=st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=8), order=st.integers(1, 4), last=st.booleans())
def test_sentences_agree_with_the_definition(text, order, last):
    ids = [each for sentence in text for each in (*sentence, END)]
    if last and text and text[-1]:
        ids.pop()  # the last line has no end: it is a sentence all the same
    model = NGram.fit(ids, SIZE, order, boundary=END)
    slow = SlowSentences(text, SIZE, order)
    for context in ([], [0], [1, 2], [3, 0, 1]):
        wanted = [slow.chance(token, (START, *context)) for token in range(SIZE)]
        np.testing.assert_allclose(model.next([2, END, *context]), wanted, rtol=1e-12)
        np.testing.assert_allclose(model.next([END, *context]), wanted, rtol=1e-12)


def test_the_boundary_is_kept_and_checked():
    model = NGram.fit([0, 1, 4, 2, 4], SIZE, 2, boundary=END)
    assert NGram.from_state(load(save(model.state()))).boundary == END
    with pytest.raises(ArgumentError, match="boundary: expected a number from 0 to 5, got 6"):
        NGram.fit([0, 1], SIZE, boundary=6)
    with pytest.raises(ArgumentError, match="state: expected a boundary from 0 to 5"):
        NGram.from_state(model.state() | {"boundary": np.array([6])})
