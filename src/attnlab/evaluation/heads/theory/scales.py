"""The scale of a head's logits, and the best scale for keys as noisy as its own.

In the averaging question, n orthonormal keys have the logit C for two of them and 0 for the others, and their lengths
are noisy. A small C attends to everything; with a large C, noise decides between the two. The best C depends on n and
on the noise. A trained head's C is how far its largest logit is above the mean of its other logits.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from attnlab.attention.best_queries import best_scale
from attnlab.attention.functional import logit_lead
from attnlab.attention.scenario import AveragingQuestion
from attnlab.evaluation.heads.theory.rows import HeadRows
from attnlab.evaluation.heads.theory.spread import LEAST


@dataclass(frozen=True)
class Scale:
    """The C of a head, and the C that would average two keys best; None if larger is always better."""

    trained: float
    best: float | None


def scale_of(head: HeadRows) -> Scale:
    """The scale of a head beside the best one for its noise."""
    gaps = [float(logit_lead(torch.from_numpy(row.logits))) for row in head.rows]
    best = best_averaging_scale(max(2, head.keys), head.variation) if head.variation >= LEAST else None
    return Scale(float(np.mean(gaps)), best)


@lru_cache(maxsize=512)
def best_averaging_scale(keys: int, variation: float) -> float | None:
    """The C with the least error in the averaging question, if both keys have noisy lengths."""
    question = AveragingQuestion(keys=keys, noisy=("a", "b"), norm_variance=variation**2)
    found = best_scale(question.noisy_keys(), question.directions(1), question.target())
    return None if found.unbounded else found.scale
