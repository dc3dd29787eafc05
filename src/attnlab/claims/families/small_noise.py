"""Claim 5: keys with small isotropic noise, and how large the scale may be."""

import math

import numpy as np
import torch

from attnlab.attention import AveragingQuestion, Distribution, distribution
from attnlab.charts import Lines, Series
from attnlab.claims.claim import Family, Finding, Quantity

FAMILY = Family(
    5,
    "small-noise",
    "Averaging under small noise",
    bench="attention",
    question="k_i ~ N(μ_i, αI) with orthonormal μ_i and a vanishing variance α. Which query still gives c ≈ ½(v_a + "
    "v_b)?",
)
VARIANCES = (1e-2, 1e-4, 1e-6)
SCALES = np.geomspace(1, 1e5, 41)


def _shaken(keys: int, variance: float, C: float, **options) -> Distribution:
    """The distribution of the output for q = C(μ_a + μ_b): exact for three keys, sampled for more."""
    setting = AveragingQuestion(keys=keys, norm_variance=0.0, isotropic=variance)
    return distribution(setting.noisy_keys(), C * setting.directions(1), setting.target(), **options)


def _chart(errors: dict[float, list[float]]) -> Lines:
    return Lines(
        "Error under isotropic noise, by the scale of the query",
        "C",
        "E‖c − ½(v_a + v_b)‖²",
        tuple(Series(f"α = {v:g}", tuple(SCALES.tolist()), tuple(errors[v])) for v in VARIANCES),
        "For each α the error first falls as C grows, because the third key gets less weight, and rises to one half "
        "once C passes about 1/(2√α). For α = 0.01 the valley is shallow, near C = 2. For α = 0.0001 it is near C = "
        "4. For α = 0.000001 it is wide, from about 5 to 50, and close to 0.",
        log_x=True,
    )


@FAMILY.claim("average", "q = C(μ_a + μ_b) with C ≫ 0  ⇒  c ≈ ½(v_a + v_b).", said_by="A, B, C, D, E")
def _average(seed: int) -> Finding:
    laws = {v: [_shaken(3, v, float(C)) for C in SCALES] for v in VARIANCES}
    errors = {v: [law.error for law in laws[v]] for v in VARIANCES}
    smallest = VARIANCES[-1]
    edge = 1 / (2 * math.sqrt(smallest))
    best, ends = min(errors[smallest]), [errors[v][-1] for v in VARIANCES]
    at_edge, beyond = (_shaken(3, smallest, times * edge) for times in (1, 10))
    ten = _shaken(10, smallest, 20.0, samples=1 << 14, seed=seed)
    works, breaks = best < 1e-3 and ten.error < 1e-3, min(ends) > 0.3
    return Finding(
        "holds if" if works and breaks else "holds" if works else "fails",
        "Two limits work against each other here: α goes to 0 and C to infinity. The noise separates the logits of a "
        "and b by about 2C√α, so with C far above 1/(2√α) one of the two keys takes all the weight, however small α "
        f"is. At α = {smallest:g} that limit is C = {edge:.0f}. Below it the error goes down to {best:.1g}; at the "
        f"limit it is {at_edge.error:.3f}, at ten times the limit {beyond.error:.3f}, and beyond it goes to ½. So “α "
        "vanishes” must mean that α is small compared with 1/C², which none of the write-ups says.",
        (
            Quantity(f"least error of the scales tried, n = 3, α = {smallest:g}", best, how="observed"),
            Quantity("error at C = 1/(2√α)", at_edge.error, at_edge.error_bound, "bound"),
            Quantity("error at C = 10/(2√α)", beyond.error, beyond.error_bound, "bound"),
            Quantity(
                f"error at C = 20, n = 10, α = {smallest:g}", ten.error, ten.standard_error or 0.0, "standard error"
            ),
            *(
                Quantity(f"error at C = 1e5, n = 3, α = {v:g}", laws[v][-1].error, laws[v][-1].error_bound, "bound")
                for v in VARIANCES
            ),
        ),
        condition="C ≪ 1/(2√α)" if works and breaks else "",
        chart=_chart(errors),
    )


@FAMILY.claim("spread", "The logits of a and b differ by a Gaussian of standard deviation 2C√α.", said_by="the lab")
def _spread(seed: int) -> Finding:
    generator = torch.Generator().manual_seed(seed)
    draws, count = 100_000, 10
    within, measures = True, []
    for variance, C in ((1e-2, 1.0), (1e-4, 10.0), (1e-6, 1000.0)):
        means = torch.eye(2, count, dtype=torch.float64)
        noise = variance**0.5 * torch.randn(draws, 2, count, generator=generator, dtype=torch.float64)
        logits = (means + noise) @ (C * means.sum(0))
        spread = float(np.std((logits[:, 0] - logits[:, 1]).numpy(), ddof=1))
        expected, uncertain = 2 * C * math.sqrt(variance), spread / math.sqrt(2 * draws)
        within = within and abs(spread - expected) < 4 * uncertain
        name = f"standard deviation at α = {variance:g}, C = {C:g} (2C√α = {expected:g})"
        measures.append(Quantity(name, spread, uncertain, "standard error"))
    return Finding(
        "holds" if within else "fails",
        "The difference of the two keys has noise of variance 2α in every direction, and the query has the length "
        "C√2. So the logits differ with a standard deviation of √(2α) · C√2 = 2C√α. In 100,000 draws for each of "
        f"three pairs of α and C, the standard deviation was {measures[0].value:.4f}, {measures[1].value:.4f} and "
        f"{measures[2].value:.4f}. A softmax of two logits stays near one half only while this number is well below 1.",
        tuple(measures),
    )
