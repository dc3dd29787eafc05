"""What each head attends to on one text, kept at half the memory of square matrices."""

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float32, Float64, Int
from torch import Tensor

from attnlab.models.inside import Inside
from attnlab.models.lens import Head, LayerHeads, Lens


@dataclass(frozen=True)
class Pattern:
    """What one head computed on a text.

    A head sees no later tokens, so `past` has only the logits of each query and the keys up to it, query by query:
    (0, 0), (1, 0), (1, 1), (2, 0), …  A weight is exp(logit − total of its query).
    """

    past: Float32[np.ndarray, " pairs"]
    totals: Float64[np.ndarray, " tokens"]
    """For each query, the logarithm of softmax's denominator."""
    values: Float32[np.ndarray, "tokens dim"]
    queries: Float32[np.ndarray, "tokens dim"] | None = None
    """None for mixers that compare no two tokens; the same holds for `keys`."""
    keys: Float32[np.ndarray, "tokens dim"] | None = None

    @property
    def past_weights(self) -> Float32[np.ndarray, " pairs"]:
        """The weights, in the order of `past`."""
        return np.exp((self.past - np.repeat(self.totals, np.arange(1, len(self.totals) + 1))).astype(np.float32))

    def of_query(self, query: int) -> tuple[Float64[np.ndarray, " keys"], Float32[np.ndarray, " keys"]]:
        """The weights and the logits of one query: a number for each key up to it."""
        start = query * (query + 1) // 2
        logits = self.past[start : start + query + 1]
        return np.exp(logits - self.totals[query]), logits

    def weights(self) -> Float32[np.ndarray, "tokens tokens"]:
        """The weights of every query (row) and key (column); 0 for later keys."""
        return square(self.past_weights, 0.0)

    def logits(self) -> Float32[np.ndarray, "tokens tokens"]:
        """The logits of every query (row) and key (column); −∞ for later keys."""
        return square(self.past, -np.inf)


def square(pairs: Float32[np.ndarray, " pairs"], later: float) -> Float32[np.ndarray, "tokens tokens"]:
    """Numbers in the order of `Pattern.past` as a matrix, with another number for later keys.

    >>> square(np.array([1.0, 2.0, 3.0], np.float32), 0.0)
    array([[1., 0.],
           [2., 3.]], dtype=float32)
    """
    side = math.isqrt(2 * len(pairs))
    found = np.full((side, side), later, np.float32)
    found[np.tri(side, dtype=bool)] = pairs
    return found


@torch.no_grad()
def look_at(inside: Inside, ids: Int[Tensor, " tokens"], heads: Collection[Head]) -> dict[Head, Pattern]:
    """What some heads compute on a text, from one pass. Only one layer at a time is held whole."""
    found: dict[Head, Pattern] = {}

    def see(layer: int, seen: LayerHeads) -> None:
        found.update({head: _pattern(seen, head.place) for head in heads if head.layer == layer})

    inside.hidden(ids[None], Lens(see=see))
    return {head: found[head] for head in heads}


def _pattern(seen: LayerHeads, place: int) -> Pattern:
    def numbers(each: Tensor | None) -> Float32[np.ndarray, "tokens dim"] | None:
        return None if each is None else each[0, place].float().cpu().numpy().copy()

    logits, weights = (each[0, place].float().cpu() for each in (seen.logits, seen.weights))
    strongest = weights.argmax(-1, keepdim=True)  # its weight is not tiny, so its logarithm is precise
    totals = logits.gather(-1, strongest).double() - weights.gather(-1, strongest).double().log()
    values = numbers(seen.values)
    assert values is not None
    past = logits[torch.ones_like(logits, dtype=torch.bool).tril()].numpy()
    return Pattern(past, totals[:, 0].numpy(), values, numbers(seen.queries), numbers(seen.keys))
