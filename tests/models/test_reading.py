"""Classifiers that read: padding changes nothing, order does, and what does not fit is said."""

import numpy as np
import pytest
import torch

from attnlab.errors import ArgumentError
from attnlab.models.kinds import StepwiseModel
from attnlab.models.reading import make_reader, padded, reader_probabilities
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text.bags import Bags

SHAPES = (RecurrentConfig(width=8, context=6), TransformerConfig(layers=1, heads=2, width=8, context=6))


def reader(shape) -> StepwiseModel:
    """One whose read-out says something."""
    drawn = torch.Generator().manual_seed(0)
    made = make_reader(shape, torch.randn(20, 8, generator=drawn), classes=3)
    made.readout.weight.data.normal_(generator=drawn)
    return made


@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_is_read_the_same_alone_as_among_longer_ones(shape):
    texts = [[3, 4], [5, 6, 7, 8, 9], [1], [2, 2, 2]]
    together = reader_probabilities(reader(shape), Bags.of(texts))
    alone = np.concatenate([reader_probabilities(reader(shape), Bags.of([text])) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    np.testing.assert_allclose(together.sum(1), 1)


@pytest.mark.parametrize("shape", SHAPES)
def test_order_changes_the_answer(shape):
    first, second = reader_probabilities(reader(shape), Bags.of([[1, 2, 3, 4], [4, 3, 2, 1]]))
    assert np.abs(first - second).max() > 1e-3


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_beyond_the_context_is_not_read(shape):
    first, second = reader_probabilities(reader(shape), Bags.of([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7, 8]]))
    np.testing.assert_allclose(first, second, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_new_reader_finds_all_classes_equally_likely_and_an_empty_text_too(shape):
    new = make_reader(shape, torch.randn(20, 8), classes=4)
    np.testing.assert_allclose(reader_probabilities(new, Bags.of([[1, 2], []])), 0.25)


def test_rows_are_padded_behind():
    ids, lengths = padded(Bags.of([[7], [8, 9, 10], []]), context=2)
    assert ids.tolist() == [[7, 0], [8, 9], [0, 0]]
    assert lengths.tolist() == [1, 2, 0]


def test_vectors_of_another_width_are_refused():
    with pytest.raises(ArgumentError, match="vectors: expected the model's width of 8, got 5"):
        make_reader(SHAPES[0], torch.zeros(3, 5), classes=2)
