"""Claim 4: the average of two values, and any other mixture."""

import math

import numpy as np
import torch
from torch import Tensor

from attnlab.attention import Dependency, Design, Impossible, attend, average_scale, mix_query
from attnlab.charts import Lines, Series
from attnlab.claims.claim import LAST_DIGITS, Family, Finding, Quantity

FAMILY = Family(
    4,
    "averaging",
    "The average of two values",
    bench="attention",
    question="The keys are orthonormal. Which query gives c ≈ ½(v_a + v_b)?",
)
COUNTS = (4, 10, 100)


def _weight(count: int, C: float) -> float:
    """α_a for q = C(k_a + k_b) and `count` orthonormal keys."""
    keys = torch.eye(count, dtype=torch.float64)
    return float(attend(C * (keys[0] + keys[1]), keys, keys).weights[0])


def _chart() -> Lines:
    scales = np.linspace(0, 15, 31)
    return Lines(
        "The weight on a, by the scale of the query",
        "C",
        "α_a = α_b",
        tuple(
            Series(f"{count} keys", tuple(scales.tolist()), tuple(_weight(count, float(C)) for C in scales))
            for count in COUNTS
        ),
        "The weight on a rises from 1/n at C = 0 to one half in an S-shape. It reaches one half at about C = 6 with "
        "4 keys, at about 7 with 10 keys and at about 10 with 100 keys.",
    )


