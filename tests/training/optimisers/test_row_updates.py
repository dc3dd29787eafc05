"""Updates of rows: those of a dense optimiser on what is touched, and nothing elsewhere."""

import pytest
import torch

from attnlab.training.optimisers.row_updates import RowUpdates


@pytest.mark.parametrize(("rule", "dim"), [("adam", 3), ("adagrad", 1)])
def test_rows_move_as_torch_moves_them(rule, dim):
    torch.manual_seed(0)
    table = torch.randn(6, dim)
    other = table.clone().requires_grad_()
    dense = {
        "adam": lambda: torch.optim.Adam([other], lr=0.1),
        "adagrad": lambda: torch.optim.Adagrad([other], lr=0.1, eps=1e-8),
    }[rule]()
    updates = RowUpdates(table, rule)
    for _ in range(5):
        gradient = torch.randn(6, dim)
        updates.begin()
        updates.move(torch.arange(6), gradient, 0.1)
        other.grad = gradient
        dense.step()
    torch.testing.assert_close(table, other.detach(), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("rule", ["adam", "adagrad"])
def test_what_is_not_touched_stays(rule):
    table = torch.ones(5, 2)
    updates = RowUpdates(table, rule)
    updates.begin()
    updates.move(torch.tensor([3, 1]), torch.ones(2, 2), 0.5)
    assert (table[[0, 2, 4]] == 1).all()
    torch.testing.assert_close(table[[1, 3]], torch.full((2, 2), 0.5))


def test_a_step_size_of_each_coordinate():
    table = torch.zeros(2, 2)
    updates = RowUpdates(table, "adam", torch.tensor([[1.0, 2.0], [0.0, 0.5]]))
    updates.begin()
    updates.move(torch.arange(2), torch.ones(2, 2), 1.0)
    torch.testing.assert_close(table, -torch.tensor([[1.0, 2.0], [0.0, 0.5]]))


def test_adagrad_remembers_one_number_a_row():
    table = torch.zeros(2, 2)
    updates = RowUpdates(table, "adagrad")
    expected, squares = torch.zeros(2, 2), torch.zeros(2, 1)
    for gradient in (torch.tensor([[3.0, 4.0], [0.0, 1.0]]), torch.tensor([[1.0, -1.0], [2.0, 0.0]])):
        updates.begin()
        updates.move(torch.arange(2), gradient, 0.5)
        squares += (gradient**2).sum(1, keepdim=True) / 2
        expected -= 0.5 * gradient / squares.sqrt()
    torch.testing.assert_close(table, expected)


@pytest.mark.parametrize("rule", ["adam", "adagrad"])
def test_rows_may_be_moved_some_at_a_time(rule):
    torch.manual_seed(0)
    whole, parts = torch.zeros(6, 3), torch.zeros(6, 3)
    at_once, in_turn = RowUpdates(whole, rule), RowUpdates(parts, rule)
    for _ in range(3):
        gradient = torch.randn(6, 3)
        at_once.begin()
        at_once.move(torch.arange(6), gradient, 0.1)
        in_turn.begin()
        for few in torch.arange(6).split(4):
            in_turn.move(few, gradient[few], 0.1)
    torch.testing.assert_close(whole, parts)
