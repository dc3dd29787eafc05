"""What can be set of a Transformer."""

from typing import Annotated, Literal

from attnlab.errors import ArgumentError
from attnlab.settings import Count, Range, settings, tag

Mixing = Literal["dot-product", "synthesizer", "random-synthesizer", "perceiver"]
Positions = Literal["rotary", "learned"]
Norm = Literal["rms", "layer"]
Activation = Literal["relu-squared", "gelu", "gelu-tanh"]

TURNING: tuple[Mixing, ...] = ("dot-product", "perceiver")
"""The mixers with queries and keys, which rotary positions turn."""
ADDING: tuple[Mixing, ...] = ("synthesizer", "random-synthesizer", "perceiver")
"""The mixers that compare no two tokens: angles alone would not tell them where a token stands."""


@settings
class TransformerConfig:
    """The shape of a Transformer. The defaults train in a minute on two cores."""

    kind: Literal["transformer"] = tag(default="transformer")
    layers: Count = 4
    """How many blocks."""
    heads: Count = 4
    """How many heads each block has; they share its width."""
    width: Count = 128
    """The width of the residual stream."""
    context: Count = 128
    """How many tokens it sees at most."""
    positions: Positions = "rotary"
    """Angles between queries and keys, or a vector for each place; other mixers than dot-product always have these."""
    norm: Norm = "rms"
    """Root mean square, or mean and deviation."""
    activation: Activation = "relu-squared"
    """What bends the feed-forward layers."""
    qk_norm: bool = True
    """Queries and keys, where there are any, are normalised too, so that logits cannot grow without bound."""
    bias: bool = False
    """Linear maps, and layer norms, add a constant."""
    tied: bool = False
    """The read-out shares its matrix with the embeddings."""
    dropout: Annotated[float, Range(0, 1, below=True)] = 0.0
    """The share of coordinates and weights that are left out in training."""
    mixer: Mixing = "dot-product"
    """How a token takes in those before it."""
    latents: Count = 32
    """How many vectors a head of a perceiver keeps of the past."""
    feed: Annotated[int, Range(0)] = 0
    """The width inside the feed-forward layers; 0: four times the width."""

    def __post_init__(self):
        if self.width % self.heads:
            raise ArgumentError("heads", f"expected a divisor of the width {self.width}, got {self.heads}")
        if self.turned and self.dim % 2:
            raise ArgumentError("heads", f"rotary positions need an even width a head, got {self.dim}")

    @property
    def dim(self) -> int:
        """The width of a head."""
        return self.width // self.heads

    @property
    def inner(self) -> int:
        """The width inside the feed-forward layers."""
        return self.feed or 4 * self.width

    @property
    def turned(self) -> bool:
        """Whether queries and keys are turned by their positions."""
        return self.positions == "rotary" and self.mixer in TURNING

    @property
    def added(self) -> bool:
        """Whether a vector for each place is added to the embeddings."""
        return self.positions == "learned" or self.mixer in ADDING
