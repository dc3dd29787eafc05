"""What each head attends to on a text: the logits and weights of the pass, of every mixer."""

import numpy as np
import pytest
import torch

from attnlab.evaluation.heads.looking import look_at
from attnlab.models.inside import TransformerInside
from attnlab.models.kinds import make_model
from attnlab.models.lens import Head, every_head
from attnlab.models.mixers import MIXERS
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.models.transformer_config import Mixing

IDS = torch.tensor([1, 4, 2, 4, 0, 3, 4])


def opened(mixer: Mixing = "dot-product") -> TransformerInside:
    """A model whose attention is far from even."""
    shape = TransformerConfig(layers=2, heads=2, width=16, context=8, latents=3, mixer=mixer, qk_norm=False)
    model = make_model(shape, 5, seed=1)
    assert isinstance(model, Transformer)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(2)))
    return TransformerInside(model)


@pytest.mark.parametrize("mixer", MIXERS)
def test_weights_and_logits_are_those_of_the_pass(mixer):
    inside = opened(mixer)
    found, seen = look_at(inside, IDS, every_head(inside)), inside.look(IDS[None])
    assert list(found) == every_head(inside)
    for head, pattern in found.items():
        layer = seen.layers[head.layer]
        np.testing.assert_allclose(pattern.weights(), layer.weights[0, head.place], rtol=1e-5, atol=1e-7)
        np.testing.assert_array_equal(pattern.logits(), layer.logits[0, head.place])
        np.testing.assert_array_equal(pattern.values, layer.values[0, head.place])
        for own, theirs in ((pattern.queries, layer.queries), (pattern.keys, layer.keys)):
            assert (own is None) == (theirs is None)
            if own is not None and theirs is not None:
                np.testing.assert_array_equal(own, theirs[0, head.place])


def test_one_query_is_a_row_of_the_matrices():
    (pattern,) = look_at(opened(), IDS, [Head(1, 0)]).values()
    weights, logits = pattern.of_query(4)
    np.testing.assert_allclose(weights, pattern.weights()[4, :5], rtol=1e-5)
    np.testing.assert_array_equal(logits, pattern.logits()[4, :5])


def test_a_weight_too_small_for_float32_keeps_its_logit():
    inside = opened()
    with torch.no_grad():
        inside.model.get_parameter("blocks.0.mixer.qkv.weight").mul_(20)
    (pattern,) = look_at(inside, IDS, [Head(0, 0)]).values()
    assert (pattern.past_weights == 0).any()
    assert np.isfinite(pattern.past).all()
    np.testing.assert_allclose(pattern.weights().sum(1), 1, rtol=1e-6)
