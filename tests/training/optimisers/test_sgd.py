"""Gradient descent: that of torch, and weight decay of matrices only."""

import torch
from torch import nn

from attnlab.training.optimisers.choosing import make_optimisers, set_rates
from attnlab.training.settings import Training


def test_it_is_the_descent_of_torch():
    own, theirs = (nn.Linear(3, 2) for _ in range(2))
    theirs.load_state_dict(own.state_dict())
    (descent,) = make_optimisers(own, Training(optimiser="sgd", rate=0.5, weight_decay=0.0))
    set_rates([descent], 0.5)
    reference = torch.optim.SGD(theirs.parameters(), lr=0.25)
    for _ in range(3):
        for model, optimiser in ((own, descent), (theirs, reference)):
            model.zero_grad()
            model(torch.ones(4, 3)).square().sum().backward()
            optimiser.step()
    assert torch.equal(own.weight, theirs.weight)
    assert torch.equal(own.bias, theirs.bias)
    assert descent.tensors() == {}  # nothing to remember


def test_only_matrices_decay():
    model = nn.Linear(2, 2)
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    (descent,) = make_optimisers(model, Training(optimiser="sgd", rate=0.5, weight_decay=0.1))
    descent.step()
    assert torch.allclose(model.weight, 0.95 * before["weight"])
    assert torch.equal(model.bias, before["bias"])
