"""Updates of rows: those of a dense optimiser on what is touched, and nothing elsewhere."""

import pytest
import torch

from attnlab.training.rows import RowUpdates


@pytest.mark.parametrize("rule", ["adam", "adagrad"])
def test_rows_move_as_torch_moves_them(rule):
    torch.manual_seed(0)
    table = torch.randn(6, 3)
    other = table.clone().requires_grad_()
    dense = {
        "adam": lambda: torch.optim.Adam([other], lr=0.1),
        "adagrad": lambda: torch.optim.Adagrad([other], lr=0.1, eps=1e-8),
    }[rule]()
    updates = RowUpdates(table, rule)
    for _ in range(5):
        gradient = torch.randn(6, 3)
        updates.move(torch.arange(6), gradient, 0.1)
        other.grad = gradient
        dense.step()
    torch.testing.assert_close(table, other.detach(), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("rule", ["adam", "adagrad"])
def test_what_is_not_touched_stays(rule):
    table = torch.ones(5, 2)
    RowUpdates(table, rule).move(torch.tensor([3, 1]), torch.ones(2, 2), 0.5)
    assert (table[[0, 2, 4]] == 1).all()
    torch.testing.assert_close(table[[1, 3]], torch.full((2, 2), 0.5))


def test_a_step_size_of_each_coordinate():
    table = torch.zeros(2, 2)
    RowUpdates(table, "adam", torch.tensor([[1.0, 2.0], [0.0, 0.5]])).move(torch.arange(2), torch.ones(2, 2), 1.0)
    torch.testing.assert_close(table, -torch.tensor([[1.0, 2.0], [0.0, 0.5]]))
