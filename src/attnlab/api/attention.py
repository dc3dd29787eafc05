"""Attention: `robustness`, `remedies`, `weigh`, `design`, `extract`, `construct`."""

from collections.abc import Mapping
from typing import Unpack

from attnlab.api.options import WeighOptions, taking
from attnlab.arguments import checked
from attnlab.benches.attention import remedies as remedies_bench
from attnlab.benches.attention import robustness as robustness_bench
from attnlab.benches.attention import weigh as weigh_bench
from attnlab.benches.attention.construct import construct
from attnlab.benches.attention.design import design
from attnlab.benches.attention.extract import extract
from attnlab.benches.attention.matrices import MatrixLike
from attnlab.benches.attention.remedies import Remedies
from attnlab.benches.attention.robustness import Robustness
from attnlab.benches.attention.settings import RemediesSettings, RobustnessSettings, WeighSettings
from attnlab.benches.attention.weigh import Weighed
from attnlab.observers import watching
from attnlab.settings import read

__all__ = ["construct", "design", "extract", "remedies", "robustness", "weigh"]


@taking(RobustnessSettings)
def robustness(settings: RobustnessSettings) -> Robustness:
    """The effect of noisy keys on an average of two values: the weights on a, b and the other keys, and the error
    E‖c − ½(v_a + v_b)‖². `robustness(keys=10, scale=5, heads=2).plot()` draws it."""
    return robustness_bench.robustness(settings, watching())


@taking(RemediesSettings)
def remedies(settings: RemediesSettings) -> Remedies:
    """What helps against noisy keys, and by how much: the best scale, two heads, normalised keys, better queries."""
    return remedies_bench.remedies(settings, watching())


@checked
def weigh(keys: MatrixLike, queries: MatrixLike, mix: Mapping[int, float], **options: Unpack[WeighOptions]) -> Weighed:
    """The weights that queries give to given keys under noise, and how far the output is from the wanted mix. Keys and
    queries are rows; each head has one query. `weigh(keys, [[1, 1]], {0: 0.5, 1: 0.5}, norm_variance=0.5).plot()` draws
    the law of one weight."""
    return weigh_bench.weigh(keys, queries, mix, read(WeighSettings, options))
