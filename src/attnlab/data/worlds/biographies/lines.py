"""Writes the lines of generated biographies, in several wordings and orders."""

import re
from collections.abc import Callable, Iterator

from attnlab.data.worlds.biographies.names import WOMEN
from attnlab.data.worlds.biographies.people import Person
from attnlab.data.worlds.biographies.vocabulary import BIRTHS, ORDERS, STUDIES, WORKS

EVERY = 5 * 7 * 8 * 9
"""A multiple of the number of patterns of each sentence, of orders, of forms of address and of date styles."""


def write_lines(
    person: Person, rewrites: int, orders: int, distractors: int, random: Callable[[], float]
) -> Iterator[str]:
    """A person's lines: each wording in each order, all different; asking for more lines keeps the first ones.

    The random numbers only choose where to begin, so their number does not depend on the number of lines.
    """
    birth, work, study, order, calling, style = (int(random() * EVERY) for _ in range(6))
    for rewrite in range(rewrites):
        patterns = tuple(
            _pattern(each[(begin + rewrite) % len(each)], named)
            for each, begin, named in (
                (BIRTHS, birth, True),
                (WORKS, work, distractors > 0),
                (STUDIES, study, distractors > 1),
            )
        )
        date = person.born.written((style + rewrite) % 2)
        for number in range(orders):
            chosen = [patterns[place] for place in ORDERS[(order + number) % len(ORDERS)]]
            callings = _callings(person, calling + rewrite + number)
            sentences = (_sentence(pattern, person, who, date) for pattern, who in zip(chosen, callings, strict=True))
            yield f"{person.name}. {' '.join(sentences)}"


def _pattern(pattern: str, named: bool) -> str:
    """A pattern with, or without, the part in brackets, which names another place."""
    return re.sub(r"\[(.*?)\]", r"\1" if named else "", pattern)


def _callings(person: Person, number: int) -> tuple[str, str, str]:
    """How each sentence refers to the person; a pronoun never comes first."""
    name, last, they = person.name, person.parts.last, "she" if person.parts.first in WOMEN else "he"
    callings = (name, last, they), (last, they, they), (name, they, last), (last, they, last), (name, they, they)
    return callings[number % len(callings)]


def _sentence(pattern: str, person: Person, who: str, date: str) -> str:
    text = pattern.format(
        who=who,
        named=who if who[0].isupper() else person.parts.last,
        date=date,
        birthplace=person.birthplace.city,
        country=person.birthplace.country,
        job=person.job,
        employer=person.employer,
        workplace=person.workplace.city,
        subject=person.subject,
        studied=person.studied.city,
    )
    return f"{text[0].upper()}{text[1:]}."
