"""Discounts, and what they make of counts: the shares of n-grams, and the weight that each context passes on. The
formulas are in ngram.py."""

from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from attnlab.models.ngrams.levels import Level

Discounts = Literal["modified", "plain", "spread"]


def smooth(
    keys: Int[np.ndarray, "ngrams"],
    counts: Int[np.ndarray, "ngrams"],
    contexts: int,
    size: int,
    taken: Float[np.ndarray, "ngrams"],
) -> Level:
    """The level of one length: discounted shares, and the share λ that each context passes on."""
    context = keys // size
    totals = np.bincount(context, counts, contexts)
    lost = np.bincount(context, taken, contexts)
    passed = np.divide(lost, totals, out=np.ones(contexts), where=totals > 0)
    return Level(keys, (counts - taken) / totals[context], passed)


def discount(counts: Int[np.ndarray, "ngrams"], kind: Discounts = "modified") -> Float[np.ndarray, "4"]:
    """The discounts of counts 0 (no discount), 1, 2, and 3 or more.

    In a tiny text n_k may be 0, or D_k not between 0 and k: then Y replaces D_k, and ½ replaces Y.

    >>> discount(np.array([1, 1, 1, 1, 2, 2, 3])).round(3)
    array([0.  , 0.5 , 1.25, 0.5 ])
    """
    return discounts_of(np.bincount(np.minimum(counts, 5), minlength=6), kind)


def discounts_of(frequencies: Int[np.ndarray, "6"], kind: Discounts = "modified") -> Float[np.ndarray, "4"]:
    """The same from n_k, how many n-grams have the count k."""
    n = frequencies.tolist()
    plain = n[1] / (n[1] + 2 * n[2]) if n[1] and n[2] else 0.5
    taken = np.array([0.0, plain, plain, plain])
    for k in (1, 2, 3) if kind != "plain" else ():
        exact = k - (k + 1) * plain * n[k + 1] / n[k] if n[k] else 0.0
        taken[k] = exact if 0 < exact < k else plain
    return taken