@FAMILY.claim("two", "q = C(k_a + k_b) with C ≫ 0  ⇒  c ≈ ½(v_a + v_b).", said_by="A, B, C, D, E")
def _two(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    off, far = 0.0, dict.fromkeys(COUNTS, 0.0)
    for count in COUNTS:
        mirror = torch.nn.functional.normalize(torch.randn(count, generator=generator, dtype=torch.float64), dim=0)
        keys = torch.eye(count, dtype=torch.float64) - 2 * torch.outer(mirror, mirror)  # orthonormal: a reflection
        values = torch.randn(count, 5, generator=generator, dtype=torch.float64)
        for C in (0.0, 1.0, 5.0, 10.0, 20.0):
            found = attend(C * (keys[0] + keys[1]), keys, values)
            off = max(off, float((found.weights[:2] - math.exp(C) / (2 * math.exp(C) + count - 2)).abs().max()))
        far[count] = float((found.output - values[:2].mean(0)).norm())
    return Finding(
        "holds" if off < 1e-12 and max(far.values()) < 1e-5 else "fails",
        "The query gives keys a and b the logit C and every other key the logit 0, so α_a = α_b = e^C/(2e^C + n − "
        f"2), which goes to ½ as C grows. On randomly rotated orthonormal keys the formula is right to {off:.1g}. At "
        f"C = 20 the output is within {max(far.values()):.1g} of the average, even with 100 keys. More keys need a "
        "larger C, but it grows only with the logarithm of their number.",
        (
            Quantity("largest |α − e^C/(2e^C + n − 2)|", off, how="observed"),
            *(Quantity(f"‖c − ½(v_a + v_b)‖ at C = 20, n = {n}", far[n], how="observed") for n in COUNTS),
        ),
        chart=_chart(),
    )


@FAMILY.claim("without-others", "α_a = e^C/(e^C + e^C) = ½: the other n − 2 keys can be left out.", said_by="E")
def _without_others() -> Finding:
    alone = max(abs(_weight(2, C) - 0.5) for C in (0.1, 1.0, 5.0, 20.0))
    small = {count: 0.5 - _weight(count, 1.0) for count in COUNTS}
    large = {count: 0.5 - _weight(count, 20.0) for count in COUNTS}
    exact = max(*small.values(), *large.values(), alone) < 1e-12
    tends = max(large.values()) < 1e-6 and alone < 1e-12
    return Finding(
        "holds" if exact else "holds if" if tends else "fails",
        "Every other key has the logit 0, and e^0 is 1, not 0: the denominator is 2e^C + n − 2. With n = 2 there are "
        f"no other keys and the formula is exact. At C = 1 it is wrong by {small[10]:.3f} for ten keys and by "
        f"{small[100]:.3f} for a hundred; at C = 20 it is wrong by only {large[100]:.1g}. So the answer is right if C "
        "is large, and the omitted term n − 2 tells how large C must be.",
        (
            Quantity("largest |α_a − ½|, n = 2, any C", alone, how="observed"),
            *(Quantity(f"½ − α_a at C = 1, n = {count}", small[count]) for count in COUNTS),
            *(Quantity(f"½ − α_a at C = 20, n = {count}", large[count], LAST_DIGITS, "bound") for count in COUNTS),
        ),
        condition="" if exact or not tends else "e^C ≫ n − 2; exactly only for n = 2",
    )


@FAMILY.claim(
    "scale", "α_a and α_b are within ε of ½ for C ≥ ln((n − 2)(1 − 2ε)/(4ε)), and for no smaller C.", said_by="the lab"
)
def _scale() -> Finding:
    off, before, measures = 0.0, 0, []
    for count in (3, 10, 100, 1000):
        for tolerance in (0.1, 0.01, 0.001, 1e-6):
            C = average_scale(count, tolerance)
            formula = math.log((count - 2) * (1 - 2 * tolerance) / (4 * tolerance))
            off = max(off, abs(C - formula), abs((0.5 - _weight(count, C)) / tolerance - 1))
            before += 0.5 - _weight(count, C * 0.999) <= tolerance
            if tolerance == 0.001:
                measures.append(Quantity(f"C for ε = 0.001, n = {count}", C))
    return Finding(
        "holds" if off < 1e-6 and before == 0 else "fails",
        "Solve e^C/(2e^C + n − 2) = ½ − ε for C. That turns “C ≫ 0” into a number: for ε = 0.001 and ten keys, C = "
        f"{measures[1].value:.2f} is enough. For 16 pairs of n and ε, the measured weight at that C differed from ½ "
        f"by ε, up to a relative error of {off:.1g}. A C that is smaller by a thousandth was enough in {before} of "
        "the 16 cases.",
        (
            *measures,
            Quantity("largest relative difference from ε", off, how="observed"),
            Quantity("cases where a smaller C would do", before),
        ),
    )


def _random_mix(random: np.random.Generator, support: int) -> dict[int, float]:
    shares = random.dirichlet(np.ones(support)) * 0.9 + 0.1 / support
    return {key: float(share) for key, share in enumerate(shares / shares.sum())}


@FAMILY.claim(
    "any-mix",
    "If the keys are linearly independent, a query can produce every mixture w: choose k_iᵀq = ln w_i + const where "
    "w_i > 0, and a far smaller logit elsewhere.",
    said_by="the lab",
    question="Which mixtures of values can a query produce?",
)
def _any_mix(seed: int) -> Finding:
    random = np.random.default_rng(seed)
    made, worst, solved = 0, 0.0, 0.0
    for trial in range(60):
        count = 3 + trial % 8
        keys = torch.from_numpy(random.normal(size=(count, count + trial % 3)))
        mix = _random_mix(random, 1 + trial % count)
        found = mix_query(keys, mix, tolerance=1e-6)
        made += isinstance(found, Design)
        worst = max(worst, found.error if isinstance(found, Design) else 1.0)
        wanted = torch.tensor([math.log(mix[i]) if i in mix else -40.0 for i in range(count)], dtype=torch.float64)
        by_hand = attend(torch.linalg.pinv(keys) @ wanted, keys, keys).weights
        solved = max(solved, *(abs(float(by_hand[i]) - mix.get(i, 0.0)) for i in range(count)))
    return Finding(
        "holds" if made == 60 and worst <= 1e-6 and solved < 1e-9 else "fails",
        "If the keys are linearly independent, the system k_iᵀq = ℓ_i has a solution for any logits ℓ_i, and softmax "
        "turns ln w_i back into w_i. With −40 as the logit of unwanted keys, the solutions gave 60 random mixtures "
        f"to within {solved:.1g}. The lab's shortest queries for a tolerance of 1e-6 met it in {made} of 60 cases. "
        "The average of two values is the special case of two equal shares.",
        (
            Quantity("mixtures of 60 that a query was found for", made),
            Quantity("largest error of those, tolerance 1e-6", worst, how="observed"),
            Quantity("largest error with the linear system solved directly", solved, how="observed"),
        ),
    )


def _kept_ratio(keys: Tensor, proof: Dependency, random: np.random.Generator) -> float:
    """The largest |Σ y_i ln α_i| over random queries: 0 if the proof is right."""
    queries = torch.from_numpy(random.normal(size=(200, keys.shape[1])) * 3)
    return float((torch.log_softmax(queries @ keys.mT, -1) @ proof.coefficients).abs().max())


@FAMILY.claim(
    "cannot",
    "If the keys are affinely dependent, Σ y_i k_i = 0 with Σ y_i = 0, then no query can produce some of the "
    "mixtures. A product of weights that is the same for every query proves it.",
    said_by="the lab",
    question="Which mixtures of values can no query produce?",
)
def _cannot(seed: int) -> Finding:
    random = np.random.default_rng(seed)
    refused, kept, needed = 0, 0.0, float("inf")
    for trial in range(60):
        dim = 1 + trial % 4
        keys = torch.from_numpy(random.normal(size=(dim + 2, dim)))  # one key too many to be affinely independent
        found = mix_query(keys, _random_mix(random, dim + 2))
        if isinstance(found, Impossible) and isinstance(found.certificate, Dependency):
            refused += 1
            kept = max(kept, _kept_ratio(keys, found.certificate, random))
            needed = min(needed, abs(found.certificate.wanted_log_ratio))
    return Finding(
        "holds" if refused == 60 and kept < 1e-9 < 1e-6 < needed else "fails",
        "Softmax subtracts the same constant from all logits, so Σ y_i ln α_i = 0 for every query: a rule that the "
        "keys impose. No query can produce a mixture that breaks the rule. Sixty sets of keys had one key too many "
        f"to be independent. For a random mixture of each set the lab answered “impossible” {refused} times, each "
        f"time with such a rule. Of 200 random queries for each set, all kept its rule to within {kept:.1g}. Of the "
        f"mixtures, the one nearest to its rule still broke it by {needed:.1e}.",
        (
            Quantity("mixtures of 60 refused with a rule", refused),
            Quantity("largest |Σ y_i ln α_i| over random queries", kept, how="observed"),
            Quantity("smallest |Σ y_i ln w_i| of the mixtures", needed, how="observed"),
        ),
    )
