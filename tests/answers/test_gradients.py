"""The gradients that problems hold for true, beside PyTorch's."""

import numpy as np
import pytest
import torch

from attnlab.answers import find_problem
from attnlab.answers.questions.instances import define, instances, values_of


def defined(problem: str) -> list[dict[str, torch.Tensor]]:
    """The values of all symbols and definitions, on every instance."""
    asked = find_problem(problem)
    made = (define(asked, asked.defined(), values_of(asked, each, {}, {})) for each in instances(asked))
    return [{name: torch.from_numpy(np.asarray(value[0, 0])) for name, value in values.items()} for values in made]


@pytest.mark.parametrize("place", range(3))
def test_softmax_with_cross_entropy(place):
    values = defined("softmax-gradient")[place]
    theta = values["θ"].requires_grad_()
    torch.nn.functional.cross_entropy(theta, values["y"]).backward()
    torch.testing.assert_close(values["∂CE/∂θ"], theta.grad)
    jacobian = torch.func.jacrev(lambda row: torch.softmax(row, -1))(theta[0].detach())
    torch.testing.assert_close(values["∂ŷ/∂θ"], jacobian)


@pytest.mark.parametrize("place", range(3))
def test_one_hidden_layer(place):
    values = defined("network-gradients")[place]
    leaves = {name: values[name].requires_grad_() for name in ("x", "W_1", "b_1", "W_2", "b_2")}
    hidden = torch.sigmoid(leaves["x"] @ leaves["W_1"] + leaves["b_1"])
    hidden.retain_grad()
    torch.nn.functional.cross_entropy(hidden @ leaves["W_2"] + leaves["b_2"], values["y"]).backward()
    for name, leaf in (*leaves.items(), ("h", hidden)):
        torch.testing.assert_close(values[f"∂J/∂{name}"], leaf.grad)


@pytest.mark.parametrize("problem", ["softmax-gradient", "network-gradients"])
def test_the_target_sums_to_1_and_all_shares_are_above_0(problem):
    for values in defined(problem):
        assert values["y"].sum().item() == 1
        assert (values["y"] > 0).all()
