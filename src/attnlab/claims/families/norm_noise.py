"""Claim 6: one key's norm is noisy, and one head looks for two keys."""

import math
from typing import cast

import numpy as np
import torch

from attnlab.attention import AveragingQuestion, Distribution, attend, best_scale, distribution
from attnlab.charts import Lines, Series
from attnlab.claims.claim import Family, Finding, Quantity
from attnlab.numbers import percent, whole_percent

FAMILY = Family(
    6,
    "norm-noise",
    "One key's norm is noisy",
    bench="attention",
    question="k_a ≈ (1 + γ)μ_a with γ ~ N(0, ½), the other keys are exact. What does q = C(μ_a + μ_b) give?",
)
SCALES = (1, 5, 10, 20, 100, 1000)


def _shaken(keys: int, C: float) -> Distribution:
    setting = AveragingQuestion(keys=keys)
    return distribution(setting.noisy_keys(), C * setting.directions(1), setting.target())


def _chart_of_weights(levels: np.ndarray) -> Lines:
    laws = {C: _shaken(10, C) for C in (1, 10, 100)}
    return Lines(
        "Share of draws in which a has at most this weight, ten keys",
        "weight on a",
        "share of draws",
        tuple(
            Series(f"C = {C}", tuple(levels.tolist()), tuple(law.cdf(0, float(x)).value for x in levels))
            for C, law in laws.items()
        ),
        "With C = 1 the weight on a lies between 0 and about 0.6 in nearly all draws. With C = 100 the curve jumps "
        "to one half at a weight of 0, is flat, and jumps to 1 at a weight of 1: a has nearly all of the weight or "
        "nearly none of it.",
    )


@FAMILY.claim("swings", "c swings between v_a and v_b from one draw to the next.", said_by="A, B, C, E")
def _swings() -> Finding:
    law = _shaken(10, 100)
    on_a, off_a = 1 - law.cdf(0, 0.9).value, law.cdf(0, 0.1).value
    on_b, off_b = 1 - law.cdf(1, 0.9).value, law.cdf(1, 0.1).value
    spread, spread_bound = float(law.weight_sd[0]), float(law.weight_sd_bound[0])
    return Finding(
        "holds" if min(on_a, off_a, on_b, off_b) > 0.4 else "fails",
        "The logit of a is C(1 + γ) and that of b is C. They differ by Cγ, so the sign of γ decides which of the two "
        "wins, and with a large C the winner takes nearly all the weight. At C = 100 and ten keys, a has more than "
        f"0.9 of the weight in {percent(on_a)} of the draws and less than 0.1 in {percent(off_a)}; for b it is "
        f"the other way round. The standard deviation of the weight is {spread:.3f}; that of a fair coin is 0.5. The "
        "average over many draws is right, but hardly any single draw is.",
        (
            Quantity("P(α_a > 0.9), C = 100, n = 10", on_a, law.cdf(0, 0.9).bound, "bound"),
            Quantity("P(α_a < 0.1)", off_a, law.cdf(0, 0.1).bound, "bound"),
            Quantity("P(α_b > 0.9)", on_b, law.cdf(1, 0.9).bound, "bound"),
            Quantity("P(α_b < 0.1)", off_b, law.cdf(1, 0.1).bound, "bound"),
            Quantity("standard deviation of α_a", spread, spread_bound, "bound"),
        ),
        chart=_chart_of_weights(np.linspace(0, 1, 81)),
    )


@FAMILY.claim("to-a", "c → v_a as C grows.", said_by="D")
def _to_a() -> Finding:
    setting, v_a = AveragingQuestion(keys=10), torch.eye(10, dtype=torch.float64)[0]
    more, away, within = {}, {}, {}
    for C in (10, 100, 1000):
        law = distribution(setting.noisy_keys(), C * setting.directions(1), v_a)
        level = law.cdf(0, 0.5)
        more[C], away[C], within[C] = 1 - level.value, law.error, (level.bound, law.error_bound)
    return Finding(
        "holds" if more[1000] > 0.99 and away[1000] < 0.01 else "fails",
        "It does so in half of the draws: those with γ > 0, in which k_a is longer than usual. In the other half k_a "
        "is shorter, b has the larger logit, and c goes to v_b. The weight on a is above one half in "
        f"{percent(more[10])}, {percent(more[100])} and {percent(more[1000])} of the draws at C = 10, 100 "
        f"and 1000. The mean squared distance to v_a is {away[1000]:.3f} at C = 1000 and goes to 1: the squared "
        "distance is 0 in half of the draws and 2 in the other half.",
        (
            *(Quantity(f"P(α_a > ½), C = {C}, n = 10", more[C], within[C][0], "bound") for C in more),
            *(Quantity(f"E‖c − v_a‖², C = {C}", away[C], within[C][1], "bound") for C in away),
        ),
    )


