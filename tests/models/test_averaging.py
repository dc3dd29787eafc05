"""The averaging network: blind to order, the formula it is written with, and the gradient of that formula."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.models import memory
from attnlab.models.averaging import BLOCK, AveragingConfig, AveragingNetwork, bag_sums, random_table
from attnlab.text.bags import Bags

SIZE = 20
SHAPES = {
    "network": AveragingConfig(dim=6, layers=2, hidden=5),
    "linear": AveragingConfig(dim=6, layers=0),
    "votes": AveragingConfig(dim=0, votes="bayes"),
    "both": AveragingConfig(dim=6, votes="bayes"),
}


def make(name: str, classes: int = 3) -> AveragingNetwork:
    model = AveragingNetwork(SHAPES[name], SIZE, classes)
    draws = np.random.default_rng(0)
    for each in model.parameters().values():
        each[...] = draws.standard_normal(each.shape)
    return model


def in_torch(model: AveragingNetwork, bags: list[list[int]]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """The logits by the formula, in float64, and torch's copies of the parameters, for autograd."""
    own = {
        name: torch.tensor(each, dtype=torch.float64, requires_grad=True) for name, each in model.parameters().items()
    }
    found = []
    for bag in bags:
        logits, count = own["bias"], max(len(bag), 1)
        if model.network is not None:
            x = own["network.table"][bag].sum(0) / count
            for number in range(len(model.network.layers)):
                x = torch.tanh(own[f"network.layers.{number}.weight"] @ x + own[f"network.layers.{number}.bias"])
            logits = logits + own["network.readout.weight"] @ x
        if model.votes is not None:
            votes = own["votes.table"][bag].sum(0) / count**0.5
            logits = logits + (torch.cat([-votes, votes]) / 2 if model.classes == 2 else votes)
        found.append(logits)
    return torch.stack(found), own


BAGS = [[3, 3, 9], [], [1, 2, 5, 7]]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("classes", [2, 7])
def test_the_formula(name, classes):
    model = make(name, classes)
    expected, _ = in_torch(model, BAGS)
    np.testing.assert_allclose(model(Bags.of(BAGS)), expected.detach(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("classes", [2, 7])
def test_the_gradient_is_that_of_autograd(name, classes):
    model, bags = make(name, classes).in_double(), Bags.of(BAGS)
    expected, own = in_torch(model, BAGS)
    slope = np.random.default_rng(1).standard_normal((len(BAGS), classes))
    expected.backward(torch.from_numpy(slope))
    for part_name, part in (("network", model.network), ("votes", model.votes)):
        if part is None:
            continue
        sums = bag_sums(part.table, bags).astype(np.float64)
        of_sums, of_layers = part.backward(part.forward(sums, bags.lengths), slope)
        rows = np.zeros(part.table.shape)
        np.add.at(rows, bags.ids, of_sums[bags.owners])
        for name_, gradient in {"table": rows, **of_layers}.items():
            expected = own[f"{part_name}.{name_}"].grad
            assert expected is not None
            np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)


def test_dropout_has_its_gradient_too():
    network = AveragingNetwork(AveragingConfig(dim=3, layers=2, hidden=4, dropout=0.5), SIZE, 2).in_double().network
    assert network is not None
    sums, counts, slope = np.ones((2, 3)), np.array([2, 4]), np.array([[1.0, -2.0], [0.5, 0.0]])

    def score(sums: np.ndarray) -> float:
        return float((network.forward(sums, counts, np.random.default_rng(5)).logits * slope).sum())

    found, _ = network.backward(network.forward(sums, counts, np.random.default_rng(5)), slope)
    for place in np.ndindex(*sums.shape):
        step = np.zeros_like(sums)
        step[place] = 1e-6
        assert found[place] == pytest.approx((score(sums + step) - score(sums - step)) / 2e-6, abs=1e-7)


@pytest.mark.parametrize("name", SHAPES)
@given(bag=st.lists(st.integers(0, SIZE - 1), max_size=12), seed=st.integers(0, 99))
def test_order_does_not_matter(name, bag, seed):
    model = make(name)
    shuffled = np.random.default_rng(seed).permutation(np.array(bag, np.int64)).tolist()
    np.testing.assert_allclose(model(Bags.of([bag])), model(Bags.of([shuffled])), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SHAPES)
def test_a_text_does_not_see_its_neighbours_and_may_be_empty(name):
    model = make(name)
    together = model(Bags.of([[1, 2], [], [5]]))
    for place, bag in enumerate(([1, 2], [], [5])):
        np.testing.assert_allclose(together[place], model(Bags.of([bag]))[0], rtol=1e-5, atol=1e-6)


def test_a_table_is_the_same_whatever_the_threads_and_normal():
    table = random_table(3 * BLOCK // 2, 2, seed=1)
    assert (table[BLOCK:] == random_table(2 * BLOCK, 2, seed=1)[BLOCK : 3 * BLOCK // 2]).all()
    assert abs(table.mean()) < 0.002
    assert table.std() == pytest.approx(0.1, rel=0.02)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"more": np.zeros(1)}, "the model has no parameter more"),
        ({"bias": np.zeros(9)}, r"expected bias of shape \(3,\), got \(9,\)"),
        ({"bias": None}, "expected a tensor bias, which is missing"),
    ],
)
def test_weights_that_do_not_fit(change, expected):
    model = make("both")
    weights = {name: each for name, each in {**model.parameters(), **change}.items() if each is not None}
    with pytest.raises(ArgumentError, match=expected):
        model.load(weights)


@pytest.mark.parametrize(
    "wrong", [{"dim": -1}, {"layers": -1}, {"hidden": 0}, {"word_dropout": 1.0}, {"dropout": -0.1}]
)
def test_shapes_that_cannot_be(wrong):
    with pytest.raises(ArgumentError, match=f"{next(iter(wrong))}: expected"):
        AveragingConfig(**wrong)


def test_a_network_without_vectors_needs_votes():
    with pytest.raises(ArgumentError, match=r"^dim: a network without vectors needs votes: set --model\.dim above 0"):
        AveragingConfig(dim=0)


def test_a_first_layer_that_cannot_fit_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(memory, "memory_bytes", lambda device: 10**6)
    AveragingNetwork(AveragingConfig(dim=10, hidden=100, layers=1), size=5, classes=2)
    with pytest.raises(ArgumentError, match=r"^model: 1,050,000 parameters need about 0 GB, this machine has "):
        AveragingNetwork(AveragingConfig(dim=10_000, hidden=100, layers=1), size=5, classes=2)
