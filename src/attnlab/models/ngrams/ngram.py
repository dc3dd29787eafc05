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
how the occurrences are spread over the text (spread.py).

With a `boundary` token, a text is a row of sentences that end with it. N-grams with the boundary in the middle are not
counted. Before an n-gram at the beginning of a sentence there are no tokens to count, so c is its number of occurrences
at every order. These are the counts of KenLM. Source: S. F. Chen and J. Goodman, An empirical study of
smoothing techniques for language modeling, Computer Speech and Language 13 (1999) 359–394, section 3.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from attnlab.errors import ArgumentError
from attnlab.mapped import let_go
from attnlab.models.memory import check_counting, counts_in_memory
from attnlab.models.ngrams.context_tree import ContextTree, as_ids, checked
from attnlab.models.ngrams.counting_on_disk import count_on_disk
from attnlab.models.ngrams.discounting import Discounts, discount, smooth
from attnlab.models.ngrams.grams import grams_of, id_type
from attnlab.models.ngrams.levels import CHECKED, Level
from attnlab.models.ngrams.spread import spread_discounts
from attnlab.settings import Range, settings, tag

ARRAYS = ("keys", "shares", "passed")
"""The arrays of a level that are saved."""


@settings
class NGramConfig:
    """The shape of an n-gram model."""

    kind: Literal["ngram"] = tag(default="ngram")
    order: Annotated[int, Range(1, 64)] = 5
    """The length of the longest n-grams."""
    discounts: Discounts = "modified"
    """The smoothing. spread: also use how many parts of the text have an n-gram; better for words of a long text."""
    sentences: bool = False
    """Each line is a sentence of its own, as KenLM counts: its first word does not see the line before it."""


