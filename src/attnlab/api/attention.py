"""Attention: `robustness`, `remedies`, `design`, `extract`, `construct`."""

from typing import Unpack

from attnlab.api.options import RemediesOptions, RobustnessOptions
from attnlab.benches.attention import cures, noise
from attnlab.benches.attention.cures import Remedies
from attnlab.benches.attention.noise import Robustness
from attnlab.benches.attention.projectors import extract
from attnlab.benches.attention.queries import design
from attnlab.benches.attention.self_attention import construct
from attnlab.benches.attention.settings import RemediesSettings, RobustnessSettings
from attnlab.progress import watching
from attnlab.settings import read

__all__ = ["construct", "design", "extract", "remedies", "robustness"]


def robustness(**options: Unpack[RobustnessOptions]) -> Robustness:
    """What noise in the keys does to an average of two values, exactly: the weights on a, b and the others, and the
    error E‖c − ½(v_a + v_b)‖². `robustness(keys=10, scale=5, heads=2).plot()` draws it."""
    return noise.robustness(read(RobustnessSettings, options), watching())


def remedies(**options: Unpack[RemediesOptions]) -> Remedies:
    """What helps against noisy keys, and by how much: the best scale, two heads, normalised keys, better queries."""
    return cures.remedies(read(RemediesSettings, options), watching())
