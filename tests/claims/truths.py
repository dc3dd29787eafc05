"""The true value of every number that claims state with a bound: by mpmath, from closed forms and from integrals of its
own, with 20 digits.

Orthonormal keys, k_a = (1 + γ)μ_a with γ ~ N(0, ½). One head for both has the logits C(1 + γ), C, 0, …; head 1 of two
has C(1 + γ), 0, 0, … and head 2 has 0, C, 0, …. `stretch` is 1 + γ.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from typing import Any

import mpmath
from mpmath import exp, log, mp, mpf, ncdf, npdf, sqrt
from mpmath.calculus.quadrature import GaussLegendre

from attnlab.attention import AveragingQuestion, best_queries
from attnlab.claims.seeds import seed_of

Number = Any
"""mpmath's number, which has no type."""
Weights = tuple[Number, Number, Number]
"""The weights of a, of b and of each other key."""
Law = Callable[[Number, Number, int], Weights]
"""The weights, by C, 1 + γ and the number of keys."""
Truth = Callable[[], Number]
DIGITS = 20
SCALES = (1, 5, 10, 20, 100, 1000)
HALF = mpf("0.5")


def softmax(a: Number, b: Number, keys: int) -> Weights:
    """The weights for the logits a, b, 0, …."""
    top = max(a, b, mpf(0))
    powers = exp(a - top), exp(b - top), exp(-top)
    total = powers[0] + powers[1] + (keys - 2) * powers[2]
    return powers[0] / total, powers[1] / total, powers[2] / total


def one_head(C: Number, stretch: Number, keys: int) -> Weights:
    return softmax(C * stretch, C, keys)


def first_head(C: Number, stretch: Number, keys: int) -> Weights:
    return softmax(C * stretch, mpf(0), keys)


def two_heads(C: Number, stretch: Number, keys: int, share: Number = HALF) -> Weights:
    first, second = first_head(C, stretch, keys), softmax(mpf(0), C, keys)
    return _mixed(first, second, share)


def one_head_together(C: Number, stretch: Number, keys: int) -> Weights:
    """Both keys are stretched alike."""
    return softmax(C * stretch, C * stretch, keys)


def two_heads_together(C: Number, stretch: Number, keys: int) -> Weights:
    return _mixed(softmax(C * stretch, mpf(0), keys), softmax(mpf(0), C * stretch, keys), HALF)


def _mixed(first: Weights, second: Weights, share: Number) -> Weights:
    a, b, other = (share * x + (1 - share) * y for x, y in zip(first, second, strict=True))
    return a, b, other


@cache
def _nodes(degree: int) -> list[tuple[Number, Number]]:
    """The nodes and weights of the Gauss–Legendre rule with 3 · 2^(degree − 1) points."""
    return GaussLegendre(mp).calc_nodes(degree, mp.prec + 20)


def integral(value: Callable[[Number], Number], ends: list[Number], degree: int = 6) -> Number:
    """The integral over the panels between the ends."""
    return mpmath.fsum(
        weight * (high - low) / 2 * value((low + high) / 2 + node * (high - low) / 2)
        for low, high in pairwise(ends)
        for node, weight in _nodes(degree)
    )


def mean(value: Callable[[Number], Number], C: Number, least: int = -7) -> Number:
    """The mean over γ, with panels that end where the softmax turns: at 1 + γ = 0 and at γ = 0. If `least` is 0, only
    the draws with 1 + γ > 0 count, not divided by their share."""
    turns = {mpf(place) + sign * width / C for place in (0, 1) for width in (0, 1, 5, 20, 60) for sign in (-1, 1)}
    ends = [mpf(least), *sorted(turn for turn in turns if least < turn < 9), mpf(9)]
    return integral(lambda x: value(x) * npdf(x, 1, sqrt(HALF)), ends)


def squared(weights: Weights, keys: int, target: tuple[Number, Number] = (HALF, HALF)) -> Number:
    """‖c − target‖²."""
    a, b, other = weights
    return (a - target[0]) ** 2 + (b - target[1]) ** 2 + (keys - 2) * other**2


@cache
def error(law: Law, C: Number, keys: int = 10) -> Number:
    """E‖c − ½(v_a + v_b)‖²."""
    return mean(lambda x: squared(law(mpf(C), x, keys), keys), mpf(C))


@cache
def mean_weight(law: Law, C: Number) -> Number:
    return mean(lambda x: law(mpf(C), x, 10)[0], mpf(C))


