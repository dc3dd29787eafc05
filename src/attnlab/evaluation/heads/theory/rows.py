"""Queries of a head with the keys that they see, drawn from a text."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.models.inside import Inside
from attnlab.models.lens import Head, LayerHeads, Lens

EXACT = 1e-3
"""How far logits may be from scale · qᵀk before a head counts as something else than dot products."""


@dataclass(frozen=True)
class QueryRow:
    """One query of a head, the keys that it sees, and its weights."""

    window: int
    query: Float[np.ndarray, " dim"]
    keys: Float[np.ndarray, "keys dim"]
    weights: Float[np.ndarray, " keys"]
    scale: float
    sink: float = 0.0

    @cached_property
    def logits(self) -> Float[np.ndarray, " keys"]:
        """scale · qᵀk for each key."""
        return self.scale * self.keys @ self.query

    @cached_property
    def lengths(self) -> Float[np.ndarray, " keys"]:
        """The length of each key."""
        return np.linalg.norm(self.keys, axis=1)

    @property
    def attended(self) -> int:
        """The key with the largest weight."""
        return int(self.weights.argmax())

    @property
    def rest(self) -> float:
        """ln of the rest of softmax's denominator: all keys but the attended one, and the sink."""
        others = np.delete(self.logits, self.attended)
        return float(np.logaddexp.reduce([*others, np.log(self.sink)] if self.sink else others))


@dataclass(frozen=True)
class HeadRows:
    """The rows of one head, and the lengths of all its keys in the text."""

    head: Head
    rows: tuple[QueryRow, ...]
    length: float
    """The mean length of a key."""
    variation: float
    """The standard deviation of the lengths as a share of their mean: the coefficient of variation."""

    @property
    def keys(self) -> int:
        """How many keys a query sees, on average."""
        return round(float(np.mean([len(row.keys) for row in self.rows])))


@torch.no_grad()
def draw_rows(inside: Inside, windows: Int[Tensor, "windows positions"], count: int, seed: int = 0) -> list[HeadRows]:
    """`count` rows of every head, or a few more: as many from each window, at places that are the same for all heads.

    Raises if the heads are not those of dot-product attention.
    """
    positions = windows.shape[1]
    each = max(1, min(-(-count // len(windows)), positions - 1))
    places = _places(len(windows), positions, each, seed)
    rows: dict[Head, list[QueryRow]] = {}
    lengths: dict[Head, list[Float[np.ndarray, " positions"]]] = {}
    for window, ids in enumerate(windows):

        def see(layer: int, seen: LayerHeads, window: int = window) -> None:
            q, k = _compared(seen)
            weights = seen.weights[0].double().cpu().numpy()
            for place in range(inside.heads):
                head = Head(layer, place)
                lengths.setdefault(head, []).append(np.linalg.norm(k[place], axis=1))
                rows.setdefault(head, []).extend(
                    QueryRow(window, q[place, i], k[place, : i + 1], weights[place, i, : i + 1], seen.scale, seen.sink)
                    for i in places[window]
                )

        inside.hidden(ids[None], Lens(see=see))
    return [
        HeadRows(
            head, tuple(found), float(np.mean(lengths[head])), float(np.std(lengths[head]) / np.mean(lengths[head]))
        )
        for head, found in rows.items()
    ]


def _places(windows: int, positions: int, each: int, seed: int) -> list[list[int]]:
    """Positions of queries in each window; the first position sees only itself, and is left out."""
    random = np.random.default_rng(seed)
    return [sorted((1 + random.permutation(positions - 1)[:each]).tolist()) for _ in range(windows)]


def _compared(seen: LayerHeads) -> tuple[Float[np.ndarray, "heads queries dim"], Float[np.ndarray, "heads keys dim"]]:
    """The queries and keys of a layer. Raises unless the logits are their dot products."""
    if seen.queries is None or seen.keys is None:
        raise ArgumentError(
            "model", "a synthesizer compares no two tokens: its heads have no keys to hold theory against"
        )
    own = (seen.scale * seen.queries @ seen.keys.mT).tril()
    off = (own - seen.logits.tril()).abs().max() / (1 + own.abs().max())
    if not bool(off < EXACT):
        raise ArgumentError("model", "the logits of its heads are not dot products of queries and keys")
    return seen.queries[0].double().cpu().numpy(), seen.keys[0].double().cpu().numpy()
