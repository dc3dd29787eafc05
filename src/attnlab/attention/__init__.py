"""Attention as exact mathematics: no training, no models.

functional     scores, masks, softmax, mixing, heads
design         the query that copies, averages or mixes keys, or the proof that there is no such query
subspaces      extracts one vector from a sum
noise          Gaussian keys: the exact distribution of the weights and the output
best_queries   the queries that come closest to a target under noise
remedies       remedies against noise, and how much each helps
constructions  Q, K and V that give wanted outputs for inputs that are sums of orthogonal parts
scenario       the averaging question of the coursework
"""

from attnlab.attention.best_queries import Best, best_queries, best_scale
from attnlab.attention.design import (
    Containment,
    Dependency,
    Design,
    average_query,
    average_scale,
    copy_query,
    copy_scale,
    mix_query,
    scale_for,
)
from attnlab.attention.functional import (
    Attention,
    attend,
    average_heads,
    causal_mask,
    concatenate_heads,
    mask_logits,
    mix,
    scores,
    softmax,
)
from attnlab.attention.impossible import Impossible
from attnlab.attention.noise import Bounded, Distribution, NoisyKeys, distribution, noisy_keys
from attnlab.attention.remedies import Remedy, remedies
from attnlab.attention.scenario import AveragingQuestion
from attnlab.attention.subspaces import Extraction, SharedDirection, extractor

__all__ = [
    "Attention",
    "AveragingQuestion",
    "Best",
    "Bounded",
    "Containment",
    "Dependency",
    "Design",
    "Distribution",
    "Extraction",
    "Impossible",
    "NoisyKeys",
    "Remedy",
    "SharedDirection",
    "attend",
    "average_heads",
    "average_query",
    "average_scale",
    "best_queries",
    "best_scale",
    "causal_mask",
    "concatenate_heads",
    "copy_query",
    "copy_scale",
    "distribution",
    "extractor",
    "mask_logits",
    "mix",
    "mix_query",
    "noisy_keys",
    "remedies",
    "scale_for",
    "scores",
    "softmax",
]
