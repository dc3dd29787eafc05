"""Classifiers that read: padding changes nothing, order does; they learn what only order tells, the same for one
seed."""

import numpy as np
import pytest
import torch

from attnlab.benches.sentiment.readers import Reader, epoch_rows, feed, padded, train_reader
from attnlab.errors import ArgumentError
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text.bags import Bags
from attnlab.training.settings import Training

SHAPES = (RecurrentConfig(width=8, context=6), TransformerConfig(layers=1, heads=2, width=8, context=6))
WIDER = (RecurrentConfig(width=16), TransformerConfig(layers=1, heads=2, width=16, context=12))


def outspoken(shape) -> Reader:
    """A reader whose read-out says something."""
    drawn = torch.Generator().manual_seed(0)
    made = Reader(shape, torch.randn(20, 8, generator=drawn), classes=3)
    made.model.readout.weight.data.normal_(generator=drawn)
    return made


@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_is_read_the_same_alone_as_among_longer_ones(shape):
    texts = [[3, 4], [5, 6, 7, 8, 9], [1], [2, 2, 2]]
    together = outspoken(shape).probabilities(Bags.of(texts))
    alone = np.concatenate([outspoken(shape).probabilities(Bags.of([text])) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    np.testing.assert_allclose(together.sum(1), 1)


@pytest.mark.parametrize("shape", SHAPES)
def test_order_changes_the_answer(shape):
    first, second = outspoken(shape).probabilities(Bags.of([[1, 2, 3, 4], [4, 3, 2, 1]]))
    assert np.abs(first - second).max() > 1e-3


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_beyond_the_context_is_not_read(shape):
    first, second = outspoken(shape).probabilities(Bags.of([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7, 8]]))
    np.testing.assert_allclose(first, second, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_new_reader_finds_all_classes_equally_likely_and_an_empty_text_too(shape):
    new = Reader(shape, torch.randn(20, 8), classes=4)
    np.testing.assert_allclose(new.probabilities(Bags.of([[1, 2], []])), 0.25)


def test_rows_are_padded_behind():
    assert padded(Bags.of([[7], [8, 9, 10], []]), context=2).tolist() == [[7, -1], [8, 9], [-1, -1]]


def test_vectors_of_another_width_are_refused():
    with pytest.raises(ArgumentError, match="vectors: expected the model's width of 8, got 5"):
        Reader(SHAPES[0], torch.zeros(3, 5), classes=2)


def first_or_last(count: int, seed: int) -> tuple[Bags, np.ndarray]:
    """Texts of 1 and 2 in some filling; the class is which of the two comes first."""
    draws = np.random.default_rng(seed)
    texts, labels = [], draws.integers(0, 2, count)
    for label in labels:
        words = draws.integers(3, 10, draws.integers(4, 10))
        places = np.sort(draws.permutation(len(words))[:2])
        words[places] = (1, 2) if label else (2, 1)
        texts.append(words.tolist())
    return Bags.of(texts), labels


def trained(shape, seed: int = 0, steps: int = 120) -> Reader:
    words, labels = first_or_last(600, 1)
    reader = Reader(shape, torch.randn(10, 16, generator=torch.Generator().manual_seed(0)), 2, seed)
    training = Training(steps=steps, batch=32, rate=0.01, muon_rate=0.05, seed=seed, precision="float32")
    train_reader(reader, words, labels, training)
    return reader


@pytest.mark.parametrize("shape", WIDER)
def test_it_learns_which_word_comes_first(shape):
    words, labels = first_or_last(400, 2)
    assert (trained(shape).probabilities(words).argmax(1) == labels).mean() > 0.95


def test_one_seed_gives_one_reader_on_any_number_of_threads_and_another_seed_another():
    first = trained(WIDER[0], steps=5).model.embedding.weight
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    again = trained(WIDER[0], steps=5).model.embedding.weight
    torch.set_num_threads(before)
    assert torch.equal(first, again)
    assert not torch.equal(first, trained(WIDER[0], seed=1, steps=5).model.embedding.weight)


def test_the_seed_of_torch_is_left_alone():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    trained(WIDER[1], steps=2)
    assert torch.equal(torch.rand(1), expected)


def test_an_epoch_has_every_text_once_in_batches_of_like_lengths():
    words, _ = first_or_last(100, 0)
    epochs = [epoch_rows(words.lengths, 10, 0, epoch) for epoch in range(2)]
    for epoch in epochs:
        assert sorted(np.concatenate(epoch)) == list(range(100))
    assert not np.array_equal(epochs[0][0], epochs[1][0])
    assert np.mean([np.ptp(words.lengths[rows]) for rows in epochs[0]]) < 0.5 * np.ptp(words.lengths)


def test_a_batch_is_a_function_of_the_seed_and_the_step():
    words, labels = first_or_last(25, 0)
    training = Training(steps=9, batch=10, seed=4)
    in_order, out_of_order = (feed(words, labels, training, 12) for _ in range(2))
    expected = [in_order(step) for step in range(9)]
    for step in (8, 0, 4, 4, 3):
        assert all(torch.equal(one, other) for one, other in zip(out_of_order(step), expected[step], strict=True))
    assert sorted(len(targets) for _, targets in expected[:3]) == [5, 10, 10]
    assert sum(int(targets.sum()) for _, targets in expected[:3]) == labels.sum()


def test_an_interrupt_ends_it(monkeypatch):
    monkeypatch.setattr("attnlab.benches.sentiment.readers.train", lambda *_: False)
    with pytest.raises(KeyboardInterrupt):
        trained(WIDER[0], steps=1)
