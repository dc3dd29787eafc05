"""Columns whose logits do not move are merged into one, so that a hundred keys of which one moves cost as much as two.

In a head, the weights of such columns keep their proportions: α_j(z) = p_j A(z), where A is their sum and p_j is fixed.
So what is known of A is known of each of them. With orthonormal values and one head of share w,

    Σ_j n_j (w p_j A − t_j)² = Q (w A − b / Q)² + Σ_j n_j (t_j − p_j b / Q)²,    Q = Σ_j n_j p_j²,  b = Σ_j n_j p_j t_j
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.readout import Readout


@dataclass(frozen=True)
class Merged:
    """A readout with fewer columns, and how to get back to those that it had."""

    readout: Readout
    logits: Logits
    column: Int[Tensor, "columns"]
    """The merged column of each column."""
    share: Float[Tensor, "columns"]
    """The weight of a key, as a share of the weight of its merged column."""


def merge_still(asked: Readout, logits: Logits) -> Merged:
    """The readout of one head with its still columns merged, for the moments of all weights. With more heads each has
    proportions of its own, and nothing is merged."""
    columns = torch.arange(logits.columns, device=asked.counts.device)
    still = torch.nonzero(logits.still)[:, 0]
    if len(asked.head_weights) > 1 or len(still) < 2:
        return Merged(asked, logits, columns, torch.ones_like(asked.counts))
    merged, shares = _merged(asked, logits, still)
    (part,), counts = shares, asked.counts[still]
    kept = torch.nonzero(~logits.still)[:, 0]
    column, share = torch.full_like(columns, len(kept)), torch.ones_like(asked.counts)
    column[kept], share[still] = columns[: len(kept)], part
    pulls, aim, rest, mass = asked.pulls, asked.aim, asked.rest, (counts * part**2).sum()
    if pulls is None:
        best = (counts * part * aim[still]).sum() / mass
        rest += float(counts @ (aim[still] - part * best).square())
        aim = torch.cat([aim[kept], best[None]])
    else:
        pulls = torch.cat([pulls[kept], (part @ pulls[still])[None]])
    masses = torch.cat([asked.masses[kept], mass[None]])
    ones = torch.cat([asked.counts[kept], part.new_ones(1)])
    made = replace(asked, logits=merged, counts=ones, masses=masses, pulls=pulls, aim=aim, rest=rest)
    return Merged(made, merged, column, share)


def merge_others(asked: Readout, logits: Logits, column: int) -> tuple[Readout, Logits, int]:
    """The readout with the still columns but one merged, for the law of that one's weight; and its new number. The
    readout has no target any more."""
    still = torch.nonzero(logits.still)[:, 0]
    still = still[still != column]
    if len(still) < 2:
        return asked, logits, column
    merged, _ = _merged(asked, logits, still)
    others = torch.ones_like(logits.still).index_fill(0, still, False)
    counts = torch.cat([asked.counts[others], asked.counts.new_ones(1)])
    return replace(asked, logits=merged, counts=counts, masses=counts, pulls=None), merged, int(others[:column].sum())


def _merged(asked: Readout, logits: Logits, still: Tensor) -> tuple[Logits, Float[Tensor, "heads still"]]:
    """The logits with some still columns as one, the last; and the part of a key of each of them in each head."""
    kept = torch.ones_like(logits.still).index_fill(0, still, False)
    fixed = logits.fixed[:, still]
    total = torch.logsumexp(fixed + asked.log_counts[still], 1, keepdim=True)
    mean, factors, frames = torch.cat([logits.mean[:, kept], total], 1), logits.factors[..., kept], logits.frames
    factors = torch.cat([factors, factors.new_zeros(*factors.shape[:2], 1)], 2)
    if frames is not None:
        one = torch.zeros_like(frames[:1])
        one[0, 0, 0] = 1.0
        frames = torch.cat([frames[kept], one])
    column = torch.arange(mean.shape[1], device=mean.device)
    return Logits(mean, factors, frames, column), (fixed - total).exp()
