"""Claim 8, beyond the write-ups: other remedies against noise in a key's norm."""

import math

import torch
from torch import Tensor

from attnlab.attention import AveragingQuestion, Distribution, best_queries, distribution, noisy_keys, softmax
from attnlab.claims.claim import Family, Finding, Quantity
from attnlab.numbers import percent

FAMILY = Family(
    8.5,
    "noise-remedies",
    "What else helps against norm noise",
    bench="attention",
    question="k_a ≈ (1 + γ)μ_a with γ ~ N(0, ½). What helps?",
)
STAY = (1 + math.erf(1)) / 2
"""P(1 + γ > 0) = Φ(√2)."""


def _shaken(heads: int, C: float, **options) -> Distribution:
    """The distribution of the output for the usual queries and ten keys."""
    setting = AveragingQuestion(keys=10)
    return distribution(setting.noisy_keys(), C * setting.directions(heads), setting.target(), **options)


@FAMILY.claim(
    "normalised",
    "With one head, normalising the keys to k/‖k‖, as QK-norm does, removes the norm noise completely.",
    said_by="the lab, corrected",
    question="k_a ≈ (1 + γ)μ_a with γ ~ N(0, ½). Does normalising the keys help?",
)
def _normalised() -> Finding:
    law = _shaken(1, 100.0, normalise_keys=True)
    expected, plain = (1 - STAY) / 2, _shaken(1, 100.0)
    right_way = float(_shaken_to(1.0)), float(_shaken_to(-1.0))
    return Finding(
        "holds" if law.error < 1e-6 else "fails",
        "(1 + γ)μ_a divided by its length is μ_a or −μ_a: the size of the noise disappears, but its sign stays. In "
        f"{percent(1 - STAY)} of the draws 1 + γ is negative, the key points the other way, and c is v_b alone, "
        f"with a squared error of {right_way[1]:.2f}; in the others the squared error is {right_way[0]:.1g}. On "
        f"average that is {law.error:.4f}, which is (1 − Φ(√2))/2. This is much better than {plain.error:.2f} without "
        "normalising, but the noise is not removed completely. It would be if 1 + γ were always positive.",
        (
            Quantity("error, keys normalised, C = 100, n = 10", law.error, law.error_bound, "bound"),
            Quantity("(1 − Φ(√2))/2", expected),
            Quantity("share of keys that turn round", 1 - STAY),
            Quantity("error if 1 + γ > 0", right_way[0]),
            Quantity("error if 1 + γ < 0", right_way[1]),
            Quantity("error, keys as they are, C = 100", plain.error, plain.error_bound, "bound"),
        ),
    )


def _shaken_to(sign: float) -> Tensor:
    """The squared error of one head with C = 100 if k_a is μ_a or −μ_a."""
    setting = AveragingQuestion(keys=10)
    logits = 100.0 * setting.directions(1)[0]
    logits[0] *= sign
    return (softmax(logits) - setting.target()).square().sum()


@FAMILY.claim(
    "turn-away",
    "One head with q = −C Σ_{i≠a,b} μ_i, C ≫ 0, gives c ≈ ½(v_a + v_b), whatever the norms of k_a and k_b.",
    said_by="the lab",
    question="k_a ≈ (1 + γ)μ_a with γ ~ N(0, ½). Can one head be robust against this noise?",
)
def _turn_away(seed: int) -> Finding:
    aside = torch.ones(10, dtype=torch.float64)
    aside[:2] = 0.0
    one, both = (
        distribution(setting.noisy_keys(), -20 * aside, setting.target())
        for setting in (AveragingQuestion(keys=10), AveragingQuestion(keys=10, noisy=("a", "b")))
    )
    shaky = AveragingQuestion(keys=10, norm_variance=0.0, isotropic=0.01)
    keys, target = shaky.noisy_keys(), shaky.target()
    other = [
        distribution(keys, query, target, samples=1 << 13, seed=seed)
        for query in (-20 * aside, 20 * shaky.directions(1)[0], -5 * aside, 5 * shaky.directions(1)[0])
    ]
    return Finding(
        "holds" if max(one.error, both.error) < 1e-9 else "fails",
        "Do not look for a and b; suppress the other keys instead. The query is orthogonal to μ_a and μ_b, so their "
        "logits are 0, however long these keys are and whichever way they point, and all other logits are −C. At C = "
        f"20 the error is {one.error:.1g}, and with noise in the norm of k_b as well it is {both.error:.1g}. It helps "
        "against this noise only. Under isotropic noise of variance 0.01 the length of the query matters, which is "
        f"{20 * math.sqrt(8):.0f} at C = 20: the error is {other[0].error:.2f}, where 20(μ_a + μ_b) has "
        f"{other[1].error:.2f}. At C = 5 it is {other[2].error:.2f}, where 5(μ_a + μ_b) has {other[3].error:.2f}.",
        (
            Quantity("error, norm of a noisy, C = 20", one.error, one.error_bound, "bound"),
            Quantity("error, norms of a and b noisy, C = 20", both.error, both.error_bound, "bound"),
            *(
                Quantity(
                    f"error of {name}, isotropic noise 0.01", law.error, law.standard_error or 0.0, "standard error"
                )
                for name, law in zip(
                    ("−20 Σ μ_other", "20(μ_a + μ_b)", "−5 Σ μ_other", "5(μ_a + μ_b)"), other, strict=True
                )
            ),
        ),
    )


