"""Two checks: batch-invariant (other rows of the batch change nothing) and deterministic (asking twice too)."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.evaluation.audit.certificate import Check
from attnlab.evaluation.audit.probes import (
    MOST_LOGITS,
    MOST_WORK,
    ROWS,
    Probe,
    largest_change,
    parameters,
    tolerance,
)

MANY = 32
"""Rows of the largest batch, if the model is small enough."""


def batch_invariant(probe: Probe) -> Check:
    """Checks that rows cost the same alone, among others, in another order and in other batch sizes."""
    length = probe.lengths[-1]
    rows = probe.rows[:, : length + 1]
    alone = torch.cat([_costs(probe, row[None]) for row in rows])
    noise = largest_change(alone[0], _costs(probe, rows[:1])[0])
    orders = [[2, 0], [1, 3, 0], [3, 2, 1, 0], [place % ROWS for place in range(_many(probe))]]
    change = max(largest_change(alone[order], _costs(probe, rows[order])) for order in orders)
    most = tolerance(probe.predictor, alone)
    numbers = {"largest_change": change, "tolerance": most, "asking_twice": noise, "most_rows": len(orders[-1])}
    if noise > most:  # not deterministic: another check reports that
        words = f"cannot be checked: asking twice alone changes costs by up to {noise:.3g} nats"
        return Check("batch-invariant", True, words, numbers)
    if not change <= most:
        words = f"other rows of the batch change costs by up to {change:.3g} nats"
        return Check("batch-invariant", False, words, numbers)
    words = "rows cost the same alone, among others and in any order" + (f" within {change:.1e} nats" if change else "")
    return Check("batch-invariant", True, words, numbers)


def deterministic(probe: Probe) -> Check:
    """Checks that the same question has the same answer, bit for bit, at once and after another question."""
    change = 0.0
    for length, asked in ((probe.lengths[0], _log_probs), (probe.lengths[-1], _costs)):
        rows, others = probe.rows[:1, : length + 1], probe.rows[1:2, : length + 1]
        first, second, _, third = (asked(probe, each) for each in (rows, rows, others, rows))
        change = max(change, largest_change(first, second), largest_change(first, third))
    module = probe.predictor.module
    training = module is not None and any(each.training for each in module.modules())
    numbers = {"largest_change": change, "in_training": training}
    if change:
        why = "; it is in training mode, where dropout is on" if training else ""
        said = f"asked twice, the model's answers differ by up to {change:.3g} nats{why}"
        return Check("deterministic", False, said, numbers)
    return Check("deterministic", True, "asked twice, the model gives the same answer, bit for bit", numbers)


def _log_probs(probe: Probe, rows: Int[Tensor, "batch tokens"]) -> Float[Tensor, "batch positions vocab"]:
    return probe.predictor.log_probs(rows[:, :-1]).cpu()


def _costs(probe: Probe, rows: Int[Tensor, "batch tokens"]) -> Float[Tensor, "batch positions"]:
    return probe.predictor.nats(rows[:, :-1], rows[:, 1:]).cpu()


def _many(probe: Probe) -> int:
    """The number of rows of the largest batch."""
    length = probe.lengths[-1]
    quick = min(MOST_LOGITS // probe.predictor.size, MOST_WORK // parameters(probe.predictor)) // length
    return max(min(MANY, quick), ROWS + 1)
