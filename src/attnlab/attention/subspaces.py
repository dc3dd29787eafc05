"""Extracts one vector from a sum: from v_a + v_b, with v_a and v_b in known spans, the matrix that returns v_a.

One matrix M must do it for every v_a in span(a) and v_b in span(b), so M v_a = v_a (take v_b = 0) and M v_b = 0: M is
the projector onto span(a) along span(b). If the spans share a direction x ≠ 0 there is none, linear or not:
v_a + x and v_b − x have the same sum as v_a and v_b.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.argument_checks import LARGEST, check_size, exact_matrix
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

SAME_DIRECTION = 1e-9  # directions with a smaller sine of their angle are the same, up to rounding


@dataclass(frozen=True)
class Extraction:
    """The matrix M with M(v_a + v_b) = v_a, in float64 on the device of `a`, and how it amplifies errors.

    `condition` is ‖M‖₂: an error e in the sum comes out as an error of at most condition · ‖e‖. It is 1 / sin(angle), 1
    if the spans are orthogonal, and 0 if span(a) = {0}, for then M = 0. `angle` is the smallest angle between a vector
    of one span and one of the other, in radians; π/2 if either is {0}.
    """

    projector: Float[Tensor, "dim dim"]
    kind: Literal["orthogonal", "oblique"]
    condition: float
    angle: float


@dataclass(frozen=True)
class SharedDirection:
    """A unit vector in both spans: vector = a @ in_a = b @ in_b."""

    vector: Float[Tensor, "dim"]
    in_a: Float[Tensor, "m"]
    in_b: Float[Tensor, "p"]


@dataclass(frozen=True)
class _Span:
    """An orthonormal basis of a span and of its complement, and the basis in terms of the columns."""

    basis: Float[Tensor, "dim rank"]
    rest: Float[Tensor, "dim corank"]
    in_columns: Float[Tensor, "columns rank"]  # columns @ in_columns = basis


def extractor(a: Float[Tensor, "dim m"], b: Float[Tensor, "dim p"]) -> Extraction | Impossible[SharedDirection]:
    """The matrix M with M(v_a + v_b) = v_a for all v_a in span(a) and v_b in span(b), or why there is no such matrix.

    The columns of `a` and of `b` span the two subspaces; they need not be independent. Let A be an orthonormal
    basis of span(a), and C one of all that is orthogonal to span(b). Then

        M = A (CᵀA)⁺ Cᵀ

    M b = 0, for Cᵀb = 0; and M A = A (CᵀA)⁺(CᵀA) = A if CᵀA has independent columns. Its smallest singular value is
    min ‖CᵀAw‖ over unit w, the smallest distance of a unit vector of span(a) from span(b): sin θ, θ the smallest angle
    between the spans. A and C do not change lengths, so ‖M‖₂ = ‖(CᵀA)⁺‖₂ = 1 / sin θ. If span(a) lies in that of C
    (orthogonal spans), (CᵀA)⁺ = AᵀC and CCᵀA = A, so M = A Aᵀ.

    sin θ < 1e-9 counts as a shared direction, and so does, within `a` or `b`, a direction in which the columns scaled
    to unit length are weaker than 1e-9 of the strongest: it is rounding, no direction of its own.

    >>> found = extractor(torch.tensor([[1.0], [0.0]]), torch.tensor([[1.0], [1.0]]))
    >>> [round(m, 6) for m in found.projector[0].tolist()], found.kind, round(found.condition, 6)
    ([1.0, -1.0], 'oblique', 1.414214)
    """
    onto = _span("a", a)
    along = _span("b", b, device=onto.basis.device)
    if a.shape[0] != b.shape[0]:
        raise ArgumentError("b", f"expected {a.shape[0]} rows as in a, got {b.shape[0]}")
    cosine = _norm(along.basis.mT @ onto.basis)
    if cosine <= _orthogonal_within(a, b):
        projector = onto.basis @ onto.basis.mT
        return Extraction(projector, "orthogonal", 1.0 if onto.basis.shape[1] else 0.0, math.pi / 2)
    left, sines, right = torch.linalg.svd(along.rest.mT @ onto.basis, full_matrices=True)
    rank = onto.basis.shape[1]
    # If span(a) has more dimensions than the complement of span(b), the spans overlap, whatever the sines are.
    sine = float(sines[-1]) if len(sines) == rank else 0.0
    if sine < SAME_DIRECTION:
        return _shared(onto, along, right[-1])
    inverse = right.mT / sines @ left[:, :rank].mT
    projector = onto.basis @ inverse @ along.rest.mT
    return Extraction(projector, "oblique", 1.0 / sine, math.atan2(sine, cosine))


def _span(name: str, columns: Float[Tensor, "dim columns"], device: torch.device | None = None) -> _Span:
    """The span of the columns, each scaled to unit length first, so that short columns count as much as long ones."""
    exact = exact_matrix(name, columns, "dim", "vectors").to(device)
    sizes = exact.abs().amax(0)
    for column in range(exact.shape[1]):
        check_size(name, exact[:, column], smallest=1 / LARGEST)
    lengths = torch.where(sizes > 0, exact.norm(dim=0), 1.0)
    left, strengths, right = torch.linalg.svd(exact / lengths, full_matrices=True)
    rank = int((strengths > SAME_DIRECTION * strengths[0]).sum())
    in_columns = (right[:rank].mT / strengths[:rank]) / lengths[:, None]
    return _Span(left[:, :rank], left[:, rank:], in_columns)


def _orthogonal_within(a: Tensor, b: Tensor) -> float:
    """The largest cosine that counts as orthogonal, given the rounding of the inputs; at most float32's rounding."""
    rounding = min(max(torch.finfo(a.dtype).eps, torch.finfo(b.dtype).eps), torch.finfo(torch.float32).eps)
    return 8 * rounding * math.sqrt(a.shape[0])


def _norm(matrix: Float[Tensor, "rows columns"]) -> float:
    """The largest singular value; 0 for a matrix without rows or columns."""
    return float(torch.linalg.matrix_norm(matrix, 2)) if matrix.numel() else 0.0


def _shared(onto: _Span, along: _Span, weights: Float[Tensor, "rank"]) -> Impossible[SharedDirection]:
    """The proof that nothing extracts, from the shared direction's coordinates in the basis of span(a)."""
    vector = onto.basis @ weights
    direction = SharedDirection(vector, onto.in_columns @ weights, along.in_columns @ (along.basis.mT @ vector))
    return Impossible(
        "the spans of a and b share a direction x (to within rounding: the sine of their angle is below "
        f"{SAME_DIRECTION:g}), so v_a + x and v_b − x have the same sum as v_a and v_b, and no M can tell them apart",
        direction,
    )
