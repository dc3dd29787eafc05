"""Recounted: tokens of a measurement are measured once more, from what the policy shows the model and nothing else.

The model is given the tokens before one and not a token more, so that nothing can leak, nothing else is in the batch
and no window is mistaken. The cost must be the same. Since the tokens are drawn at random, that none of n
differs also says how much of the text can differ at most: if a share s did, all n would miss it with chance (1 − s)^n.
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
from attnlab.evaluation.audit.probes import drawn_alike, largest_change, tolerance
from attnlab.evaluation.audit.witness import MeasuredToken, Witness
from attnlab.evaluation.scoring.predictors import Predictor

NAME = "recounted"
FEWEST = 8
"""Tokens that are recounted in any case …"""
WORK = 1e11
"""… and as many more as take so many multiplications, some seconds …"""
PART = 0.1
"""… or this part of those that measuring took. Counted, not timed: so the same is said on every machine."""
LOOKED_UP = 1e5
"""The multiplications that an n-gram is worth."""
MOST_LOGITS = 1 << 24
"""Logits that are asked at once at most."""
MISSED = 0.05
"""The chance that a fault of the largest share that is said was missed."""
STEPS = {torch.float32: 2.0**-21, torch.bfloat16: 2.0**-8}
"""The last digits of a weight."""
NOISE = 4
"""How many times as large as what these do a change must be."""
GRANTED = 0.01
"""The share of a cost that is granted at most."""
ERRORS = 4
"""Standard errors that the mean of what rounding changes may be off."""


@dataclass(frozen=True)
class Difference:
    """A token whose measured cost is wrong, and whether later tokens change what it costs."""

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
    """What a recount found: how many tokens at random and of how many kinds were measured again, and what differs."""

    drawn: int
    kinds: int
    largest: float
    difference: Difference | None = None
    saved: float = 0.0
    """Nats by which the mean of all is less than it should be, where that is more than rounding can do."""
    unsteady: bool = False
    """Whether the model answers another thing when asked again, so that nothing can be checked."""


def recounted(certificate: Certificate, witnesses: Sequence[Witness], *, seed: int = 0) -> Certificate:
    """The certificate with a measurement recounted, under each policy that it was made with; a leak is not causal."""
    found = [(each, recount(each, seed)) for each in witnesses]
    checks = {check.name: check for check in certificate.checks} | {NAME: _check(found)}
    leak = next((each.difference for _, each in found if each.difference and each.difference.leaks), None)
    if leak and checks["causal"].passed:
        said = f"later tokens change what comes before them: {leak}"
        checks["causal"] = replace(checks["causal"], passed=False, said=said)
    return replace(certificate, checks=tuple(checks.values()))


def recount(witness: Witness, seed: int = 0) -> Recount:
    """The tokens that a witness kept, measured again, in a random order and as many as can be afforded."""
    predictor, drawn = witness.subject.predictor, witness.drawn
    order = [each for each in chain(*zip_longest(drawn, witness.of_each_kind)) if each is not None]
    order = order[: _affordable(witness)]
    largest, saved = 0.0, []
    for each, said in _asked(predictor, order):
        owed = -said[each.token].item()
        change = _change(each.nats, owed)
        if change > tolerance(predictor, said) and len(each.seen):  # what others in its batch did is another check's
            said = _log_probs(predictor, torch.from_numpy(each.seen[None]))[0, -1].cpu()
            owed = -said[each.token].item()
            change = _change(each.nats, owed)
        if change > tolerance(predictor, said) and change > _rounding(predictor, each, said):
            if _unsteady(predictor, each):
                return Recount(0, 0, change, unsteady=True)
            return Recount(0, 0, change, Difference(each, owed, _leaks(predictor, each, said, seed)))
        largest = max(largest, change)
        saved.append(owed - each.nats)
    asked = {id(each) for each in order}
    random, kinds = (sum(id(each) in asked for each in some) for some in (drawn, witness.of_each_kind))
    return Recount(random, kinds, largest, saved=_too_much(predictor, saved))


def _affordable(witness: Witness) -> int:
    """How many tokens are measured again: each costs a pass over all that it sees."""
    module = witness.subject.predictor.module
    weights = LOOKED_UP if module is None else sum(each.numel() for each in module.parameters())
    return max(FEWEST, int(max(WORK, PART * witness.tokens * weights) / (weights * witness.context)))


def _asked(
    predictor: Predictor, some: Sequence[MeasuredToken]
) -> Iterator[tuple[MeasuredToken, Float[Tensor, " vocab"]]]:
    """Each token with the ln p of all that might stand in its place; those that see as much go at once."""
    size = predictor.size
    groups: defaultdict[int, list[MeasuredToken]] = defaultdict(list)
    for each in some:
        groups[len(each.seen)].append(each)
    for seen, group in groups.items():
        if not seen:
            yield from ((each, torch.full((size,), 1 / size).log()) for each in group)
            continue
        rows = max(1, MOST_LOGITS // (seen * size))
        for first in range(0, len(group), rows):
            few = group[first : first + rows]
            ids = torch.from_numpy(np.stack([each.seen for each in few]))
            yield from zip(few, _log_probs(predictor, ids)[:, -1].cpu(), strict=True)


def _leaks(predictor: Predictor, each: MeasuredToken, said: Float[Tensor, " vocab"], seed: int) -> bool:
    """Whether showing the token itself, and others behind it, changes what is said of its place."""
    seen = len(each.seen)
    if not 0 < seen < predictor.context:
        return False
    draws = np.random.default_rng(seed).integers(predictor.size, size=predictor.context - seen - 1)
    row = torch.from_numpy(np.concatenate([each.seen, [each.token], draws]).astype(np.int64))[None]
    shown = [_log_probs(predictor, row[:, : seen + 1]), _log_probs(predictor, row)]
    return any((again[0, seen - 1].cpu() - said).abs().max().item() > tolerance(predictor, said) for again in shown)


def _rounding(predictor: Predictor, each: MeasuredToken, said: Float[Tensor, " vocab"]) -> float:
    """What rounding does to a model that makes much of little, as a recurrent one may: seen by asking in float64, and
    by changing its weights by a few of their last digits. No leak shows like this, and only so much is granted."""
    if predictor.module is None or not len(each.seen):
        return 0.0
    ids = torch.from_numpy(each.seen[None])
    with larger_weights(predictor.module, 1 + STEPS[predictor.dtype]):
        change = largest_change(said, _log_probs(predictor, ids)[0, -1].cpu())
    if predictor.dtype != torch.float32:
        return min(NOISE * change, 1.0)
    try:
        predictor.module.double()
        change = max(change, largest_change(said, _log_probs(predictor, ids)[0, -1].cpu()))
    finally:
        predictor.module.float()  # which gives every weight back as it was
    return min(NOISE * change, GRANTED * max(1.0, said.abs().nan_to_num(0.0, 0.0).max().item()))


def _unsteady(predictor: Predictor, each: MeasuredToken) -> bool:
    """Whether the same question has another answer when it is asked again."""
    if not len(each.seen):
        return False
    ids = torch.from_numpy(each.seen[None])
    first, second = (predictor.log_probs(ids)[0, -1].cpu() for _ in range(2))
    return (first - second).abs().max().item() > tolerance(predictor, first)


def _log_probs(predictor: Predictor, ids: Tensor) -> Float[Tensor, "batch positions vocab"]:
    with drawn_alike(predictor.device):
        return predictor.log_probs(ids)


def _change(found: float, owed: float) -> float:
    """How far two costs are apart; what is no number in both, or endless in both, is not."""
    if found == owed or (np.isnan(found) and np.isnan(owed)):
        return 0.0
    return float(np.nan_to_num(abs(found - owed), nan=np.inf))


def _too_much(predictor: Predictor, saved: Sequence[float]) -> float:
    """The mean of what was saved, where it is more than rounding up and down alike explains; else 0."""
    some = np.array(saved)
    some = some[np.isfinite(some)]
    if predictor.dtype == torch.float32 or len(some) < FEWEST:
        return 0.0
    mean, error = float(some.mean()), float(some.std() / len(some) ** 0.5)
    return mean if abs(mean) > ERRORS * error + 1e-3 else 0.0


def _check(found: Sequence[tuple[Witness, Recount]]) -> Check:
    """The check of a measurement, under all of its policies."""
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
            why = ", since later tokens come through" if each.difference.leaks else ""
            return Check(NAME, False, f"{each.difference}{why}{how}", numbers)
        if each.saved:
            said = f"on average, tokens were measured at {each.saved:.2g} nats less than they cost{how}"
            return Check(NAME, False, said, numbers | {"saved": each.saved})
        if each.unsteady:
            return Check(NAME, False, "cannot be checked: asked twice, it says different things", numbers)
    said = f"{drawn:,} tokens drawn at random cost the same when the model sees only the tokens before them"
    if most:
        said += f", so at most {100 * most:.2g} % of all tokens can be wrong (95 % confidence)"
    kinds = numbers["kinds"]
    return Check(
        NAME, True, f"{said}; so do {kinds:,} more, spread evenly over the vocabulary" if kinds else said, numbers
    )
