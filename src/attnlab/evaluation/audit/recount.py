"""The recount: measures some tokens again, and shows the model only the tokens before them.

So nothing can leak, no other row is in the batch, and no window is mistaken. The costs must be the same. The tokens are
drawn at random, so a recount of n tokens without a difference also bounds the share of wrong costs: if a share s of
the tokens were wrong, n random tokens would miss all of them with probability (1 − s)^n.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.evaluation.audit.causal import larger_weights
from attnlab.evaluation.audit.certificate import Certificate, Check
from attnlab.evaluation.audit.normalised import TOLERANCE
from attnlab.evaluation.audit.probes import ROUNDING, fixed_seed, largest_change, tolerance
from attnlab.evaluation.audit.witness import MeasuredToken, Witness
from attnlab.evaluation.scoring.predictors import Predictor
from attnlab.numbers import percent_at_most

NAME = "recounted"
FEWEST = 8
"""At least this many tokens are recounted …"""
WORK = 1e11
"""… and as many more as this many multiplications (some seconds) allow …"""
PART = 0.1
"""… or this share of the measurement's own multiplications. Counted, not timed: the same on every machine."""
LOOKED_UP = 1e5
"""The cost of an n-gram lookup, in multiplications."""
MOST_LOGITS = 1 << 24
"""The most logits in one batch …"""
LOGITS_IN_CACHE = 1 << 20
"""… of a network. An n-gram model gains nothing from a batch: its rows stay in a core's cache."""
MISSED = 0.05
"""The probability of missing a fault of the reported share."""
STEPS = {torch.float32: 2.0**-21, torch.bfloat16: 2.0**-8}
"""Relative changes of a few last digits of a weight."""
NOISE = 4
"""A change counts if it is at least this many times the change that rounding makes."""
GRANTED = 0.01
"""The largest share of a cost that is forgiven as rounding."""
ERRORS = 4
"""The mean change may differ from 0 by this many standard errors."""


@dataclass(frozen=True)
class Difference:
    """A token whose measured cost is wrong, and whether later tokens change its cost."""

    token: MeasuredToken
    owed: float
    leaks: bool

    def __str__(self) -> str:
        """In words."""
        each, seen = self.token, len(self.token.seen)
        said = (
            f"token {each.place + 1:,} was measured at {each.nats:.6g} nats, but costs {self.owed:.6g} when the model"
        )
        return f"{said} sees only the {seen:,} tokens before it" if seen else f"{said} sees no token"


@dataclass(frozen=True)
class Recount:
    """The result of a recount: how many tokens, random and of each kind, were recounted; the difference."""

    drawn: int
    kinds: int
    largest: float
    difference: Difference | None = None
    saved: float = 0.0
    """Nats by which the mean measured cost is too low, if rounding does not explain it."""
    unsteady: bool = False
    """Whether the model gives different answers to the same question, so that it cannot be checked."""
    total: float = 1.0
    """Of the sums of the probabilities at each place, the farthest from 1."""


def recounted(certificate: Certificate, witnesses: Sequence[Witness], *, seed: int = 0) -> Certificate:
    """The certificate with the recount of each witness added; a leak fails the causality check too."""
    found = [(each, recount(each, seed)) for each in witnesses]
    checks = {check.name: check for check in certificate.checks} | {NAME: _check(found)}
    unlikely = _not_probabilities(found)
    if unlikely and checks["normalised"].passed:
        checks["normalised"] = replace(checks["normalised"], passed=False, said=unlikely)
    leak = next((each.difference for _, each in found if each.difference and each.difference.leaks), None)
    if leak and checks["causal"].passed:
        said = f"later tokens change the predictions before them: {leak}"
        checks["causal"] = replace(checks["causal"], passed=False, said=said)
    return replace(certificate, checks=tuple(checks.values()))


