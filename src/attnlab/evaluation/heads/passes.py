"""The passes that score heads: a text in windows, and repeated random tokens, a layer in memory at a time."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.evaluation.heads.chance import CONTROL, REPEATED
from attnlab.evaluation.heads.patterns import pattern_scores
from attnlab.evaluation.heads.repeats import (
    Places,
    Repeats,
    control_places,
    copying_scores,
    placed_scores,
    repeated_places,
)
from attnlab.models.inside import Inside
from attnlab.models.lens import LayerHeads, Lens

WINDOW = 256
"""The most tokens in a window of the text."""
LARGEST = 1 << 22
"""The most attention weights of a layer that are held at once, unless a single window has more."""

Advance = Callable[[float], None]
"""Is told how many tokens are done."""
SeeRows = Callable[[int, LayerHeads, Tensor], None]
"""Is given a layer, its heads, and the rows of the batch."""


class Collected:
    """The values of each measure in each window, layer by layer."""

    def __init__(self, layers: int):
        self._parts: dict[str, list[list[Tensor]]] = defaultdict(lambda: [[] for _ in range(layers)])

    def add(self, key: str, layer: int, values: Float[Tensor, "windows heads"]) -> None:
        """Add the values of some more windows."""
        self._parts[key][layer].append(values.double().cpu())

    def values(self) -> dict[str, Float[np.ndarray, "layers heads windows"]]:
        """All values of each measure."""
        return {
            key: torch.stack([torch.cat(each).mT for each in layers]).numpy() for key, layers in self._parts.items()
        }


def text_windows(ids: Int[Tensor, " tokens"], context: int, start: int | None) -> Int[Tensor, "windows positions"]:
    """The text in windows of equal length, without what is left over at its end; a short text is one window."""
    before = [] if start is None else [start]
    length = min(min(context, WINDOW) - len(before), len(ids))
    windows = ids[: len(ids) // length * length].view(-1, length)
    return torch.cat([torch.tensor(before, dtype=ids.dtype).expand(len(windows), -1), windows], 1)


def score_text(inside: Inside, windows: Int[Tensor, "windows positions"], found: Collected, advance: Advance) -> None:
    """Score the patterns of all heads in windows of a text."""

    def see(layer: int, seen: LayerHeads) -> None:
        for key, values in pattern_scores(_precise(seen)).items():
            found.add(key, layer, values)

    for here in _batches(windows, inside.heads):
        inside.hidden(windows[here], Lens(see=see))
        advance(windows[here].numel())


def score_repeats(inside: Inside, repeats: Repeats, found: Collected, advance: Advance) -> None:
    """Score all heads on repeated rows and on their controls, and how they copy the tokens of the repeated rows."""
    copying = _copying(inside, repeats, found) if inside.circuits(0) is not None else _nothing
    _score_rows(inside, repeats.ids, (repeated_places(repeats), REPEATED), found, advance, copying)
    _score_rows(inside, repeats.shuffled, (control_places(repeats), CONTROL), found, advance, _nothing)


def _copying(inside: Inside, repeats: Repeats, found: Collected) -> SeeRows:
    """Adds how each head copies the tokens of the first copy, by its direct logits."""
    _, read, gain = inside.ends()
    middle, before = read.float().mean(0), repeats.before

    def see(layer: int, seen: LayerHeads, rows: Int[Tensor, "rows positions"]) -> None:
        circuits = inside.circuits(layer)
        assert circuits is not None  # the layout is known
        out = circuits.out if gain is None else circuits.out * gain[:, None]
        first = rows[:, before : before + repeats.compared]
        found.add("copying_logits", layer, copying_scores(seen.values, first, before, out, read, middle))

    return see


def _nothing(layer: int, seen: LayerHeads, rows: Int[Tensor, "rows positions"]) -> None:
    """Adds nothing."""


def _score_rows(
    inside: Inside,
    rows: Int[Tensor, "rows positions"],
    measures: tuple[Places, tuple[str, ...]],
    found: Collected,
    advance: Advance,
    also: SeeRows,
) -> None:
    """Score all heads on rows: the measures, given by their places and keys, and what `also` adds."""
    places, keys = measures
    for here in _batches(rows, inside.heads):

        def see(layer: int, seen: LayerHeads, here: slice = here) -> None:
            seen = _precise(seen)
            for key, values in zip(keys, placed_scores(seen.weights, places[here]).unbind(1), strict=True):
                found.add(key, layer, values)
            also(layer, seen, rows[here])

        inside.hidden(rows[here], Lens(see=see))
        advance(rows[here].numel())


def _batches(rows: Int[Tensor, "rows positions"], heads: int) -> Iterator[slice]:
    """The rows in batches whose attention weights fit into memory."""
    some = max(1, LARGEST // (heads * rows.shape[1] ** 2))
    return (slice(first, first + some) for first in range(0, len(rows), some))


def _precise(seen: LayerHeads) -> LayerHeads:
    """The same heads in float32, if they were computed in half precision."""
    if seen.weights.dtype in (torch.float32, torch.float64):
        return seen
    keys = None if seen.keys is None else seen.keys.float()
    return replace(
        seen, keys=keys, values=seen.values.float(), logits=seen.logits.float(), weights=seen.weights.float()
    )
