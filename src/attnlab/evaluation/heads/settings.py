"""The settings of the heads bench. `--help` needs these classes, so this module must not import torch."""

from typing import Annotated

from attnlab.settings import Device, Range, Seed, settings


@settings
class ScoreSettings:
    """How `heads` scores the heads of a model."""

    tokens: Annotated[int, Range(2)] = 10_000
    """The most tokens of the text that are read, from its start."""
    seed: Seed = 0
    """The seed of the random tokens that are repeated, and of the random heads that give chance."""
    device: Device = "auto"
    """The device of a model that is opened by name; auto: a GPU if there is one."""
    explain: bool = False
    """Also show the definition of each measure: its formula, its range, its source, and what chance means."""


@settings
class TheorySettings:
    """How `heads theory` holds the theory against heads."""

    tokens: Annotated[int, Range(2)] = 4_000
    """The most tokens of the text that are read, from its start."""
    rows: Annotated[int, Range(1)] = 100
    """How many queries of each head are looked at; they come from all windows of the text."""
    seed: Seed = 0
    """The seed of the choice of queries."""
    device: Device = "auto"
    """The device of a model that is opened by name; auto: a GPU if there is one."""


@settings
class AblationSettings:
    """How `heads ablate` switches heads off."""

    tokens: Annotated[int, Range(0)] = 10_000
    """The most tokens of the text that are read, from its start; 0: all tokens."""
    heads: tuple[str, ...] = ()
    """Switch off only these heads, written LAYER.HEAD with commas between them: 0.1,2.3 (default: all heads)."""
    pairs: bool = False
    """Also switch off every two of the heads together, and tell how far the effect is from the sum of both."""
    frozen: bool = False
    """Also switch each head off while all heads keep the attention weights of the plain model."""
    curve: bool = True
    """Also switch heads off one after the other, the least important first."""
    device: Device = "auto"
    """The device of a model that is opened by name; auto: a GPU if there is one."""
