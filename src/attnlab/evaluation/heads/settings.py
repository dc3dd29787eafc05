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
    """Where a model runs that is opened by its name; auto: on a GPU if there is one."""
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
    """Where a model runs that is opened by its name; auto: on a GPU if there is one."""