@dataclass(frozen=True)
class NGram(ContextTree):
    """Interpolated modified Kneser–Ney over integers below `size`; `fit` makes one from a text.

    >>> model = NGram.fit(np.array([0, 1, 2, 0, 1, 3, 0, 1, 2]), size=5, order=3)
    >>> model.next([0, 1]).round(3)
    array([0.115, 0.036, 0.583, 0.25 , 0.016])
    >>> model.nats([0, 1, 2]).round(3)
    array([0.727, 0.153, 0.539])
    """

    @classmethod
    def fit(
        cls,
        ids: ArrayLike,
        size: int,
        order: int = 3,
        discounts: Discounts = "modified",
        boundary: int | None = None,
        folder: Path | None = None,
        progress: Callable[[float], None] = lambda share: None,
    ) -> "NGram":
        """The model of a text of any length; for an empty text it is uniform. `boundary` ends each sentence.

        With a `folder`, a text that would take much memory is counted on disk, and the model is memory-mapped files in
        that folder. `progress` is then called with the share of the work that is done. Spread needs memory.
        """
        for name, number in {"size": size, "order": order}.items():
            if not isinstance(number, int | np.integer) or number < 1:
                raise ArgumentError(name, f"expected a whole number, 1 or more, got {number!r}")
        if discounts not in get_args(Discounts):
            raise ArgumentError.unknown("discounts", discounts, get_args(Discounts))
        if boundary is not None and not 0 <= boundary < size:
            raise ArgumentError("boundary", f"expected a number from 0 to {size - 1}, got {boundary}")
        if folder is not None and discounts != "spread" and not counts_in_memory(len(np.asarray(ids))):
            levels = count_on_disk(checked("ids", ids), size, order, discounts, boundary, folder, progress)
            return cls(int(size), levels, boundary)
        text = as_ids("ids", ids, size)
        check_counting(text.size)
        if boundary is not None and text.size:
            ends = [] if text[-1] == boundary else [boundary]
            text = np.concatenate([[boundary], text, ends])
        text = text.astype(id_type(size))
        levels, contexts = [], 1
        for keys, counts, numbers in count(text, size, order, boundary):
            taken = discount(counts, discounts)[np.minimum(counts, 3)]
            if discounts == "spread" and len(levels) == order - 1 > 0:
                below = np.ones(keys.size)  # p(w | u′), the same at every occurrence of uw
                known = numbers >= 0
                below[numbers[known]] = np.exp(-cls(size, tuple(levels)).nats(text)[order - 1 :])[known]
                taken = spread_discounts(numbers[known], counts, keys // size, below)
            levels.append(smooth(keys, counts, contexts, size, taken))
            contexts = keys.size
        return cls(int(size), tuple(levels), boundary)

    def sums(self) -> Iterator[Float[np.ndarray, " contexts"]]:
        """The sum of the probabilities of all tokens after each context, in parts: Σ_w p(w | u) = Σ share(uw) + λ(u),
        if it is 1 for the shorter context u′."""
        for level in self.levels:
            for first in range(0, level.passed.size, CHECKED):
                sums = level.passed[first : first + CHECKED].astype(np.float64)
                some = slice(*np.searchsorted(level.keys, [first * self.size, (first + sums.size) * self.size]))
                sums += np.bincount(level.keys[some] // self.size - first, level.shares[some], sums.size)
                let_go(level.keys, level.shares, level.passed)
                yield sums

    def state(self) -> dict[str, np.ndarray]:
        """The model as plain arrays, by name."""
        arrays = {f"{name}.{n}": getattr(level, name) for n, level in enumerate(self.levels, 1) for name in ARRAYS}
        ends = {} if self.boundary is None else {"boundary": np.array([self.boundary])}
        return {"size": np.array([self.size]), **ends, **arrays}

    @classmethod
    def from_state(cls, state: Mapping[str, np.ndarray]) -> "NGram":
        """The model from the arrays of `state`."""
        try:
            orders = range(1, 1 + sum(name.startswith("keys.") for name in state))
            levels = [Level(*(np.asarray(state[f"{name}.{n}"]) for name in ARRAYS)) for n in orders]
            if state["size"].shape != (1,) or not 1 <= state["size"][0] < 2**32:
                raise ArgumentError("state", "expected a size of at least 1")
            size, boundary = int(state["size"][0]), None
            if "boundary" in state:
                if state["boundary"].shape != (1,) or not 0 <= state["boundary"][0] < size:
                    raise ArgumentError("state", f"expected a boundary from 0 to {size - 1}")
                boundary = int(state["boundary"][0])
            for n, level in enumerate(levels, start=1):
                level.check(n, size, levels[n - 2].keys.size if n > 1 else 1)
            return cls(size, tuple(levels), boundary)
        except KeyError as error:
            raise ArgumentError(
                "state", f"expected an array named {error}, got {', '.join(state) or 'no arrays'}"
            ) from None


def count(
    text: Int[np.ndarray, "positions"], size: int, order: int, boundary: int | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each length, the keys and counts of the n-grams (occurrences at the highest order, else neighbours), and the
    number of the n-gram that begins at each position, −1 if it is not counted.

    With a boundary, the text begins and ends with it.
    """
    before, begins = None, np.empty(0, bool)  # which n-grams begin a sentence
    for n, each in enumerate(grams_of(text, size, order, boundary), start=1):
        if before is None:
            begins = each.keys == boundary
            if boundary is not None and text.size:
                each.times[begins] -= 1  # the first boundary begins a sentence, and ends none
        else:
            # Each different n-gram counts as one neighbour of its last n − 1 tokens, and so does the start of the text.
            neighbours = np.bincount(each.shorter, minlength=before.keys.size)
            if boundary is None:
                neighbours[before.numbers[:1]] += 1
            elif n > 2:  # nothing comes before the beginning of a sentence
                neighbours[begins] = before.times[begins]
            yield before.keys, neighbours, before.numbers
            begins = begins[each.keys // size]
        before = each
    assert before is not None
    yield before.keys, before.times, before.numbers
