"""The settings of evaluation. `--help` needs these classes, so this module must not import torch."""

from typing import Annotated

from attnlab.errors import ArgumentError
from attnlab.settings import Count, Device, Precision, Range, Seed, settings
from attnlab.text.preprocessing import find_steps

PRECISION = 0.9
"""The default of the share of given answers that should be right."""
PRECISIONS = tuple(number / 20 for number in range(10, 21))
"""Wanted precisions that are compared: 0.5 to 1."""


@settings
class Sampling:
    """How the next token is drawn from the model's probabilities."""

    temperature: Annotated[float, Range(0, 1000)] = 1.0
    """Below 1: more predictable. Above 1: more varied. 0 always takes the likeliest token."""
    top_k: Annotated[int, Range(0, 10**9)] = 0
    """Draw only from this many of the likeliest tokens; 0: from all tokens."""
    top_p: Annotated[float, Range(1e-9, 1)] = 1.0
    """Draw only from the smallest set of likeliest tokens whose probabilities sum to at least this."""
    seed: Annotated[int, Range(0, 2**63 - 1)] = 0
    """The seed of the draws: the same seed gives the same text."""


USUAL_SAMPLING = Sampling(temperature=0.8)


@settings
class MeasureSettings:
    """How `perplexity` measures models, and whether it explains the numbers."""

    context: Count | None = None
    """The context window: the most tokens a model sees (default: as many as it can, up to 4,096)."""
    stride: Count | None = None
    """The step from one strided window to the next (default: half the context window)."""
    precision: Precision = "float32"
    """The precision of a network's matrix products. In bfloat16 a large model is faster on a GPU, and the output says
    how far that may move the numbers."""
    device: Device = "auto"
    """The device of models that are opened by name; auto: a GPU if there is one."""
    force: bool = False
    """Also show numbers that failed their audit, marked as unsound."""
    preprocess: tuple[str, ...] = ()
    """Also measure the text after these steps, and count the information that each step removes. The steps are lower,
    punctuation, numbers, quotes, dashes, accents, whitespace, lines and case-marks (default: no steps)."""
    explain: bool = False
    """Explain where the cost comes from; with two texts, or two or more models, explain why each two differ."""

    def __post_init__(self) -> None:
        find_steps(self.preprocess)


@settings
class EvaluationSettings:
    """How the answers of a knowledge model are evaluated."""

    precision: float = PRECISION
    """The share of given answers that should be right."""
    seed: Seed = 0
    """The seed of the shuffles that measure what chance alone would give."""
    device: Device = "auto"
    """Where the model runs; auto: on a GPU if there is one."""

    def __post_init__(self):
        check_precision(self.precision)


def check_precision(precision: float) -> None:
    """Raise unless the precision is above 0 and at most 1."""
    if not 0 < precision <= 1:
        raise ArgumentError("precision", f"expected a number above 0 and at most 1, got {precision}")
