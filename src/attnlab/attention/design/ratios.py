"""Queries that give some keys weights in given ratios: step 1 of `queries`. Notation as there."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray

from attnlab.attention.design.hulls import NEAR

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


def hold_ratios(keys: Float[ndarray, "keys dim"], wanted: Float[ndarray, "keys"]) -> Ratios:
    """The shortest query with the wanted ratios on S, and its effect on the other keys."""
    support = wanted > 0
    middle = keys[support].mean(0)
    lengths = np.linalg.norm(keys, axis=1)
    differences = keys[support] - middle
    logs = np.log(wanted[support])
    left, sizes, right = np.linalg.svd(differences, full_matrices=False)
    kept = sizes > max(NEAR * sizes[0], ROUNDING * lengths[support].max())
    basis = right[kept].T
    query = basis @ ((left[:, kept].T @ (logs - logs.mean())) / sizes[kept])
    points = middle - keys[~support]
    for _ in range(2):  # the second pass removes the rounding error of the first
        points = points - (points @ basis) @ basis.T
    rounded = np.linalg.norm(points, axis=1) <= ROUNDING * (lengths[~support] + lengths[support].max())
    points[rounded] = 0.0
    offsets = (keys[~support] - middle) @ query + logs.mean()
    return Ratios(query, basis, logs - logs.mean() - differences @ query, points, offsets)
