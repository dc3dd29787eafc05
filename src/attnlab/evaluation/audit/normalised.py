"""The normalisation check: next-token probabilities sum to 1, and the cost of a token is −ln p."""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.evaluation.audit.certificate import Check
from attnlab.evaluation.audit.probes import Probe, largest_change, tolerance
from attnlab.evaluation.scoring.predictors import NGramPredictor, Predictor
from attnlab.models.ngrams.ngram import NGram
from attnlab.numbers import percent

TOLERANCE = 1e-4
"""How far a sum of float32 probabilities may be from 1."""
NAME = "normalised"


def normalised(probe: Probe) -> Check:
    """Checks that probabilities sum to 1 at every position, of n-grams that are interpolated also after every context
    of the model, and that tokens cost −ln p."""
    predictor, length = probe.predictor, probe.lengths[0]  # full contexts: an n-gram model's counts differ by length
    rows = probe.rows[[0, -1]]  # one of the text, and the random one
    ids, targets = rows[:, :length], rows[:, 1 : length + 1]
    said = torch.cat([probe.log_probs(row[None]) for row in ids]).double()
    if said.shape[-1] != predictor.size:
        words = f"{said.shape[-1]:,} tokens have a probability, but {predictor.size:,} should have one"
        return Check(NAME, False, words, {"tokens": said.shape[-1], "size": predictor.size})
    chances = said.exp()
    total = chances.sum(-1)
    off = (total - 1).abs().max().item()
    beyond = chances[..., probe.tokens :].sum(-1).mean().item()
    numbers = {"largest_error": off, "tolerance": TOLERANCE, "beyond_the_tokenizer": beyond}
    endless = int((~said[..., : probe.tokens].isfinite()).any(-1).sum())
    if endless:
        why = "NaN" if said.isnan().any() else "zero"
        words = f"at {endless} of {ids.numel()} positions the probability of a token is {why}"
        return Check(NAME, False, words, numbers | {"endless_positions": endless})
    if not off <= TOLERANCE:
        words = f"probabilities sum to {total.min().item():.6g} to {total.max().item():.6g}, not to 1"
        return Check(NAME, False, words, numbers)
    numbers |= _contexts(predictor)
    if not (farthest := numbers.get("largest_error_of_contexts", 0.0)) <= TOLERANCE:
        words = f"after one of its {numbers['contexts']:,} contexts, probabilities sum to 1 only within {farthest:.3g}"
        return Check(NAME, False, words, numbers)
    expected = -said.gather(-1, targets[..., None])[..., 0]
    disagreement = _disagreement(probe, ids, targets, expected)
    numbers["costs_differ"] = disagreement
    if not disagreement <= tolerance(predictor, expected):
        words = f"the costs of tokens are not −ln p: they differ by up to {disagreement:.3g} nats"
        return Check(NAME, False, words, numbers)
    words = f"probabilities sum to 1 (within {max(off, farthest):.1e})"
    if "contexts" in numbers:
        asked = "all" if "largest_error_of_contexts" in numbers else f"{ids.numel():,} of the"
        words += f" after {asked} {numbers['contexts']:,} contexts of the model"
    if predictor.size > probe.tokens:
        more = predictor.size - probe.tokens
        words += (
            f"; {percent(beyond, decimals=2)} of the probability goes to {more:,} ids that the tokenizer never uses"
        )
    return Check(NAME, True, words, numbers)


def _contexts(predictor: Predictor) -> dict[str, float]:
    """How many contexts an n-gram model knows, and by how much the sum after one of them differs from 1 at most.
    The sums of a back-off model are not known: each takes a pass over all shorter contexts."""
    if not isinstance(predictor, NGramPredictor):
        return {}
    found: dict[str, float] = {"contexts": predictor.model.contexts}
    if isinstance(predictor.model, NGram):
        errors = (np.abs(each - 1).max(initial=0.0) for each in predictor.model.sums())
        found["largest_error_of_contexts"] = float(max(errors, default=0.0))
    return found


def _disagreement(
    probe: Probe,
    ids: Int[Tensor, "rows positions"],
    targets: Int[Tensor, "rows positions"],
    expected: Float[Tensor, "rows positions"],
) -> float:
    """The largest difference between the costs of tokens, computed in every way, and −ln p."""
    length = ids.shape[1]
    changes = []
    for row, after, cost in zip(ids, targets, expected, strict=True):
        for last in {length, max(length // 2, 1)}:
            found = probe.nats(row[None], after[None, -last:]).double()[0]
            changes.append(largest_change(cost[-last:], found))
        at_once = probe.predictor.at_once(torch.cat([row, after[-1:]]))
        if at_once is not None:
            changes.append(largest_change(cost, at_once.cpu().double()))
    return max(changes)
