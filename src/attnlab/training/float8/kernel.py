"""The kernel of `readout.to_gradient` for a GPU, in Triton; that function has the formula.

One program reads one row of logits twice. The second time, the row should come from the cache: so the first reading
asks to keep it, and what is written does not.
"""

from typing import Any

import torch
from torch import Tensor

from attnlab.training.targets import NOT_LEARNT

try:
    import triton  # pyright: ignore[reportMissingImports]
    import triton.language  # pyright: ignore[reportMissingImports]

    jit, tl = triton.jit, triton.language
except ModuleNotFoundError:  # torch for CPUs comes without Triton; nothing is launched there
    jit, tl = (lambda kernel: kernel), None

jit: Any
tl: Any

BLOCK, WARPS = 4096, 16


def launch(logits: Tensor, targets: Tensor, share: Tensor, factor: float) -> tuple[Tensor, Tensor | None]:
    """−ln p of each target; writes the gradient over the logits, and into a float8 matrix if the factor is not 0."""
    rows, columns = logits.shape
    costs = torch.empty(rows, device=logits.device)
    small = torch.empty_like(logits, dtype=torch.float8_e5m2) if factor else None
    other = logits if small is None else small
    kernel: Any = _costs
    given = (logits, other, targets, costs, share, columns, factor, small is not None, BLOCK, NOT_LEARNT)
    kernel[(rows,)](*given, num_warps=WARPS)
    return costs, small


# pyright: reportInvalidTypeForm=false
@jit
def _costs(
    logits,
    small,
    targets,
    costs,
    share,
    columns,
    factor,
    eight: "tl.constexpr",
    block: "tl.constexpr",
    not_learnt: "tl.constexpr",
):
    row = tl.program_id(0).to(tl.int64)
    places = tl.arange(0, block)
    target = tl.load(targets + row)
    learnt = (target != not_learnt).to(tl.float32)
    start = logits + row * columns
    highest, total = -float("inf"), 0.0
    for first in range(0, columns, block):
        inside = first + places < columns
        some = tl.load(start + first + places, mask=inside, other=-float("inf"), eviction_policy="evict_last")
        some = some.to(tl.float32)
        new = tl.maximum(highest, tl.max(some, 0))
        total = total * tl.exp(highest - new) + tl.sum(tl.exp(some - new), 0)
        highest = new
    whole = highest + tl.log(total)
    own = tl.load(start + tl.maximum(target, 0)).to(tl.float32)
    tl.store(costs + row, (whole - own) * learnt)
    each = tl.load(share)
    for first in range(0, columns, block):
        inside = first + places < columns
        some = tl.load(start + first + places, mask=inside, other=-float("inf"), eviction_policy="evict_first")
        gradient = (tl.exp(some.to(tl.float32) - whole) - (first + places == target).to(tl.float32)) * learnt
        rounded = (gradient * each).to(logits.dtype.element_ty)
        tl.store(start + first + places, rounded, mask=inside, eviction_policy="evict_first")
        if eight:
            smaller = (gradient * factor).to(tl.float8e5)
            tl.store(small + row * columns + first + places, smaller, mask=inside, eviction_policy="evict_first")
