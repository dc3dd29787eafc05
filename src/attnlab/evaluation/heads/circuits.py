"""What the matrices of a head say without a text: copying by eigenvalues, and effective ranks.

A head reads x through W_V and adds W_O v to the residual stream. From token to token that is a matrix of the size of
the vocabulary, W_E W_V W_O W_U, of a rank of at most the head's width: its eigenvalues that are not 0 are those of the
product taken in the other order, W_V (W_E W_U) W_O, which has the size of a head (Elhage et al. 2021).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.models.inside import Circuits, Inside

RANDOM_HEADS = 32
"""The number of random heads that give chance."""

PerHead = Float[Tensor, " heads"]


def token_map(inside: Inside) -> Float[Tensor, "width width"]:
    """W_E W_U g, which has the size of the residual stream: the vocabulary between what a head writes and reads. g is
    the gain of the last norm. It is on the CPU, where eigenvalues are at home."""
    embeddings, read, gain = inside.ends()
    product = embeddings.float().mT @ read.float()
    return (product if gain is None else product * gain.float()).double().cpu()


@torch.no_grad()
def circuit_scores(circuits: Circuits, tokens: Float[Tensor, "width width"]) -> dict[str, PerHead]:
    """The scores of a layer's heads from their matrices, with the gain of the layer's norm folded in."""
    gain = 1.0 if circuits.norm is None else circuits.norm.to(tokens)
    value, out = circuits.value.to(tokens) * gain, circuits.out.to(tokens)
    found = {
        "copying_eigenvalues": copying_by_eigenvalues(value @ tokens @ out),
        "ov_rank": effective_rank(product_values(out.mT, value)),
    }
    if circuits.query is not None and circuits.key is not None:
        read = circuits.query.to(tokens) * gain, circuits.key.to(tokens) * gain
        found["qk_rank"] = effective_rank(product_values(*read))
    return found


def copying_by_eigenvalues(products: Float[Tensor, "heads dim dim"]) -> PerHead:
    """Σ Re λ / Σ |λ|: 1 if all eigenvalues are positive, −1 if all are negative; 0 for a product of zeros.

    >>> copying_by_eigenvalues(torch.tensor([[[2.0, 0.0], [0.0, 1.0]], [[0.0, -1.0], [1.0, 0.0]]])).tolist()
    [1.0, 0.0]
    """
    values = torch.linalg.eigvals(products)
    return values.real.sum(-1) / values.abs().sum(-1).clamp_min(torch.finfo(products.dtype).tiny)


def product_values(
    left: Float[Tensor, "heads dim width"], right: Float[Tensor, "heads dim width"]
) -> Float[Tensor, "heads rank"]:
    """The singular values of leftᵀ right that are not 0 by its rank, from a product of the size of a head."""
    triangles = [torch.linalg.qr(each.mT, mode="r").R for each in (left, right)]
    return torch.linalg.svdvals(triangles[0] @ triangles[1].mT)


def effective_rank(singular: Float[Tensor, "heads rank"]) -> PerHead:
    """exp H(s²/Σs²): how many directions a matrix has, counted by how strong they are.

    >>> effective_rank(torch.tensor([[1.0, 1.0, 0.0], [3.0, 0.0, 0.0]])).tolist()
    [2.0, 1.0]
    """
    shares = singular**2 / (singular**2).sum(-1, keepdim=True).clamp_min(torch.finfo(singular.dtype).tiny)
    return torch.special.entr(shares).sum(-1).exp()


def random_circuits(width: int, dim: int, seed: int) -> Circuits:
    """Heads with independent normal weights."""
    draw = torch.Generator().manual_seed(seed)
    q, k, v, o = torch.randn(4, RANDOM_HEADS, dim, width, generator=draw, dtype=torch.float64)
    return Circuits(q, k, v, o.mT, None)
