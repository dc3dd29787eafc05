"""Claims and findings. No torch here, so that claims can be listed without it.

Claim ──run(seed)──▶ Finding (verdict, measures, explanation, chart) ──▶ Findings, a record ──▶ findings.json, report
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import signature
from typing import Literal

from attnlab.charts import Bar, Chart
from attnlab.claims.seeds import ROUNDING, seed_of
from attnlab.claims.sources import Source

Verdict = Literal["holds", "fails", "holds if"]
Bench = Literal["attention", "language", "perplexity", "knowledge", "sentiment", "heads"]
How = Literal["exact", "observed", "bound", "95 % interval", "standard error"]


@dataclass(frozen=True)
class Quantity:
    """A number that an experiment measured: `value` ± `within`. `how` says what the half-width means.

    An `exact` number is counted, or correct to the last digits of float64. An `observed` number is what this run saw,
    such as the largest of many rounding errors; another seed sees another number. A `bound` contains the true value.
    A `95 % interval` and a `standard error` come from repeated seeds or draws.
    """

    name: str
    value: float
    within: float = 0.0
    how: How = "exact"


LAST_DIGITS = 1e-15
"""The bound of a small difference of two numbers up to 1, such as a weight and ½: both are rounded."""


def over_seeds(name: str, mean: float, half: float) -> Quantity:
    """A mean over seeds, with the half-width of its 95 % interval. If all seeds agree, there is no interval, and the
    mean is what this run saw.

    >>> over_seeds("step", 40.0, 2.5).how, over_seeds("step", 40.0, 0.0).how
    ('95 % interval', 'observed')
    """
    return Quantity(name, mean, half, "95 % interval") if half > ROUNDING else Quantity(name, mean, how="observed")


@dataclass(frozen=True)
class Finding:
    """The result of running a claim. `condition` completes the verdict `holds if`; other verdicts have no condition."""

    verdict: Verdict
    explanation: str
    measures: tuple[Quantity, ...]
    condition: str = ""
    chart: Chart | None = None

    def __post_init__(self):
        if (self.verdict == "holds if") != bool(self.condition):
            raise ValueError(f"only 'holds if' has a condition: {self.verdict!r}, {self.condition!r}")

    @property
    def words(self) -> str:
        """The verdict in words, with its condition."""
        return f"{self.verdict} {self.condition}".strip()


def share_bar(name: str, mean: float, half: float) -> Bar:
    """A bar of a share with its interval `mean` ± `half`, cut off at 0 and 1."""
    return Bar(name, mean, max(0.0, mean - half), min(1.0, mean + half))


Sources = Callable[[int], tuple[Source, ...]]
"""The data that a claim uses with its seed."""
Experiment = Callable[..., Finding]
"""What tests a claim. It takes the claim's seed; or nothing, if nothing in it is random."""
InWorld = Callable[[int], object]
"""The measurements of a claim in one world, whose seed it takes. They are `kept`, so another process can make them."""


@dataclass(frozen=True)
class Claim:
    """A statement that can be run: the question, the statement, who makes it, and the experiment that tests it."""

    id: str
    family: str
    question: str
    statement: str
    said_by: str
    experiment: Experiment
    place: str
    """Where in the write-up the statement stands, if the question does not tell: "review 2"."""
    draws: str
    """The name that the claim's seed is made of: its id or, for claims that test the same models, their common name."""
    data: Sources
    worlds: int = 0
    """In how many worlds it is tested, if processes can share them."""
    in_world: InWorld = lambda world: None

    @property
    def stochastic(self) -> bool:
        """Whether the experiment is random, so that another seed measures other numbers."""
        return bool(signature(self.experiment).parameters)

    def run(self, seed: int = 0) -> Finding:
        """Run the experiment. The claim's own seed comes from `seed` and a name, so its finding does not depend on the
        other claims that are run."""
        return self.experiment(seed_of(seed, self.draws)) if self.stochastic else self.experiment()

    def sources(self, seed: int = 0) -> tuple[Source, ...]:
        """The data that the experiment uses; empty if it generates all of its data."""
        return self.data(seed_of(seed, self.draws))


@dataclass(eq=False)
class Family:
    """Claims about one question, in one file.

    >>> half = Family(4, "halves", "Halves", "attention", question="What is half of four?")
    >>> @half.claim("two", "It is two.", said_by="A")
    ... def _two():
    ...     return Finding("holds" if 4 / 2 == 2 else "fails", "Divided, and compared.", (Quantity("4/2", 4 / 2),))
    >>> half.claims[0].id, half.claims[0].run().words
    ('halves-two', 'holds')
    """

    number: float
    """Families are listed in the order of their numbers."""
    name: str
    title: str
    bench: Bench
    """The bench that the claims are about."""
    question: str
    shares: str = ""
    """The models that the claims share with other families, such as "reviews": all of these claims have one seed."""
    data: Sources = lambda seed: ()
    """The data that the claims use."""
    worlds: int = 0
    """The number of worlds that processes can share."""
    claims: list[Claim] = field(default_factory=list)

    def claim(
        self,
        name: str,
        statement: str,
        *,
        said_by: str,
        question: str = "",
        place: str = "",
        data: Sources | None = None,
        in_world: InWorld = lambda world: None,
    ) -> Callable[[Experiment], Claim]:
        """A decorator that makes a claim of an experiment. `said_by` is "A", "B, E" or "the lab". `in_world` measures
        what the claim needs in one of the family's worlds."""

        def register(experiment: Experiment) -> Claim:
            id = f"{self.name}-{name}"
            asked, draws = question or self.question, self.shares or id
            given = (place, draws, data or self.data, self.worlds, in_world)
            made = Claim(id, self.name, asked, statement, said_by, experiment, *given)
            self.claims.append(made)
            return made

        return register
