"""The source of facts, as a value that a run stores to open the same facts again."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from attnlab.data.facts.facts import FACTS, Fact, Facts, open_facts
from attnlab.data.worlds.biographies.biographies import MOST_PEOPLE, World, biographies
from attnlab.data.worlds.strangers import strangers
from attnlab.errors import ArgumentError
from attnlab.settings import Range, changed, settings

GENERATED = "biographies"
PEOPLE = 100
"""The default number of people in the generated world: few enough to be learnt in seconds."""


@dataclass(frozen=True)
class OpenedFacts:
    """Facts, and questions about strangers (people without a line)."""

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
    """The name of facts, or their folder; and for generated facts the number of people, the number of distractors
    (other places on a line), and the settings of their world.

    >>> FactSource.of("biographies", 50).open().facts.counts.names
    50
    """

    name: str
    people: int = 0
    """The number of people to generate; 0 for facts that are not generated."""
    distractors: Annotated[int, Range(0, 2)] = 0
    """How many places other than the birthplace each generated line names."""
    world: World = field(default_factory=World)

    def __post_init__(self):
        if self.name == GENERATED and not 2 <= self.people <= MOST_PEOPLE:
            raise ArgumentError("people", f"expected 2 to {MOST_PEOPLE:,} people, got {self.people}")

    @staticmethod
    def of(
        name: str,
        people: int | None = None,
        distractors: int | None = None,
        world: Mapping[str, Any] | None = None,
    ) -> "FactSource":
        """The source from a person's options; None means not given, and `world` holds settings of `World` by name. A
        folder is stored with its absolute path."""
        changes = dict(world or {})
        if name == GENERATED:
            made = changed(World(), changes, "world")
            return FactSource(name, PEOPLE if people is None else people, distractors or 0, made)
        given = {"people": people, "distractors": distractors, **{f"world.{each}": changes[each] for each in changes}}
        for option in (option for option, value in given.items() if value is not None):
            raise ArgumentError(option, f"works with {GENERATED} only, because they are generated; got {name}")
        return FactSource(name if name in FACTS else str(Path(name).resolve()) if Path(name).exists() else name)

    def open(self) -> OpenedFacts:
        """Opens the facts, and makes up strangers to them."""
        if self.name == GENERATED:
            facts = biographies(self.people, distractors=self.distractors, strangers=0, **asdict(self.world)).facts()
        else:
            facts = open_facts(self.name)
        return OpenedFacts(facts, strangers(facts))


@settings
class HashedSource(FactSource):
    """A source with the hash of its facts, as a run stores it."""

    sha256: str = field(kw_only=True)

    @property
    def source(self) -> FactSource:
        """The source without the hash."""
        return FactSource(self.name, self.people, self.distractors, self.world)
