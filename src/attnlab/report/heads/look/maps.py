"""Maps of attention made smaller: a picture of 1,024 tokens has fewer pixels than weights."""

import numpy as np
from jaxtyping import Float32


def pooled(weights: Float32[np.ndarray, "tokens tokens"], most: int) -> tuple[Float32[np.ndarray, "side side"], int]:
    """The map with at most `most` rows and columns, and how many tokens stand in one row of it. A square shows the
    largest weight that it covers, so that a lone strong weight stays visible.

    >>> pooled(np.tri(4, dtype=np.float32) / 4, 2)
    (array([[0.25, 0.  ],
           [0.25, 0.25]], dtype=float32), 2)
    """
    count = len(weights)
    every = -(-count // most)
    side = -(-count // every)
    padded = np.zeros((side * every, side * every), np.float32)
    padded[:count, :count] = weights
    return padded.reshape(side, every, side, every).max((1, 3)), every
