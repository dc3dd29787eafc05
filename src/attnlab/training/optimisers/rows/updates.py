"""Updates of some rows of a large table, in place: rows that are not in a batch take no time.

Adam (Kingma & Ba 2015), on the rows of a batch only:

m ← β₁m + (1 − β₁)g        v ← β₂v + (1 − β₂)g²        w ← w − η s m̂/(√v̂ + ε)

Adagrad (Duchi et al. 2011), with one v for each row, which needs 1/dim of the memory:

v ← v + mean g²             w ← w − η s g/(√v + ε)

s is a factor for each row or coordinate, 1 by default.
"""

import numpy as np
from jaxtyping import Float, Int32

from attnlab.training.classifier.settings import Rule

BETAS = (0.9, 0.999)
EPSILON = 1e-8


class RowUpdates:
    """A table and the optimiser's state of its rows.

    >>> table = np.zeros((1000, 2), np.float32)
    >>> updates = RowUpdates(table, "adagrad")
    >>> updates.begin()
    >>> updates.move(np.array([7], np.int32), np.array([0], np.int32), np.ones((1, 2), np.float32), rate=0.5)
    >>> table[6:9].tolist()
    [[0.0, 0.0], [-0.5, -0.5], [0.0, 0.0]]
    """

    def __init__(
        self, table: Float[np.ndarray, "rows dim"], rule: Rule, steps: Float[np.ndarray, "rows _"] | None = None
    ):
        self.table, self.rule = table, rule
        self.steps = np.ones((1, 1), np.float32) if steps is None else np.ascontiguousarray(steps, np.float32)
        # The state of a row is stored side by side, because most of the time goes into memory access.
        self.memory = np.zeros((len(table), 2 * table.shape[1] if rule == "adam" else 1), np.float32)
        self.count = 0

    def begin(self) -> None:
        """Begin a batch. One or more calls of `move` follow, each with other rows."""
        self.count += 1

    def move(
        self,
        rows: Int32[np.ndarray, " pairs"],
        texts: Int32[np.ndarray, " pairs"],
        gradients: Float[np.ndarray, "texts dim"],
        rate: float,
    ) -> None:
        """Update some rows. The pairs are sorted by row; the gradient of a row is the sum over its texts."""
        from attnlab.training.optimisers.rows.loops import adagrad, adam

        if self.rule == "adagrad":
            adagrad(rows, texts, gradients, rate, EPSILON, self.steps, self.memory, self.table)
        else:
            betas = np.array(BETAS)
            old, new, whole = (each.astype(np.float32) for each in (betas, 1 - betas, 1 - betas**self.count))
            adam(rows, texts, gradients, rate, EPSILON, old, new, whole, self.steps, self.memory, self.table)
