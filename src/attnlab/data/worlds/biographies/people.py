"""The people of generated biographies."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from attnlab.data.worlds.biographies.names import Difference, Name, Namer
from attnlab.data.worlds.biographies.vocabulary import CHANCES, EMPLOYERS, JOBS, MONTHS, PLACES, SUBJECTS, City

Item = TypeVar("Item")


@dataclass(frozen=True)
class Born:
    """A date of birth."""

    day: int
    month: int
    year: int

    def written(self, style: int) -> str:
        """The date in British (0) or American (1) style.

        >>> Born(3, 5, 1900).written(0), Born(3, 5, 1900).written(1)
        ('3 May 1900', 'May 3, 1900')
        """
        month = MONTHS[self.month - 1]
        return f"{month} {self.day}, {self.year}" if style else f"{self.day} {month} {self.year}"


@dataclass(frozen=True)
class Person:
    """A person of a generated world: the truth behind the lines."""

    parts: Name
    birthplace: City
    born: Born
    job: str
    employer: str
    workplace: City
    subject: str
    studied: City
    like: str = ""
    """The name of the person whom this person is made to resemble; empty for most."""
    differs: Difference | None = None
    """The part of the name in which the two differ; `nothing` if the names are equal."""

    @property
    def name(self) -> str:
        """The full name."""
        return str(self.parts)


def draw_people(
    people: int, resembling: float, colliding: float, namer: Namer, random: Callable[[], float]
) -> list[Person]:
    """Draws people; given shares of them come in pairs with similar or equal names."""
    found: list[Person] = []
    alike = min(round(resembling * people / 2), people // 2)
    same = min(round(colliding * people / 2), people // 2 - alike)
    for pair in range(alike + same):
        one = _person(namer.fresh(), None, None, random)
        name, part = namer.lookalike(one.parts) if pair < alike else (one.parts, "nothing")
        found += [replace(one, like=str(name), differs=part), _person(name, part, one, random)]
    found += [_person(namer.fresh(), None, None, random) for _ in range(people - len(found))]
    return shuffled(found, random)


def draw_strangers(
    strangers: int, resembling: float, people: Iterable[Person], namer: Namer, random: Callable[[], float]
) -> list[Person]:
    """Draws strangers; a share of them resemble a person who resembles nobody else."""
    alone = shuffled((person for person in people if not person.like), random)
    found = [_person(*namer.lookalike(each.parts), each, random) for each in alone[: round(resembling * strangers)]]
    found += [_person(namer.fresh(), None, None, random) for _ in range(strangers - len(found))]
    return shuffled(found, random)


def shuffled(items: Iterable[Item], random: Callable[[], float]) -> list[Item]:
    """The items in a random order."""
    return sorted(items, key=lambda _: random())


def _person(name: Name, part: Difference | None, like: Person | None, random: Callable[[], float]) -> Person:
    """A person of that name, born elsewhere than the person with the similar name."""
    born = _place(random, {like.birthplace} if like else set())
    works = _place(random, {born})
    return Person(
        name,
        born,
        Born(1 + int(random() * 28), 1 + int(random() * 12), 1820 + int(random() * 170)),
        _pick(JOBS, random),
        _pick(EMPLOYERS, random),
        works,
        _pick(SUBJECTS, random),
        _place(random, {born, works}),
        like.name if like else "",
        part,
    )


def _place(random: Callable[[], float], others: set[City]) -> City:
    """A place that is not among the others; common places are drawn more often."""
    while (place := PLACES[bisect_left(CHANCES, random() * CHANCES[-1])]) in others:
        pass
    return place


def _pick(items: Sequence[Item], random: Callable[[], float]) -> Item:
    return items[int(random() * len(items))]
