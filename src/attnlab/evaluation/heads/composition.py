"""Composition: how strongly a later head reads what an earlier head writes, from their matrices alone.

A head that writes M₁ = W_O W_V can change the queries, the keys or the values of a later head. The score compares the
product of the two matrices with their sizes, ‖M₂M₁‖ / (‖M₂‖ ‖M₁‖) in Frobenius norms (Elhage et al. 2021). It is 0 if
the later head reads nothing of what the earlier one writes, and at most 1.
"""

from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.chance import Chance
from attnlab.evaluation.heads.circuits import random_circuits
from attnlab.models.inside import Circuits, Inside

Reading = Literal["query", "key", "value"]
"""Where the later head reads: M₂ is W_KᵀW_Q, W_QᵀW_K or W_OW_V."""
READINGS: tuple[Reading, ...] = get_args(Reading)

Scores = Float[Tensor, "later earlier"]


@torch.no_grad()
def composition(later: Circuits, earlier: Circuits, reading: Reading) -> Scores:
    """The score of every pair of heads, with the gains of both layers' norms folded in; 0 if a matrix is 0. Raises if
    the later heads have no W_Q and W_K and `reading` is not value.

    >>> east, north = torch.eye(2).view(2, 1, 1, 2)
    >>> first = Circuits(north, north, north, east.mT, None)  # it reads north and writes east
    >>> composition(Circuits(east, east, east, east.mT, None), first, "key").tolist()
    [[1.0]]
    >>> composition(first, first, "key").tolist()
    [[0.0]]
    """
    left, right = _factors(later, reading)
    out = _near_one(earlier.out.double())
    writes, reads = _triangle(out.mT), _triangle(_folded(earlier.value, earlier.norm))
    middle = torch.einsum("ldw,ewf->ledf", right, out)
    products = left[:, None] @ middle @ reads.mT
    sizes = _size(left @ _triangle(right).mT)[:, None] * _size(writes @ reads.mT)
    return _size(products) / sizes.clamp_min(torch.finfo(sizes.dtype).tiny)


def compositions(inside: Inside, reading: Reading) -> Float[Tensor, "layers heads layers heads"] | None:
    """The scores of all pairs of a model's heads, the later one first; NaN where the first is not the later one. None
    if the lab does not know the layout of this model, or if the heads have no such matrices."""
    layers = [inside.circuits(layer) for layer in range(inside.layers)]
    known = [each for each in layers if each is not None and (reading == "value" or each.query is not None)]
    if len(known) < inside.layers:
        return None
    found = torch.full((inside.layers, inside.heads) * 2, torch.nan, dtype=torch.float64)
    for second in range(inside.layers):
        for first in range(second):
            found[second, :, first] = composition(known[second], known[first], reading).cpu()
    return found


def composition_chance(width: int, dim: int, reading: Reading, seed: int = 0) -> Chance:
    """Heads with independent normal weights: near 1/√width, the root mean square for any two matrices of which one is
    turned at random; and the standard deviation among pairs of heads."""
    later, earlier = random_circuits(width, dim, 2 * seed), random_circuits(width, dim, 2 * seed + 1)
    found = composition(later, earlier, reading)
    return Chance(float(found.mean()), float(found.std()))


def _factors(
    later: Circuits, reading: Reading
) -> tuple[Float[Tensor, "heads rank dim"], Float[Tensor, "heads dim width"]]:
    """M₂ as a product: a small matrix that has the same norms as its left factor, and its right factor."""
    if reading == "value":
        return _triangle(_near_one(later.out.double()).mT), _folded(later.value, later.norm)
    if later.query is None or later.key is None:
        raise ArgumentError("reading", f"expected value, got {reading}: these heads have no W_Q and W_K")
    query, key = _folded(later.query, later.norm), _folded(later.key, later.norm)
    return (_triangle(key), query) if reading == "query" else (_triangle(query), key)


def _folded(
    matrix: Float[Tensor, "heads dim width"], norm: Float[Tensor, " width"] | None
) -> Float[Tensor, "heads dim width"]:
    return _near_one(matrix.double() if norm is None else matrix.double() * norm.double())


def _near_one(matrix: Float[Tensor, "heads rows columns"]) -> Float[Tensor, "heads rows columns"]:
    """Each head's matrix times a power of 2, which changes no score: its largest number is near 1, so that no product
    of huge or tiny weights overflows or underflows."""
    _, exponent = torch.frexp(matrix.abs().amax((1, 2), keepdim=True))
    return torch.ldexp(matrix, -exponent)


def _triangle(matrix: Float[Tensor, "heads dim width"]) -> Float[Tensor, "heads rank dim"]:
    """R, with matrixᵀ = QR and Q of orthonormal columns: matrixᵀ X has the norm of R X."""
    return torch.linalg.qr(matrix.mT, mode="r").R


def _size(matrix: Float[Tensor, "... rows columns"]) -> Float[Tensor, "..."]:
    return torch.linalg.matrix_norm(matrix)
