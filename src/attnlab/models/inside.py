"""A model that can be looked at: passes with a lens, and the matrices of its heads.

`Inside` is what the heads bench asks of a model, whether it is the lab's own Transformer or one of Hugging Face.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.models.lens import LayerHeads, Lens, Seen
from attnlab.models.mixers import DotProduct, Mixer, SmearedKeys
from attnlab.models.mixers.perceiver import Perceiver
from attnlab.models.transformer import Transformer


@dataclass(frozen=True)
class Circuits:
    """The matrices of a layer's heads: they read the residual stream x after the layer's norm, and write to it.

    q = W_Q x, k = W_K x, v = W_V x, and a head adds W_O Σ α_i v_i. `norm` is the gain of the layer's norm, by which a
    matrix that reads can be multiplied; None if the norm has none. A mixer that compares no two tokens has no W_Q, W_K.
    """

    query: Float[Tensor, "heads dim width"] | None
    key: Float[Tensor, "heads dim width"] | None
    value: Float[Tensor, "heads dim width"]
    out: Float[Tensor, "heads width dim"]
    norm: Float[Tensor, " width"] | None


class Inside(ABC):
    """A model with attention. `dim` is the width of a head; `context` is the most tokens that it sees at once."""

    layers: int
    heads: int
    dim: int
    context: int
    size: int
    device: torch.device

    @abstractmethod
    def hidden(
        self, ids: Int[Tensor, "batch positions"], lens: Lens | None = None
    ) -> Float[Tensor, "batch positions width"]:
        """The vectors before the read-out; the last norm is part of them."""

    @abstractmethod
    def logits(
        self, ids: Int[Tensor, "batch positions"], lens: Lens | None = None
    ) -> Float[Tensor, "batch positions vocab"]:
        """The logits of the next token at every position."""

    @abstractmethod
    def circuits(self, layer: int) -> Circuits | None:
        """The matrices of a layer's heads; None if the lab does not know the layout of this model."""

    @abstractmethod
    def ends(self) -> tuple[Float[Tensor, "vocab width"], Float[Tensor, "vocab width"], Float[Tensor, " width"] | None]:
        """The embeddings, the read-out, and the gain of the last norm (None if it has none)."""

    @torch.no_grad()
    def look(self, ids: Int[Tensor, "batch positions"], lens: Lens | None = None) -> Seen:
        """The record of a pass: what every head computed, and the logits. The lens may change heads.

        >>> from attnlab.models.kinds import make_model
        >>> from attnlab.models.transformer import TransformerConfig
        >>> model = make_model(TransformerConfig(layers=2, heads=2, width=8, context=4), size=5)
        >>> seen = TransformerInside(model).look(torch.tensor([[1, 2, 3]]))
        >>> seen.layers[1].weights.shape
        torch.Size([1, 2, 3, 3])
        """
        found: list[LayerHeads] = []
        lens = lens or Lens()
        logits = self.logits(ids, Lens(lambda _, heads: found.append(heads), lens.weigh, lens.gain, lens.shift))
        return Seen(tuple(found), logits)


class TransformerInside(Inside):
    """The lab's own Transformer."""

    def __init__(self, model: Transformer):
        self.model = model.eval()
        shape = model.config
        self.layers, self.heads, self.dim, self.context = shape.layers, shape.heads, shape.dim, shape.context
        self.size, self.device = model.readout.out_features, model.readout.weight.device

    def hidden(
        self, ids: Int[Tensor, "batch positions"], lens: Lens | None = None
    ) -> Float[Tensor, "batch positions width"]:
        """The vectors before the read-out."""
        return self.model.hidden(ids.to(self.device), lens=lens)

    def logits(
        self, ids: Int[Tensor, "batch positions"], lens: Lens | None = None
    ) -> Float[Tensor, "batch positions vocab"]:
        """The logits of the next token at every position."""
        return self.model(ids.to(self.device), lens=lens)

    def circuits(self, layer: int) -> Circuits:
        """The matrices of a layer's heads. Rotary positions and normalised queries and keys come after them."""
        block = self.model.get_submodule(f"blocks.{layer}")
        mixer, norm = block.get_submodule("mixer"), block.get_submodule("mixer_norm")
        assert isinstance(mixer, Mixer)
        out = mixer.out.weight.unflatten(1, (self.heads, self.dim)).transpose(0, 1)
        if isinstance(mixer, DotProduct | Perceiver):
            query, key, value = mixer.qkv.weight.unflatten(0, (3, self.heads, self.dim))
            if isinstance(mixer, Perceiver | SmearedKeys):  # no matrix says how two tokens compare
                query = key = None
        else:
            query = key = None
            value = mixer.get_parameter("value.weight").unflatten(0, (self.heads, self.dim))
        return Circuits(query, key, value.detach(), out.detach(), gain_of(norm))

    def ends(self) -> tuple[Float[Tensor, "vocab width"], Float[Tensor, "vocab width"], Float[Tensor, " width"] | None]:
        """The embeddings, the read-out, and the gain of the last norm."""
        return self.model.embedding.weight.detach(), self.model.readout.weight.detach(), gain_of(self.model.norm)


def gain_of(norm: nn.Module) -> Float[Tensor, " width"] | None:
    """The gain of an RMS norm or a layer norm, if it has one."""
    weight = getattr(norm, "weight", None)
    return weight.detach() if isinstance(weight, Tensor) else None