def spread(law: Law, C: Number) -> Number:
    """The standard deviation of the weight on a."""
    middle = mean_weight(law, C)
    return sqrt(mean(lambda x: (law(mpf(C), x, 10)[0] - middle) ** 2, mpf(C)))


def ratio(C: Number) -> Number:
    return error(one_head, C) / error(two_heads, C)


def distance_to_a(C: Number) -> Number:
    return mean(lambda x: squared(one_head(mpf(C), x, 10), 10, (mpf(1), mpf(0))), mpf(C))


def slope(C: Number, keys: int) -> Number:
    """dE/dC of one head: dα_i/dC = α_i(l_i − Σ_j α_j l_j), where C l_i are the logits."""

    def at(x: Number) -> Number:
        a, b, other = one_head(C, x, keys)
        middle = a * x + b
        return 2 * ((a - HALF) * a * (x - middle) + (b - HALF) * b * (1 - middle) - (keys - 2) * other**2 * middle)

    return mean(at, C)


@cache
def best_scale(keys: int) -> Number:
    """The C with the least error of one head, between 1 and 8."""
    start = log(mpf(keys)) * mpf("0.95")
    return mpmath.findroot(lambda C: slope(C, keys), (start, start + HALF), tol=1e-20)


def least_error(keys: int) -> Number:
    return error(one_head, best_scale(keys), keys)


def crossing(keys: int) -> Number:
    """The C at which one head and two heads have the same error."""
    start = {4: "1.37", 10: "2.17", 100: "3.82"}[keys]

    def gap(C: Number) -> Number:
        return error(one_head, C, keys) - error(two_heads, C, keys)

    return mpmath.findroot(gap, (mpf(start), mpf(start) + mpf("0.01")), tol=1e-24)


def above(gamma: Number) -> Number:
    """P(γ > gamma)."""
    return ncdf(-gamma * sqrt(mpf(2)))


def on_a_above(level: str, C: int) -> Number:
    """P(α_a > level) of one head: e^(−Cγ)(1 + 8e^(−C)) < 1/level − 1."""
    return above(log((1 + 8 * exp(-mpf(C))) / (1 / mpf(level) - 1)) / C)


def on_b_below(level: str, C: int) -> Number:
    """P(α_b < level) of one head: e^(Cγ) > 1/level − 1 − 8e^(−C)."""
    return above(log(1 / mpf(level) - 1 - 8 * exp(-mpf(C))) / C)


def in_first_head_above(level: str) -> Number:
    """P(α_a > level) in head 1 at C = 100: e^(C(1 + γ)) > (n − 1) level/(1 − level)."""
    return above(log(9 * mpf(level) / (1 - mpf(level))) / 100 - 1)


def kept_error() -> Number:
    """The error of two heads over the draws with 1 + γ > 0, C = 1000."""
    C = mpf(1000)
    return mean(lambda x: squared(two_heads(C, x, 10), 10), C, least=0) / above(mpf(-1))


def normalised_error() -> Number:
    """The error of one head if k_a is μ_a or −μ_a, C = 100."""
    kept = above(mpf(-1))
    towards, away = (squared(one_head(mpf(100), mpf(sign), 10), 10) for sign in (1, -1))
    return kept * towards + (1 - kept) * away


def turned_away_error() -> Number:
    """The error for the logits 0, 0, −20, …."""
    return squared(softmax(mpf(20), mpf(20), 10), 10)


def best_query_error() -> Number:
    """The error of the query that the claim's search finds."""
    setting = AveragingQuestion(keys=10)
    seed = seed_of(0, "noise-remedies-best-queries")
    found = best_queries(setting.noisy_keys(), setting.target(), heads=1, starts=2, seed=seed)
    query = [mpf(each) for each in found.queries[0].tolist()]

    def at(stretch: Number) -> Number:
        logits = [query[0] * stretch, *query[1:]]
        top = max(logits)
        powers = [exp(each - top) for each in logits]
        weights = [each / mpmath.fsum(powers) for each in powers]
        return (weights[0] - HALF) ** 2 + (weights[1] - HALF) ** 2 + mpmath.fsum(each**2 for each in weights[2:])

    return mean(at, mpf(1))


