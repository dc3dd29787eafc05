"""Mixers: how a token's vector takes in the vectors of earlier tokens. Each block of a Transformer has one mixer.

Every mixer maps (batch, positions, width) to the same shape, and is causal: position i sees positions up to i only.
"""

from attnlab.models.mixers.dot_product import DotProduct, SinkAttention, SmearedKeys
from attnlab.models.mixers.mixer import Cache, Mixer
from attnlab.models.mixers.norms_and_positions import Rotary, make_norm
from attnlab.models.mixers.perceiver import Perceiver
from attnlab.models.mixers.synthesizer import RandomSynthesizer, Synthesizer
from attnlab.models.transformer_config import Mixing, Norm, Positions, TransformerConfig

__all__ = [
    "MIXERS",
    "Cache",
    "DotProduct",
    "Mixer",
    "Mixing",
    "Norm",
    "Perceiver",
    "Positions",
    "RandomSynthesizer",
    "Rotary",
    "SinkAttention",
    "SmearedKeys",
    "Synthesizer",
    "expected_mixer",
    "make_mixer",
    "make_norm",
]

MIXERS: dict[Mixing, type[Mixer]] = {
    "dot-product": DotProduct,
    "sink": SinkAttention,
    "smeared": SmearedKeys,
    "synthesizer": Synthesizer,
    "random-synthesizer": RandomSynthesizer,
    "perceiver": Perceiver,
}


def make_mixer(config: TransformerConfig) -> Mixer:
    """The mixer of one block, with random weights."""
    return MIXERS[config.mixer](config)


def expected_mixer(config: TransformerConfig) -> int:
    """The number of parameters of one mixer, without biases and norms, from its settings."""
    square = config.width**2
    match config.mixer:
        case "synthesizer":
            return 3 * square + config.dim * config.context
        case "random-synthesizer":
            return 2 * square + config.heads * config.context**2
        case "perceiver":
            return 4 * square + config.latents * config.width
        case _:
            return 4 * square
