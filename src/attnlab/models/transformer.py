"""A Transformer language model.

x₀ = E[ids] (+ P)          embeddings, plus learned positions if the model has them
x ← x + mixer(norm(x))     each block: every token takes in earlier tokens …
x ← x + feed(norm(x))      … and then passes the feed-forward layers on its own, if there are any
logits = norm(x) Wᵀ        W = E if tied

Pre-norm, as in GPT-2 (Radford et al. 2019). Shapes: batch, positions, width; heads × dim = width.
"""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.models.lens import Lens
from attnlab.models.mixers import Cache, make_mixer, make_norm
from attnlab.models.transformer_config import TransformerConfig

GPT2 = TransformerConfig(
    layers=12,
    heads=12,
    width=768,
    context=1024,
    positions="learned",
    norm="layer",
    activation="gelu-tanh",
    qk_norm=False,
    bias=True,
    tied=True,
)
"""The layout of GPT-2 with 124 million parameters; its vocabulary has 50,257 tokens."""


class Transformer(nn.Module):
    """Logits for the next token at every position, from the tokens up to it.

    >>> model = Transformer(TransformerConfig(layers=1, width=8, heads=2, context=4), size=5)
    >>> model(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 5])
    """

    def __init__(self, config: TransformerConfig, size: int):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(size, config.width)
        self.position = nn.Embedding(config.context, config.width) if config.added else no_position
        block = AttentionBlock if config.attention_only else Block
        self.blocks = nn.ModuleList(block(config) for _ in range(config.layers))
        self.norm = make_norm(config.width, config.norm, bias=config.bias)
        self.readout = nn.Linear(config.width, size, bias=False)
        if config.tied:
            self.readout.weight = self.embedding.weight
        self._initialise()

    def forward(
        self, ids: Int[Tensor, "batch positions"], cache: Cache | None = None, lens: Lens | None = None
    ) -> Float[Tensor, "batch positions vocab"]:
        """The logits. With a cache, `ids` are the tokens after the cached ones, and the cache is updated. A lens shows
        or changes what the heads do in this pass."""
        return self.readout(self.hidden(ids, cache, lens))

    def hidden(
        self, ids: Int[Tensor, "batch positions"], cache: Cache | None = None, lens: Lens | None = None
    ) -> Float[Tensor, "batch positions width"]:
        """The vectors before the read-out."""
        start = cache.length if cache is not None else 0
        if start + ids.shape[1] > self.config.context:
            raise ArgumentError("ids", f"expected at most {self.config.context} tokens, got {start + ids.shape[1]}")
        x = self.embedding(ids) + self.position(torch.arange(start, start + ids.shape[1], device=ids.device))
        x = functional.dropout(x, self.config.dropout, self.training)
        for layer, block in enumerate(self.blocks):
            x = block(x, cache, layer, lens)
        if cache is not None:
            cache.length += ids.shape[1]
        return self.norm(x)

    def _initialise(self) -> None:
        """Initialise as GPT-2: normal with sd 0.02, but smaller for layers that add to the residual stream, so that its
        size does not depend on the number of layers."""
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                down = name.endswith(("mixer.out.weight", "feed.down.weight"))
                nn.init.normal_(parameter, std=0.02 / (2 * self.config.layers) ** 0.5 if down else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)


class Block(nn.Module):
    """One block: the mixer, then the feed-forward layers, each added to its input."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.mixer_norm = make_norm(config.width, config.norm, bias=config.bias)
        self.mixer = make_mixer(config)
        self.feed_norm = make_norm(config.width, config.norm, bias=config.bias)
        self.feed = FeedForward(config)

    def forward(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None, layer: int, lens: Lens | None
    ) -> Float[Tensor, "batch positions width"]:
        """The output of the block."""
        x = x + self.mixer(self.mixer_norm(x), cache, layer, lens)
        return x + self.feed(self.feed_norm(x))


class AttentionBlock(nn.Module):
    """A block without feed-forward layers: the mixer alone, added to its input."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.mixer_norm = make_norm(config.width, config.norm, bias=config.bias)
        self.mixer = make_mixer(config)

    def forward(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None, layer: int, lens: Lens | None
    ) -> Float[Tensor, "batch positions width"]:
        """The output of the block."""
        return x + self.mixer(self.mixer_norm(x), cache, layer, lens)


class FeedForward(nn.Module):
    """Expand (4× by default), apply the activation, project back."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.up = nn.Linear(config.width, config.inner, bias=config.bias)
        self.activation = ACTIVATIONS[config.activation]
        self.down = nn.Linear(config.inner, config.width, bias=config.bias)
        self.dropout = config.dropout

    def forward(self, x: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch width"]:
        """down(activation(up(x)))."""
        return functional.dropout(self.down(self.activation(self.up(x))), self.dropout, self.training)


def relu_squared(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """max(x, 0)²: as good as GELU and cheaper (So et al. 2021, "Primer")."""
    return functional.relu(x).square()


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu-squared": relu_squared,
    "gelu": functional.gelu,
    "gelu-tanh": partial(functional.gelu, approximate="tanh"),
}
"""GPT-2 uses `gelu-tanh`, an approximation that takes twice as long as `gelu` on a CPU."""


def no_position(places: Int[Tensor, "positions"]) -> float:
    """Adds 0: the model has no learned positions."""
    return 0.0
