"""The read-out and the mean −ln p as one function, which computes the gradient while the logits are at hand.

With h the vectors before the read-out, W its matrix and y the targets:

    logits = h Wᵀ        G = (softmax(logits) − onehot(y)) / n        dh = G W        dW = Gᵀ h

With a vocabulary of 50,000, the logits are the largest tensor of a step, and a loss spends most of its time reading and
writing them. One kernel reads each row, and writes G over it. The logits and dh are products in float8. For dh, G is
rounded with 2 bits of fraction and a wide range, since probabilities differ by many orders of magnitude. dW stays in
bfloat16: such rounding errs in one direction for all rare tokens, and in float8 a model was seen to learn little.
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.training.float8.products import fits, multiplied, rounded
from attnlab.training.targets import learnt

WIDE = torch.float8_e5m2
FACTOR = 2.0**15
"""The largest entry of nG is 1; times this it is near the largest number of float8."""

Rounding = Callable[[Tensor], tuple[Tensor, Tensor]]
"""`products.rounded`, or the same compiled: one pass over a matrix instead of five."""


def readout_loss(
    h: Float[Tensor, "rows width"],
    weight: Float[Tensor, "vocab width"],
    targets: Int[Tensor, " rows"],
    rounding: Rounding = rounded,
) -> Float[Tensor, ""]:
    """The mean −ln p of the targets that are learnt."""
    return _ReadoutLoss.apply(h, weight, targets, rounding)


class _ReadoutLoss(torch.autograd.Function):
    """The mean −ln p; the gradient of it is computed in the forward pass."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor, targets: Tensor, rounding: Rounding) -> Tensor:
        eight = fits(weight)
        logits = multiplied(*rounding(h), *rounding(weight)) if eight else h @ weight.mT
        share = 1 / learnt(targets).sum().clamp(min=1).float()
        costs, small = to_gradient(logits, targets, share, eight=eight)
        if small is None:
            dh = logits @ weight
        else:
            shares = (share / FACTOR).expand(len(h), 1).contiguous()
            dh = multiplied(small, shares, *rounding(weight.mT.contiguous()))
        ctx.save_for_backward(dh, logits.mT @ h)
        return costs.sum() * share

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        dh, dweight = ctx.saved_tensors
        return dh * gradients[0], dweight * gradients[0], None, None


def to_gradient(
    logits: Float[Tensor, "rows vocab"], targets: Int[Tensor, " rows"], share: Float[Tensor, ""], *, eight: bool
) -> tuple[Float[Tensor, " rows"], Float[Tensor, "rows vocab"] | None]:
    """−ln p of each target (0 if it is not learnt). `logits` becomes G; if `eight`, nG × 2¹⁵ in float8 comes, too.

    >>> logits = torch.zeros(1, 2)
    >>> to_gradient(logits, torch.tensor([1]), torch.tensor(1.0), eight=False)[0].round(decimals=3), logits
    (tensor([0.6930]), tensor([[ 0.5000, -0.5000]]))
    """
    if logits.is_cuda:
        from attnlab.training.float8.kernel import launch

        return launch(logits, targets, share, FACTOR if eight else 0.0)
    counted = learnt(targets).float()[:, None]
    wanted = targets.clamp(min=0)[:, None]
    log_probs = logits.float().log_softmax(1)
    gradient = log_probs.exp()
    gradient.scatter_add_(1, wanted, -torch.ones_like(wanted, dtype=gradient.dtype))
    gradient *= counted
    logits.copy_(gradient * share)
    costs = -(log_probs.gather(1, wanted) * counted)[:, 0]
    return costs, (gradient * FACTOR).to(WIDE) if eight else None
