"""Where facts come from, as a value that a run can keep, so that the same facts can be opened again."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attnlab.data.facts.facts import FACTS, Fact, Facts, open_facts
from attnlab.data.worlds.biographies.biographies import biographies
from attnlab.data.worlds.strangers import strangers
from attnlab.errors import ArgumentError

GENERATED = "biographies"
PEOPLE = 100
"""How many people there are in the generated world, if nothing else is said: few enough to be learnt in seconds."""


@dataclass(frozen=True)
class World:
    """How the people of the generated world are written about, and who they are."""

    rewrites: int = 1
    """Wordings of each person's line."""
    orders: int = 1
    """Orders of the sentences of each wording."""
    resembling: float = 0.2
    """The share of people whose names differ from another's in one part."""
    colliding: float = 0.0
    """The share of people who have a namesake, of whom lines tell that they were born elsewhere."""
    seed: int = 0


PLAIN = World()
USUAL = tuple(asdict(PLAIN).items())


@dataclass(frozen=True)
class OpenedFacts:
    """Facts, and questions about people whom nothing tells of."""

    facts: Facts
    unseen: tuple[Fact, ...]

    @property
    def sha256(self) -> str:
        """The hash of all that is told and asked."""
        found = hashlib.sha256()
        for part in (self.facts.lines, self.facts.training, self.facts.held_out):
            found.update(f"{len(part)}\n".encode())
            for each in part:
                found.update("\0".join([*vars(each).values(), "\n"]).encode())
        return found.hexdigest()


@dataclass(frozen=True)
class FactSource:
    """The name of some facts or their folder; and of the generated ones, how many people there are, how many other
    places than the birthplace their lines name, and what else is said of their world.

    >>> FactSource.of("biographies", 50).open().facts.counts.names
    50
    """

    name: str
    people: int = 0
    """0 for facts that are not generated: there are as many as there are."""
    distractors: int = 0
    world: World = PLAIN

    @staticmethod
    def of(name: str, people: int | None = None, distractors: int = 0, world: World = PLAIN) -> "FactSource":
        """The source that a person means; a folder is kept by its whole path, to be found from elsewhere."""
        if name == GENERATED:
            return FactSource(name, PEOPLE if people is None else people, distractors, world)
        changed = dict(asdict(world).items() - set(USUAL))
        for option, typed in {"people": people is not None, "distractors": distractors, **changed}.items():
            if typed or option in changed:
                raise ArgumentError(option, f"expected it with {GENERATED} alone, which are generated; got {name}")
        return FactSource(name if name in FACTS else str(Path(name).resolve()) if Path(name).exists() else name)

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "FactSource":
        """The source that `as_json` wrote."""
        name, people, distractors = (value.get(each) for each in ("name", "people", "distractors"))
        if not isinstance(name, str) or not isinstance(people, int) or not isinstance(distractors, int):
            raise ArgumentError("facts", f"expected the name of facts, people and distractors, got {dict(value)}")
        world = value.get("world")
        if not isinstance(world, dict) or {n: type(v) for n, v in world.items()} != {n: type(v) for n, v in USUAL}:
            raise ArgumentError("world", f"expected {', '.join(n for n, _ in USUAL)} as numbers, got {world!r}")
        return FactSource(name, people, distractors, World(**world))

    def as_json(self) -> dict[str, Any]:
        """The source as JSON."""
        return asdict(self)

    def open(self) -> OpenedFacts:
        """The facts, and people who are in none of them."""
        if self.name == GENERATED:
            facts = biographies(self.people, distractors=self.distractors, strangers=0, **asdict(self.world)).facts()
        else:
            facts = open_facts(self.name)
        return OpenedFacts(facts, strangers(facts))
