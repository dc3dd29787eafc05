"""The settings of a world of generated biographies."""

from typing import Annotated

from attnlab.data.worlds.biographies.words import ORDERS, WORDINGS
from attnlab.errors import ArgumentError
from attnlab.settings import Fraction, Range, settings

MOST_PEOPLE = 100_000


@settings
class World:
    """How the lines of a generated world are worded, and how its people's names resemble each other."""

    rewrites: Annotated[int, Range(1, WORDINGS)] = 1
    """The number of wordings of each person's line."""
    orders: Annotated[int, Range(1, len(ORDERS))] = 1
    """The number of sentence orders of each wording."""
    resembling: Fraction = 0.2
    """The share of people whose name differs from another person's in one part."""
    colliding: Fraction = 0.0
    """The share of people who have a namesake who was born elsewhere."""
    seed: Annotated[int, Range(0)] = 0
    """The seed of the people and their lines."""

    def __post_init__(self):
        both = self.resembling + self.colliding
        if both > 1 + 1e-9:
            raise ArgumentError("resembling", f"expected resembling + colliding to be at most 1, got {both:g}")