@FAMILY.claim(
    "best-queries",
    "Among all queries of one head, the best one is orthogonal to μ_a and μ_b, and its error can be brought to 0.",
    said_by="the lab",
    question="k_a ≈ (1 + γ)μ_a with γ ~ N(0, ½). Which query of one head is best?",
)
def _best_queries(seed: int) -> Finding:
    setting = AveragingQuestion(keys=10)
    best = best_queries(setting.noisy_keys(), setting.target(), heads=1, starts=2, seed=seed)
    error, query = best.distribution.error, best.queries[0]
    heard, least = float(query[:2].abs().max() / query[2:].abs().max()), float(query[2:].max())
    advised = _shaken(2, 1000.0)
    return Finding(
        "holds" if error < 1e-6 and heard < 1e-3 and least < -1 else "fails",
        "A search that uses only the error and its gradient finds this query without knowing the idea. The query "
        f"that it finds has almost no part along μ_a and μ_b ({heard:.1g} of its part along the others) and a part of "
        f"−{abs(least):.1f} or less along every other key. Its error is {error:.1g}; two heads with C = 1000 have "
        f"{advised.error:.4f}. So this noise does not call for a second head, but for a better query.",
        (
            Quantity("error of the best query found", error, best.distribution.error_bound, "bound"),
            Quantity("its part along μ_a and μ_b beside that along the others", heard, how="observed"),
            Quantity("its largest part along another key", least, how="observed"),
            Quantity("error of two heads, C = 1000", advised.error, advised.error_bound, "bound"),
        ),
    )


@FAMILY.claim(
    "more-heads",
    "More heads that look for a or for b, or unequal weights of the heads, change little: the error that two heads "
    "leave comes from draws in which k_a points the other way.",
    said_by="the lab",
    question="k_a ≈ (1 + γ)μ_a with γ ~ N(0, ½). Do more heads help, or unequal weights of the heads?",
)
def _more_heads() -> Finding:
    setting, C = AveragingQuestion(keys=10), 100.0

    def error(heads: int, share: float = 0.5) -> Distribution:
        half = setting.head_weights(heads)
        turns = torch.arange(heads) % 2
        of_all = torch.tensor([2 * share, 2 * (1 - share)], dtype=torch.float64)
        weights = half.double() * of_all[turns] if heads > 1 else half
        return distribution(setting.noisy_keys(), C * setting.directions(heads), setting.target(), head_weights=weights)

    two, four, eight = (error(heads) for heads in (2, 4, 8))
    shares = {share: error(2, share) for share in (0.4, 0.45, 0.55, 0.6)}
    same = max(abs(four.error - two.error), abs(eight.error - two.error))
    best = min(law.error for law in shares.values())
    return Finding(
        "holds" if same < 1e-9 and best > 0.9 * two.error else "fails",
        "Four heads, two of which look for a and two for b, give the same output as two heads, since equal queries "
        f"give equal outputs: the errors differ by {same:.1g}. Giving head 1 more or less than half moves the average "
        f"itself: of the shares 0.4, 0.45, 0.55 and 0.6 the best has an error of {best:.4f}, while equal shares have "
        f"{two.error:.4f}. Heads that look for a or for b cannot correct a key that points the other way. Other "
        "queries can, as noise-remedies-turn-away shows.",
        (
            *(
                Quantity(f"error of {heads} heads, C = 100", law.error, law.error_bound, "bound")
                for heads, law in ((2, two), (4, four), (8, eight))
            ),
            *(
                Quantity(f"error with a share of {share:g} for head 1", law.error, law.error_bound, "bound")
                for share, law in shares.items()
            ),
        ),
    )


@FAMILY.claim(
    "shared-noise",
    "If k_a and k_b are stretched by the same γ, one head is nearly as good as two.",
    said_by="the lab",
    question="What if the norms of k_a and k_b are noisy together, with one γ for both?",
)
def _shared_noise() -> Finding:
    setting = AveragingQuestion(keys=10, norm_variance=0.0)
    means = setting.noisy_keys().means
    together = torch.zeros(10, 10, dtype=torch.float64)
    together[0], together[1] = means[0], means[1]
    stretch = together.flatten()
    keys = noisy_keys(means, joint=0.5 * torch.outer(stretch, stretch))
    one, two = (distribution(keys, 100.0 * setting.directions(heads), setting.target()) for heads in (1, 2))
    apart = _shaken(1, 100.0)
    return Finding(
        "holds" if one.error < 1.5 * two.error and one.error < 0.2 * apart.error else "fails",
        "Then the logits of a and b are both C(1 + γ): they rise and fall together, and one head never has to choose "
        f"between them. Its error at C = 100 is {one.error:.4f}, that of two heads {two.error:.4f}; if only the norm "
        f"of k_a is noisy, one head has {apart.error:.4f}. The remaining error comes from the {100 * (1 - STAY):.1f} "
        "% of draws in which both keys point the other way. So one head is not sensitive to all noise in the norms, "
        "but to noise that makes a and b different.",
        (
            Quantity("error of one head, one γ for both, C = 100", one.error, one.error_bound, "bound"),
            Quantity("error of two heads, one γ for both", two.error, two.error_bound, "bound"),
            Quantity("error of one head, γ for a alone", apart.error, apart.error_bound, "bound"),
        ),
    )