def recount(witness: Witness, seed: int = 0) -> Recount:
    """Measures the tokens that a witness kept again, in a random order, as many as is affordable."""
    predictor, drawn = witness.subject.predictor, witness.drawn
    order = [each for each in chain(*zip_longest(drawn, witness.of_each_kind)) if each is not None]
    order = order[: _affordable(witness)]
    largest, saved, total = 0.0, [], 1.0
    for each, said in _asked(predictor, order):
        owed = -said[each.token].item()
        total = max(total, _sum(said), key=lambda each: abs(each - 1))
        change = _change(each.nats, owed)
        if _beyond(predictor, change, said) and len(each.seen):  # alone, without other rows
            said = _last(predictor, torch.from_numpy(each.seen[None]))[0]
            owed = -said[each.token].item()
            change = _change(each.nats, owed)
        if _beyond(predictor, change, said) and change > _rounding(predictor, each, said):
            if _unsteady(predictor, each):
                return Recount(0, 0, change, unsteady=True)
            return Recount(0, 0, change, Difference(each, owed, _leaks(predictor, each, said, seed)))
        largest = max(largest, change)
        saved.append(owed - each.nats)
    asked = {id(each) for each in order}
    random, kinds = (sum(id(each) in asked for each in some) for some in (drawn, witness.of_each_kind))
    return Recount(random, kinds, largest, saved=_mean_beyond_rounding(predictor, saved), total=total)


def _not_probabilities(found: Sequence[tuple[Witness, Recount]]) -> str:
    """Why the costs are not those of probabilities, in words; empty if they are."""
    for witness, each in found:
        if witness.least < -TOLERANCE:
            return f"a token was measured at {witness.least:.6g} nats: its probability would be above 1"
        if not abs(each.total - 1) <= TOLERANCE:
            return f"after tokens of the text, probabilities sum to {each.total:.6g}, not to 1"
    return ""


def _affordable(witness: Witness) -> int:
    """How many tokens are recounted: each takes one pass over the tokens before it."""
    module = witness.subject.predictor.module
    weights = LOOKED_UP if module is None else sum(each.numel() for each in module.parameters())
    return max(FEWEST, int(max(WORK, PART * witness.tokens * weights) / (weights * witness.context)))


