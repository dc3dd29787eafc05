"""Discounts that know how the occurrences of an n-gram are spread over the text.

Kneser–Ney takes occurrences to be independent. They are not: a name that stands nine times in one article is worth
less, in the next article, than a phrase that stands once in each of nine. So the text is cut into blocks, and an n-gram
has a count c and a spread b, the blocks that it occurs in. Those alike share one discount: those with equal ⌊2 log₂ c⌋
and ⌊2 log₂ b⌋, where 256 and more are one class.

It follows from leaving out each block B in turn, as Good and Turing left out each occurrence. To one who has not seen B
an n-gram has the count c − c_B and belongs to some class k, and there are N − 1 blocks. So in as much text again as
that, the n-grams of class k occur r_k = (N − 1) mean c_B times each, and the model must say so:

    c − D_k + L(u) p(w | u′) = r_k  on average,    L(u) = Σ_w D(uw),

what it expects of uw being what is left of the count and its part of all that u passes on. D is found by iteration.
"""

import numpy as np
from jaxtyping import Float, Int

BLOCKS = 64
ROUNDS = 8
LEAST, MOST = 0.05, 0.98
"""A discount is at least this, and at most this share of the count: also where a class is nearly empty."""


def spread_discounts(
    numbers: Int[np.ndarray, "positions"],
    counts: Int[np.ndarray, "ngrams"],
    contexts: Int[np.ndarray, "ngrams"],
    below: Float[np.ndarray, "ngrams"],
) -> Float[np.ndarray, "ngrams"]:
    """What is taken from the count of each n-gram.

    `numbers` has the n-gram at each position of the text, `contexts` the number of what each n-gram begins with, and
    `below` the probability p(w | u′) of its last token in a context one shorter.
    """
    block = np.arange(numbers.size) * BLOCKS // max(numbers.size, 1)
    pairs, times = np.unique(numbers * BLOCKS + block, return_counts=True)  # n-grams in blocks, and how often: c_B
    owner = pairs // BLOCKS
    spread = np.bincount(owner, minlength=counts.size)
    kinds = _kind(counts, spread)
    alike = np.bincount(kinds, minlength=KINDS)
    # Left out are the blocks without the n-gram, where it stays as it is, and those with it. One that stands in one
    # block alone is, without that block, unseen.
    rest, absent = counts[owner] - times, BLOCKS - spread
    found = rest > 0
    left, rest, times = _kind(rest, spread[owner] - 1)[found], rest[found], times[found]
    cases = np.bincount(kinds, absent, KINDS) + np.bincount(left, minlength=KINDS)
    seen = np.bincount(kinds, absent * counts, KINDS) + np.bincount(left, rest, KINDS)
    again = (BLOCKS - 1) * np.bincount(left, times, KINDS)
    missing = (seen - again) / np.maximum(cases, 1)  # c − r on average
    taken = np.full(KINDS, 0.5)
    for _ in range(ROUNDS):
        lost = np.bincount(contexts, np.minimum(taken[kinds], MOST * counts))
        passed_on = np.bincount(kinds, lost[contexts] * below, KINDS) / np.maximum(alike, 1)
        taken = np.maximum(missing + passed_on, LEAST)
    return np.minimum(taken[kinds], MOST * counts)


STEPS = np.ceil(2 ** (np.arange(2, 17) / 2)).astype(np.int64)  # 2, 3, 4, 6, 8, 12 …: where a class begins
KINDS = (STEPS.size + 1) ** 2


def _kind(counts: Int[np.ndarray, "*shape"], spread: Int[np.ndarray, "*shape"]) -> Int[np.ndarray, "*shape"]:
    """The number of the class of a count and a spread."""
    of_count, of_spread = (np.searchsorted(STEPS, each, side="right") for each in (counts, spread))
    return of_count * (STEPS.size + 1) + of_spread
