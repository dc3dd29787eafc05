"""An n-gram model: interpolated modified Kneser–Ney smoothing, of any order, over integers below `size`.

The probability of w after the context u = u₁…u_k comes from its count, minus a discount. What the discounts take away
goes to the context without its first token, u′:

    p(w | u) = (c(uw) − D(c(uw))) / c(u) + λ(u) p(w | u′),    c(u) = Σ_w c(uw),    λ(u) = Σ_w D(c(uw)) / c(u),

and below the empty context is 1/size. A context that no token followed is skipped: p(w | u) = p(w | u′).

At the highest order c counts occurrences. At lower orders, c(v) counts the different tokens that came before v, because
p(w | u′) matters only if uw is rare, and a word that follows only one other word is unlikely after a different one. The
start of the text counts as one more such token, so that every n-gram of the text has a count above 0.

The discounts of each order, for counts of 1, of 2, and of 3 or more, come from n_k, how many n-grams have the count k:

    D_k = k − (k + 1) Y n_{k+1} / n_k,    Y = n₁ / (n₁ + 2n₂).

Plain interpolated Kneser–Ney uses Y for all three. `spread` uses other discounts at the highest order, which depend on
how the occurrences are spread over the text (spread.py). Source: S. F. Chen and J. Goodman, An empirical study of
smoothing techniques for language modeling, Computer Speech and Language 13 (1999) 359–394, section 3.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from attnlab.errors import ArgumentError
from attnlab.models.room import check_counting
from attnlab.models.spread import spread_discounts
from attnlab.settings import Range, settings, tag

Discounts = Literal["modified", "plain", "spread"]


@settings
class NGramConfig:
    """The shape of an n-gram model."""

    kind: Literal["ngram"] = tag(default="ngram")
    order: Annotated[int, Range(1, 64)] = 5
    """The length of the longest n-grams."""
    discounts: Discounts = "modified"
    """The smoothing. spread: also use how many parts of the text have an n-gram; better for words of a long text."""


@dataclass(frozen=True)
class Level:
    """All n-grams of one length n, as one level of a tree: the parent of an n-gram is its first n − 1 tokens.

    An n-gram's number is its index in `keys`; its key is (the number of its first n − 1 tokens) · size + (last token).
    """

    keys: Int[np.ndarray, "ngrams"]  # sorted
    shares: Float[np.ndarray, "ngrams"]  # (c(uw) − D(c(uw))) / c(u)
    passed: Float[np.ndarray, "contexts"]  # λ(u) for each (n − 1)-gram u; 1 where nothing followed

    def check(self, order: int, size: int, contexts: int) -> None:
        """Raise unless the arrays fit each other, as those of a file may not."""
        arrays = {"keys": (self.keys, self.keys.size), "shares": (self.shares, self.keys.size)}
        arrays["passed"] = (self.passed, contexts)
        for name, (array, length) in arrays.items():
            if array.shape != (length,) or array.dtype.kind != ("i" if name == "keys" else "f"):
                raise ArgumentError("state", f"expected {length} numbers as {name}.{order}")
            if name != "keys" and not (np.isfinite(array).all() and (array >= 0).all()):
                raise ArgumentError("state", f"expected numbers of at least 0 as {name}.{order}")
        if (np.diff(self.keys) <= 0).any() or not ((self.keys >= 0) & (self.keys // size < contexts)).all():
            raise ArgumentError("state", f"expected the keys of n-grams, in order, as keys.{order}")

    def find(self, keys: Int[np.ndarray, "*shape"]) -> Int[np.ndarray, "*shape"]:
        """The numbers of the n-grams with these keys; −1 for an unknown key."""
        if not self.keys.size:
            return np.full(keys.shape, -1)
        places = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        return np.where(self.keys[places] == keys, places, -1)


@dataclass(frozen=True)
class NGram:
    """Interpolated modified Kneser–Ney over integers below `size`; `fit` makes one from a text.

    >>> model = NGram.fit(np.array([0, 1, 2, 0, 1, 3, 0, 1, 2]), size=5, order=3)
    >>> model.next([0, 1]).round(3)
    array([0.115, 0.036, 0.583, 0.25 , 0.016])
    >>> model.nats([0, 1, 2]).round(3)
    array([0.727, 0.153, 0.539])
    """

    size: int
    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)

    @classmethod
    def fit(cls, ids: ArrayLike, size: int, order: int = 3, discounts: Discounts = "modified") -> "NGram":
        """The model of a text of any length; for an empty text it is uniform."""
        for name, number in {"size": size, "order": order}.items():
            if not isinstance(number, int | np.integer) or number < 1:
                raise ArgumentError(name, f"expected a whole number, 1 or more, got {number!r}")
        if discounts not in get_args(Discounts):
            raise ArgumentError("discounts", f"expected {' or '.join(get_args(Discounts))}, got {discounts!r}")
        text = as_ids("ids", ids, size)
        check_counting(text.size)
        levels, contexts = [], 1
        for keys, counts, numbers in count(text, size, order):
            taken = discount(counts, discounts)[np.minimum(counts, 3)]
            if discounts == "spread" and len(levels) == order - 1 > 0:
                below = np.ones(keys.size)  # p(w | u′), the same at every occurrence of uw
                below[numbers] = np.exp(-cls(size, tuple(levels)).nats(text)[order - 1 :])
                taken = spread_discounts(numbers, counts, keys // size, below)
            levels.append(smooth(keys, counts, contexts, size, taken))
            contexts = keys.size
        return cls(int(size), tuple(levels))

    def nats(self, ids: ArrayLike) -> Float[np.ndarray, "positions"]:
        """−ln p of each token, given at most order − 1 tokens before it."""
        text = as_ids("ids", ids, self.size)
        chances = np.full(text.size, 1 / self.size)
        contexts = np.zeros(text.size, dtype=np.int64)
        for level in self.levels:
            numbers = np.where(contexts >= 0, level.find(contexts * self.size + text), -1)
            # Unknown n-grams have the number −1, the appended last entry: no share, and everything is passed on.
            chances = np.append(level.passed, 1.0)[contexts] * chances + np.append(level.shares, 0.0)[numbers]
            contexts = np.append(-1, numbers)[: text.size]  # an n-gram is the context of the token after it
        return -np.log(chances)

    def next(self, context: ArrayLike = ()) -> Float[np.ndarray, "vocab"]:
        """The probability of every token after a context; only its last order − 1 tokens count."""
        before = as_ids("context", context, self.size)
        chances = np.full(self.size, 1 / self.size)
        for length, level in enumerate(self.levels[: before.size + 1]):
            number = 0
            for above, token in zip(self.levels, before[before.size - length :], strict=False):
                number = int(above.find(np.array(number * self.size + token))) if number >= 0 else -1
            if number < 0:
                break  # longer contexts cannot occur either
            first, last = np.searchsorted(level.keys, [number * self.size, (number + 1) * self.size])
            chances *= level.passed[number]
            chances[level.keys[first:last] - number * self.size] += level.shares[first:last]
        return chances

    def state(self) -> dict[str, np.ndarray]:
        """The model as plain arrays, by name."""
        arrays = {f"{name}.{n}": array for n, level in enumerate(self.levels, 1) for name, array in vars(level).items()}
        return {"size": np.array([self.size]), **arrays}

    @classmethod
    def from_state(cls, state: Mapping[str, np.ndarray]) -> "NGram":
        """The model from the arrays of `state`."""
        try:
            orders = range(1, 1 + sum(name.startswith("keys.") for name in state))
            levels = [Level(*(np.asarray(state[f"{name}.{n}"]) for name in Level.__annotations__)) for n in orders]
            if state["size"].shape != (1,) or not 1 <= state["size"][0] < 2**32:
                raise ArgumentError("state", "expected a size of at least 1")
            size = int(state["size"][0])
            for n, level in enumerate(levels, start=1):
                level.check(n, size, levels[n - 2].keys.size if n > 1 else 1)
            return cls(size, tuple(levels))
        except KeyError as error:
            raise ArgumentError(
                "state", f"expected an array named {error}, got {', '.join(state) or 'no arrays'}"
            ) from None


def count(
    text: Int[np.ndarray, "positions"], size: int, order: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each length, the keys and counts of the n-grams (occurrences at the highest order, else neighbours), and the
    number of the n-gram that ends at each position."""
    keys, numbers, times = np.unique(text, return_inverse=True, return_counts=True)
    for n in range(2, order + 1):
        # `numbers` has the (n − 1)-gram that ends at each position; an n-gram's context ends one position earlier.
        longer, places, ends, longer_times = np.unique(
            numbers[:-1] * size + text[n - 1 :], return_index=True, return_inverse=True, return_counts=True
        )
        # Each different n-gram counts as one neighbour of its last n − 1 tokens, and so does the start of the text.
        neighbours = np.bincount(numbers[1:][places], minlength=keys.size)
        neighbours[numbers[:1]] += 1
        yield keys, neighbours, numbers
        keys, numbers, times = longer, ends, longer_times
    yield keys, times, numbers


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
    n = np.bincount(np.minimum(counts, 5), minlength=6).tolist()
    plain = n[1] / (n[1] + 2 * n[2]) if n[1] and n[2] else 0.5
    taken = np.array([0.0, plain, plain, plain])
    for k in (1, 2, 3) if kind != "plain" else ():
        exact = k - (k + 1) * plain * n[k + 1] / n[k] if n[k] else 0.0
        taken[k] = exact if 0 < exact < k else plain
    return taken


def as_ids(name: str, ids: ArrayLike, size: int) -> Int[np.ndarray, "positions"]:
    """The ids as a NumPy array; raises unless all are integers from 0 to size − 1."""
    given = np.asarray(ids)
    if given.ndim != 1:
        raise ArgumentError(name, f"expected one axis, got shape {given.shape}")
    if given.size and given.dtype.kind not in "iu":
        raise ArgumentError(name, f"expected whole numbers, got {given.dtype}")
    if given.size and not 0 <= given.min() <= given.max() < size:
        raise ArgumentError(name, f"expected numbers from 0 to {size - 1}, got {given.min()} to {given.max()}")
    return given.astype(np.int64)
