"""What a claim is, and what running one finds. No torch here: claims are listed without it.

Claim ──run(seed)──▶ Finding (verdict, measures, explanation, chart) ──▶ Findings, a record ──▶ findings.json, report
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from attnlab.charts import Chart

Verdict = Literal["holds", "fails", "holds if"]
How = Literal["exact", "observed", "bound", "95 % interval", "standard error"]


@dataclass(frozen=True)
class Quantity:
    """A number that an experiment found: `value` ± `within`, and how that half-width is meant.

    An `exact` number is counted, or correct to the last digits of float64. An `observed` number is what this run saw,
    such as the largest of many rounding errors; another seed sees another number. A `bound` contains the true value.
    A `95 % interval` and a `standard error` come from repeated seeds or draws.
    """

    name: str
    value: float
    within: float = 0.0
    how: How = "exact"


@dataclass(frozen=True)
class Finding:
    """What running a claim found. `condition` completes the verdict `holds if`; other verdicts have none."""

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


Experiment = Callable[[int], Finding]


@dataclass(frozen=True)
class Claim:
    """A statement that can be run: the question, the statement, who makes it, and the experiment that decides."""

    id: str
    family: str
    question: str
    statement: str
    said_by: str
    experiment: Experiment

    def run(self, seed: int = 0) -> Finding:
        """The finding. Each claim makes its own seed from `seed` and its id, so it finds the same alone as among
        others."""
        return self.experiment(zlib.crc32(f"{seed}/{self.id}".encode()))


class Family:
    """Claims about one question, in one file. Families are listed in the order of their `number`.

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
        """Make a claim of the experiment below this line: `statement` as people write it, `said_by` "A", "B, E" or "the
        lab"."""

        def register(experiment: Experiment) -> Claim:
            made = Claim(f"{self.name}-{name}", self.name, question or self.question, statement, said_by, experiment)
            self.claims.append(made)
            return made

        return register
