"""Causal: what comes later changes nothing before it, however large the weights are.

Two runs of one shape give a causal model the same numbers, nearly always to the last bit, since what differs between
them never reaches the positions that are compared. So a change that can be measured is a leak.

A mask of −10,000 instead of −∞ does not show that way: e^−10000 is 0 in floating point. But it is a number that logits
can outgrow. So the check is made again with all weights made larger for a moment, until such a mask gives way, as long
as what comes out stays finite. Where logits are bounded, as by normalised queries and keys, it never does: it is sound.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Int
from torch import Tensor, nn

from attnlab.evaluation.audit.certificate import Check
from attnlab.evaluation.audit.probes import Probe, largest_change

TOLERANCE = 1e-5
"""Nats that rounding may change."""
FACTORS = (30.0, 1000.0, 30_000.0)
"""How much larger weights are made. A logit has four of them or more in it where norms have weights, else two."""
SHARE = 1e-3
"""Of the largest number that comes out: what a change must be to count where weights are larger."""
TOO_LARGE = 1e12
"""What comes out at most. Beyond, logits might outgrow even the lowest number there is, which libraries mask with."""
NOISE = 4
"""How many times as large as that of asking twice a change must be."""


def causal(trial: Probe) -> Check:
    """Whether changing token t + 1 and later leaves the log-probabilities up to t as they were."""
    positions = trial.rows.shape[1] - 1
    rows = (trial.rows[:1], trial.rows[-1:])  # of the text where the window is full, at random where it is short
    changes = [_change(trial, row[:, :length]) for row, length in zip(rows, trial.lengths, strict=False)]
    change, place = max(*changes, _change_at_once(trial))
    numbers = {"largest_change": change, "tolerance": TOLERANCE, "positions": positions}
    if not change <= TOLERANCE:
        said = f"later tokens change what comes before them, by up to {change:.3g} nats (after token {place + 1})"
        return Check("causal", False, said, numbers)
    largest, leak, at = _stressed(trial)
    numbers |= {"weights_times": largest, "share_changed": leak}
    if leak > SHARE:
        said = f"with weights {largest:,.0f} times as large, later tokens come through (after token {at + 1})"
        return Check("causal", False, f"{said}: its mask is a finite number, which logits can outgrow", numbers)
    said = "changing later tokens changes nothing before them" + (f" but {change:.1e} nats" if change else "")
    if trial.predictor.module is not None and positions > 1:
        said += f", nor with weights {largest:,.0f} times as large" if largest else "; larger weights cannot be tried"
    return Check("causal", True, said, numbers)


def _change(trial: Probe, row: Int[Tensor, "1 positions"]) -> tuple[float, int]:
    """The largest change before the tokens that are replaced, and the place of the last one kept.

    A row is asked alone: what rows do to each other is another check's. So is a change that comes from asking twice.
    """
    before, found = trial.log_probs(row), [(0.0, 0)]
    for place in trial.places(row.shape[1], trial.tries + 1) * min(trial.tries, 2):
        after = trial.log_probs(trial.replaced(row, place))
        found.append((largest_change(before[:, : place + 1], after[:, : place + 1]), place))
    noise = largest_change(before, trial.log_probs(row))
    return max(change for change in found if change[0] >= NOISE * noise or not change[0])


def _change_at_once(trial: Probe) -> tuple[float, int]:
    """The same of a model that predicts a whole text at once; no change where it does not."""
    row = trial.rows.flatten()[None, :64]
    before = trial.predictor.at_once(row[0])
    if before is None:
        return 0.0, 0
    found = [(0.0, 0)]
    for place in trial.places(row.shape[1], 8):
        after = trial.predictor.at_once(trial.replaced(row, place)[0])
        assert after is not None  # it was there before
        found.append((largest_change(before[:place], after[:place]), place))
    return max(found)


def _stressed(trial: Probe) -> tuple[float | None, float, int]:
    """How much larger the weights were made, the share of the output that then changed, and after which place.

    None where they were not: there is no network, or it cannot bear it.
    """
    module, length = trial.predictor.module, trial.lengths[0]
    reached = None
    if module is None or length < 2 or any(each.dtype == torch.float16 for each in module.parameters()):
        return reached, 0.0, 0  # float16 ends at 65504, too near to the masks that it is given
    row = trial.rows[:1, :length]
    for factor in FACTORS:
        with larger_weights(module, factor):
            before, again = trial.log_probs(row), trial.log_probs(row)
            size = before.abs().max().item()
            if not size <= TOO_LARGE or not torch.equal(before, again):
                break
            for place in trial.places(length, trial.tries + 1):
                after = trial.log_probs(trial.replaced(row, place))
                change = largest_change(before[:, : place + 1], after[:, : place + 1]) / max(size, 1e-30)
                if after.isfinite().all() and change > SHARE:
                    return factor, change, place
        reached = factor
    return reached, 0.0, 0


@contextmanager
def larger_weights(module: nn.Module, factor: float) -> Iterator[None]:
    """The network with every weight `factor` times as large for as long as the block lasts; then as it was."""
    parameters = [each for each in module.parameters() if each.is_floating_point()]
    kept = [each.data for each in parameters]
    try:
        for each, data in zip(parameters, kept, strict=True):
            each.data = data * factor
        yield
    finally:
        for each, data in zip(parameters, kept, strict=True):
            each.data = data
