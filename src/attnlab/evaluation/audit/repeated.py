"""Batch-invariant and deterministic: the same tokens cost the same, among whatever others and however often asked."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.evaluation.audit.records import Check
from attnlab.evaluation.audit.trials import MOST_LOGITS, MOST_WORK, ROWS, Trial, largest_change

TOLERANCE = 1e-4
"""Nats that the size of a batch may change: it changes the order in which sums are rounded."""
MANY = 32
"""Rows of a large batch, where the model is small enough."""


def batch_invariant(trial: Trial) -> Check:
    """Whether rows cost the same alone, among others, in another order and in batches of other sizes."""
    length = trial.lengths[-1]
    rows = trial.rows[:, : length + 1]
    alone = torch.cat([_costs(trial, row[None]) for row in rows])
    again = torch.cat([_costs(trial, row[None]) for row in rows])
    noise = largest_change(alone, again)
    orders = [
        list(range(ROWS)),
        list(range(ROWS))[::-1],
        [2, 0],
        [1, 3, 0],
        [place % ROWS for place in range(_many(trial))],
    ]
    change = max(largest_change(alone[order], _costs(trial, rows[order])) for order in orders)
    numbers = {"largest_change": change, "tolerance": TOLERANCE, "asking_twice": noise, "most_rows": len(orders[-1])}
    if noise > TOLERANCE:  # then it is not deterministic, and another check says so
        words = f"cannot be told: asking twice changes costs by up to {noise:.3g} nats already"
        return Check("batch-invariant", True, words, numbers)
    if not change <= TOLERANCE:
        words = f"what else is in the batch changes costs by up to {change:.3g} nats"
        return Check("batch-invariant", False, words, numbers)
    words = f"alone, among others and in any order rows cost the same (within {change:.1e} nats)"
    return Check("batch-invariant", True, words, numbers)


def deterministic(trial: Trial) -> Check:
    """Whether the same question has the same answer, bit for bit, at once and after another question."""
    length = trial.lengths[-1]
    ids, other = trial.rows[:2, :length], trial.rows[2:, :length]
    first = trial.predictor.log_probs(ids).cpu()
    second = trial.predictor.log_probs(ids).cpu()
    trial.predictor.log_probs(other)
    third = trial.predictor.log_probs(ids).cpu()
    change = max(largest_change(first, second), largest_change(first, third))
    active = _active_dropout(trial.predictor.module)
    numbers = {"largest_change": change, "active_dropout": active}
    if change:
        why = f"; dropout is on ({active})" if active else ""
        return Check("deterministic", False, f"asked twice, it differs by up to {change:.3g} nats{why}", numbers)
    return Check("deterministic", True, "asked twice, it says the same, bit for bit", numbers)


def _costs(trial: Trial, rows: Int[Tensor, "batch tokens"]) -> Float[Tensor, "batch positions"]:
    return trial.predictor.nats(rows[:, :-1], rows[:, 1:]).cpu()


def _many(trial: Trial) -> int:
    """How many rows go at once in the largest batch."""
    length, module = trial.lengths[-1], trial.predictor.module
    parameters = sum(each.numel() for each in module.parameters()) if module is not None else 1
    return max(min(MANY, MOST_LOGITS // (length * trial.predictor.size), MOST_WORK // (length * parameters)), ROWS + 1)


def _active_dropout(module: nn.Module | None) -> str | None:
    """The name of the first part of a network that drops at random, where there is one."""
    drops = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.AlphaDropout)
    found = module.named_modules() if module is not None else ()
    return next((name for name, each in found if isinstance(each, drops) and each.training and each.p > 0), None)
