"""Queries that give some keys weights in given ratios: step 1 of `queries`. Notation as there."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray

# Differences of keys below this part of the keys' lengths are rounding errors.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Ratios:
    """Step 1: q₀, an orthonormal basis of the k_s − m, the residual r; and p and β of the keys of R."""

    query: Float[ndarray, "dim"]
    basis: Float[ndarray, "dim rank"]
    residual: Float[ndarray, "support"]
    points: Float[ndarray, "rest dim"]
    offsets: Float[ndarray, "rest"]


def hold_ratios(keys: Float[ndarray, "keys dim"], wanted: Float[ndarray, "keys"], cut: float = 0.0) -> Ratios:
    """The shortest query with the wanted ratios on S, and its effect on the other keys.

    Directions in which the keys of S spread less than this part, `cut`, of their largest spread are left out.
    """
    support = wanted > 0
    middle = keys[support].mean(0)
    lengths = np.linalg.norm(keys, axis=1)
    differences = keys[support] - middle
    logs = np.log(wanted[support])
    left, sizes, right = np.linalg.svd(differences, full_matrices=False)
    kept = sizes > max(cut * sizes[0], ROUNDING * lengths[support].max())
    basis = right[kept].T
    query = np.zeros(keys.shape[1])
    for _ in range(3):  # the later passes remove the rounding error of the first
        missing = logs - logs.mean() - differences @ query
        query = query + basis @ ((left[:, kept].T @ missing) / sizes[kept])
    points = middle - keys[~support]
    for _ in range(2):  # the second pass removes the rounding error of the first
        points = points - (points @ basis) @ basis.T
    if basis.size:
        points[np.linalg.norm(points, axis=1) <= ROUNDING * (lengths[~support] + lengths[support].max())] = 0.0
    offsets = (keys[~support] - middle) @ query + logs.mean()
    return Ratios(query, basis, logs - logs.mean() - differences @ query, points, offsets)
