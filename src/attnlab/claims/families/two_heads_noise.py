"""Claim 8: two heads when one key's norm is noisy, compared with one head."""

import math

import numpy as np
import torch
from scipy.integrate import quad
from scipy.optimize import root_scalar
from torch import Tensor

from attnlab.attention import (
    AveragingQuestion,
    Distribution,
    average_heads,
    distribution,
    mix,
    softmax,
)
from attnlab.charts import Lines, Series
from attnlab.claims.claim import Family, Finding, Quantity
from attnlab.numbers import percent

FAMILY = Family(
    8,
    "two-heads-noise",
    "Two heads under norm noise",
    bench="attention",
    question="k_a ≈ (1 + γ)μ_a with γ ~ N(0, ½). What do two heads, q₁ = Cμ_a and q₂ = Cμ_b, give?",
)
SCALES = (1, 5, 10, 20, 100, 1000)
STAY = (1 + math.erf(1)) / 2
"""P(1 + γ > 0) = Φ(√2)."""


def _shaken(keys: int, heads: int, C: float, **options) -> Distribution:
    setting = AveragingQuestion(keys=keys)
    return distribution(setting.noisy_keys(), C * setting.directions(heads), setting.target(), **options)


def _outputs(stretch: Tensor, C: float, keys: int = 10) -> Tensor:
    """c of two heads for each value of 1 + γ."""
    logits = torch.zeros(2, len(stretch), keys, dtype=torch.float64)
    logits[0, :, 0], logits[1, :, 1] = C * stretch, C
    return average_heads(mix(softmax(logits), torch.eye(keys, dtype=torch.float64)))


def _error_kept(C: float) -> tuple[float, float]:
    """The error over the draws with 1 + γ > 0 alone, and its bound: by quadrature, with finer panels near 1 + γ = 0.

    The density of 1 + γ at s is e^{−(s − 1)²}/√π."""

    def density(stretch: float) -> float:
        apart = _outputs(torch.tensor([stretch], dtype=torch.float64), C)[0] - AveragingQuestion(keys=10).target()
        return float(apart.square().sum()) * math.exp(-((stretch - 1) ** 2)) / math.sqrt(math.pi) / STAY

    found, bound = quad(density, 0, 8, points=[1 / C, 10 / C, 50 / C], epsabs=1e-12, limit=200)
    return float(found), float(bound)


@FAMILY.claim("average", "c ≈ ½(v_a + v_b).", said_by="B, C, D, E")
def _average() -> Finding:
    laws = {C: _shaken(10, 2, C) for C in SCALES}
    (kept, kept_bound), spread = _error_kept(1000), float(laws[1000].weight_sd[0])
    spread_bound = float(laws[1000].weight_sd_bound[0])
    last = (1 - STAY) / 4 * 10 / 9
    turned = float(_outputs(torch.tensor([-0.5], dtype=torch.float64), 100.0)[0, 0])
    works, always = kept < 1e-3, laws[1000].error < 1e-3
    return Finding(
        "holds" if always else "holds if" if works else "fails",
        "In head 1 the logit of a is C(1 + γ) and all others are 0, so head 1 finds a whether k_a is long or short, "
        f"as long as 1 + γ is positive. That is so in {percent(STAY)} of the draws, and over these the error is "
        f"{kept:.1e} at C = 1000. In the other {percent(1 - STAY)} k_a points away from μ_a: head 1 gives its "
        f"weight to every key but a, which is left with {turned:.1g}, and no C corrects that. Over all draws the "
        f"error is {laws[1000].error:.4f} at C = 1000 and goes to (1 − Φ(√2))/4 · 10/9 = {last:.4f}, not to 0. It is "
        f"still far below the {_shaken(10, 1, 1000).error:.2f} of one head. E's question allows to set these draws "
        "aside.",
        (
            *(Quantity(f"error, n = 10, C = {C}", law.error, law.error_bound, "bound") for C, law in laws.items()),
            Quantity("P(k_aᵀq₁ > 0) = Φ(√2)", STAY),
            Quantity("its limit as C grows, (1 − Φ(√2))/4 · 10/9", last),
            Quantity("error over the draws with k_aᵀq₁ > 0, C = 1000", kept, kept_bound, "bound"),
            Quantity("standard deviation of the weight on a, C = 1000", spread, spread_bound, "bound"),
            Quantity("its limit ½√(p(1 − p))", 0.5 * math.sqrt(STAY * (1 - STAY))),
        ),
        condition="" if always or not works else f"k_aᵀq₁ > 0, which is so in {percent(STAY)} of the draws",
    )


