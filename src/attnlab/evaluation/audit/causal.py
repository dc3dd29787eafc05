"""The causality check: later tokens change nothing before them, however large the weights are.

Two runs of one shape give a causal model the same numbers, nearly always to the last bit: the changed tokens never
reach the positions that are compared. So a measurable change is a leak.

A mask of −10,000 instead of −∞ is not found that way, because e^−10000 is 0 in floating point. But logits can
outgrow −10,000. So the check is repeated with larger and larger weights, as long as the output stays finite. Where
logits are bounded, for example by normalised queries and keys, such a mask never leaks, and the model is sound.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Int
from torch import Tensor, nn

from attnlab.evaluation.audit.certificate import Check
from attnlab.evaluation.audit.probes import Probe, largest_change

TOLERANCE = 1e-5
"""The change, in nats, that rounding may cause."""
FACTORS = (30.0, 1000.0, 30_000.0)
"""How many times larger the weights are made. A logit multiplies two weights, or four or more if norms have weights."""
SHARE = 1e-3
"""With larger weights, a change counts if it is more than this share of the largest output."""
TOO_LARGE = 1e12
"""The largest output that is allowed. Beyond it, logits might outgrow even the lowest float, a common mask."""
NOISE = 4
"""A change counts if it is at least this many times the change from asking the same question twice."""


def causal(probe: Probe) -> Check:
    """Checks that changing token t + 1 and later ones leaves the log-probabilities up to t unchanged."""
    positions = probe.rows.shape[1] - 1
    rows = (probe.rows[:1], probe.rows[-1:])  # from the text for the full window, random for the short one
    changes = [_change(probe, row[:, :length]) for row, length in zip(rows, probe.lengths, strict=False)]
    change, place = max(*changes, _change_at_once(probe))
    numbers = {"largest_change": change, "tolerance": TOLERANCE, "positions": positions}
    if not change <= TOLERANCE:
        said = f"later tokens change the predictions before them, by up to {change:.3g} nats (after token {place + 1})"
        return Check("causal", False, said, numbers)
    largest, leak, at = _stressed(probe)
    numbers |= {"weights_times": largest, "share_changed": leak}
    if leak > SHARE:
        said = f"with weights {largest:,.0f} times as large, later tokens leak (after token {at + 1})"
        return Check("causal", False, f"{said}: its mask is a finite number, and logits can outgrow it", numbers)
    said = "changing later tokens changes nothing before them" + (f" but {change:.1e} nats" if change else "")
    if probe.predictor.module is not None and positions > 1:
        said += f", nor with weights {largest:,.0f} times as large" if largest else "; not tested with larger weights"
    return Check("causal", True, said, numbers)


def _change(probe: Probe, row: Int[Tensor, "1 positions"]) -> tuple[float, int]:
    """The largest change before the replaced tokens, and the place of the last token kept.

    The row goes through the model alone: other checks test for effects of other rows and of asking twice.
    """
    before, found = probe.log_probs(row), [(0.0, 0)]
    for place in probe.places(row.shape[1], probe.tries + 1) * min(probe.tries, 2):
        after = probe.log_probs(probe.replaced(row, place))
        found.append((largest_change(before[:, : place + 1], after[:, : place + 1]), place))
    noise = largest_change(before, probe.log_probs(row))
    return max(change for change in found if change[0] >= NOISE * noise or not change[0])


def _change_at_once(probe: Probe) -> tuple[float, int]:
    """The same for a model that predicts a whole text at once; no change for other models."""
    row = probe.rows.flatten()[None, :64]
    before = probe.predictor.at_once(row[0])
    if before is None:
        return 0.0, 0
    found = [(0.0, 0)]
    for place in probe.places(row.shape[1], 8):
        after = probe.predictor.at_once(probe.replaced(row, place)[0])
        assert after is not None  # a model that can do this once always can
        found.append((largest_change(before[:place], after[:place]), place))
    return max(found)


def _stressed(probe: Probe) -> tuple[float | None, float, int]:
    """How many times larger the weights were made, the share of the output that changed, and after which place.

    The first is None if there is no network, or if it cannot be tested with larger weights.
    """
    module, length = probe.predictor.module, probe.lengths[0]
    reached = None
    if module is None or length < 2 or any(each.dtype == torch.float16 for each in module.parameters()):
        return reached, 0.0, 0  # float16 ends at 65504, too close to usual masks
    row = probe.rows[:1, :length]
    for factor in FACTORS:
        with larger_weights(module, factor):
            before, again = probe.log_probs(row), probe.log_probs(row)
            size = before.abs().max().item()
            if not size <= TOO_LARGE or not torch.equal(before, again):
                break
            for place in probe.places(length, probe.tries + 1):
                after = probe.log_probs(probe.replaced(row, place))
                change = largest_change(before[:, : place + 1], after[:, : place + 1]) / max(size, 1e-30)
                if after.isfinite().all() and change > SHARE:
                    return factor, change, place
        reached = factor
    return reached, 0.0, 0


@contextmanager
def larger_weights(module: nn.Module, factor: float) -> Iterator[None]:
    """Multiplies every weight of the network by `factor` inside the block, and restores it afterwards."""
    parameters = [each for each in module.parameters() if each.is_floating_point()]
    kept = [each.data for each in parameters]
    try:
        for each, data in zip(parameters, kept, strict=True):
            each.data = data * factor
        yield
    finally:
        for each, data in zip(parameters, kept, strict=True):
            each.data = data
