"""What can be set of a Transformer."""

from dataclasses import dataclass
from typing import Literal

from attnlab.errors import ArgumentError

Mixing = Literal["dot-product", "synthesizer", "random-synthesizer", "perceiver"]
Positions = Literal["rotary", "learned"]
Norm = Literal["rms", "layer"]
Activation = Literal["relu-squared", "gelu", "gelu-tanh"]

TURNING: tuple[Mixing, ...] = ("dot-product", "perceiver")
"""The mixers with queries and keys, which rotary positions turn."""
ADDING: tuple[Mixing, ...] = ("synthesizer", "random-synthesizer", "perceiver")
"""The mixers that compare no two tokens: angles alone would not tell them where a token stands."""


@dataclass(frozen=True)
class TransformerConfig:
    """The shape of a Transformer. The defaults train in a minute on two cores."""

    layers: int = 4
    heads: int = 4
    width: int = 128
    context: int = 128
    """How many tokens it sees at most."""
    positions: Positions = "rotary"
    """Angles between queries and keys, or a vector for each place; other mixers than dot-product always have these."""
    norm: Norm = "rms"
    activation: Activation = "relu-squared"
    qk_norm: bool = True
    """Queries and keys, where there are any, are normalised too, so that logits cannot grow without bound."""
    bias: bool = False
    """Linear maps, and layer norms, add a constant."""
    tied: bool = False
    """The read-out shares its matrix with the embeddings."""
    dropout: float = 0.0
    mixer: Mixing = "dot-product"
    """How a token takes in those before it."""
    latents: int = 32
    """How many vectors a head of a perceiver keeps of the past."""
    feed: int = 0
    """The width inside the feed-forward layers; 0: four times the width."""

    def __post_init__(self):
        for name in ("layers", "heads", "width", "context", "latents"):
            if getattr(self, name) < 1:
                raise ArgumentError(name, f"expected at least 1, got {getattr(self, name)}")
        if self.width % self.heads:
            raise ArgumentError("heads", f"expected a divisor of the width {self.width}, got {self.heads}")
        if self.turned and self.dim % 2:
            raise ArgumentError("heads", f"rotary positions need an even width a head, got {self.dim}")
        if not 0 <= self.dropout < 1:
            raise ArgumentError("dropout", f"expected at least 0 and less than 1, got {self.dropout}")
        if self.feed < 0:
            raise ArgumentError("feed", f"expected at least 1, or 0 for four times the width, got {self.feed}")

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
