"""The largest weight that any query could give to the attended key, and what the head's own query gives it.

Without a limit on the length of a query, geometry decides: a key outside the hull of the others can get any weight
below 1; a key inside it cannot get more than a bound, and the mixture of other keys that it is proves the bound. With
queries no longer than the head's own, the best weight is a concave problem: ln α_a(q) is concave in q. For every q, and
every query q' no longer than R, ln α_a(q') ≤ ln α_a(q) + R‖g‖ − gᵀq, where g is the gradient at q: a proven bound.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from attnlab.attention.design import copy_query
from attnlab.attention.design.obstacles import Containment
from attnlab.attention.impossible import Impossible
from attnlab.evaluation.heads.theory.rows import QueryRow

GAP = 1e-4
STEPS = 2_000


@dataclass(frozen=True)
class Reach:
    """The weight of the attended key in one row: the head's, the best of queries as long as its own with a proven
    bound, and the most of any query (1, or less if the key is in the hull of the others)."""

    given: float
    best: float
    bound: float
    limit: float
    hull: str
    """Why the limit is below 1; empty if it is not."""


def reach(row: QueryRow) -> Reach:
    """What a query could give to the attended key of a row."""
    at = row.attended
    best, bound = best_weight(row, at)
    limit, hull = 1.0, ""
    keys = torch.from_numpy(row.keys)
    size = float(keys.abs().max())
    if len(keys) > 1 and size > 0:
        found = copy_query(keys / size, at, tolerance=0.5)
        if isinstance(found, Impossible):
            proof = found.certificate
            limit = 1 - proof.leak if isinstance(proof, Containment) else 0.5
            hull = found.reason
    return Reach(float(row.weights[at]), best, min(bound, limit), limit, hull)


def best_weight(row: QueryRow, at: int) -> tuple[float, float]:
    """The largest weight of a key for queries no longer than the row's own, and a bound that no such query exceeds.

    Accelerated projected gradient ascent (Nesterov 1983), until the bound is within `GAP` of the weight.
    """
    keys = row.scale * row.keys
    radius = float(np.linalg.norm(row.query))
    steepness = float(np.linalg.norm(keys - keys.mean(0), ord=2) ** 2) / 2 + 1e-12
    query = ahead = row.query.copy()
    best, bound, momentum = -np.inf, 0.0, 1.0
    for _ in range(STEPS):
        value, gradient = _ascent(keys, at, query, row.sink)
        best = max(best, value)
        bound = min(bound, value + radius * float(np.linalg.norm(gradient)) - float(gradient @ query))
        if bound - best < GAP:
            break
        step = ahead + _ascent(keys, at, ahead, row.sink)[1] / steepness
        moved = step * min(1.0, radius / max(float(np.linalg.norm(step)), 1e-300))
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        if float((ahead - moved) @ (moved - query)) > 0:  # it went too far: start the momentum again
            faster = momentum = 1.0
        ahead = moved + (momentum - 1) / faster * (moved - query)
        query, momentum = moved, faster
    return float(np.exp(best)), float(np.exp(min(bound, 0.0)))


def _ascent(
    keys: Float[np.ndarray, "keys dim"], at: int, query: Float[np.ndarray, " dim"], sink: float
) -> tuple[float, Float[np.ndarray, " dim"]]:
    """ln α_a of a query, and its gradient."""
    logits = keys @ query
    logs = logits - np.logaddexp.reduce(np.append(logits, np.log(sink)) if sink else logits)
    return float(logs[at]), keys[at] - np.exp(logs) @ keys
