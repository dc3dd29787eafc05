"""What a claim is and what running it finds. No torch here: the report reads these records too.

Claim ──run(seed)──▶ Finding (verdict, measures, explanation, chart) ──as_json──▶ findings.json ──▶ report
"""

import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["holds", "fails", "holds if"]
How = Literal["exact", "observed", "bound", "95 % interval", "standard error"]


@dataclass(frozen=True)
class Quantity:
    """A number that an experiment found: `value` ± `within`, and how that half-width is meant.

    `exact` numbers are counted, or right to the last digits of float64; `observed` ones are what this run saw, such as
    the largest of many rounding errors, and another seed sees others; a `bound` holds the true value; a
    `95 % interval` and a `standard error` come from seeds or draws.
    """

    name: str
    value: float
    within: float = 0.0
    how: How = "exact"


@dataclass(frozen=True)
class Series:
    """A named line of a chart, y against x; `low` and `high` are a band around it, where there is one."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Lines:
    """A chart of lines. `description` says in words what it shows, for those who cannot see it."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    description: str
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Bar:
    """A named bar; `low` to `high` is the interval around its value, where there is one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bars:
    """A chart of bars, one below the other. `description` says in words what it shows."""

    title: str
    x_title: str
    bars: tuple[Bar, ...]
    description: str


Chart = Lines | Bars


@dataclass(frozen=True)
class Finding:
    """What running a claim found. `condition` completes a verdict of `holds if`, and is empty for the others."""

    verdict: Verdict
    explanation: str
    measures: tuple[Quantity, ...]
    condition: str = ""
    chart: Chart | None = None

    def __post_init__(self):
        if (self.verdict == "holds if") != bool(self.condition):
            raise ValueError(f"a condition goes with 'holds if' alone: {self.verdict!r}, {self.condition!r}")

    @property
    def words(self) -> str:
        """The verdict in words, with its condition."""
        return f"{self.verdict} {self.condition}".strip()


Experiment = Callable[[int], Finding]


@dataclass(frozen=True)
class Claim:
    """A statement that can be run: what is asked, what is said, who says so, and the experiment that decides."""

    id: str
    family: str
    question: str
    statement: str
    said_by: str
    experiment: Experiment

    def run(self, seed: int = 0) -> Finding:
        """The finding. Each claim has a seed of its own, so it finds the same alone as among others."""
        return self.experiment(zlib.crc32(f"{seed}/{self.id}".encode()))

    def as_json(self, finding: Finding) -> dict[str, Any]:
        """The claim and its finding as one JSON value."""
        kind = {"kind": type(finding.chart).__name__.lower()} if finding.chart else {}
        return {
            "id": self.id,
            "family": self.family,
            "question": self.question,
            "statement": self.statement,
            "said_by": self.said_by,
            **asdict(finding),
            "chart": kind | asdict(finding.chart) if finding.chart else None,
        }


class Family:
    """Claims about one question, in one file. `number` is its place in the ledger.

    >>> half = Family(4, "halves", "Halves", question="What is half of four?")
    >>> @half.claim("two", "It is two.", said_by="A")
    ... def _two(seed):
    ...     return Finding("holds" if 4 / 2 == 2 else "fails", "Divided, and compared.", (Quantity("4/2", 4 / 2),))
    >>> half.claims[0].id, half.claims[0].run().words
    ('halves-two', 'holds')
    """

    def __init__(self, number: float, name: str, title: str, question: str):
        self.number = number
        self.name = name
        self.title = title
        self.question = question
        self.claims: list[Claim] = []

    def claim(self, name: str, statement: str, *, said_by: str, question: str = "") -> Callable[[Experiment], Claim]:
        """Make a claim of the experiment below: `statement` as people write it, `said_by` "A", "B, E" or "the lab"."""

        def register(experiment: Experiment) -> Claim:
            made = Claim(f"{self.name}-{name}", self.name, question or self.question, statement, said_by, experiment)
            self.claims.append(made)
            return made

        return register
