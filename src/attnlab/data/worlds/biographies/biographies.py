"""Generated biographies whose truth is known: birthplaces, wordings, and names that resemble each other.

A world to test knowledge in, with no download. Every person has lines of three sentences, on birth, work and study. A
line may name other places than the birthplace, so that a model must understand it. Some places are much commoner than
others, so that guessing them is a real baseline. Some names differ from another name in one part only, or not at all.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Annotated

from attnlab.data.facts.facts import BIRTHPLACE, Fact, Facts, Line
from attnlab.data.worlds.biographies.lines import write_lines
from attnlab.data.worlds.biographies.names import Namer
from attnlab.data.worlds.biographies.people import Person, draw_people, draw_strangers, shuffled
from attnlab.data.worlds.biographies.vocabulary import ORDERS, WORDINGS
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


@dataclass(frozen=True)
class Biographies:
    """People, strangers without lines, and how the people's lines are written."""

    people: tuple[Person, ...]
    strangers: tuple[Person, ...]
    rewrites: int
    orders: int
    distractors: int
    seed: int

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every line, person by person."""
        random = _stream(self.seed, 1)
        return tuple(
            Line(person.name, text)
            for person in self.people
            for text in write_lines(person, self.rewrites, self.orders, self.distractors, random)
        )

    def facts(self, training: float = 0.8, held_out: float = 0.2) -> Facts:
        """The lines of all people, and questions on birthplaces: shares of the people to train on and held out.

        A larger share contains the smaller one; people of the same name are on the same side.
        """
        for option, share in (("training", training), ("held_out", held_out)):
            if not 0 < share < 1:
                raise ArgumentError(option, f"expected a share above 0 and below 1, such as 0.5; got {share}")
        if training + held_out > 1 + 1e-9:
            raise ArgumentError("training", f"expected training + held_out of at most 1, got {training + held_out:g}")
        named: dict[str, list[Person]] = {}
        for person in self.people:
            named.setdefault(person.name, []).append(person)
        if len(named) < 2:
            raise ArgumentError("people", "expected at least two different names to ask about, got 1")
        names = shuffled(named, _stream(self.seed, 2))
        first = min(max(round(training * len(names)), 1), len(names) - 1)
        last = max(first, len(names) - max(round(held_out * len(names)), 1))
        parts = (names[:first], names[last:])
        return Facts(self.lines, *(questions(p for name in part for p in named[name]) for part in parts))

    def unseen(self) -> tuple[Fact, ...]:
        """Questions on the strangers' birthplaces, which no line tells: every answer is made up."""
        return questions(self.strangers)

    def lookalikes(self) -> dict[str, str]:
        """The name that each person or stranger is made to resemble, by name."""
        return {person.name: person.like for person in (*self.people, *self.strangers) if person.like}


def biographies(
    people: int = 1_000,
    *,
    rewrites: int = 1,
    orders: int = 1,
    resembling: float = 0.2,
    colliding: float = 0.0,
    distractors: int = 1,
    strangers: int = 200,
    seed: int = 0,
) -> Biographies:
    """A world of `people` people, the same on every machine; the wording options do not change who the people are.

    Each person has `rewrites` wordings, each in `orders` orders of its sentences. A share of the people are in pairs
    whose names differ in one part (`resembling`) or not at all (`colliding`), rounded to whole pairs. The same share of
    the strangers resemble a person who resembles nobody else. A line names `distractors` other places, 0 to 2.

    >>> world = biographies(3, seed=1)
    >>> world.lines[0].text.split(". ")[1]
    'Lewis Haroman (born 8 March 1989 in London, England) was a photographer'
    >>> world.people[0].birthplace.city, world.people[0].workplace.city
    ('London', 'Munich')
    """
    World(rewrites, orders, resembling, colliding, seed)  # checks the options
    for option, value, least, most in (
        ("people", people, 2, MOST_PEOPLE),
        ("distractors", distractors, 0, 2),
        ("strangers", strangers, 0, MOST_PEOPLE),
    ):
        Range(least, most).require(option, value)
    random = _stream(seed, 0)
    namer = Namer(random, families=2 * people + 50)  # few last names: many people share one
    known = draw_people(people, resembling, colliding, namer, random)
    unknown = draw_strangers(strangers, resembling, known, namer, random)
    return Biographies(tuple(known), tuple(unknown), rewrites, orders, distractors, seed)


def questions(people: Iterable[Person]) -> tuple[Fact, ...]:
    """Questions on the birthplace of each person."""
    return tuple(Fact(p.name, p.name.join(BIRTHPLACE), p.birthplace.city) for p in people)


def _stream(seed: int, number: int) -> Callable[[], float]:
    """The random numbers for one purpose: 0 people, 1 their lines, 2 who is asked about."""
    return Random(3 * seed + number).random
