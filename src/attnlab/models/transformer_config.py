"""The settings of a Transformer."""

from typing import Annotated, Literal

from attnlab.errors import ArgumentError
from attnlab.settings import Count, Layers, Range, only_with, settings, tag

Mixing = Literal["dot-product", "sink", "smeared", "synthesizer", "random-synthesizer", "perceiver"]
Positions = Literal["rotary", "learned"]
Norm = Literal["rms", "layer"]
Activation = Literal["relu-squared", "gelu", "gelu-tanh"]

TURNING: tuple[Mixing, ...] = ("dot-product", "sink", "smeared", "perceiver")
"""The mixers with queries and keys, which rotary positions rotate."""
ADDING: tuple[Mixing, ...] = ("synthesizer", "random-synthesizer", "perceiver")
"""The mixers that never compare two tokens: they need a vector for each position."""


@settings
class TransformerConfig:
    """The shape of a Transformer. The defaults train in a minute on two cores."""

    kind: Literal["transformer"] = tag(default="transformer")
    layers: Layers = 4
    """The number of blocks."""
    heads: Count = 4
    """The number of heads in each block; must divide the width."""
    width: Count = 128
    """The width of the residual stream."""
    context: Count = 128
    """The context window: the most tokens that the model sees at once."""
    positions: Positions = only_with(default="rotary", mixer=TURNING)
    """rotary: rotate queries and keys; learned: add position vectors. Synthesizers and perceivers add them anyway."""
    norm: Norm = "rms"
    """rms: divide by the root mean square; layer: subtract the mean, divide by the standard deviation."""
    activation: Activation = only_with(default="relu-squared", attention_only=(False,))
    """The activation of the feed-forward layers."""
    qk_norm: bool = only_with(default=True, mixer=TURNING)
    """Normalise queries and keys, too, so that logits stay bounded."""
    qk_gain: bool = only_with(default=False, mixer=TURNING)
    """Normalised queries and keys have a learned factor for each coordinate, so that logits can grow."""
    bias: bool = False
    """Linear layers and layer norms have biases."""
    tied: bool = False
    """The read-out and the embeddings share one matrix."""
    dropout: Annotated[float, Range(0, 1, below=True)] = 0.0
    """The share of coordinates and attention weights that dropout sets to 0 in training."""
    mixer: Mixing = "dot-product"
    """How a token takes in earlier tokens."""
    latents: Count = only_with(default=32, mixer=("perceiver",))
    """The number of latent vectors in each head of a perceiver."""
    feed: Annotated[int, Range(0)] = only_with(default=0, attention_only=(False,))
    """The width inside the feed-forward layers; 0: four times the width."""
    attention_only: bool = False
    """Leave out the feed-forward layers."""

    def __post_init__(self):
        if self.qk_gain and not self.qk_norm:
            raise ArgumentError("qk_gain", "a gain belongs to normalised queries and keys; set qk_norm, too")
        if self.attention_only and self.feed:
            raise ArgumentError("feed", "a model of attention alone has no feed-forward layers; leave this option out")
        if self.width % self.heads:
            near = next((n for n in range(self.heads, min(self.width, 1000) + 1) if self.width % n == 0), 1)
            raise ArgumentError("heads", f"must divide the width ({self.width}); got {self.heads}; try {near}")
        if self.turned and self.dim % 2:
            message = f"rotary positions need an even width per head; got {self.dim}; use fewer heads"
            raise ArgumentError("heads", message)

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
        """Whether rotary positions rotate queries and keys."""
        return self.positions == "rotary" and self.mixer in TURNING

    @property
    def added(self) -> bool:
        """Whether a vector for each position is added to the embeddings."""
        return self.positions == "learned" or self.mixer in ADDING