def _logit_spreads(setting: AveragingQuestion, C: float) -> tuple[float, float, float]:
    """The standard deviations of k_aᵀq, of k_bᵀq and of their difference, from the keys' covariance."""
    covariance, query = setting.noisy_keys().covariance(), C * setting.directions(1)[0]
    each = torch.einsum("iajb,a,b->ij", covariance, query, query)
    apart = each[0, 0] + each[1, 1] - 2 * each[0, 1]
    a, b, both = (math.sqrt(float(variance)) for variance in (each[0, 0], each[1, 1], apart))
    return a, b, both


@FAMILY.claim("both-keys", "The norm of k_b is noisy, as that of k_a is.", said_by="C, D")
def _both_keys() -> Finding:
    C = 10.0
    a, b, apart = _logit_spreads(AveragingQuestion(keys=10), C)
    *_, both = _logit_spreads(AveragingQuestion(keys=10, noisy=("a", "b")), C)
    return Finding(
        "holds" if b > a / 2 else "fails",
        "C lets k_b have another norm, too, and D writes a noise term into both logits. That is another problem. Here "
        f"only the norm of k_a is noisy: at C = {C:g} the standard deviation of k_aᵀq is {a:.3f}, and that of k_bᵀq is "
        f"{b:g}. The logits differ by Cγ, with a standard deviation of C/√2 = {apart:.3f}. With two noisy norms, their "
        f"variances would add up and it would be C = {both:.3f}. Either way c swings, but at a given C the swing has "
        "another size.",
        (
            Quantity("standard deviation of k_aᵀq, C = 10", a),
            Quantity("standard deviation of k_bᵀq, C = 10", b),
            Quantity("standard deviation of the logit difference, C = 10", apart),
            Quantity("the same if both norms were noisy", both),
        ),
    )


@FAMILY.claim(
    "longer", "c is nearer to v_a if k_a is longer than k_b, and nearer to v_b if it is shorter.", said_by="C"
)
def _longer() -> Finding:
    keys = torch.eye(10, dtype=torch.float64)
    gammas = torch.linspace(-6, 6, 24_001, dtype=torch.float64)[1::2]  # not at −2, −1 and 0, where lengths are equal
    logits = 10.0 * keys[:2].sum(0).repeat(len(gammas), 1)
    logits[:, 0] *= 1 + gammas
    weights = torch.softmax(logits, -1)
    wrong = (weights[:, 0] > weights[:, 1]) != ((1 + gammas).abs() > 1)
    edge = float(gammas[wrong].max()) if wrong.any() else -math.inf
    share = 0.5 * math.erfc(-edge)  # γ has the variance ½
    return Finding(
        "holds" if not wrong.any() else "holds if" if share < 0.05 else "fails",
        "The larger logit wins, and the logit of a is C(1 + γ), which is C times the length of k_a as long as k_a "
        "points the way of μ_a. Then the longer key has the larger logit. If k_a points the other way its logit is "
        f"negative, however long it is. It is then longer than k_b for γ < {edge:.2f}, and c is nearer to v_b all the "
        f"same. That is so in {percent(share, decimals=2)} of the draws (found on a grid of {len(gammas):,} values of "
        "γ, ten keys, C = 10).",
        (
            Quantity("largest γ at which the longer key loses", edge, 1e-3, "bound"),
            Quantity("share of the draws in which the longer key loses", share, 1e-5, "bound"),
        ),
        condition=f"γ > −2: k_a does not point the other way beyond its length; {percent(1 - share)} of the draws"
        if wrong.any() and share < 0.05
        else "",
    )


