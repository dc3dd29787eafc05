"""Naive Bayes: how much more common each feature is in a class than in the other classes (Wang & Manning 2012)."""

import numpy as np
from jaxtyping import Float, Int

from attnlab.text.bags import Bags


def log_count_ratios(
    bags: Bags, labels: Int[np.ndarray, " texts"], size: int, classes: int, smoothing: float = 1.0
) -> Float[np.ndarray, "size classes"]:
    """r = ln(p/q): p is a feature's share of all features in texts of a class, q its share in all other texts.

    >>> bags = Bags.of([[1, 2], [1, 3], [1, 3]])
    >>> log_count_ratios(bags, np.array([0, 1, 1]), size=4, classes=2)[:, 1].round(2)
    array([-0.29,  0.12, -0.98,  0.81], dtype=float32)
    """
    counts = np.stack(
        [np.bincount(bags.ids[labels[bags.owners] == each], minlength=size) for each in range(classes)], 1
    )
    inside = counts + smoothing
    outside = counts.sum(1, keepdims=True) - counts + smoothing
    return (np.log(inside / inside.sum(0)) - np.log(outside / outside.sum(0))).astype(np.float32)
