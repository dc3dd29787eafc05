"""Transformers of about as many parameters, each with another mixer, so that a table of them compares."""

from dataclasses import replace

import torch

from attnlab.errors import ArgumentError
from attnlab.models.transformer import Transformer
from attnlab.models.transformer_config import Mixing, TransformerConfig

TOLERANCE = 0.01
"""The share of the parameters by which matched models may differ."""


def matched(config: TransformerConfig, mixer: Mixing, size: int = 1) -> TransformerConfig:
    """The shape with another mixer, and feed-forward layers as wide as it takes to have as many parameters again.

    Which width that is does not depend on the size of the vocabulary, for the embeddings stay; what share of all
    parameters is left over does.

    >>> matched(TransformerConfig(), "synthesizer").feed
    543
    """
    wanted = parameters(config, size)
    narrow, wide = (parameters(replace(config, mixer=mixer, feed=feed), size) for feed in (1, 2))
    feed = 1 + round((wanted - narrow) / (wide - narrow))
    left_over = abs(narrow + (feed - 1) * (wide - narrow) - wanted)
    if feed < 1 or left_over > TOLERANCE * wanted:
        raise ArgumentError("mixer", f"no width of the feed-forward layers makes a {mixer} of {wanted:,} parameters")
    return replace(config, mixer=mixer, feed=feed)


def parameters(config: TransformerConfig, size: int) -> int:
    """How many numbers a Transformer of this shape learns, with so many tokens; none of them is made."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Transformer(config, size).parameters())
