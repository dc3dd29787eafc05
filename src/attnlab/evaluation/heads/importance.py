"""The first-order estimate of what a head is worth, from one backward pass.

Let each head's output be multiplied by a gate ξ, which is 1. To first order, switching the head off costs −∂L/∂ξ.
Michel et al. 2019, "Are sixteen heads really better than one?", rank heads by E|∂L/∂ξ|, here over windows of a text.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.evaluation.heads.ablation import Advance
from attnlab.evaluation.heads.passages import Passage, pass_through
from attnlab.evaluation.heads.variants import rows_at_once, target_nats
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.inside import Inside
from attnlab.models.lens import Lens

KEPT = 8
"""A backward pass holds the activations of all layers: it takes this share of the rows of a pass."""


@dataclass(frozen=True)
class FirstOrder:
    """The first-order estimates of each head for each block of a text, in nats."""

    signed: Float[np.ndarray, "blocks layers heads"]
    """−∂L/∂ξ: what switching the head off would cost, if the cost were linear."""
    importance: Float[np.ndarray, "blocks layers heads"]
    """|∂L/∂ξ| of each window, added up over the windows of a block."""


def first_order(
    subject: Subject, inside: Inside, passage: Passage, advance: Advance = lambda tokens: None
) -> FirstOrder:
    """The estimates from one backward pass over the passage."""
    signed, importance = (np.zeros((passage.blocks, inside.layers, inside.heads)) for _ in range(2))

    def nats(ids: Tensor, targets: Tensor, blocks: np.ndarray) -> Tensor:
        rows = max(1, rows_at_once(inside, ids.shape[1]) // KEPT)
        for first in range(0, len(ids), rows):
            here = slice(first, first + rows)
            slopes = _slopes(inside, ids[here], targets[here])
            np.add.at(signed, blocks[here], -slopes)
            np.add.at(importance, blocks[here], np.abs(slopes))
        return torch.zeros(targets.shape)

    pass_through(subject, passage, nats, advance)
    return FirstOrder(signed, importance)


def _slopes(inside: Inside, ids: Tensor, targets: Tensor) -> Float[np.ndarray, "windows layers heads"]:
    """∂L/∂ξ of each head, with L the nats of each window's targets."""
    with torch.enable_grad():
        gates = torch.ones(len(ids), inside.layers, inside.heads, device=inside.device, requires_grad=True)
        nats = target_nats(inside.logits(ids, Lens(gain=gates)), targets)
        (slopes,) = torch.autograd.grad(nats.sum(), gates)
    return slopes.double().cpu().numpy()
