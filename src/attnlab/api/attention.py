"""Attention: `robustness`, `remedies`, `design`, `extract`, `construct`."""

from attnlab.api.options import taking
from attnlab.benches.attention import remedies as remedies_bench
from attnlab.benches.attention import robustness as robustness_bench
from attnlab.benches.attention.construct import construct
from attnlab.benches.attention.design import design
from attnlab.benches.attention.extract import extract
from attnlab.benches.attention.remedies import Remedies
from attnlab.benches.attention.robustness import Robustness
from attnlab.benches.attention.settings import RemediesSettings, RobustnessSettings
from attnlab.observers import watching

__all__ = ["construct", "design", "extract", "remedies", "robustness"]


@taking(RobustnessSettings)
def robustness(settings: RobustnessSettings) -> Robustness:
    """The effect of noisy keys on an average of two values: the weights on a, b and the other keys, and the error
    E‖c − ½(v_a + v_b)‖². `robustness(keys=10, scale=5, heads=2).plot()` draws it."""
    return robustness_bench.robustness(settings, watching())


@taking(RemediesSettings)
def remedies(settings: RemediesSettings) -> Remedies:
    """What helps against noisy keys, and by how much: the best scale, two heads, normalised keys, better queries."""
    return remedies_bench.remedies(settings, watching())