@FAMILY.claim("less-variance", "With two heads c varies less than with one.", said_by="A")
def _less_variance() -> Finding:
    less, measures = True, []
    for count in (4, 10, 100):
        ratios = []
        for C in np.geomspace(0.1, 1000, 33):
            one, two = (float(_shaken(count, heads, float(C)).weight_covariance.trace()) for heads in (1, 2))
            ratios.append(one / two)
        less = less and min(ratios) > 1
        name = f"least ratio of variances, one head over two, of the scales tried, n = {count}"
        measures.append(Quantity(name, min(ratios), how="observed"))
        measures.append(Quantity(f"the ratio at C = 1000, n = {count}", ratios[-1], how="observed"))
    return Finding(
        "holds" if less else "fails",
        "Only head 1 depends on γ, and it counts for one half of c, which alone reduces the variance to a quarter. "
        "Besides, head 1 only has to tell a from keys whose logits are far below, while a single head also has to "
        "choose between a and b, whose logits are close. Over 33 scales from 0.1 to 1000, the variance of c with one "
        f"head was at least {min(m.value for m in measures[::2]):.2f} times that with two, for 4, 10 and 100 keys; at "
        f"C = 1000 and ten keys it was {measures[3].value:.1f} times as large. This is about variance alone: at a "
        "small C two heads vary little around a wrong value, and their error, which counts both, can be larger.",
        tuple(measures),
    )


def _head(number: int, C: float) -> Distribution:
    """The distribution of one of the two heads alone, ten keys."""
    setting = AveragingQuestion(keys=10)
    return distribution(setting.noisy_keys(), C * setting.directions(2)[number - 1], setting.target())


@FAMILY.claim("first-head", "c₁ fluctuates; the noise of the two heads is independent.", said_by="A")
def _first_head() -> Finding:
    C = 100.0
    first, second = _head(1, C), _head(2, C)
    away, on = first.cdf(0, 0.1), first.cdf(0, 0.9)
    spread, other = float(first.weight_sd[0]), float(second.weight_sd[1])
    return Finding(
        "holds" if spread > 0.1 and other < 1e-6 and away.value > 0.05 else "fails",
        f"At C = {C:g} and ten keys, head 1 gives a more than 0.9 of its weight in {percent(1 - on.value)} of "
        f"the draws and less than 0.1 in {percent(away.value)}: c₁ is v_a in most draws, and the mean of the other "
        f"values in those where k_a points the other way. The standard deviation of its weight on a is {spread:.4f}, "
        f"and √(p(1 − p)) = {math.sqrt(STAY * (1 - STAY)):.4f} in the limit, with p = Φ(√2). Head 2 does not look at "
        f"a, so its weight on b does not vary (standard deviation {other:.1g}). So the two are independent, because "
        "one of them is constant.",
        (
            Quantity("P(α_a > 0.9) in head 1, C = 100, n = 10", 1 - on.value, on.bound, "bound"),
            Quantity("P(α_a < 0.1) in head 1", away.value, away.bound, "bound"),
            Quantity("standard deviation of α_a in head 1", spread, float(first.weight_sd_bound[0]), "bound"),
            Quantity("standard deviation of α_b in head 2", other, float(second.weight_sd_bound[1]), "bound"),
        ),
    )


