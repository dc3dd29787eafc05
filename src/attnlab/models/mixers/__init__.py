"""Mixers: how a token's vector takes in the vectors of earlier tokens. Each block of a Transformer has one mixer.

Every mixer maps (batch, positions, width) to the same shape, and is causal: position i sees positions up to i only.
"""

from torch import nn

from attnlab.models.mixers.dot_product import DotProduct
from attnlab.models.mixers.parts import Cache, Rotary, make_norm
from attnlab.models.mixers.perceiver import Perceiver
from attnlab.models.mixers.synthesizer import RandomSynthesizer, Synthesizer
from attnlab.models.transformer_config import Mixing, Norm, Positions, TransformerConfig

__all__ = [
    "MIXERS",
    "Cache",
    "DotProduct",
    "Mixing",
    "Norm",
    "Perceiver",
    "Positions",
    "RandomSynthesizer",
    "Rotary",
    "Synthesizer",
    "make_mixer",
    "make_norm",
]

MIXERS: dict[Mixing, type[nn.Module]] = {
    "dot-product": DotProduct,
    "synthesizer": Synthesizer,
    "random-synthesizer": RandomSynthesizer,
    "perceiver": Perceiver,
}


def make_mixer(config: TransformerConfig) -> nn.Module:
    """The mixer of one block, with random weights."""
    return MIXERS[config.mixer](config)
