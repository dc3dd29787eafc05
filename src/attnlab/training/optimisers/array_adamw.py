"""AdamW for numpy arrays (Loshchilov & Hutter 2019): the same update as `adamw.py` makes of torch's tensors.

A classifier's layers are small, and it does without torch, which takes longer to import than the layers to train.
"""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

BETAS = (0.9, 0.95)
EPSILON = 1e-8


class ArrayAdamW:
    """Some arrays and the optimiser's memory of them.

    >>> weights = np.zeros(2, np.float32)
    >>> ArrayAdamW({"w": weights}).step({"w": np.array([3.0, -1.0], np.float32)}, rate=0.5)
    >>> weights.round(3).tolist()
    [-0.5, 0.5]
    """

    def __init__(self, arrays: Mapping[str, Float[np.ndarray, "..."]], weight_decay: float = 0.0):
        self.arrays, self.weight_decay, self.count = arrays, weight_decay, 0
        self.memory = {name: (np.zeros_like(each), np.zeros_like(each)) for name, each in arrays.items()}

    def step(self, gradients: Mapping[str, Float[np.ndarray, "..."]], rate: float) -> None:
        """One update of every array, in place."""
        self.count += 1
        for name, array in self.arrays.items():
            gradient, (mean, square) = gradients[name], self.memory[name]
            mean += (1 - BETAS[0]) * (gradient - mean)
            square += (1 - BETAS[1]) * (gradient**2 - square)
            corrected = mean / (1 - BETAS[0] ** self.count), square / (1 - BETAS[1] ** self.count)
            array *= 1 - rate * self.weight_decay
            array -= rate * corrected[0] / (np.sqrt(corrected[1]) + EPSILON)
