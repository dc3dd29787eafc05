"""The averaging network: blind to order, unbiased under word dropout, and the formula it is written with."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.models.averaging import AveragingConfig, AveragingNetwork

SIZE = 20
SHAPES = {
    "network": AveragingConfig(dim=6, layers=2, hidden=5),
    "linear": AveragingConfig(dim=6, layers=0),
    "votes": AveragingConfig(dim=0, votes="bayes"),
    "both": AveragingConfig(dim=6, votes="bayes"),
}


def make(name: str, classes: int = 3) -> AveragingNetwork:
    torch.manual_seed(0)
    model = AveragingNetwork(SHAPES[name], SIZE, classes)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter)
    return model.eval()


def ask(model: AveragingNetwork, *bags: list[int]) -> torch.Tensor:
    offsets = np.cumsum([0, *map(len, bags)])
    with torch.no_grad():
        return model(torch.tensor([id for bag in bags for id in bag], dtype=torch.int64), torch.from_numpy(offsets))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("classes", [2, 7])
def test_the_formula(name, classes):
    model, bag = make(name, classes), [3, 3, 9]
    expected = model.bias.detach().clone()
    if model.network is not None:
        x = model.network.table[bag].mean(0)
        for layer in model.network.layers:
            x = torch.tanh(layer(x))
        expected += model.network.readout(x).detach()
    if model.votes is not None:
        votes = model.votes.table[bag].sum(0).detach() / 3**0.5
        expected += torch.cat([-votes, votes]) / 2 if classes == 2 else votes
    torch.testing.assert_close(ask(model, bag)[0], expected)


@pytest.mark.parametrize("name", SHAPES)
@given(bag=st.lists(st.integers(0, SIZE - 1), max_size=12), seed=st.integers(0, 99))
def test_order_does_not_matter(name, bag, seed):
    model = make(name)
    shuffled = np.random.default_rng(seed).permutation(np.array(bag, np.int64)).tolist()
    torch.testing.assert_close(ask(model, bag), ask(model, shuffled))


@pytest.mark.parametrize("name", SHAPES)
def test_a_text_does_not_see_its_neighbours_and_may_be_empty(name):
    model = make(name)
    together = ask(model, [1, 2], [], [5])
    for place, bag in enumerate(([1, 2], [], [5])):
        torch.testing.assert_close(together[place], ask(model, bag)[0])


@pytest.mark.parametrize("name", ["linear", "votes"])
def test_word_dropout_leaves_the_logits_where_they_are_on_average(name):
    model = make(name)
    bag = list(range(SIZE)) * 20
    model.train()
    torch.manual_seed(1)
    found = torch.stack([ask(model, bag)[0] for _ in range(300)])
    within = 5 * found.std(0) / 300**0.5
    assert ((found.mean(0) - ask(model.eval(), bag)[0]).abs() < within + 0.01).all()
    assert (found.std(0) > 0).all()


def test_vectors_that_stay_have_no_gradient():
    model = AveragingNetwork(AveragingConfig(dim=4, learn="layers"), SIZE, 2)
    model(torch.tensor([1, 2]), torch.tensor([0, 2])).sum().backward()
    assert model.network is not None
    assert model.network.table.grad is None
    assert model.network.readout.weight.grad is not None


@pytest.mark.parametrize(
    "wrong", [{"dim": 0}, {"dim": -1}, {"layers": -1}, {"hidden": 0}, {"word_dropout": 1.0}, {"dropout": -0.1}]
)
def test_shapes_that_cannot_be(wrong):
    with pytest.raises(ArgumentError, match=f"{next(iter(wrong))}: expected"):
        AveragingConfig(**wrong)
