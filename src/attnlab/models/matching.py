"""Transformers with different mixers and about the same number of parameters, for a fair comparison."""

from dataclasses import replace

import torch

from attnlab.errors import ArgumentError
from attnlab.models.transformer import Transformer
from attnlab.models.transformer_config import Mixing, TransformerConfig

TOLERANCE = 0.01
"""The largest difference in parameters between matched models, as a share."""


def matched(config: TransformerConfig, mixer: Mixing, size: int = 1) -> TransformerConfig:
    """The shape with another mixer, and feed-forward layers of the width that gives about as many parameters.

    That width does not depend on the vocabulary. The remaining difference, as a share of all parameters, does.

    >>> matched(TransformerConfig(), "synthesizer").feed
    543
    """
    wanted = parameters(config, size)
    narrow, wide = (parameters(replace(config, mixer=mixer, feed=feed), size) for feed in (1, 2))
    feed = 1 + round((wanted - narrow) / (wide - narrow))
    left_over = abs(narrow + (feed - 1) * (wide - narrow) - wanted)
    if feed < 1 or left_over > TOLERANCE * wanted:
        message = f"no width of the feed-forward layers gives a {mixer} {wanted:,} parameters; use another shape"
        raise ArgumentError("mixer", message)
    return replace(config, mixer=mixer, feed=feed)


def parameters(config: TransformerConfig, size: int) -> int:
    """The number of parameters of a Transformer with a vocabulary of `size`, without allocating them."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Transformer(config, size).parameters())