def _asked(
    predictor: Predictor, some: Sequence[MeasuredToken]
) -> Iterator[tuple[MeasuredToken, Float[Tensor, " vocab"]]]:
    """Yields each token with the ln p of every token at its place; tokens that see equally many others go together."""
    size = predictor.size
    most = LOGITS_IN_CACHE if predictor.module is None else MOST_LOGITS
    groups: defaultdict[int, list[MeasuredToken]] = defaultdict(list)
    for each in some:
        groups[len(each.seen)].append(each)
    for seen, group in groups.items():
        if not seen:
            yield from ((each, torch.full((size,), 1 / size).log()) for each in group)
            continue
        rows = max(1, most // (seen * size))
        for first in range(0, len(group), rows):
            few = group[first : first + rows]
            ids = torch.from_numpy(np.stack([each.seen for each in few]))
            yield from zip(few, _last(predictor, ids), strict=True)


def _leaks(predictor: Predictor, each: MeasuredToken, said: Float[Tensor, " vocab"], seed: int) -> bool:
    """Whether the token itself, and others after it, change the prediction of the token."""
    seen = len(each.seen)
    if not 0 < seen < predictor.context:
        return False
    draws = np.random.default_rng(seed).integers(predictor.size, size=predictor.context - seen - 1)
    row = torch.from_numpy(np.concatenate([each.seen, [each.token], draws]).astype(np.int64))[None]
    shown = [_log_probs(predictor, row[:, : seen + 1]), _log_probs(predictor, row)]
    return any((again[0, seen - 1].cpu() - said).abs().max().item() > tolerance(predictor, said) for again in shown)


def _rounding(predictor: Predictor, each: MeasuredToken, said: Float[Tensor, " vocab"]) -> float:
    """The change that rounding makes in a sensitive model, such as a recurrent one. It is measured by asking in
    float64, and by changing the weights by a few of their last digits. Neither shows a leak, and the sum is capped."""
    if predictor.module is None or not len(each.seen):
        return 0.0
    ids = torch.from_numpy(each.seen[None])
    with larger_weights(predictor.module, 1 + STEPS[predictor.dtype]):
        change = largest_change(said, _last(predictor, ids)[0])
    if predictor.dtype != torch.float32:
        return min(NOISE * change, 1.0)
    try:
        predictor.module.double()
        change = max(change, largest_change(said, _last(predictor, ids)[0]))
    finally:
        predictor.module.float()  # exact: float64 holds every float32
    return min(NOISE * change, GRANTED * max(1.0, said.abs().nan_to_num(0.0, 0.0).max().item()))


def _unsteady(predictor: Predictor, each: MeasuredToken) -> bool:
    """Whether the model gives different answers to the same question."""
    if not len(each.seen):
        return False
    ids = torch.from_numpy(each.seen[None])
    first, second = (predictor.log_probs(ids)[0, -1].cpu() for _ in range(2))
    return (first - second).abs().max().item() > tolerance(predictor, first)


def _log_probs(predictor: Predictor, ids: Tensor) -> Float[Tensor, "batch positions vocab"]:
    with fixed_seed(predictor.device):
        return predictor.log_probs(ids)


def _last(predictor: Predictor, ids: Tensor) -> Float[Tensor, "batch vocab"]:
    """ln p of every token after the last position, on the CPU."""
    with fixed_seed(predictor.device):
        return predictor.last_log_probs(ids).cpu()


def _sum(said: Float[Tensor, " vocab"]) -> float:
    """The sum of probabilities. NumPy takes one thread: more threads cost more than they give for one row."""
    return float(np.exp(said.double().numpy()).sum())


def _beyond(predictor: Predictor, change: float, said: Float[Tensor, " vocab"]) -> bool:
    """Whether a change is more than rounding. No tolerance is below ROUNDING, and hardly a change is above it."""
    return change > ROUNDING and change > tolerance(predictor, said)


def _change(found: float, owed: float) -> float:
    """The distance of two costs; 0 if both are NaN or the same infinity."""
    if found == owed or (np.isnan(found) and np.isnan(owed)):
        return 0.0
    return float(np.nan_to_num(abs(found - owed), nan=np.inf))


def _mean_beyond_rounding(predictor: Predictor, saved: Sequence[float]) -> float:
    """The mean of `saved` if it is more than rounding up and down explains; else 0."""
    some = np.array(saved)
    some = some[np.isfinite(some)]
    if predictor.dtype == torch.float32 or len(some) < FEWEST:
        return 0.0
    mean, error = float(some.mean()), float(some.std() / len(some) ** 0.5)
    return mean if abs(mean) > ERRORS * error + 1e-3 else 0.0


def _check(found: Sequence[tuple[Witness, Recount]]) -> Check:
    """The check of a measurement, under all its policies."""
    drawn = min(each.drawn for _, each in found)
    most = 1 - MISSED ** (1 / drawn) if drawn else 1.0
    if all(each.drawn == witness.tokens for witness, each in found):
        most = 0.0
    numbers = {
        "drawn": drawn,
        "kinds": min(each.kinds for _, each in found),
        "largest_change": max(each.largest for _, each in found),
        "most_share": most,
    }
    for witness, each in found:
        how = f" (windows of {witness.context:,} tokens in steps of {witness.stride:,})" if len(found) > 1 else ""
        if witness.measured != witness.tokens:
            said = f"expected a cost for each of {witness.tokens:,} tokens, got {witness.measured:,} costs{how}"
            return Check(NAME, False, said, numbers)
        if each.difference:
            why = ", because later tokens leak" if each.difference.leaks else ""
            return Check(NAME, False, f"{each.difference}{why}{how}", numbers)
        if each.saved:
            said = f"on average, tokens were measured {each.saved:.2g} nats below their cost{how}"
            return Check(NAME, False, said, numbers | {"saved": each.saved})
        if each.unsteady:
            return Check(NAME, False, "cannot be checked: the model answers one question in two ways", numbers)
    said = f"{drawn:,} tokens drawn at random cost the same when the model sees only the tokens before them"
    if most:
        said += f", so at most {percent_at_most(most)} of all tokens can be wrong (95 % confidence)"
    kinds = numbers["kinds"]
    return Check(
        NAME, True, f"{said}; so do {kinds:,} more, spread evenly over the vocabulary" if kinds else said, numbers
    )
