"""Updates of rows: those of a dense optimiser on what is touched, and nothing elsewhere."""

import numpy as np
import pytest
import torch

from attnlab.training.optimisers.array_adamw import ArrayAdamW
from attnlab.training.optimisers.rows.updates import RowUpdates


def move(updates: RowUpdates, rows: list[int], gradient: np.ndarray, rate: float) -> None:
    """Update rows, each with its own text."""
    pairs = np.array(rows, np.int32), np.arange(len(rows), dtype=np.int32)
    updates.move(*pairs, gradient.astype(np.float32), rate)


@pytest.mark.parametrize(("rule", "dim"), [("adam", 3), ("adagrad", 1)])
def test_rows_move_as_torch_moves_them(rule, dim):
    draws = np.random.default_rng(0)
    table = draws.standard_normal((6, dim), np.float32)
    other = torch.tensor(table, requires_grad=True)
    dense = {
        "adam": lambda: torch.optim.Adam([other], lr=0.1),
        "adagrad": lambda: torch.optim.Adagrad([other], lr=0.1, eps=1e-8),
    }[rule]()
    updates = RowUpdates(table, rule)
    for _ in range(5):
        gradient = draws.standard_normal((6, dim), np.float32)
        updates.begin()
        move(updates, [*range(6)], gradient, 0.1)
        other.grad = torch.from_numpy(gradient)
        dense.step()
    np.testing.assert_allclose(table, other.detach(), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("rule", ["adam", "adagrad"])
def test_what_is_not_touched_stays(rule):
    table = np.ones((5, 2), np.float32)
    updates = RowUpdates(table, rule)
    updates.begin()
    move(updates, [1, 3], np.ones((2, 2)), 0.5)
    assert (table[[0, 2, 4]] == 1).all()
    np.testing.assert_allclose(table[[1, 3]], np.full((2, 2), 0.5), rtol=1e-6)


def test_the_gradient_of_a_row_is_the_sum_over_its_texts():
    gradients = np.random.default_rng(0).standard_normal((3, 2), np.float32)
    summed, alone = np.zeros((4, 2), np.float32), np.zeros((4, 2), np.float32)
    for table, pairs, given in (
        (summed, ([0, 2, 2, 2, 3], [1, 0, 2, 2, 0]), gradients),
        (alone, ([0, 2, 3], [0, 1, 2]), np.stack([gradients[1], gradients[0] + 2 * gradients[2], gradients[0]])),
    ):
        updates = RowUpdates(table, "adagrad")
        updates.begin()
        rows, texts = (np.array(each, np.int32) for each in pairs)
        updates.move(rows, texts, given, 0.1)
    np.testing.assert_allclose(summed, alone, rtol=1e-5)


@pytest.mark.parametrize("steps", [[[1.0, 2.0], [0.0, 0.5]], [[0.5], [3.0]]], ids=["of each coordinate", "of each row"])
@pytest.mark.parametrize("rule", ["adam", "adagrad"])
def test_a_step_size(rule, steps):
    table = np.zeros((2, 2), np.float32)
    updates = RowUpdates(table, rule, np.array(steps, np.float32))
    updates.begin()
    move(updates, [0, 1], np.ones((2, 2)), 1.0)
    np.testing.assert_allclose(table, -np.broadcast_to(steps, (2, 2)), rtol=1e-6)


def test_adagrad_remembers_one_number_a_row():
    table = np.zeros((2, 2), np.float32)
    updates = RowUpdates(table, "adagrad")
    expected, squares = np.zeros((2, 2)), np.zeros((2, 1))
    for gradient in (np.array([[3.0, 4.0], [0.0, 1.0]]), np.array([[1.0, -1.0], [2.0, 0.0]])):
        updates.begin()
        move(updates, [0, 1], gradient, 0.5)
        squares += (gradient**2).sum(1, keepdims=True) / 2
        expected -= 0.5 * gradient / np.sqrt(squares)
    np.testing.assert_allclose(table, expected, rtol=1e-6)


@pytest.mark.parametrize("rule", ["adam", "adagrad"])
def test_rows_may_be_moved_some_at_a_time(rule):
    draws = np.random.default_rng(0)
    whole, parts = np.zeros((6, 3), np.float32), np.zeros((6, 3), np.float32)
    at_once, in_turn = RowUpdates(whole, rule), RowUpdates(parts, rule)
    for _ in range(3):
        gradient = draws.standard_normal((6, 3))
        at_once.begin()
        move(at_once, [*range(6)], gradient, 0.1)
        in_turn.begin()
        for few in ([0, 1, 2, 3], [4, 5]):
            move(in_turn, few, gradient[few], 0.1)
    assert (whole == parts).all()


@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_layers_move_as_torch_moves_them(decay):
    draws = np.random.default_rng(0)
    weights = draws.standard_normal((3, 4), np.float32)
    other = torch.tensor(weights, requires_grad=True)
    dense = torch.optim.AdamW([other], lr=0.1, betas=(0.9, 0.95), weight_decay=decay)
    own = ArrayAdamW({"w": weights}, decay)
    for _ in range(5):
        gradient = draws.standard_normal((3, 4), np.float32)
        own.step({"w": gradient}, 0.1)
        other.grad = torch.from_numpy(gradient)
        dense.step()
    np.testing.assert_allclose(weights, other.detach(), atol=1e-6, rtol=1e-5)
