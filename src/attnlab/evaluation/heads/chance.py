"""Chance: the scores of a random head. What "random" means for each measure is said in measures.py."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.evaluation.heads.circuits import circuit_scores, random_circuits
from attnlab.evaluation.heads.repeats import Repeats, control_places, placed_chance, repeated_places

REPEATED = ("induction", "duplicate", "induction_stripe")
CONTROL = ("induction_control", "duplicate_control")
"""The measures of the places of repeats.py, in their order."""


@dataclass(frozen=True)
class Chance:
    """The value of a measure for a random head, and its standard deviation among random heads (0 if it has none)."""

    value: float
    spread: float = 0.0


def pattern_chance(length: int, dim: int) -> dict[str, Chance]:
    """For windows of this length: attention spread evenly over the past, normal keys and normal logits."""
    rows = range(2, length + 1)
    even = Chance(sum(1 / each for each in rows) / len(rows))
    return {
        "previous": even,
        "self": even,
        "first": even,
        "entropy": Chance(1.0),
        "distance": Chance(length / 4),
        "logit_range": Chance(sum(map(normal_range, rows)) / len(rows)),
        "key_spread": Chance(normal_key_spread(dim)),
    }


def repeats_chance(repeats: Repeats) -> dict[str, Chance]:
    """Attention spread evenly over the past, in the rows themselves."""
    repeated, control = placed_chance(repeated_places(repeats)), placed_chance(control_places(repeats))
    values = [*zip(REPEATED, repeated.tolist(), strict=True), *zip(CONTROL, control.tolist(), strict=True)]
    return {key: Chance(value) for key, value in values} | {"copying_logits": Chance(1 / repeats.compared)}


def circuits_chance(tokens: Float[Tensor, "width width"], dim: int, seed: int) -> dict[str, Chance]:
    """Heads with independent normal weights, between the model's own embeddings and read-out."""
    found = circuit_scores(random_circuits(len(tokens), dim, seed), tokens)
    # Turning W_V around turns all eigenvalues around, so the mean of copying is exactly 0.
    means = {key: 0.0 if key == "copying_eigenvalues" else float(each.mean()) for key, each in found.items()}
    return {key: Chance(means[key], float(each.std())) for key, each in found.items()}


def normal_key_spread(dim: int) -> float:
    """The standard deviation of ‖k‖ divided by its mean, if k has independent normal coordinates.

    >>> round(normal_key_spread(64), 4), round(1 / math.sqrt(2 * 64), 4)
    (0.0886, 0.0884)
    """
    mean = math.sqrt(2) * math.exp(math.lgamma((dim + 1) / 2) - math.lgamma(dim / 2))
    return math.sqrt(max(dim / mean**2 - 1, 0.0))


def normal_range(count: int) -> float:
    """The mean of the largest minus the smallest of independent standard normal numbers.

    >>> round(normal_range(2), 4), round(2 / math.sqrt(math.pi), 4)
    (1.1284, 1.1284)
    """
    at = torch.linspace(-9, 9, 721, dtype=torch.float64)
    below = torch.special.ndtr(at)
    return float(torch.trapezoid(1 - below**count - (1 - below) ** count, at))