def isotropic_error(C: Number, variance: str) -> Number:
    """The error of q = C(μ_a + μ_b) for three keys with isotropic noise.

    The logits of a and b are C + sx and C + sy, that of the third key is sz, with s = C√(2α) and normal x, y, z. So
    around the mean of the first two they are ±su/√2 and −C + s√1.5 w, with normal u and w. For the third key's weight
    t and p = 1/(1 + e^(−√2 su)), the squared error is (1 − t)²(p² + (1 − p)²) − (1 − t) + ½ + t².
    """
    s, C = C * sqrt(2 * mpf(variance)), mpf(C)

    def given(u: Number) -> Number:
        p = 1 / (1 + exp(-sqrt(mpf(2)) * s * u))
        t, both = third(s * abs(u) / sqrt(mpf(2)) + log(1 + exp(-sqrt(mpf(2)) * s * abs(u))))
        square = p**2 + (1 - p) ** 2
        return (1 - 2 * t + both) * square - (1 - t) + HALF + both

    def third(others: Number) -> tuple[Number, Number]:
        """E t and E t² of t = 1/(1 + e^(L + C − s√1.5 w)), where e^L is the sum of the others' powers."""
        edge, width = (others + C) / (s * sqrt(mpf("1.5"))), 45 / (s * sqrt(mpf("1.5")))
        if edge - width > 12:
            return mpf(0), mpf(0)
        slope, ends = s * sqrt(mpf("1.5")), [edge - width, edge, edge + width]
        first, second = (
            integral(lambda w, power=power: npdf(w) / (1 + exp(slope * (edge - w))) ** power, ends, degree=5)
            for power in (1, 2)
        )
        beyond = ncdf(-edge - width)
        return beyond + first, beyond + second

    steps = sorted({min(step / s, mpf(10)) for step in (0, 1, 5, 20, 60)} | {mpf(10)})
    return 2 * integral(lambda u: given(u) * npdf(u), steps)


def average_distance(keys: int) -> Number:
    """‖c − ½(v_a + v_b)‖ of two heads without noise, C = 20."""
    return sqrt(squared(two_heads(mpf(20), mpf(1), keys), keys))


def unasked_weight(beta: int) -> Number:
    """The weight of each of two inputs with the score 0, beside one with the score β²."""
    return 1 / (exp(mpf(beta) ** 2) + 2)


def two_keys_apart(keys: int) -> Number:
    """½ − α_a of one head without noise, C = 20."""
    return HALF - softmax(mpf(20), mpf(20), keys)[0]


def _attention() -> Iterator[tuple[str, str, Truth]]:
    largest = log(mpf(2) ** 1024 - mpf(2) ** 970)  # what is larger rounds to infinity
    written = "distribution-as-written"
    yield written, "largest logit that works, float64", lambda: largest
    yield written, "largest logit that works, float32", lambda: log(mpf(2) ** 128 - mpf(2) ** 103)
    yield written, "the same for 1,000 equal logits, float64", lambda: largest - log(mpf(1000))
    yield written, "below which all logits give 0/0, float64", lambda: log(mpf(2) ** -1075)
    for keys in (4, 10, 100):
        yield "averaging-without-others", f"½ − α_a at C = 20, n = {keys}", partial(two_keys_apart, keys)
        yield "two-heads-scaled", f"‖c − ½(v_a + v_b)‖ at C = 20, n = {keys}", partial(average_distance, keys)
    yield "two-heads-first-two", "‖c − ½(v_1 + v_2)‖ at λ = 20, n = 10", partial(average_distance, 10)
    yield "self-attention-identity", "‖c₂ − u_a‖/β at β = 5", lambda: sqrt(mpf(10)) * unasked_weight(5)
    yield "self-attention-plus", "the same at β = 4", lambda: sqrt(mpf(5)) * unasked_weight(4)


def _small_noise() -> Iterator[tuple[str, str, Truth]]:
    claim = "small-noise-average"
    yield claim, "error at C = 1/(2√α)", partial(isotropic_error, 500, "1e-6")
    yield claim, "error at C = 10/(2√α)", partial(isotropic_error, 5000, "1e-6")
    for shown, variance in (("0.01", "1e-2"), ("0.0001", "1e-4"), ("1e-06", "1e-6")):
        yield claim, f"error at C = 1e5, n = 3, α = {shown}", partial(isotropic_error, 100_000, variance)


