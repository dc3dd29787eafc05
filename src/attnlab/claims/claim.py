"""Claims and findings. No torch here, so that claims can be listed without it.

Claim ──run(seed)──▶ Finding (verdict, measures, explanation, chart) ──▶ Findings, a record ──▶ findings.json, report
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from attnlab.charts import Bar, Chart

Verdict = Literal["holds", "fails", "holds if"]
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


Experiment = Callable[[int], Finding]


@dataclass(frozen=True)
class Claim:
    """A statement that can be run: the question, the statement, who makes it, and the experiment that tests it."""

    id: str
    family: str
    question: str
    statement: str
    said_by: str
    experiment: Experiment

    def run(self, seed: int = 0) -> Finding:
        """Run the experiment. Each claim makes its own seed from `seed` and its id, so its finding does not depend on
        the other claims that are run."""
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
        """A decorator that makes a claim of an experiment. `said_by` is "A", "B, E" or "the lab"."""

        def register(experiment: Experiment) -> Claim:
            made = Claim(f"{self.name}-{name}", self.name, question or self.question, statement, said_by, experiment)
            self.claims.append(made)
            return made

        return register