@FAMILY.claim("slip-quotient", "e^x/(e^x + e^y) = 1/e^(x−y).", said_by="C")
def _slip_quotient(seed: int) -> Finding:
    x, y = np.random.default_rng(seed).normal(0, 2, (2, 1000))
    true = np.exp(x) / (np.exp(x) + np.exp(y))
    off, mended = float(np.max(np.abs(true - 1 / np.exp(x - y)))), float(np.max(np.abs(true - 1 / (1 + np.exp(y - x)))))
    above = float(np.mean(1 / np.exp(x - y) > 1))
    return Finding(
        "holds" if off < 1e-12 else "fails",
        "Divide numerator and denominator by e^x: the denominator becomes 1 + e^(y−x). The 1 must stay, and the "
        f"exponent is y − x, not x − y. Over 1,000 random pairs the claimed formula was wrong by up to {off:.3g}. In "
        f"{whole_percent(above)} of them it gives more than 1, which no weight can be: a quick way to notice the "
        f"mistake. The formula 1/(1 + e^(y−x)) differs by at most {mended:.1g}.",
        (
            Quantity("largest difference", off, how="observed"),
            Quantity("share of pairs where it exceeds 1", above, how="observed"),
            Quantity("largest difference of 1/(1 + e^(y−x))", mended, how="observed"),
        ),
    )


@FAMILY.claim("slip-sigmoid", "e^β/(e^β + e^(−β)) = 1/(1 + e^β).", said_by="B")
def _slip_sigmoid(seed: int) -> Finding:
    beta = np.append(np.random.default_rng(seed).normal(0, 2, 1000), 0.0)
    true, slip, right = (
        f(beta) for f in (_two_powers, lambda b: 1 / (1 + np.exp(b)), lambda b: 1 / (1 + np.exp(-2 * b)))
    )
    off, mended = float(np.max(np.abs(true - slip))), float(np.max(np.abs(true - right)))
    at_zero = float(abs(true[-1] - slip[-1]))
    return Finding(
        "holds" if off < 1e-12 else "fails",
        "Divided by e^β, the denominator is 1 + e^(−2β). The claimed formula has both the sign and the factor 2 "
        f"wrong: it falls as β grows, but the weight rises. The two agree at β = 0 (difference {at_zero:g}). "
        f"Elsewhere they differ by up to {off:.3f} over 1,000 random β, while 1/(1 + e^(−2β)) agrees to {mended:.1g}. "
        "Trying one large β, where the weight must go to 1, finds the mistake.",
        (
            Quantity("largest difference", off, how="observed"),
            Quantity("difference at β = 0", at_zero),
            Quantity("largest difference of 1/(1 + e^(−2β))", mended, how="observed"),
        ),
    )


def _two_powers(beta: np.ndarray) -> np.ndarray:
    return np.exp(beta) / (np.exp(beta) + np.exp(-beta))


@FAMILY.claim("range", "1 + γ lies between 0.5 and 1.5.", said_by="A")
def _range(seed: int) -> Finding:
    draws = 100_000
    stretch = 1 + math.sqrt(0.5) * np.random.default_rng(seed).standard_normal(draws)
    drawn = float(np.mean((stretch >= 0.5) & (stretch <= 1.5)))
    exact = math.erf(0.5 / math.sqrt(2 * 0.5))
    negative = 0.5 * math.erfc(1 / math.sqrt(2 * 0.5))
    return Finding(
        "holds" if drawn > 0.95 else "fails",
        "The variance of γ is ½, so its standard deviation is √½ ≈ 0.71, and ±0.5 is less than one standard "
        f"deviation. Only {percent(exact)} of the draws are in that range ({percent(drawn)} of 100,000 drawn). "
        "Nineteen draws in twenty lie between about −0.39 and 2.39. It matters that some are below 0: in "
        f"{percent(negative)} of the draws k_a points the other way, which limits what two heads can do.",
        (
            Quantity("P(0.5 ≤ 1 + γ ≤ 1.5) = erf(½)", exact),
            Quantity("share of 100,000 draws", drawn, math.sqrt(drawn * (1 - drawn) / draws), "standard error"),
            Quantity("P(1 + γ < 0)", negative),
        ),
    )


