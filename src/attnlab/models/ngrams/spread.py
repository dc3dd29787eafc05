"""Discounts that depend on how the occurrences of an n-gram are spread over the text.

Kneser–Ney assumes that occurrences are independent. They are not: a name that occurs nine times in one article is less
likely in the next article than a phrase that occurs once in each of nine articles. So the text is cut into blocks. An
n-gram has a count c and a spread b, the number of blocks that it occurs in. All n-grams with equal ⌊2 log₂ c⌋ and
⌊2 log₂ b⌋ form a class with one discount; 256 and more count as one value.

The discount follows from leaving out each block B in turn, as Good and Turing left out each occurrence. Without B, an
n-gram has the count c − c_B in N − 1 blocks, and belongs to some class k. So in N − 1 new blocks, the n-grams of class
k occur r_k = (N − 1) mean c_B times each, and the model must predict that:

    c − D_k + L(u) p(w | u′) = r_k  on average,    L(u) = Σ_w D(uw).

The left side is the expected count of uw: its discounted count, and its part of all that u passes on. An iteration
finds D.
"""

import numpy as np
from jaxtyping import Float, Int

BLOCKS = 64
ROUNDS = 8
LEAST, MOST = 0.05, 0.98
"""A discount is at least 0.05, and at most this share of the count, even if a class is nearly empty."""


def spread_discounts(
    numbers: Int[np.ndarray, "positions"],
    counts: Int[np.ndarray, "ngrams"],
    contexts: Int[np.ndarray, "ngrams"],
    below: Float[np.ndarray, "ngrams"],
) -> Float[np.ndarray, "ngrams"]:
    """The discount of each n-gram.

    `numbers` has the n-gram at each position of the text, `contexts` the number of each n-gram's context u, and `below`
    the probability p(w | u′) of its last token in a context that is one token shorter.
    """
    block = np.arange(numbers.size) * BLOCKS // max(numbers.size, 1)
    pairs, times = np.unique(
        numbers.astype(np.int64) * BLOCKS + block, return_counts=True
    )  # c_B of each n-gram and block
    owner = pairs // BLOCKS
    spread = np.bincount(owner, minlength=counts.size)
    kinds = _kind(counts, spread)
    alike = np.bincount(kinds, minlength=KINDS)
    # Leaving out a block without the n-gram does not change its count. An n-gram of one block is unseen without it.
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


STEPS = np.ceil(2 ** (np.arange(2, 17) / 2)).astype(np.int64)  # 2, 3, 4, 6, 8, 12 …: the smallest value of each class
KINDS = (STEPS.size + 1) ** 2


def _kind(counts: Int[np.ndarray, "*shape"], spread: Int[np.ndarray, "*shape"]) -> Int[np.ndarray, "*shape"]:
    """The number of the class of a count and a spread."""
    of_count, of_spread = (np.searchsorted(STEPS, each, side="right") for each in (counts, spread))
    return of_count * (STEPS.size + 1) + of_spread
