"""A lens: what a pass through a model shows of its heads, and what it changes in them.

A pass without a lens is the fast one. A lens is an argument of a pass:

    inside.look(ids)                                         every head's queries, keys, logits, weights and output
    model(ids, lens=Lens.off([Head(2, 1)], model.config))    the logits without head 1 of layer 2

(`inside` is an `Inside`, see inside.py: the lab's Transformer, or one of Hugging Face.)

Nothing in the model is replaced, so the next pass is the plain one again. Shapes: batch, heads, queries, keys, dim.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import ArgumentError


class Head(NamedTuple):
    """A head by its layer and its place in the layer, both from 0; written 2.1.

    >>> str(Head(2, 1)), Head.read("2.1")
    ('2.1', Head(layer=2, place=1))
    """

    layer: int
    place: int

    def __str__(self) -> str:
        """As people write it."""
        return f"{self.layer}.{self.place}"

    @classmethod
    def read(cls, text: str, argument: str = "head") -> "Head":
        """The head that a text such as 2.1 names; errors name the argument."""
        layer, dot, place = str(text).strip().partition(".")
        if not (dot and layer.isdecimal() and place.isdecimal() and len(text) < 20):
            raise ArgumentError(argument, f"expected LAYER.HEAD, counted from 0, such as 0.3; got {text!r}")
        return cls(int(layer), int(place))


@dataclass(frozen=True)
class LayerHeads:
    """What the heads of one layer computed in a pass.

    Logits are scale · qᵀk, −∞ for keys that come later. A synthesizer compares no two tokens: it has no queries and no
    keys. A perceiver reads its past through latents: its logits are the logarithms of the weights that result.
    """

    queries: Float[Tensor, "batch heads queries dim"] | None
    keys: Float[Tensor, "batch heads keys dim"] | None
    values: Float[Tensor, "batch heads keys dim"]
    logits: Float[Tensor, "batch heads queries keys"]
    weights: Float[Tensor, "batch heads queries keys"]
    outputs: Float[Tensor, "batch heads queries dim"]
    """Each head's output Σ α_i v_i, before the projection that adds it to the residual stream."""
    scale: float = 1.0
    sink: float = 0.0
    """What is added to softmax's denominator."""

    def softmax(self, logits: Float[Tensor, "batch heads queries keys"]) -> Float[Tensor, "batch heads queries keys"]:
        """The weights that these heads would give for other logits."""
        if not self.sink:
            return torch.softmax(logits, -1)
        top = logits.amax(-1, keepdim=True).clamp_min(math.log(self.sink))
        powers = torch.exp(logits - top)
        return powers / (powers.sum(-1, keepdim=True) + self.sink * torch.exp(-top))

    def reweighed(self, weights: Float[Tensor, "batch heads queries keys"]) -> "LayerHeads":
        """The same heads with other weights, and the outputs that follow."""
        return replace(self, weights=weights, outputs=weights @ self.values)


@runtime_checkable
class Shape(Protocol):
    """How many layers a model has, and how many heads in each."""

    @property
    def layers(self) -> int:
        """The number of layers."""
        ...

    @property
    def heads(self) -> int:
        """The number of heads in each layer."""
        ...


@dataclass(frozen=True)
class Lens:
    """What a pass shows of the heads, and what it changes. All parts are optional.

    Each head's output becomes gain · output + shift: gain 0 switches the head off, and with its mean output as the
    shift, the head says the same everywhere. The axis `rows` is that of the batch, or 1 for all rows alike, so one
    pass can switch off another head in each row.
    """

    see: Callable[[int, LayerHeads], None] | None = None
    """Is called with each layer's number and heads, as they are after the changes."""
    weigh: Callable[[int, LayerHeads], Float[Tensor, "batch heads queries keys"]] | None = None
    """Gives the attention weights instead of the layer's own, which are `heads.weights`."""
    gain: Float[Tensor, "rows layers heads"] | None = None
    shift: Float[Tensor, "rows layers heads dim"] | None = None

    @classmethod
    def off(cls, heads: Iterable[Head], shape: Shape, mean: Float[Tensor, "layers heads dim"] | None = None) -> "Lens":
        """Switches heads off: their output becomes 0 or, where `mean` is given, its mean."""
        gain = torch.ones(1, shape.layers, shape.heads)
        for head in heads:
            check_head(head, shape)
            gain[0, head.layer, head.place] = 0.0
        return cls(gain=gain, shift=None if mean is None else (1 - gain)[..., None] * mean.to(gain))

    @classmethod
    def scaled(cls, head: Head, factor: float, shape: Shape) -> "Lens":
        """Multiplies a head's output by a factor."""
        check_head(head, shape)
        gain = torch.ones(1, shape.layers, shape.heads)
        gain[0, head.layer, head.place] = factor
        return cls(gain=gain)

    @classmethod
    def frozen(cls, seen: "Seen", heads: Iterable[Head]) -> "Lens":
        """Gives heads the weights of another pass, whatever they would attend to now."""
        chosen = list(heads)

        def weigh(layer: int, now: LayerHeads) -> Tensor:
            weights = now.weights.clone()
            for head in chosen:
                if head.layer == layer:
                    weights[:, head.place] = seen.layers[layer].weights[:, head.place]
            return weights

        return cls(weigh=weigh)

    @property
    def slow(self) -> bool:
        """Whether the pass must compute each weight, which fused attention does not give."""
        return self.see is not None or self.weigh is not None

    def passed(self, layer: int, heads: LayerHeads) -> Float[Tensor, "batch heads queries dim"]:
        """What the heads of a layer give on, after it was changed and shown."""
        if self.weigh is not None:
            heads = heads.reweighed(self.weigh(layer, heads))
        heads = replace(heads, outputs=self.changed(layer, heads.outputs))
        if self.see is not None:
            self.see(layer, heads)
        return heads.outputs

    def changed(
        self, layer: int, outputs: Float[Tensor, "batch heads queries dim"]
    ) -> Float[Tensor, "batch heads queries dim"]:
        """The outputs of a layer's heads, times gain, plus shift."""
        if self.gain is not None:
            outputs = outputs * self.gain[:, layer, :, None, None].to(outputs)
        if self.shift is not None:
            outputs = outputs + self.shift[:, layer, :, None].to(outputs)
        return outputs


@dataclass(frozen=True)
class Seen:
    """The record of a pass: the heads of every layer, and the logits of the next token."""

    layers: tuple[LayerHeads, ...]
    logits: Float[Tensor, "batch positions vocab"]

    def weights(self, head: Head) -> Float[Tensor, "batch queries keys"]:
        """The attention weights of a head."""
        return self.layers[head.layer].weights[:, head.place]


def check_head(head: Head, shape: Shape, argument: str = "head") -> None:
    """Raise if a model has no such head; the error names the argument."""
    if head.layer >= shape.layers or head.place >= shape.heads:
        there = f"0.0 to {shape.layers - 1}.{shape.heads - 1}"
        raise ArgumentError(argument, f"there is no head {head}; the model's heads are {there} (LAYER.HEAD)")


def every_head(shape: Shape) -> list[Head]:
    """All heads of a model, layer by layer."""
    return [Head(layer, place) for layer in range(shape.layers) for place in range(shape.heads)]