@FAMILY.claim("all-zeros", "In head 1, α_a = β/(β + 0 + … + 0) = 1, with β = exp(k_aᵀq₁).", said_by="B")
def _all_zeros() -> Finding:
    keys = 10
    weights = {C: float(_shares(C, keys)[0]) for C in (1.0, 5.0, 20.0)}
    off = max(abs(weight - math.exp(C) / (math.exp(C) + keys - 1)) for C, weight in weights.items())
    exact, tends = 1 - weights[1.0] < 1e-9, 1 - weights[20.0] < 1e-6
    return Finding(
        "holds" if exact else "holds if" if tends and off < 1e-12 else "fails",
        "The other keys are orthogonal to q₁, so their logits are 0. But a logit of 0 counts e^0 = 1, not 0: α_a = "
        f"β/(β + n − 1), to within {off:.1g}. With B's own query q₁ = μ_a, β is e and α_a = {weights[1.0]:.3f} for "
        f"ten keys (γ = 0). With a factor of 5 it is {weights[5.0]:.3f}, and with 20 it is 1 to within "
        f"{1 - weights[20.0]:.1g}. So the conclusion needs a large scale, which B does not give.",
        (
            *(Quantity(f"α_a for q₁ = {C:g} μ_a, n = 10, γ = 0", weight) for C, weight in weights.items()),
            Quantity("largest |α_a − β/(β + n − 1)|", off, how="observed"),
        ),
        condition="β ≫ n − 1" if tends and not exact else "",
    )


def _shares(C: float, keys: int) -> Tensor:
    """The weights of head 1 for exact keys."""
    logits = torch.zeros(keys, dtype=torch.float64)
    logits[0] = C
    return softmax(logits)


def _crossing(keys: int) -> float:
    """The C at which one head and two heads have the same error."""

    def gap(C: float) -> float:
        return _shaken(keys, 2, C).error - _shaken(keys, 1, C).error

    return root_scalar(gap, bracket=(1.0, 5.0), method="brentq", xtol=1e-6).root


def _ratio(over: Distribution, under: Distribution) -> tuple[float, float]:
    """The ratio of two errors, and its bound: (x ± a)/(y ± b) is within (a + b x/y)/(y − b) of x/y."""
    ratio = over.error / under.error
    return ratio, (over.error_bound + ratio * under.error_bound) / (under.error - under.error_bound)


def _chart() -> Lines:
    scales = np.geomspace(0.3, 1000, 45)
    return Lines(
        "One head against two under norm noise, ten keys",
        "C",
        "E‖c − ½(v_a + v_b)‖²",
        tuple(
            Series(name, tuple(scales.tolist()), tuple(_shaken(10, heads, float(C)).error for C in scales))
            for heads, name in ((1, "one head"), (2, "two heads"))
        ),
        "One head has the smaller error up to C = 2.17, where the lines cross at about 0.15. Beyond that its error "
        "rises to one half, while the error of two heads falls, quickly to 0.04 and then slowly to 0.02.",
        log_x=True,
    )


@FAMILY.claim(
    "small-scale",
    "For small C two heads do worse than one: up to C ≈ 1.37 at n = 4, 2.17 at n = 10, 3.82 at n = 100.",
    said_by="the lab",
)
def _small_scale() -> Finding:
    stated = {4: 1.37, 10: 2.17, 100: 3.82}
    crossings = {count: _crossing(count) for count in stated}
    right = all(abs(crossings[count] - C) <= 0.005 for count, C in stated.items())
    ratios = {C: _ratio(_shaken(10, 1, C), _shaken(10, 2, C)) for C in SCALES}
    worse = all(
        _shaken(n, 2, C * f).error > _shaken(n, 1, C * f).error for n, C in crossings.items() for f in (0.3, 0.9)
    )
    return Finding(
        "holds" if right and worse else "fails",
        "A head that looks for one key raises only that key's logit, so at the same C it leaves more weight on the "
        "other keys than a head that looks for two. Once C is large enough for that not to matter, two heads have an "
        f"advantage: neither of them has to choose between a and b. The errors are equal at C = {crossings[4]:.3f}, "
        f"{crossings[10]:.3f} and {crossings[100]:.3f} for 4, 10 and 100 keys. At C = 1 the error of one head is "
        f"{ratios[1][0]:.2f} times that of two heads, and at C = 1000 {ratios[1000][0]:.1f} times.",
        (
            *(Quantity(f"C where the errors are equal, n = {n}", C, 1e-5, "bound") for n, C in crossings.items()),
            *(
                Quantity(f"error of one head over that of two, n = 10, C = {C}", *ratio, "bound")
                for C, ratio in ratios.items()
            ),
        ),
        chart=_chart(),
    )
