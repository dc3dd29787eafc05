"""What can be set of a world of generated biographies."""

from typing import Annotated

from attnlab.data.worlds.biographies.words import ORDERS, WORDINGS
from attnlab.errors import ArgumentError
from attnlab.settings import Fraction, Range, settings

MOST_PEOPLE = 100_000


@settings
class World:
    """How the people of a generated world are written about, and who they are."""

    rewrites: Annotated[int, Range(1, WORDINGS)] = 1
    """Wordings of each person's line."""
    orders: Annotated[int, Range(1, len(ORDERS))] = 1
    """Orders of the sentences of each wording."""
    resembling: Fraction = 0.2
    """The share of people whose names differ from another's in one part."""
    colliding: Fraction = 0.0
    """The share of people who have a namesake, of whom lines tell that they were born elsewhere."""
    seed: Annotated[int, Range(0)] = 0
    """The seed of the people and their lines."""

    def __post_init__(self):
        both = self.resembling + self.colliding
        if both > 1 + 1e-9:
            raise ArgumentError("resembling", f"expected at most 1 with colliding, got {both:g} together")
