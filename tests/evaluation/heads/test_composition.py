"""Composition, against the whole matrices by NumPy, and its value for random heads."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.circuits import random_circuits
from attnlab.evaluation.heads.composition import READINGS, Reading, composition, composition_chance, compositions
from attnlab.models.inside import Circuits, TransformerInside
from attnlab.models.kinds import make_model
from attnlab.models.transformer import Transformer, TransformerConfig

each_reading = pytest.mark.parametrize("reading", READINGS)


def opened(**how) -> TransformerInside:
    """A model whose norms have gains of their own."""
    model = make_model(TransformerConfig(layers=3, heads=2, width=8, context=8, norm="layer", **how), 11, seed=2)
    assert isinstance(model, Transformer)
    draw = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.5 * torch.randn(parameter.shape, generator=draw))
    return TransformerInside(model)


def whole(circuits: Circuits, reading: Reading, head: int) -> np.ndarray:
    """The matrix by which a head reads, of the size of the residual stream."""
    assert circuits.query is not None
    assert circuits.key is not None
    gain = 1.0 if circuits.norm is None else circuits.norm.double().numpy()
    q, k, v = (each[head].detach().double().numpy() * gain for each in (circuits.query, circuits.key, circuits.value))
    return {"query": k.T @ q, "key": q.T @ k, "value": circuits.out[head].detach().double().numpy() @ v}[reading]


def dense(later: Circuits, earlier: Circuits, reading: Reading, pair: tuple[int, int]) -> float:
    second, first = whole(later, reading, pair[0]), whole(earlier, "value", pair[1])
    return float(np.linalg.norm(second @ first) / np.linalg.norm(second) / np.linalg.norm(first))


@each_reading
@pytest.mark.parametrize("power", [-120, 120])
def test_the_size_of_the_weights_changes_no_score(reading: Reading, power: int):
    later, earlier = random_circuits(8, 2, 0), random_circuits(8, 2, 1)

    def larger(circuits: Circuits) -> Circuits:
        gain = torch.full((8,), 2.0**power)
        assert circuits.query is not None
        assert circuits.key is not None
        sizes = 2.0**power
        matrices = sizes * circuits.query, sizes * circuits.key, sizes * circuits.value, sizes * circuits.out
        return Circuits(*matrices, gain)

    once, again = composition(later, earlier, reading), composition(larger(later), larger(earlier), reading)
    assert torch.equal(once, again)


@each_reading
def test_all_pairs_of_a_model_are_those_of_the_whole_matrices(reading: Reading):
    inside = opened()
    found = compositions(inside, reading)
    assert found is not None
    for second in range(3):
        for first in range(3):
            for pair in ((0, 0), (0, 1), (1, 0), (1, 1)):
                got = float(found[second, pair[0], first, pair[1]])
                wanted = dense(inside.circuits(second), inside.circuits(first), reading, pair)
                assert got == pytest.approx(wanted, abs=1e-9) if first < second else np.isnan(got)


@each_reading
@pytest.mark.parametrize(("width", "dim"), [(9, 3), (5, 5), (2, 4), (1, 1)])
def test_scores_are_between_0_and_1_and_do_not_depend_on_sizes(width: int, dim: int, reading: Reading):
    later, earlier = random_circuits(width, dim, 3), random_circuits(width, dim, 4)
    found = composition(later, earlier, reading)
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    larger = replace(earlier, out=30 * earlier.out, value=-7 * earlier.value)
    torch.testing.assert_close(composition(later, larger, reading), found, rtol=1e-9, atol=0)


def test_a_head_that_reads_other_directions_scores_0_and_one_that_reads_all_of_one_direction_1():
    east, north = torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[0.0, 1.0]]])
    earlier = Circuits(east, east, north, east.mT, None)  # writes east
    all_east = Circuits(east, east, east, north.mT, None)
    for reading in READINGS:
        assert float(composition(all_east, earlier, reading)) == pytest.approx(1)
        assert float(composition(replace(all_east, **{reading: north}), earlier, reading)) == 0


@each_reading
def test_a_head_of_zeros_scores_0(reading: Reading):
    heads = random_circuits(8, 2, seed=1)
    assert not composition(heads, replace(heads, out=0 * heads.out), reading).any()


@each_reading
@pytest.mark.parametrize(("width", "dim"), [(32, 8), (16, 16)])
def test_random_heads_are_near_one_over_the_root_of_the_width(width: int, dim: int, reading: Reading):
    chance = composition_chance(width, dim, reading)
    assert chance.value == pytest.approx(width**-0.5, rel=0.03)
    assert 0 < chance.spread < 0.2 * chance.value
    assert composition_chance(width, dim, reading, seed=1).value != chance.value


def test_heads_that_compare_no_tokens_have_composition_of_values_only():
    inside = opened(mixer="synthesizer")
    assert compositions(inside, "query") is None
    assert compositions(inside, "key") is None
    assert compositions(inside, "value") is not None
    with pytest.raises(ArgumentError, match="reading: expected value, got key: these heads have no W_Q and W_K"):
        composition(inside.circuits(1), inside.circuits(0), "key")
