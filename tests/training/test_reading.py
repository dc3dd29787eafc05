"""Readers learn what only order tells, the same for one seed, and leave torch's own seed alone."""

import numpy as np
import pytest
import torch

from attnlab.models.kinds import StepwiseModel
from attnlab.models.reading import make_reader, reader_probabilities
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text.bags import Bags
from attnlab.training.reading import _batches, train_reader
from attnlab.training.settings import Training

SHAPES = (RecurrentConfig(width=16), TransformerConfig(layers=1, heads=2, width=16, context=12))


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


def trained(shape, seed: int = 0, steps: int = 120) -> StepwiseModel:
    words, labels = first_or_last(600, 1)
    reader = make_reader(shape, torch.randn(10, 16, generator=torch.Generator().manual_seed(0)), 2, seed)
    train_reader(reader, words, labels, Training(steps=steps, batch=32, rate=0.01, muon_rate=0.05, seed=seed))
    return reader


@pytest.mark.parametrize("shape", SHAPES)
def test_it_learns_which_word_comes_first(shape):
    words, labels = first_or_last(400, 2)
    assert (reader_probabilities(trained(shape), words).argmax(1) == labels).mean() > 0.95


def test_one_seed_gives_one_reader_on_any_number_of_threads_and_another_seed_another():
    first = trained(SHAPES[0], steps=5).embedding.weight
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    again = trained(SHAPES[0], steps=5).embedding.weight
    torch.set_num_threads(before)
    assert torch.equal(first, again)
    assert not torch.equal(first, trained(SHAPES[0], seed=1, steps=5).embedding.weight)


def test_the_seed_of_torch_is_left_alone():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    trained(SHAPES[1], steps=2)
    assert torch.equal(torch.rand(1), expected)


def test_an_epoch_has_every_text_once_in_batches_of_like_lengths():
    words, _ = first_or_last(100, 0)
    batches = _batches(words, Training(batch=10, steps=1))
    epochs = [[next(batches) for _ in range(10)] for _ in range(2)]
    for epoch in epochs:
        assert sorted(np.concatenate(epoch)) == list(range(100))
    assert not np.array_equal(epochs[0][0], epochs[1][0])
    assert np.mean([np.ptp(words.lengths[rows]) for rows in epochs[0]]) < 0.5 * np.ptp(words.lengths)
