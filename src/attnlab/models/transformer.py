"""A Transformer language model, top to bottom on one page.

x₀ = E[ids] (+ P)          embeddings, and learned positions if it has them
x ← x + mixer(norm(x))     each block: tokens look at those before them …
x ← x + feed(norm(x))      … and each is worked on alone
logits = norm(x) Wᵀ        W = E if tied

Pre-norm, as in GPT-2 (Radford et al. 2019). Shapes: batch, positions, width; heads × dim = width.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.models.mixers import Cache, DotProduct, Norm, Positions, make_norm


@dataclass(frozen=True)
class TransformerConfig:
    """The shape of a Transformer. The defaults train in a minute on two cores."""

    layers: int = 4
    heads: int = 4
    width: int = 128
    context: int = 128
    """How many tokens it sees at most."""
    positions: Positions = "rotary"
    """Angles between queries and keys, or a vector for each place."""
    norm: Norm = "rms"
    activation: Literal["relu-squared", "gelu", "gelu-tanh"] = "relu-squared"
    qk_norm: bool = True
    """Queries and keys are normalised too, so that logits cannot grow without bound."""
    bias: bool = False
    """Linear maps, and layer norms, add a constant."""
    tied: bool = False
    """The read-out shares its matrix with the embeddings."""
    dropout: float = 0.0

    def __post_init__(self):
        for name in ("layers", "heads", "width", "context"):
            if getattr(self, name) < 1:
                raise ArgumentError(name, f"expected at least 1, got {getattr(self, name)}")
        if self.width % self.heads:
            raise ArgumentError("heads", f"expected a divisor of the width {self.width}, got {self.heads}")
        if self.positions == "rotary" and self.width // self.heads % 2:
            raise ArgumentError("heads", f"rotary positions need an even width a head, got {self.width // self.heads}")
        if not 0 <= self.dropout < 1:
            raise ArgumentError("dropout", f"expected at least 0 and less than 1, got {self.dropout}")


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
        self.position = nn.Embedding(config.context, config.width) if config.positions == "learned" else no_position
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = make_norm(config.width, config.norm, bias=config.bias)
        self.readout = nn.Linear(config.width, size, bias=False)
        if config.tied:
            self.readout.weight = self.embedding.weight
        self._initialise()

    def forward(
        self, ids: Int[Tensor, "batch positions"], cache: Cache | None = None
    ) -> Float[Tensor, "batch positions vocab"]:
        """The logits. With a cache, `ids` are the tokens after those that it has seen, and it sees them too."""
        return self.readout(self.hidden(ids, cache))

    def hidden(
        self, ids: Int[Tensor, "batch positions"], cache: Cache | None = None
    ) -> Float[Tensor, "batch positions width"]:
        """What the read-out reads."""
        start = cache.length if cache is not None else 0
        if start + ids.shape[1] > self.config.context:
            raise ArgumentError("ids", f"expected at most {self.config.context} positions, got {start + ids.shape[1]}")
        x = self.embedding(ids) + self.position(torch.arange(start, start + ids.shape[1], device=ids.device))
        x = functional.dropout(x, self.config.dropout, self.training)
        for layer, block in enumerate(self.blocks):
            x = block(x, cache, layer)
        if cache is not None:
            cache.length += ids.shape[1]
        return self.norm(x)

    def _initialise(self) -> None:
        """GPT-2's: normal with sd 0.02, less for what adds to the residual stream, so that its size does not grow
        with the number of layers."""
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                down = name.endswith(("mixer.out.weight", "feed.down.weight"))
                nn.init.normal_(parameter, std=0.02 / (2 * self.config.layers) ** 0.5 if down else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)


class Block(nn.Module):
    """One layer: mix, then feed forward, each added to what came in."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.mixer_norm = make_norm(config.width, config.norm, bias=config.bias)
        self.mixer = DotProduct(
            config.width,
            config.heads,
            config.context,
            positions=config.positions,
            qk_norm=config.norm if config.qk_norm else None,
            bias=config.bias,
            dropout=config.dropout,
        )
        self.feed_norm = make_norm(config.width, config.norm, bias=config.bias)
        self.feed = FeedForward(config)

    def forward(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None, layer: int
    ) -> Float[Tensor, "batch positions width"]:
        """The layer's output."""
        x = x + self.mixer(self.mixer_norm(x), cache, layer)
        return x + self.feed(self.feed_norm(x))


class FeedForward(nn.Module):
    """Four times as wide, bent, and back."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.up = nn.Linear(config.width, 4 * config.width, bias=config.bias)
        self.activation = ACTIVATIONS[config.activation]
        self.down = nn.Linear(4 * config.width, config.width, bias=config.bias)
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
"""GPT-2 has an approximation of GELU by tanh, which on a CPU takes twice as long as GELU itself."""


def no_position(places: Int[Tensor, "positions"]) -> float:
    """Nothing is added where positions come in elsewhere."""
    return 0.0