@FAMILY.claim(
    "formula",
    "α_a = 1/(1 + e^(−Cγ) + (n − 2)e^(−C(1+γ))): on average ½ for large C, but hardly ever near it.",
    said_by="the lab",
)
def _formula(seed: int) -> Finding:
    generator, off = torch.Generator().manual_seed(seed), 0.0
    for C in (1.0, 5.0, 20.0):
        gamma = math.sqrt(0.5) * torch.randn(300, generator=generator, dtype=torch.float64)
        keys = torch.eye(10, dtype=torch.float64).repeat(300, 1, 1)
        keys[:, 0, 0] = 1 + gamma
        weights = attend((C * (keys[0, 1] + torch.eye(10)[0]))[None, None], keys, keys).weights[:, 0, 0]
        formula = 1 / (1 + torch.exp(-C * gamma) + 8 * torch.exp(-C * (1 + gamma)))
        off = max(off, float((weights - formula).abs().max()))
    laws = {C: _shaken(10, C) for C in SCALES}
    mean, spread = (float(x) for x in (laws[1000].weight_mean[0], laws[1000].weight_sd[0]))
    return Finding(
        "holds" if off < 1e-12 and abs(mean - 0.5) < 1e-3 and spread > 0.49 else "fails",
        f"On random draws of γ, the formula and attention agree to {off:.1g}. Integrated over γ, the formula gives "
        f"the table below. At C = 1000 the mean weight is {mean:.4f}, just as wanted, but its standard deviation is "
        f"{spread:.4f} and the mean squared error is {laws[1000].error:.4f}. A correct mean says nothing about a "
        "single draw, and a model only ever sees single draws.",
        (
            Quantity("largest |α_a − formula| over draws", off, how="observed"),
            *(
                Quantity(
                    f"E[α_a], n = 10, C = {C}", float(law.weight_mean[0]), float(law.weight_mean_bound[0]), "bound"
                )
                for C, law in laws.items()
            ),
            *(
                Quantity(f"sd[α_a], n = 10, C = {C}", float(law.weight_sd[0]), float(law.weight_sd_bound[0]), "bound")
                for C, law in laws.items()
            ),
            *(Quantity(f"error, n = 10, C = {C}", law.error, law.error_bound, "bound") for C, law in laws.items()),
        ),
    )


@FAMILY.claim(
    "large-scale",
    "C ≫ 0 is the best advice here too: the larger C, the smaller the error.",
    said_by="the lab, as a warning",
)
def _large_scale() -> Finding:
    scales = np.geomspace(0.1, 1000, 41)
    lines, measures, small = [], [], True
    for count in (4, 10, 100, 1000):
        setting = AveragingQuestion(keys=count)
        best = best_scale(setting.noisy_keys(), setting.directions(1), setting.target(), most=20.0)
        C, error, end = cast(float, best.scale), best.distribution.error, _shaken(count, 1000)
        small = small and C < 20 and error < end.error - 0.1
        measures += [
            Quantity(f"best C, n = {count}", C, 1e-3, "bound"),
            Quantity(f"error at the best C, n = {count}", error, best.distribution.error_bound, "bound"),
            Quantity(f"error at C = 1000, n = {count}", end.error, end.error_bound, "bound"),
        ]
        lines.append(
            Series(f"{count} keys", tuple(scales.tolist()), tuple(_shaken(count, float(x)).error for x in scales))
        )
    chart = Lines(
        "One head under norm noise: error by the scale",
        "C",
        "E‖c − ½(v_a + v_b)‖²",
        tuple(lines),
        "Each curve falls from its value at C = 0 to a valley (at C near 1.2 for 4 keys, 2.1 for 10, 4.5 for 100, "
        "6.9 for 1000) and then rises to one half. With more keys the valley is higher and further right.",
        log_x=True,
    )
    return Finding(
        "fails" if small else "holds",
        "Without noise a large C only helps. With noise in the norm of k_a, a larger C multiplies the noise as well, "
        f"and there is a best C, which is small: {measures[3].value:.3f} for ten keys, where the error is "
        f"{measures[4].value:.4f}; at C = 1000 it is {measures[5].value:.4f}. The best C is a compromise: large "
        "enough to leave out the other keys, and small enough that γ matters little. It grows with about the "
        "logarithm of the number of keys. As C grows further the error goes to ½, which is what tossing a coin "
        "between v_a and v_b gives.",
        tuple(measures),
        chart=chart,
    )
