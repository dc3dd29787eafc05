"""Claim 7: two heads, each looking for one of the two keys."""

import math
from itertools import combinations

import numpy as np
import torch

from attnlab.attention import attend, copy_scale
from attnlab.charts import Lines, Series
from attnlab.claims.claim import LAST_DIGITS, Family, Finding, Quantity

FAMILY = Family(
    7,
    "two-heads",
    "Two heads",
    bench="attention",
    question="Two heads give c = ½(c₁ + c₂), and the keys are close to orthonormal means μ_i. Which q₁ and q₂ give c "
    "≈ ½(v_a + v_b)?",
)
COUNTS = (4, 10, 100)


def _heads(count: int, C: float) -> tuple[float, float]:
    """The weight of a in head 1, and ‖c − ½(v_a + v_b)‖, for q₁ = Cμ_a and q₂ = Cμ_b."""
    keys = torch.eye(count, dtype=torch.float64)
    found = attend(C * keys[:2], keys, keys)
    wanted = keys[:2].mean(0)
    return float(found.weights[0, 0]), float((found.output.mean(0) - wanted).norm())


def _chart() -> Lines:
    scales = np.linspace(0, 15, 31)
    return Lines(
        "Two heads: the distance from the average, by the scale",
        "C",
        "‖c − ½(v_a + v_b)‖",
        tuple(
            Series(f"{count} keys", tuple(scales.tolist()), tuple(_heads(count, float(C))[1] for C in scales))
            for count in COUNTS
        ),
        "The distance starts between 0.5 and 0.7 at C = 0 and falls to 0. At C = 1, which is a query without a "
        "scale, it is hardly smaller; from C = 8 on it is close to 0 even with 100 keys.",
    )


@FAMILY.claim("scaled", "q₁ = Cμ_a, q₂ = Cμ_b with C ≫ 0  ⇒  c ≈ ½(v_a + v_b).", said_by="C, D, E")
def _scaled() -> Finding:
    off = max(
        abs(_heads(count, C)[0] - math.exp(C) / (math.exp(C) + count - 1))
        for count in COUNTS
        for C in (0.0, 1.0, 5.0, 20.0)
    )
    far = {count: _heads(count, 20.0)[1] for count in COUNTS}
    return Finding(
        "holds" if off < 1e-12 and max(far.values()) < 1e-5 else "fails",
        "Each head copies one value, and the mean of the two copies is the average. Head 1 gives a the weight "
        f"e^C/(e^C + n − 1); the measured weight agrees to {off:.1g}. At C = 20 the output is within "
        f"{max(far.values()):.1g} of the average with 100 keys. For a weight of 0.999 with ten keys, C = "
        f"{copy_scale(10, 0.001):.2f} is enough.",
        (
            Quantity("largest |α_a − e^C/(e^C + n − 1)|", off, how="observed"),
            *(
                Quantity(f"‖c − ½(v_a + v_b)‖ at C = 20, n = {count}", far[count], LAST_DIGITS, "bound")
                for count in COUNTS
            ),
            Quantity("C for a weight of 0.999, n = 10", copy_scale(10, 0.001)),
        ),
        chart=_chart(),
    )


@FAMILY.claim("first-two", "q₁ = λμ₁, q₂ = λμ₂ with λ ≫ 0  ⇒  c ≈ ½(v_a + v_b), for any pair a, b.", said_by="E")
def _first_two() -> Finding:
    count = 10
    keys = torch.eye(count, dtype=torch.float64)
    output = attend(20.0 * keys[:2], keys, keys).output.mean(0)
    pairs = list(combinations(range(count), 2))
    far = {pair: float((output - keys[list(pair)].mean(0)).norm()) for pair in pairs}
    right = [pair for pair in pairs if far[pair] < 1e-5]
    return Finding(
        "holds" if len(right) == len(pairs) else "holds if" if right == [(0, 1)] else "fails",
        "The scale is right, but the queries name keys 1 and 2, not a and b. Of the 45 pairs of ten keys the output "
        f"is the average of {len(right)} ({far[0, 1]:.1g} away for the pair 1, 2); of the other pairs it is at least "
        f"{min(each for pair, each in far.items() if pair not in right):.2f} away. With a and b for 1 and 2, these "
        "are the queries of two-heads-scaled.",
        (
            Quantity("pairs of 45 whose average comes out", len(right)),
            Quantity("‖c − ½(v_1 + v_2)‖ at λ = 20, n = 10", far[0, 1], LAST_DIGITS, "bound"),
            Quantity("‖c − ½(v_1 + v_3)‖", far[0, 2]),
            Quantity("‖c − ½(v_3 + v_4)‖", far[2, 3]),
        ),
        condition="" if right != [(0, 1)] else "a and b are 1 and 2",
    )


@FAMILY.claim("unscaled", "q₁ = μ_a, q₂ = μ_b  ⇒  c ≈ ½(v_a + v_b).", said_by="A, B")
def _unscaled() -> Finding:
    found = {count: _heads(count, 1.0) for count in COUNTS}
    return Finding(
        "holds" if max(far for _, far in found.values()) < 0.05 else "fails",
        "The directions are right, but the length is missing. With a query of length 1 the logit of a is 1 and the "
        f"other logits are 0, so α_a = e/(e + n − 1): {found[10][0]:.3f} with ten keys and {found[100][0]:.3f} with a "
        f"hundred, although it should be near 1. With ten keys the output is {found[10][1]:.2f} away from the "
        "average, whose length is 0.71. Only a factor C ≫ 0 in front of both queries is missing.",
        (
            *(Quantity(f"α_a in head 1, n = {count}", weight) for count, (weight, _) in found.items()),
            *(Quantity(f"‖c − ½(v_a + v_b)‖, n = {count}", far) for count, (_, far) in found.items()),
        ),
    )
