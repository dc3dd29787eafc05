"""Updates of some rows of a large table, in place: rows that are not in a batch take no time.

Adam (Kingma & Ba 2015), on the rows of a batch only:

m ← β₁m + (1 − β₁)g        v ← β₂v + (1 − β₂)g²        w ← w − η s m̂/(√v̂ + ε)

Adagrad (Duchi et al. 2011), with one v for each row, which needs 1/dim of the memory:

v ← v + mean g²             w ← w − η s g/(√v + ε)

s is a factor for each row or coordinate, 1 by default.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.training.classifier.settings import Rule

BETAS = (0.9, 0.999)
EPSILON = 1e-8


class RowUpdates:
    """A table and the optimiser's state of its rows.

    >>> table = torch.zeros(1000, 2)
    >>> updates = RowUpdates(table, "adagrad")
    >>> updates.begin()
    >>> updates.move(torch.tensor([7]), torch.ones(1, 2), rate=0.5)
    >>> table[6:9].tolist()
    [[0.0, 0.0], [-0.5, -0.5], [0.0, 0.0]]
    """

    def __init__(self, table: Float[Tensor, "rows dim"], rule: Rule, steps: Float[Tensor, "rows _"] | None = None):
        self.table, self.rule, self.steps = table, rule, steps
        # The state of a row is stored side by side, because most of the time goes into memory access.
        self.memory = table.new_zeros(len(table), 2 * table.shape[1] if rule == "adam" else 1)
        self.count = 0

    @torch.no_grad()
    def move(self, rows: Int[Tensor, " few"], gradient: Float[Tensor, "few dim"], rate: float) -> None:
        """Update some rows; `rows` must not name a row twice."""
        memory = self.memory.index_select(0, rows)
        if self.rule == "adam":
            squares, means = memory.chunk(2, 1)
            means.lerp_(gradient, 1 - BETAS[0])
            squares.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
            corrected = [1 - beta**self.count for beta in BETAS]
            step = (means / corrected[0]).div_((squares / corrected[1]).sqrt_().add_(EPSILON))
        else:
            memory.add_(gradient.square().mean(1, keepdim=True))
            step = gradient / memory.sqrt().add_(EPSILON)
        self.memory.index_copy_(0, rows, memory)
        if self.steps is not None:
            step *= self.steps.index_select(0, rows)
        # torch's index_add_ takes several times as long.
        self.table.index_copy_(0, rows, self.table.index_select(0, rows).sub_(step, alpha=rate))

    def begin(self) -> None:
        """Begin a batch. One or more calls of `move` follow."""
        self.count += 1
