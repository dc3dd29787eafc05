"""Seeds: one seed of a run gives every claim, and every world that a claim generates, a seed of its own."""

import zlib
from collections.abc import Callable

from attnlab.statistics import mean_and_half_width


def seed_of(seed: int, name: object) -> int:
    """The seed that `name` has in a run with this seed: the same on every machine.

    >>> seed_of(0, "copying-mask") == seed_of(0, "copying-mask") != seed_of(1, "copying-mask")
    True
    """
    return zlib.crc32(f"{seed}/{name}".encode()) % 2**31


def worlds(seed: int, count: int) -> list[int]:
    """The seeds of several worlds, in each of which a claim trains its own models."""
    return [seed_of(seed, number) for number in range(count)]


def over_worlds(measure: Callable[[int], float], seed: int, count: int) -> tuple[float, float]:
    """The mean of a measurement over worlds, and the half-width of its 95 % interval."""
    return mean_and_half_width([measure(world) for world in worlds(seed, count)])
