"""Claim 15: perplexity and the base of the logarithm."""

import numpy as np

from attnlab.claims.claim import Family, Finding, Quantity

FAMILY = Family(
    15,
    "perplexity",
    "Perplexity and its base",
    bench="perplexity",
    question="Does perplexity depend on the base of the logarithm?",
)


def _probabilities(seed: int) -> np.ndarray:
    """Random probabilities of 10,000 tokens, from near 0 to 1."""
    return np.random.default_rng(seed).uniform(1e-9, 1, 10_000) ** 3


def _perplexity(probabilities: np.ndarray, log, exponential) -> float:
    """exponential(−mean of log p)."""
    return float(exponential(-np.mean(log(probabilities))))


@FAMILY.claim("base", "b^(−1/N Σ log_b p) is the same for every base b.", said_by="E")
def _base(seed: int) -> Finding:
    p = _probabilities(seed)
    e = _perplexity(p, np.log, np.exp)
    two = _perplexity(p, np.log2, np.exp2)
    ten = _perplexity(p, np.log10, lambda x: 10.0**x)
    apart = max(abs(two / e - 1), abs(ten / e - 1))
    return Finding(
        "holds" if apart < 1e-12 else "fails",
        "A change of base multiplies the logarithm by a constant, and the power of the new base undoes it: b^(log_b "
        "x) = x. So perplexity is the same number in every base, as long as the logarithm and the power have the "
        "same base.",
        (
            Quantity("perplexity, base e", e, how="observed"),
            Quantity("perplexity, base 2", two, how="observed"),
            Quantity("perplexity, base 10", ten, how="observed"),
            Quantity("largest relative difference", apart, how="observed"),
        ),
    )


@FAMILY.claim("mixed", "2^(−1/N Σ ln p) is the perplexity, too.", said_by="the lab, as a warning")
def _mixed(seed: int) -> Finding:
    p = _probabilities(seed)
    right, mixed = _perplexity(p, np.log, np.exp), _perplexity(p, np.log, np.exp2)
    return Finding(
        "holds" if abs(mixed / right - 1) < 1e-12 else "fails",
        "A loss in nats (ln) with a power of 2 gives perplexity^(ln 2), that is perplexity^0.693, which is always "
        "too low. Look for this mistake when two reported perplexities differ by a power.",
        (
            Quantity("perplexity", right, how="observed"),
            Quantity("with the bases mixed", mixed, how="observed"),
            Quantity("ln(mixed) / ln(perplexity)", float(np.log(mixed) / np.log(right)), how="observed"),
        ),
    )
