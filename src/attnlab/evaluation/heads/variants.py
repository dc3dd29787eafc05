"""Many changes of a model's heads at once: every row of a batch has other heads switched off.

A change begins at a layer; what comes before is that of the plain model. So the rows of the lab's own Transformer are
added at the layer where they begin, and no layer is computed twice for the same input.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from attnlab.models.inside import Inside, TransformerInside
from attnlab.models.lens import Head, LayerHeads, Lens, Shape
from attnlab.models.transformer import Transformer

Weigh = Callable[[int, LayerHeads], Tensor]
NUMBERS_AT_ONCE = 1 << 23
"""The most numbers of one kind that are held at once: logits of tokens, inner activations, attention weights."""


@dataclass(frozen=True)
class Changes:
    """Several changes of heads: each head's output becomes gain · output + shift."""

    gain: Float[Tensor, "changes layers heads"]
    shift: Float[Tensor, "changes layers heads dim"] | None = None

    @classmethod
    def off(
        cls, groups: Sequence[Sequence[Head]], shape: Shape, mean: Float[Tensor, "layers heads dim"] | None = None
    ) -> "Changes":
        """Switches off each group of heads: their output becomes 0 or, where `mean` is given, its mean."""
        gain = torch.cat([_gain(Lens.off(group, shape)) for group in groups])
        return cls(gain, None if mean is None else (1 - gain)[..., None] * mean.to(gain))

    def __len__(self) -> int:
        """How many changes there are."""
        return len(self.gain)

    def __getitem__(self, some: slice | Tensor) -> "Changes":
        """Some of the changes."""
        return Changes(self.gain[some], None if self.shift is None else self.shift[some])

    @property
    def begins(self) -> Int[Tensor, " changes"]:
        """The first layer that each change touches."""
        return (self.gain != 1).any(-1).int().argmax(-1)

    def with_plain(self) -> "Changes":
        """The same changes after one that changes nothing."""
        gain = torch.cat([self.gain.new_ones(1, *self.gain.shape[1:]), self.gain])
        if self.shift is None:
            return Changes(gain)
        return Changes(gain, torch.cat([self.shift.new_zeros(1, *self.shift.shape[1:]), self.shift]))

    def lens(self, windows: int, weigh: Weigh | None = None) -> Lens:
        """The lens of a batch with `windows` rows for each change."""
        shift = None if self.shift is None else self.shift.repeat_interleave(windows, 0)
        return Lens(weigh=weigh, gain=self.gain.repeat_interleave(windows, 0), shift=shift)


@torch.no_grad()
def changed_nats(
    inside: Inside,
    ids: Int[Tensor, "windows positions"],
    targets: Int[Tensor, "windows last"],
    changes: Changes,
    *,
    frozen: bool = False,
) -> Float[Tensor, "changes windows"]:
    """What the targets of each window cost in nats, together, under each change. If `frozen`, all heads keep the
    attention weights that they have in the plain model."""
    rows = rows_at_once(inside, ids.shape[1], slow=frozen)
    found = torch.empty(len(changes), len(ids), dtype=torch.float64)
    order = changes.begins.argsort(stable=True)
    some = min(len(changes), max(1, rows - 1))
    for group in order.split(some):
        windows = max(1, rows // (len(group) + 1))
        for first in range(0, len(ids), windows):
            here = slice(first, first + windows)
            found[group, here] = _group_nats(inside, ids[here], targets[here], changes[group], frozen=frozen)
    return found


def rows_at_once(inside: Inside, positions: int, *, slow: bool = False) -> int:
    """How many rows of this many tokens fit into memory; `slow` passes hold all attention weights of a layer."""
    logits = 0 if isinstance(inside, TransformerInside) else inside.size
    largest = max(logits, 4 * inside.heads * inside.dim, inside.heads * positions if slow else 0)
    return max(1, NUMBERS_AT_ONCE // (positions * largest))


def target_nats(
    logits: Float[Tensor, "rows positions vocab"], targets: Int[Tensor, "rows last"]
) -> Float[Tensor, "rows last"]:
    """−ln p of the tokens that follow the last positions."""
    last = logits[:, -targets.shape[1] :].to(torch.promote_types(logits.dtype, torch.float32))
    return functional.cross_entropy(last.mT, targets.to(last.device), reduction="none")


def _group_nats(
    inside: Inside, ids: Tensor, targets: Tensor, changes: Changes, *, frozen: bool
) -> Float[Tensor, "changes windows"]:
    """The same for windows and changes that fit into memory."""
    windows = len(ids)

    def weigh(layer: int, heads: LayerHeads) -> Tensor:
        return heads.weights[:windows].repeat(len(heads.weights) // windows, 1, 1, 1)

    aims = targets.repeat(len(changes), 1)
    if isinstance(inside, TransformerInside):
        hidden = _shared(inside.model, ids.to(inside.device), changes, weigh if frozen else None)
        rows = max(1, NUMBERS_AT_ONCE // (ids.shape[1] * inside.size))
        parts = zip(hidden.split(rows), aims.split(rows), strict=True)
        nats = torch.cat([target_nats(inside.model.readout(some), these).sum(-1) for some, these in parts])
    elif frozen:
        lens = changes.with_plain().lens(windows, weigh)
        nats = target_nats(inside.logits(ids.repeat(len(changes) + 1, 1), lens)[windows:], aims).sum(-1)
    else:
        nats = target_nats(inside.logits(ids.repeat(len(changes), 1), changes.lens(windows)), aims).sum(-1)
    return nats.double().view(len(changes), windows).cpu()


def _shared(
    model: Transformer, ids: Tensor, changes: Changes, weigh: Weigh | None
) -> Float[Tensor, "rows positions width"]:
    """The vectors before the read-out under each change, the changes sorted by the layer where they begin. The batch
    grows from layer to layer: first the rows of the plain model, then those of the changes that have begun."""
    windows, begins = len(ids), changes.begins.tolist()
    x = model.embedding(ids) + model.position(torch.arange(ids.shape[1], device=ids.device))
    for layer, block in enumerate(model.blocks):
        x = torch.cat([x, x[:windows].repeat(begins.count(layer), 1, 1)])
        x = block(x, None, layer, changes[: len(x) // windows - 1].with_plain().lens(windows, weigh))
    return model.norm(x[windows:])


def _gain(lens: Lens) -> Float[Tensor, "rows layers heads"]:
    assert lens.gain is not None  # a lens that switches heads off has one
    return lens.gain
