"""Where facts come from, as a value that a run can keep, so that the same facts can be opened again."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from attnlab.data.facts.facts import FACTS, Fact, Facts, open_facts
from attnlab.data.worlds.biographies.biographies import biographies
from attnlab.data.worlds.biographies.world import MOST_PEOPLE, World
from attnlab.data.worlds.strangers import strangers
from attnlab.errors import ArgumentError
from attnlab.settings import Range, read, settings

GENERATED = "biographies"
PEOPLE = 100
"""How many people there are in the generated world, if nothing else is said: few enough to be learnt in seconds."""


@dataclass(frozen=True)
class OpenedFacts:
    """Facts, and questions about strangers, of whom no line tells."""

    facts: Facts
    strangers: tuple[Fact, ...]

    @property
    def sha256(self) -> str:
        """The hash of all lines, questions and answers."""
        found = hashlib.sha256()
        for part in (self.facts.lines, self.facts.training, self.facts.held_out):
            found.update(f"{len(part)}\n".encode())
            for each in part:
                found.update("\0".join([*vars(each).values(), "\n"]).encode())
        return found.hexdigest()


@settings
class FactSource:
    """The name of some facts or their folder; and of the generated ones, how many people there are, how many other
    places than the birthplace their lines name, and what else is said of their world.

    >>> FactSource.of("biographies", 50).open().facts.counts.names
    50
    """

    name: str
    people: int = 0
    """0 for facts that are not generated: there are as many as there are."""
    distractors: Annotated[int, Range(0, 2)] = 0
    """How many other places than the birthplace each line of the generated ones names."""
    world: World = field(default_factory=World)

    def __post_init__(self):
        if self.name == GENERATED and not 2 <= self.people <= MOST_PEOPLE:
            raise ArgumentError("people", f"expected from 2 to {MOST_PEOPLE}, got {self.people}")

    @staticmethod
    def of(
        name: str,
        people: int | None = None,
        distractors: int | None = None,
        world: Mapping[str, Any] | None = None,
    ) -> "FactSource":
        """The source that a person means; None is what was not said, and `world` holds settings of `World` by name. A
        folder is kept by its whole path, to be found from elsewhere."""
        changes = dict(world or {})
        if name == GENERATED:
            made = read(World, changes, "world")
            return FactSource(name, PEOPLE if people is None else people, distractors or 0, made)
        given = {"people": people, "distractors": distractors, **{f"world.{each}": changes[each] for each in changes}}
        for option in (option for option, value in given.items() if value is not None):
            raise ArgumentError(option, f"expected it with {GENERATED} alone, which are generated; got {name}")
        return FactSource(name if name in FACTS else str(Path(name).resolve()) if Path(name).exists() else name)

    def open(self) -> OpenedFacts:
        """The facts, and strangers to them."""
        if self.name == GENERATED:
            facts = biographies(self.people, distractors=self.distractors, strangers=0, **asdict(self.world)).facts()
        else:
            facts = open_facts(self.name)
        return OpenedFacts(facts, strangers(facts))


@settings
class HashedSource(FactSource):
    """A source with the hash of the facts that were opened from it, as a run keeps it."""

    sha256: str = field(kw_only=True)

    def __post_init__(self):
        super().__post_init__()

    @property
    def source(self) -> FactSource:
        """The source without the hash."""
        return FactSource(self.name, self.people, self.distractors, self.world)