def _norm_noise() -> Iterator[tuple[str, str, Truth]]:
    swings = "norm-noise-swings"
    yield swings, "P(α_a > 0.9), C = 100, n = 10", partial(on_a_above, "0.9", 100)
    yield swings, "P(α_a < 0.1)", lambda: 1 - on_a_above("0.1", 100)
    yield swings, "P(α_b > 0.9)", lambda: 1 - on_b_below("0.9", 100)
    yield swings, "P(α_b < 0.1)", partial(on_b_below, "0.1", 100)
    yield swings, "standard deviation of α_a", partial(spread, one_head, 100)
    for C in (10, 100, 1000):
        yield "norm-noise-to-a", f"P(α_a > ½), C = {C}, n = 10", partial(on_a_above, "0.5", C)
        yield "norm-noise-to-a", f"E‖c − v_a‖², C = {C}", partial(distance_to_a, C)
    yield "norm-noise-longer", "largest γ at which the longer key loses", lambda: mpf(-2)
    yield "norm-noise-longer", "share of the draws in which the longer key loses", lambda: 1 - above(mpf(-2))
    for C in SCALES:
        yield "norm-noise-formula", f"E[α_a], n = 10, C = {C}", partial(mean_weight, one_head, C)
        yield "norm-noise-formula", f"sd[α_a], n = 10, C = {C}", partial(spread, one_head, C)
        yield "norm-noise-formula", f"error, n = 10, C = {C}", partial(error, one_head, C)
    for keys in (4, 10, 100, 1000):
        yield "norm-noise-large-scale", f"best C, n = {keys}", partial(best_scale, keys)
        yield "norm-noise-large-scale", f"error at the best C, n = {keys}", partial(least_error, keys)
        yield "norm-noise-large-scale", f"error at C = 1000, n = {keys}", partial(error, one_head, 1000, keys)


def _two_heads_noise() -> Iterator[tuple[str, str, Truth]]:
    average = "two-heads-noise-average"
    for C in SCALES:
        yield average, f"error, n = 10, C = {C}", partial(error, two_heads, C)
        yield "two-heads-noise-small-scale", f"error of one head over that of two, n = 10, C = {C}", partial(ratio, C)
    yield average, "error over the draws with k_aᵀq₁ > 0, C = 1000", kept_error
    yield average, "standard deviation of the weight on a, C = 1000", partial(spread, two_heads, 1000)
    for keys in (4, 10, 100):
        yield "two-heads-noise-small-scale", f"C where the errors are equal, n = {keys}", partial(crossing, keys)
    first = "two-heads-noise-first-head"
    yield first, "P(α_a > 0.9) in head 1, C = 100, n = 10", partial(in_first_head_above, "0.9")
    yield first, "P(α_a < 0.1) in head 1", lambda: 1 - in_first_head_above("0.1")
    yield first, "standard deviation of α_a in head 1", partial(spread, first_head, 100)
    yield first, "standard deviation of α_b in head 2", lambda: mpf(0)


def _noise_remedies() -> Iterator[tuple[str, str, Truth]]:
    yield "noise-remedies-normalised", "error, keys normalised, C = 100, n = 10", normalised_error
    yield "noise-remedies-normalised", "error, keys as they are, C = 100", partial(error, one_head, 100)
    yield "noise-remedies-turn-away", "error, norm of a noisy, C = 20", turned_away_error
    yield "noise-remedies-turn-away", "error, norms of a and b noisy, C = 20", turned_away_error
    yield "noise-remedies-best-queries", "error of the best query found", best_query_error
    yield "noise-remedies-best-queries", "error of two heads, C = 1000", partial(error, two_heads, 1000)
    for heads in (2, 4, 8):
        yield "noise-remedies-more-heads", f"error of {heads} heads, C = 100", partial(error, two_heads, 100)
    for share in ("0.4", "0.45", "0.55", "0.6"):
        weighed = partial(two_heads, share=mpf(share))
        yield "noise-remedies-more-heads", f"error with a share of {share} for head 1", partial(error, weighed, 100)
    shared = "noise-remedies-shared-noise"
    yield shared, "error of one head, one γ for both, C = 100", partial(error, one_head_together, 100)
    yield shared, "error of two heads, one γ for both", partial(error, two_heads_together, 100)
    yield shared, "error of one head, γ for a alone", partial(error, one_head, 100)


def truths() -> Iterator[tuple[str, str, Truth]]:
    """The claim, the name of a number with a bound, and what computes its true value."""
    for family in (_attention, _small_noise, _norm_noise, _two_heads_noise, _noise_remedies):
        yield from family()
